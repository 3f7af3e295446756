"""The wrong ways to mask, beside the right one: for a comparison only, nothing of it enters an evaluation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attnexplorer.compute.masks import Visibility, masked
from attnexplorer.compute.projections import Array
from attnexplorer.compute.scaling import scaling_units
from attnexplorer.compute.softmax import softmax
from attnexplorer.compute.stage_reads import alibi_slope
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment


@dataclass(frozen=True, slots=True, eq=False)
class MaskedWays:
    """One head's weights under three ways to mask. Shapes: [n, m] each.

    Parameters
    ----------
    right
        Softmax of scores that are −∞ where a pair is blocked.
    zeroed
        Softmax of scores that are 0 there: e⁰ = 1 is a real weight.
    after
        Softmax of all scores, with the weights of blocked pairs set to 0 afterwards.
    visible
        Which pairs are seen.
    """

    right: Array
    zeroed: Array
    after: Array
    visible: Visibility

    def leaked(self, weights: Array) -> Array:
        """Return how much weight each row gives to keys that are blocked. Shape: [n, m] → [n]."""
        leak: Array = np.where(self.visible, 0.0, weights).sum(axis=1)
        return leak


def masked_ways_units(experiment: Experiment, layer: int, head: int) -> tuple[Unit, ...]:
    """Return the units that `masked_ways` reads."""
    distance = [unit for unit in scaling_units(experiment, layer, head) if unit.stage == "distance"]
    return (Unit("scaled", layer, head), Unit("visible", layer), *distance)


def masked_ways(experiment: Experiment, array_of: Callable[[Unit], Array], layer: int, head: int) -> MaskedWays:
    """Return a head's weights under each way; pinned masked scores count as they do in the evaluation.

    `right` equals the evaluated weights, unless those are pinned themselves.
    """
    with np.errstate(all="ignore"):
        open_scores, seen = _scores(experiment, array_of, layer, head)
        return MaskedWays(
            right=softmax(np.where(seen, open_scores, -np.inf)),
            zeroed=softmax(np.where(seen, open_scores, 0.0)),
            after=np.where(seen, softmax(open_scores), 0.0),
            visible=seen,
        )


def _scores(
    experiment: Experiment, array_of: Callable[[Unit], Array], layer: int, head: int
) -> tuple[Array, Visibility]:
    """Return the scores as they are before masking, and which pairs are seen."""
    scaled, seen = array_of(Unit("scaled", layer, head)), array_of(Unit("visible", layer)).astype(np.bool_)
    slope = alibi_slope(experiment, layer, head)
    penalty = None if slope is None else array_of(Unit("distance")) * slope
    temperature = experiment.layers[layer].attention.temperature
    scores = masked(scaled, np.ones_like(seen), temperature, penalty)
    pin = experiment.pins.get(Unit("masked", layer, head).path)
    if pin is not None:
        scores = np.where(np.isfinite(pin), pin, scores)
        seen = np.where(np.isnan(pin), seen, ~np.isneginf(pin))
    # Scores that are pinned to −∞ before the mask are blocked as well; no way makes weights of those.
    return scores, seen & ~np.isneginf(scores)
