"""Small maps side by side: what they are, and where their headings, labels and cells stand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF

from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.labels import BAR, longest
from attnexplorer.figures.matrix import CellSize
from attnexplorer.views.appearance import Appearance

GAP, PADDING = 10.0, 8.0
_LINE = 17.0
_LARGEST_CELL = (80.0, 28.0)
_LONGEST_COLUMN = 56.0
_NAMED_ROOM, _NAMED_CELL = 200.0, 12.0
"""Tokens are named beside a map with so much room or with cells so wide beside the names; else the map gets the room.
"""
_LABEL_SHARE = 0.36
"""Row labels take at most this share of a map's place."""


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A matrix with a title and with captions, the fullest first; `tip` says what a number of it is."""

    title: str
    captions: tuple[str, ...]
    content: MatrixContent
    chosen: bool = False
    tip: str = ""
    marks_row: bool = True


class Spot(NamedTuple):
    """A cell of one of the maps."""

    map: int
    row: int
    column: int


class Frame(NamedTuple):
    """Where the maps are: the place of each, the size of a cell, the room of row and column labels."""

    places: tuple[QRectF, ...]
    cell: CellSize
    label_width: float
    label_height: float
    upright: bool
    named: bool
    line: float
    """The height of a line of a heading."""

    def corner(self, index: int) -> QPointF:
        """Return where the cells of a map begin: on a whole pixel, as cells are painted anew without what is around."""
        place = self.places[index]
        above = PADDING + 2 * self.line + self.label_height
        return QPointF(round(place.left() + PADDING + self.label_width), round(place.top() + above))

    def heading(self, index: int) -> QRectF:
        """Return the place of a map's title and caption."""
        place = self.places[index]
        return QRectF(place.left() + PADDING, place.top() + PADDING / 2, place.width() - 2 * PADDING, 2 * self.line)

    def cells(self, index: int, shape: tuple[int, int]) -> QRectF:
        """Return the place of all cells of a map."""
        return self.cell.rect(0, 0, *shape).translated(self.corner(index))


def frame_of(maps: tuple[Map, ...], width: float, per_line: int, appearance: Appearance) -> Frame:
    """Return where maps stand in a width, so many in a line, all with cells of one size."""
    scale = appearance.text_scale
    line = round(_LINE * scale)
    if not maps:
        return Frame((), CellSize(1, 1), 0, 0, False, False, line)
    place = (width - GAP * (per_line - 1)) / per_line
    columns = max(it.content.shape[1] for it in maps)
    face = appearance.font("text", 12)
    room = place - 2 * PADDING
    names = max(longest(it.content.rows, face) for it in maps)
    label_width = min(names + 8, _LABEL_SHARE * place) + BAR + 4
    if not names or not _named(room, (room - label_width) / columns, scale):
        names, label_width = 0.0, BAR + 4
    side = (room - label_width) / columns
    side = math.floor(side) if side >= 5 else side
    cell = CellSize(min(side, _LARGEST_CELL[0] * scale), min(side, _LARGEST_CELL[1] * scale))
    above = max(longest(it.content.columns, face) for it in maps) if names else 0.0
    upright = above + 4 > cell.width
    label_height = (min(above + 8, _LONGEST_COLUMN * scale) if upright else 18 * scale) if above else 0.0
    chrome = 2 * line + PADDING + label_height + BAR + 2 + PADDING
    places = _places(maps, place, per_line, cell.height, chrome)
    return Frame(places, cell, label_width, label_height + BAR + 2, upright, names > 0, line)


def same_shape(one: tuple[Map, ...], other: tuple[Map, ...]) -> bool:
    """Tell whether maps stand where others stood: as many, of the same shapes and labels."""
    return len(one) == len(other) and all(
        a.content.shape == b.content.shape
        and (a.content.rows is b.content.rows or a.content.rows == b.content.rows)
        and (a.content.columns is b.content.columns or a.content.columns == b.content.columns)
        for a, b in zip(one, other, strict=True)
    )


def _places(
    maps: tuple[Map, ...], width: float, per_line: int, cell_height: float, chrome: float
) -> tuple[QRectF, ...]:
    places: list[QRectF] = []
    top = 0.0
    for start in range(0, len(maps), per_line):
        line = maps[start : start + per_line]
        height = chrome + max(it.content.shape[0] for it in line) * cell_height
        places += [QRectF(index * (width + GAP), top, width, height) for index in range(len(line))]
        top += height + GAP
    return tuple(places)


def _named(room: float, cell: float, scale: float) -> bool:
    return room >= _NAMED_ROOM * scale or cell >= _NAMED_CELL * scale
