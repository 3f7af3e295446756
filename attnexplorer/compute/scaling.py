"""One row of attention under any scale: what softmax would give if QKᵀ were multiplied by something else.

The same stage functions as the evaluation uses, on one row; pins of `scaled` and `masked` act as they do there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.projections import Array
from attnexplorer.compute.stage_reads import alibi_slope
from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment

AFTER_SCORES = ("scaled", "masked", "weights")
"""The stages behind the scale, in order; a pin of one of them takes the scale's effect away."""


@dataclass(frozen=True, slots=True, eq=False)
class ScaledRow:
    """One query's row under one scale: `masked` scores and softmax `weights`, both [m]; which keys are `visible`."""

    factor: float
    masked: Array
    weights: Array

    @property
    def visible(self) -> NDArray[np.bool_]:
        """The keys that the query sees."""
        return ~np.isneginf(self.masked)

    @property
    def finite(self) -> bool:
        """Whether every weight is a number; infinite scores make NaN of their row."""
        return bool(np.isfinite(self.weights).all())


def scaling_units(experiment: Experiment, layer: int, head: int) -> tuple[Unit, ...]:
    """Return the units that `row_at_scale` reads."""
    distance = () if alibi_slope(experiment, layer, head) is None else (Unit("distance"),)
    return (Unit("scores", layer, head), Unit("visible", layer), *distance)


def row_at_scale(
    experiment: Experiment, array_of: Callable[[Unit], Array], layer: int, head: int, row: int, factor: float
) -> ScaledRow:
    """Return a row of softmax weights as they are when scores are multiplied by `factor`.

    At the layer's own scale this is the row of `weights`, bit for bit, unless `weights` itself is pinned.
    """
    attention = experiment.layers[layer].attention
    with np.errstate(all="ignore"):
        scores = array_of(Unit("scores", layer, head))[row : row + 1]
        scaled = STAGES["scaled"].function(scores, factor, attention.softcap)
        scaled = _pinned(experiment, Unit("scaled", layer, head), row, scaled)
        seen = array_of(Unit("visible", layer))[row : row + 1]
        slope = alibi_slope(experiment, layer, head)
        penalty = () if slope is None else (array_of(Unit("distance"))[row : row + 1], slope)
        masked = STAGES["masked"].function(scaled, seen, attention.temperature, *penalty)
        masked = _pinned(experiment, Unit("masked", layer, head), row, masked)
        weights = STAGES["weights"].function(masked)
    return ScaledRow(factor, masked[0], weights[0])


def pinned_after_scores(experiment: Experiment, layer: int, head: int, row: int) -> tuple[tuple[str, bool], ...]:
    """Return the stages behind the scale in which cells of a row are pinned, each with whether the whole row is."""
    found = []
    for stage in AFTER_SCORES:
        pin = experiment.pins.get(Unit(stage, layer, head).path)
        if pin is not None and not np.isnan(pin[row]).all():
            found.append((stage, not bool(np.isnan(pin[row]).any())))
    return tuple(found)


def _pinned(experiment: Experiment, unit: Unit, row: int, computed: Array) -> Array:
    pin = experiment.pins.get(unit.path)
    if pin is None:
        return computed
    cells = pin[row : row + 1].astype(computed.dtype)
    return np.where(np.isnan(cells), computed, cells)
