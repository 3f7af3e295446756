"""The ways in which cells of a stage are made from cells of a matrix that it reads, in both directions.

Everything maps ranges to ranges, so that the cost does not depend on how many cells are meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import NamedTuple

from attnexplorer.compute.positions import pair_columns

Rectangles = Iterable[tuple[range, range]]
Mapping = Callable[[range, range], Rectangles]


class Edge(NamedTuple):
    """A matrix that a stage reads. `back`: cells of the stage → cells of the source; `forward`: the other way."""

    source: str
    back: Mapping
    forward: Mapping


def same(source: str) -> Edge:
    """Cell for cell."""
    return Edge(source, lambda rows, columns: ((rows, columns),), lambda rows, columns: ((rows, columns),))


def whole_rows(source: str, source_width: int, width: int) -> Edge:
    """Every cell of a row is made from the whole row."""
    return Edge(
        source,
        lambda rows, columns: ((rows, range(source_width)),),
        lambda rows, columns: ((rows, range(width)),),
    )


def whole_columns(source: str, source_height: int, height: int) -> Edge:
    """Every cell of a column is made from the whole column, as of a matrix that is multiplied from the right."""
    return Edge(
        source,
        lambda rows, columns: ((range(source_height), columns),),
        lambda rows, columns: ((range(height), columns),),
    )


def transposed_rows(source: str, source_width: int, height: int) -> Edge:
    """Column j is made from the whole row j, as of a matrix that is multiplied transposed."""
    return Edge(
        source,
        lambda rows, columns: ((columns, range(source_width)),),
        lambda rows, columns: ((range(height), rows),),
    )


def pairs_of_columns(source: str, width: int, interleaved: bool) -> Edge:
    """A cell is made from its own column and the one it is rotated with; the same in both directions."""

    def both(rows: range, columns: range) -> Rectangles:
        if len(columns) == width:
            return ((rows, columns),)
        firsts, seconds = (part.tolist() for part in pair_columns(width, interleaved))
        step = 1 if interleaved else width // 2
        pairs = zip(firsts, seconds, strict=True)
        return [(rows, range(a, b + 1, step)) for a, b in pairs if a in columns or b in columns]

    return Edge(source, both, both)


def shifted_columns(source: str, start: int, width: int) -> Edge:
    """The source's columns stand from `start` on."""

    def back(rows: range, columns: range) -> Rectangles:
        inside = [c - start for c in (columns[0], columns[-1])] if len(columns) else [0, -1]
        first, last = max(inside[0], 0), min(inside[1], width - 1)
        return ((rows, range(first, last + 1)),) if first <= last else ()

    return Edge(
        source, back, lambda rows, columns: ((rows, range(columns.start + start, columns.stop + start, columns.step)),)
    )


def shifted_rows(source: str, start: int, height: int) -> Edge:
    """Row i is made from row i + `start` of a longer table."""

    def forward(rows: range, columns: range) -> Rectangles:
        first, last = max(rows[0] - start, 0), min(rows[-1] - start, height - 1)
        return ((range(first, last + 1), columns),) if first <= last else ()

    return Edge(source, lambda rows, columns: ((range(rows.start + start, rows.stop + start), columns),), forward)


def looked_up(source: str, vocabulary: tuple[str, ...], tokens: tuple[str, ...]) -> Edge:
    """Row i is made from the row of its token's word."""

    def back(rows: range, columns: range) -> Rectangles:
        return [(found, columns) for found in _stretches(vocabulary.index(tokens[r]) for r in rows)]

    def forward(rows: range, columns: range) -> Rectangles:
        words = {vocabulary[r] for r in rows}
        return [(found, columns) for found in _stretches(i for i, token in enumerate(tokens) if token in words)]

    return Edge(source, back, forward)


def _stretches(indices: Iterable[int]) -> list[range]:
    ordered = sorted(set(indices))
    groups = groupby(enumerate(ordered), lambda pair: pair[1] - pair[0])
    return [range(run[0][1], run[-1][1] + 1) for run in (list(group) for _, group in groups)]
