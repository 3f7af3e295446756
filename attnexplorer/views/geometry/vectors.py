"""Which vectors the Geometry workspace shows: from an evaluation to rows of numbers with their tokens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.explaining.context import spelt_labels
from attnexplorer.compute.planes import Plane, axes_plane, components_plane
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import PAIR_STAGES, unit_at
from attnexplorer.document.cursor import Cell
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.plane import PlanePicture
from attnexplorer.figures.plane_arrows import Arrow, ArrowKind, State
from attnexplorer.figures.plane_vectors import KINDS, vector_letter, vector_unit
from attnexplorer.figures.theme import Theme

Vector = tuple[ArrowKind, int]
"""A vector by its kind and its row."""
_FADE_FROM = 9
"""With so many arrows, those that the pointer does not mean step back."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The vectors of one kind: `values` is [n, d], a token a row."""

    kind: ArrowKind
    path: str
    letter: str
    tokens: tuple[str, ...]
    values: Array

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self.values.shape[1])


def rows_of(evaluation: Evaluation, kinds: Collection[ArrowKind], layer: int, head: int) -> tuple[Rows, ...] | None:
    """Return the vectors of some kinds, or None where they are not evaluated yet."""
    experiment, rows = evaluation.experiment, []
    for kind in KINDS:
        if kind in kinds:
            unit = vector_unit(experiment, kind, layer, head)
            values = evaluation.arrays.get(unit)
            if values is None:
                return None
            tokens = experiment.key_tokens if kind in ("key", "value") else experiment.query_tokens
            rows.append(Rows(kind, unit.path, vector_letter(kind, unit), spelt_labels(tokens), values))
    return tuple(rows)


def in_one_space(rows: Sequence[Rows]) -> tuple[tuple[Rows, ...], tuple[Rows, ...]]:
    """Return the rows that are as wide as the first, and the others, which have no place in that plane."""
    width = rows[0].width if rows else 0
    return tuple(r for r in rows if r.width == width), tuple(r for r in rows if r.width != width)


def plane_of(rows: Sequence[Rows], axes: tuple[int, int] | None) -> Plane:
    """Return the plane of two axes, or without them that of the principal components of all the vectors."""
    vectors = np.vstack([r.values for r in rows])
    return components_plane(vectors) if axes is None else axes_plane(vectors, *axes)


def related(experiment: Experiment, layer: int, head: int, cell: Cell | None) -> frozenset[Vector]:
    """Return the vectors that a cell is about: its own row, or for a pair its query and its key, of a weight all."""
    if cell is None:
        return frozenset()
    if cell.path == "embedding.E":
        word = experiment.embedding.vocabulary[cell.row]
        return frozenset(("input", i) for i, token in enumerate(experiment.query_tokens) if token == word)
    unit = unit_at(cell.path)
    if unit is not None and unit.stage in PAIR_STAGES:
        if (unit.layer, unit.head) != (layer, head):
            return frozenset()
        pair: list[Vector] = [("query", cell.row), ("key", cell.column)]
        if unit.stage == "weights":
            pair += [("output", cell.row), ("value", cell.column)]
        return frozenset(pair)
    return frozenset((kind, cell.row) for kind in KINDS if vector_unit(experiment, kind, layer, head).path == cell.path)


def the_only(vectors: Collection[Vector], rows: Sequence[Rows]) -> Vector | None:
    """Return the vector that is meant alone, if its arrow is among the rows that are shown."""
    if len(vectors) != 1:
        return None
    ((kind, row),) = vectors
    return (kind, row) if any(r.kind == kind and row < len(r.tokens) for r in rows) else None


def plane_picture(
    rows: Sequence[Rows],
    plane: Plane,
    names: tuple[str, str],
    theme: Theme,
    decimal_point: str,
    *,
    chosen: Vector | None,
    lit: Collection[Vector],
    fading: bool,
) -> tuple[PlanePicture, tuple[Vector, ...]]:
    """Return the picture of the vectors that are finite, and which vector each of its arrows is."""
    arrows: list[Arrow] = []
    keys: list[Vector] = []
    total = sum(len(r.tokens) for r in rows)
    for r in rows:
        places = plane.project(r.values)
        finite = np.isfinite(places[:, 0]) & np.isfinite(places[:, 1])
        for row, (is_finite, (x, y)) in enumerate(zip(finite.tolist(), places.tolist(), strict=True)):
            if is_finite:
                key = (r.kind, row)
                state = _state(key, chosen, lit, fading=fading and total >= _FADE_FROM)
                arrows.append(Arrow(r.kind, row, x, y, r.letter, r.tokens[row], state))
                keys.append(key)
    return PlanePicture(tuple(arrows), *names, theme, decimal_point), tuple(keys)


def _state(
    key: Vector,
    chosen: Vector | None,
    lit: Collection[Vector],
    *,
    fading: bool,
) -> State:
    if key == chosen:
        return "chosen"
    if key in lit:
        return "lit"
    return "faint" if fading else "plain"
