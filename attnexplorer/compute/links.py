"""A cell → the cells it is made from, and the cells it feeds: what one cursor lights up in all views.

Everything works on areas (a range of rows and a range of columns), never cell by cell, so that it can run on every
move of the mouse. Links follow the structure: a masked pair is linked to its score although the mask hides it.
Cells that are pinned are made from nothing, and nothing upstream feeds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.edges import Edge
from attnexplorer.compute.reading import edges_into, readers_of, shape_of
from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment


class Area(NamedTuple):
    """A rectangle of cells of one matrix, counted from 0. A range may have a step: a rotated pair is two columns."""

    path: str
    rows: range
    columns: range


def unit_of(path: str) -> Unit | None:
    """Return the unit that a path names, or None for the path of a parameter."""
    parts = path.split(".")
    if len(parts) == 1:
        return Unit(path) if path in STAGES else None
    if parts[0] != "layers" or len(parts) < 3 or parts[2] not in STAGES:
        return None
    return Unit(parts[2], int(parts[1]), int(parts[3]) if len(parts) > 3 else None)


def sources(experiment: Experiment, path: str, row: int, column: int, depth: int | None = 1) -> tuple[Area, ...]:
    """Return what a cell is made from: in one step, in `depth` steps, or with None all the way up."""
    return _followed(experiment, _cell(path, row, column), depth, None, back=True)


def targets(
    experiment: Experiment, path: str, row: int, column: int, depth: int | None = 1, head: int | None = None
) -> tuple[Area, ...]:
    """Return what a cell feeds: in one step, in `depth` steps, or with None all the way to the output.

    With `head`, what other heads make of it is left out.
    """
    return _followed(experiment, _cell(path, row, column), depth, head, back=False)


def _cell(path: str, row: int, column: int) -> Area:
    return Area(path, range(row, row + 1), range(column, column + 1))


def _followed(experiment: Experiment, start: Area, depth: int | None, head: int | None, back: bool) -> tuple[Area, ...]:
    """Follow the links, step by step, leaving out what is already covered."""
    found: dict[str, list[Area]] = {}
    front: list[Area] = [start]
    while front and depth != 0:
        steps = (_into(experiment, area) if back else _out_of(experiment, area, head) for area in front)
        front = [area for reached in steps for area in reached if _is_new(found, area)]
        depth = None if depth is None else depth - 1
    return tuple(area for areas in found.values() for area in areas)


def _is_new(found: dict[str, list[Area]], area: Area) -> bool:
    known = found.setdefault(area.path, [])
    if any(_covers(other, area) for other in known):
        return False
    known[:] = [other for other in known if not _covers(area, other)]
    known.append(area)
    return True


def _covers(outer: Area, inner: Area) -> bool:
    return _contains(outer.rows, inner.rows) and _contains(outer.columns, inner.columns)


def _contains(outer: range, inner: range) -> bool:
    if outer == inner or not inner:
        return True
    if outer.step == 1:
        return outer.start <= inner[0] and inner[-1] < outer.stop
    return all(index in outer for index in inner)


def _into(experiment: Experiment, area: Area) -> Iterator[Area]:
    unit = unit_of(area.path)
    if unit is None:
        return
    for free in _unpinned(experiment, area):
        for edge in edges_into(experiment, unit):
            for rows, columns in edge.back(free.rows, free.columns):
                yield Area(edge.source, rows, columns)


def _out_of(experiment: Experiment, area: Area, head: int | None) -> Iterator[Area]:
    for reader in readers_of(experiment, area.path, unit_of(area.path)):
        if head is not None and not _used_by(experiment, reader, head):
            continue
        for edge in _edges_between(experiment, area.path, reader):
            for rows, columns in edge.forward(area.rows, area.columns):
                yield from _unpinned(experiment, Area(reader.path, rows, columns))


def _edges_between(experiment: Experiment, path: str, reader: Unit) -> Iterable[Edge]:
    return (edge for edge in edges_into(experiment, reader) if edge.source == path)


def _used_by(experiment: Experiment, unit: Unit, head: int) -> bool:
    if unit.head is None or unit.layer is None:
        return True
    if unit.stage.startswith(("key", "value")):
        return unit.head == experiment.layers[unit.layer].attention.kv_head_of(head)
    return unit.head == head


def _unpinned(experiment: Experiment, area: Area) -> Iterable[Area]:
    """Return the parts of an area that are computed."""
    pin = experiment.pins.get(area.path) if experiment.pins else None
    if pin is None:
        return (area,)
    free = np.isnan(pin[area.rows.start : area.rows.stop : area.rows.step, _slice(area.columns)])
    if free.all():
        return (area,)
    if not free.any():
        return ()
    if len(area.columns) == 1:
        return [Area(area.path, rows, area.columns) for rows in _runs(free[:, 0], area.rows)]
    parts = zip(area.rows, free, strict=True)
    return [Area(area.path, range(r, r + 1), columns) for r, cells in parts for columns in _runs(cells, area.columns)]


def _slice(indices: range) -> slice:
    return slice(indices.start, indices.stop, indices.step)


def _runs(wanted: NDArray[np.bool_], indices: range) -> list[range]:
    """Return the stretches of `indices` at which `wanted` is true."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], wanted, [False])).astype(np.int8)))
    return [indices[start:stop] for start, stop in edges.reshape(-1, 2).tolist()]


__all__ = ["Area", "shape_of", "sources", "targets", "unit_of"]
