"""Softmax of a whole head under any scale, and what becomes of one row as the scale goes from 0 to its largest.

The same stage functions as the evaluation uses; mask, softcap, temperature, ALiBi and pins act as they do there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from attnexplorer.compute.metrics import Numbers, row_metrics
from attnexplorer.compute.projections import Array
from attnexplorer.compute.scaling import pinned_after_scores, row_at_scale
from attnexplorer.compute.stage_reads import alibi_slope
from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.edits.masks import set_temperature
from attnexplorer.experiment.model import Experiment

ArrayOf = Callable[[Unit], Array]


@dataclass(frozen=True, slots=True, eq=False)
class ScaleCurves:
    """One number a scale each: the metrics of one row under every one of `factors`, all [k]."""

    factors: Numbers
    entropy: Numbers
    effective_keys: Numbers
    largest: Numbers
    gradient: Numbers


def curve_factors(smallest: float, largest: float, count: int, foot: int, exact: Sequence[float] = ()) -> Numbers:
    """Return scales from 0 to `largest`: `foot` equal steps up to `smallest`, then `count` equal ratios.

    The scales in `exact` are among them to the last bit.
    """
    linear = np.linspace(0.0, smallest, foot + 1)[:-1]
    return np.unique(np.concatenate([linear, np.geomspace(smallest, largest, count + 1), np.array(exact, dtype=float)]))


def masked_at_scale(experiment: Experiment, array_of: ArrayOf, layer: int, head: int, factor: float) -> Array:
    """Return a head's masked scores as they are when scores are multiplied by `factor`. Shape: [n, m]."""
    attention = experiment.layers[layer].attention
    with np.errstate(all="ignore"):
        scaled = STAGES["scaled"].function(array_of(Unit("scores", layer, head)), factor, attention.softcap)
        scaled = _pinned(experiment, Unit("scaled", layer, head), scaled)
        seen, penalty = _seen_and_penalty(experiment, array_of, layer, head, slice(None))
        masked = STAGES["masked"].function(scaled, seen, attention.temperature, *penalty)
        return _pinned(experiment, Unit("masked", layer, head), masked)


def weights_at_scale(experiment: Experiment, array_of: ArrayOf, layer: int, head: int, factor: float) -> Array:
    """Return a head's softmax weights as they are when scores are multiplied by `factor`. Shape: [n, m].

    At the layer's own scale they are its `weights`, bit for bit, unless `weights` itself is pinned.
    """
    with np.errstate(all="ignore"):
        weights: Array = STAGES["weights"].function(masked_at_scale(experiment, array_of, layer, head, factor))
    return weights


def scale_curves(
    experiment: Experiment, array_of: ArrayOf, layer: int, head: int, row: int, factors: Numbers
) -> ScaleCurves:
    """Return the metrics of one row under many scales. Shape: [k] → [k] each; NaN where softmax is not a number."""
    attention = experiment.layers[layer].attention
    scores = array_of(Unit("scores", layer, head))[row : row + 1]
    with np.errstate(all="ignore"):
        scaled = STAGES["scaled"].function(scores, factors.astype(scores.dtype)[:, None], attention.softcap)
        scaled = _pinned(experiment, Unit("scaled", layer, head), scaled, row)
        seen, penalty = _seen_and_penalty(experiment, array_of, layer, head, slice(row, row + 1))
        seen = np.broadcast_to(seen, scaled.shape)
        masked = STAGES["masked"].function(scaled, seen, attention.temperature, *penalty)
        masked = _pinned(experiment, Unit("masked", layer, head), masked, row)
        metrics = row_metrics(STAGES["weights"].function(masked))
    return ScaleCurves(factors, metrics.entropy, metrics.effective_keys, metrics.largest, metrics.gradient)


def between_scale_and_temperature(experiment: Experiment, layer: int, head: int, row: int) -> tuple[str, ...]:
    """Return what makes scale and temperature two knobs instead of one: "softcap", "alibi", "pins"; else nothing.

    Each of them acts on the scores between the multiplication by the scale and the division by the temperature.
    """
    pinned = any(stage == "scaled" for stage, _ in pinned_after_scores(experiment, layer, head, row))
    found = {
        "softcap": experiment.layers[layer].attention.softcap is not None,
        "alibi": alibi_slope(experiment, layer, head) is not None,
        "pins": pinned,
    }
    return tuple(name for name, there in found.items() if there)


def folding_difference(
    experiment: Experiment, array_of: ArrayOf, layer: int, head: int, row: int, temperature: float
) -> float:
    """Return how far a row's weights at `temperature` are from those at temperature 1 and the scale divided by it.

    The largest difference of a weight. But for rounding it is 0 where scale and temperature are one knob.
    """
    factor = experiment.layers[layer].attention.scale_factor
    warm, plain = (set_temperature(experiment, layer, t) for t in (temperature, 1.0))
    one = row_at_scale(warm, array_of, layer, head, row, factor).weights
    other = row_at_scale(plain, array_of, layer, head, row, factor / temperature).weights
    return _largest_difference(one, other)


def shift_difference(
    experiment: Experiment, array_of: ArrayOf, layer: int, head: int, row: int, constant: float
) -> float:
    """Return how far a row's weights move when `constant` is added to each of its raw scores: the largest difference.

    But for rounding it is 0 without softcap and pins: softmax only knows the differences between scores.
    """
    scores_unit = Unit("scores", layer, head)

    def shifted(unit: Unit) -> Array:
        return array_of(unit) + constant if unit == scores_unit else array_of(unit)

    factor = experiment.layers[layer].attention.scale_factor
    before = row_at_scale(experiment, array_of, layer, head, row, factor).weights
    return _largest_difference(before, row_at_scale(experiment, shifted, layer, head, row, factor).weights)


def _largest_difference(one: Array, other: Array) -> float:
    with np.errstate(all="ignore"):
        return float(np.abs(one - other).max(initial=0.0))


def _seen_and_penalty(
    experiment: Experiment, array_of: ArrayOf, layer: int, head: int, rows: slice
) -> tuple[Array, tuple[object, ...]]:
    slope = alibi_slope(experiment, layer, head)
    penalty = () if slope is None else (array_of(Unit("distance"))[rows], slope)
    return array_of(Unit("visible", layer))[rows], penalty


def _pinned(experiment: Experiment, unit: Unit, computed: Array, row: int | None = None) -> Array:
    """Put pinned cells over computed ones; of one row of the pin where a row is given."""
    pin = experiment.pins.get(unit.path)
    if pin is None:
        return computed
    cells = (pin if row is None else pin[row : row + 1]).astype(computed.dtype)
    return np.where(np.isnan(cells), computed, cells)
