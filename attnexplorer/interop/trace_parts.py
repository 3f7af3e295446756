"""The stages of an experiment in the order in which they are written out: before, in and after the layers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from attnexplorer.compute.blind_rows import blind_rows, telling_unit
from attnexplorer.compute.engine import Engine
from attnexplorer.compute.progress import Step, silent
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import STAGES, heads_of, stages_of
from attnexplorer.compute.units import Per, Unit
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment

_FIRST = "embeddings"


@dataclass(frozen=True, slots=True)
class TracePart:
    """The stages of one layer by name, or with `layer` None those before or after the layers.

    Stages that have heads are stacked: [heads, n, …].
    """

    layer: int | None
    arrays: Mapping[str, Array]
    fully_masked_rows: tuple[tuple[int, int], ...] = ()


def stage_names(experiment: Experiment) -> tuple[str, ...]:
    """Return every stage that an experiment has, in the order of the computation."""
    in_layers = {name for layer in range(len(experiment.layers)) for name in stages_of(experiment, layer)}
    return tuple(name for name in STAGES if name in in_layers or _exists_outside(experiment, name))


def chosen_stages(experiment: Experiment, names: Collection[str] | None) -> frozenset[str]:
    """Return the stages to write: those that are named, or with None all there are.

    Raises
    ------
    ExperimentError
        If the experiment has no such stage; the sentence lists what there is.
    """
    present = stage_names(experiment)
    for name in names or ():
        if name not in present:
            raise ExperimentError("", f"there is no stage {name!r} here; there are {', '.join(present)}")
    return frozenset(present if names is None else names)


def trace_parts(
    experiment: Experiment, stages: Collection[str] | None = None, step: Step = silent
) -> Iterator[TracePart]:
    """Yield what comes before the layers, each layer, and what comes after them; one layer at a time is in memory.

    `step` is told how many layers are done.
    """
    chosen = chosen_stages(experiment, stages)
    engine = Engine()
    yield _outside(experiment, engine, [_FIRST] if _FIRST in chosen else [])
    count = len(experiment.layers)
    for layer in range(count):
        step(layer, count)
        yield _layer(experiment, engine, layer, [name for name in stages_of(experiment, layer) if name in chosen])
    step(count, count)
    after = [name for name in STAGES if name != _FIRST and name in chosen and _exists_outside(experiment, name)]
    yield _outside(experiment, engine, after)


def _exists_outside(experiment: Experiment, name: str) -> bool:
    stage = STAGES[name]
    return stage.per is Per.EXPERIMENT and not stage.internal and stage.exists(experiment, 0)


def _outside(experiment: Experiment, engine: Engine, names: list[str]) -> TracePart:
    arrays = engine.evaluate(experiment, [Unit(name) for name in names]).arrays
    return TracePart(None, {name: arrays[Unit(name)] for name in names})


def _layer(experiment: Experiment, engine: Engine, layer: int, names: list[str]) -> TracePart:
    units = {name: [Unit(name, layer, head) for head in heads_of(experiment, name, layer)] for name in names}
    telling = [telling_unit(experiment, layer, head) for head in range(experiment.layers[layer].attention.heads)]
    arrays = engine.evaluate(experiment, [*telling, *(unit for those in units.values() for unit in those)]).arrays
    rows = ((unit, np.flatnonzero(blind_rows(unit, arrays[unit]))) for unit in telling)
    blind = tuple((unit.head or 0, int(row)) for unit, found in rows for row in found)
    return TracePart(layer, {name: _stacked(those, arrays) for name, those in units.items()}, blind)


def _stacked(units: list[Unit], arrays: Mapping[Unit, Array]) -> Array:
    if units[0].head is None:
        return arrays[units[0]]
    return np.stack([arrays[unit] for unit in units])
