"""What follows the tokens when they are put into another order, and what does not because places matter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attnexplorer.compute.engine import Engine
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import STAGES, stages_of, unit_for
from attnexplorer.compute.units import Unit
from attnexplorer.compute.work import estimated_seconds
from attnexplorer.experiment.model import Experiment

TOLERANCE = 1e-12
"""Numbers that differ by no more than this share of the largest one follow: sums are taken in another order."""

_LOOKED_AT = (
    "input",
    "query",
    "key",
    "value",
    "query_rotated",
    "key_rotated",
    "scores",
    "scaled",
    "masked",
    "weights",
    "head_output",
    "output",
)


@dataclass(frozen=True, slots=True)
class Following:
    """A stage, by its name and its symbol, and by how much it differs from the former numbers in the new order."""

    stage: str
    symbol: str
    difference: float
    follows: bool


def what_follows(
    before: Experiment, after: Experiment, order: tuple[int, ...], layer: int, head: int
) -> tuple[Following, ...]:
    """Compare the stages of a head before and after the tokens of the sequence were put into an order.

    Place i holds the token that was at `order[i]`. Keys are in the new order too, unless they are of another sequence.
    """
    units = _units(before, layer, head)
    engines = Engine(), Engine()
    old, new = (engine.evaluate(it, units.values()).arrays for engine, it in zip(engines, (before, after), strict=True))
    return tuple(_following(unit, _reordered(old[unit], unit, before, order), new[unit]) for unit in units.values())


def seconds_to_follow(before: Experiment, layer: int, head: int) -> float:
    """Return roughly how long it takes to compare the stages of a head; a guess to choose a thread by."""
    plan = Engine().plan(before, _units(before, layer, head).values())
    return 2 * estimated_seconds(plan.experiment, plan.missing)


def places_matter(experiment: Experiment) -> tuple[str, ...]:
    """Return what makes the places of tokens count, in words; empty if nothing does."""
    kinds = {
        "sinusoidal": "sinusoidal positions",
        "learned": "learned positions",
        "rope": "RoPE",
        "alibi": "ALiBi",
    }
    masks = [layer.attention.mask for layer in experiment.layers]
    causes = [kinds[experiment.position.kind]] if experiment.position.kind in kinds else []
    causes += ["the causal mask"] if any(mask.causal for mask in masks) else []
    causes += ["the window"] if any(mask.window is not None for mask in masks) else []
    return tuple(causes)


def _units(experiment: Experiment, layer: int, head: int) -> dict[str, Unit]:
    stages = stages_of(experiment, layer)
    return {name: unit_for(experiment, name, layer, head) for name in _LOOKED_AT if name in stages}


def _reordered(array: Array, unit: Unit, experiment: Experiment, order: tuple[int, ...]) -> Array:
    moving = {"query", "key"} if experiment.source is None else {"query"}
    rows, columns = STAGES[unit.stage].axes
    moved = array[list(order)] if rows in moving else array
    return moved[:, list(order)] if columns in moving else moved


def _following(unit: Unit, expected: Array, found: Array) -> Following:
    with np.errstate(over="ignore", invalid="ignore"):
        apart = np.where(expected == found, 0.0, np.abs(expected - found))
    finite = np.abs(expected[np.isfinite(expected)])
    difference = float(apart.max(initial=0.0))
    follows = difference <= TOLERANCE * max(1.0, float(finite.max(initial=0.0)))
    return Following(unit.stage, STAGES[unit.stage].symbol, difference, follows)
