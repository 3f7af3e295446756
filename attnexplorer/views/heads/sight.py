"""What must be evaluated for what is in sight: a pure function of what that is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.content import units_of


@dataclass(frozen=True, slots=True)
class Sight:
    """The heads whose tiles are in sight, and what is needed of the others.

    Parameters
    ----------
    every_stage
        Colour limits are shared by all heads, so the shown stage of each is needed.
    every_weight
        An order, a mean or the distances need the weights of each.
    outputs
        The bars of what each head adds are in sight.
    """

    heads: tuple[int, ...]
    every_stage: bool
    every_weight: bool
    outputs: bool


def units_in_sight(experiment: Experiment, layer: int, head: int, stage: str, sight: Sight) -> Collection[Unit]:
    """Return the units to evaluate; the weights of a tile are needed for its metrics, whatever stage it shows."""
    heads = range(experiment.layers[layer].attention.heads)
    with_stage = {*(heads if sight.every_stage else sight.heads), head}
    with_weights = {*(heads if sight.every_weight else sight.heads), head}
    paths = {Unit(stage, layer, each).path for each in with_stage}
    paths |= {Unit("weights", layer, each).path for each in with_weights}
    units = {unit for path in paths for unit in units_of(experiment, path)}
    return units | {Unit("head_output", layer, each) for each in heads if sight.outputs}
