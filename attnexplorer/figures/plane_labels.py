"""The labels of arrows, such as q with the token as its index: how large they are, and where there is room for them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from attnexplorer.figures.fonts import font
from attnexplorer.figures.plane_layout import PlaneLayout
from attnexplorer.figures.theme import Theme

LONGEST = 14
"""Characters of a token that are shown."""
MOST = 120
"""So many labels are tried, those of the longest arrows first; more would say nothing any more."""
_PIXELS, _INDEX_PIXELS, _DROP = 16.0, 12.0, 4.0
_CELL = 6.0
"""Pixels of the squares in which it is noted what is taken."""
_GAP = 9.0
_TURNS = np.array([0.0, 0.6, -0.6, 1.2, -1.2, 1.8, -1.8])


class Wanted(NamedTuple):
    """A label that is wanted: the tip as it lies in the picture, the arrow's direction, and the label's size."""

    tip: QPointF
    direction: float
    width: float
    height: float


@lru_cache(maxsize=2048)
def label_size(letter: str, token: str, scale: float) -> tuple[float, float]:
    """Return width and height of a label."""
    width = _letter_width(letter, scale) + QFontMetricsF(_token_font(scale)).horizontalAdvance(_short(token))
    return width + 5 * scale, (_PIXELS + _DROP) * scale


def place_labels(
    wanted: Sequence[Wanted],
    layout: PlaneLayout,
    tips: NDArray[np.float64],
    kept: Iterable[QRectF],
    *,
    shafts: bool,
    needed: int = 0,
) -> list[QRectF | None]:
    """Return where each label stands, beyond or beside its tip, or None where there is no room.

    `wanted` begins with the most important. All `tips`, places in
    the picture of shape [n, 2], and the rectangles `kept` stay free,
    and with `shafts` the arrows too as long as there is another place. The first `needed` labels may cover tips.
    """
    points, lines, taken, blocked = (Squares(layout) for _ in range(4))
    points.take_around(tips, 4.0)
    blocked.take_around(tips, 4.0)
    for area in kept:
        _take(area, taken, blocked)
    origin = layout.place(0, 0)
    for x, y in tips.tolist() if shafts else ():
        lines.take_along(origin, QPointF(x, y))
    placed: list[QRectF | None] = []
    for each, places in zip(wanted, _places(layout, wanted), strict=True):
        found = _free(places, blocked, lines)
        if found is None and len(placed) < needed:
            found = _free(places, taken, points)
        rect = None if found is None else QRectF(*found, each.width, each.height)
        if rect is not None:
            _take(rect, taken, blocked)
        placed.append(rect)
    return placed


def paint_label(
    painter: QPainter, letter: str, token: str, rect: QRectF, theme: Theme, scale: float, strength: float
) -> None:
    """Paint a label on a little of the card's colour, so that lines below it do not disturb."""
    ground, ink = QColor(theme.card), QColor(theme.text)
    ground.setAlphaF(0.72)
    ink.setAlphaF(strength)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(rect, 3, 3)
    painter.setPen(ink)
    painter.setFont(_letter_font(scale))
    baseline = rect.top() + _PIXELS * scale * 0.86
    painter.drawText(QPointF(rect.left() + 2 * scale, baseline), letter)
    left = rect.left() + 2.5 * scale + _letter_width(letter, scale)
    painter.setFont(_token_font(scale))
    painter.drawText(QPointF(left, baseline + _DROP * scale * 0.8), _short(token))


@lru_cache(maxsize=256)
def _letter_width(letter: str, scale: float) -> float:
    return QFontMetricsF(_letter_font(scale)).horizontalAdvance(letter)


def _letter_font(scale: float) -> QFont:
    return font("mathematics", _PIXELS * scale, italic=True)


def _token_font(scale: float) -> QFont:
    return font("text", _INDEX_PIXELS * scale)


def _short(token: str) -> str:
    return token if len(token) <= LONGEST else token[: LONGEST - 1] + "…"


class Squares:
    """Which squares of a picture are taken: a whole number a row, a bit a square. What is outside is no matter."""

    def __init__(self, layout: PlaneLayout) -> None:
        self._columns = math.floor(layout.width / _CELL) + 1
        self.rows = [0] * (math.floor(layout.height / _CELL) + 1)

    def take(self, left: float, top: float, right: float, bottom: float) -> None:
        """Take the squares of a rectangle."""
        first, last = max(0, math.floor(left / _CELL)), min(self._columns - 1, math.floor(right / _CELL))
        if last < first:
            return
        bits = _bits(first, last)
        for row in range(max(0, math.floor(top / _CELL)), min(len(self.rows) - 1, math.floor(bottom / _CELL)) + 1):
            self.rows[row] |= bits

    def take_around(self, places: NDArray[np.float64], reach: float) -> None:
        """Take the squares that are at most so far from one of many places. Shape: [n, 2]."""
        ends = np.array((self._columns, len(self.rows)))
        first = np.clip((places - reach) // _CELL, 0, ends).astype(np.intp)
        past = np.clip((places + reach) // _CELL + 1, 0, ends).astype(np.intp)
        # Where rectangles begin and end is added up, and the sums along both directions tell how many lie on a square.
        begun = np.zeros((ends[1] + 1, ends[0] + 1), dtype=np.intp)
        for corner, sign in (((0, 0), 1), ((0, 1), -1), ((1, 0), -1), ((1, 1), 1)):
            row, column = ((first, past)[end][:, axis] for end, axis in zip(corner, (1, 0), strict=True))
            np.add.at(begun, (row, column), sign)
        taken = begun.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0
        for index, squares in enumerate(np.packbits(taken, axis=1, bitorder="little")):
            self.rows[index] |= int.from_bytes(squares.tobytes(), "little")

    def take_along(self, start: QPointF, end: QPointF) -> None:
        """Take the squares along a line."""
        x, y, across, down = start.x(), start.y(), end.x() - start.x(), end.y() - start.y()
        steps = min(400, max(1, math.ceil(math.hypot(across, down) / (_CELL / 2))))
        for step in range(steps + 1):
            column = math.floor((x + across * step / steps) / _CELL)
            row = math.floor((y + down * step / steps) / _CELL)
            if 0 <= row < len(self.rows) and 0 <= column < self._columns:
                self.rows[row] |= 1 << column

    def touches(self, bits: int, top: int, bottom: int) -> bool:
        """Tell whether one of some squares of these rows is taken."""
        # A loop: a generator for `any` costs several times as much, and hundreds of places are tried.
        for taken in self.rows[top : bottom + 1]:  # noqa: SIM110
            if taken & bits:
                return True
        return False


_Place = tuple[float, float, int, int, int, int]
"""The left and upper edge of a place for a label; its first and last column of squares; its first and last row."""


def _bits(first: int, last: int) -> int:
    return (1 << (last + 1)) - (1 << first)


def _take(area: QRectF, *squares: Squares) -> None:
    for each in squares:
        each.take(area.left(), area.top(), area.right(), area.bottom())


def _free(places: Sequence[_Place], taken: Squares, rather_not: Squares) -> tuple[float, float] | None:
    """Return the first place that touches nothing, else the first that touches only what it may."""
    second: tuple[float, float] | None = None
    for left, top, first, last, upper, lower in places:
        bits = _bits(first, last)
        if not taken.touches(bits, upper, lower):
            if not rather_not.touches(bits, upper, lower):
                return left, top
            second = second or (left, top)
    return second


def _places(layout: PlaneLayout, wanted: Sequence[Wanted]) -> list[list[_Place]]:
    """Return places around each tip that are inside: the way the arrow points first, then to both sides of that."""
    if not wanted:
        return []
    columns = [(each.tip.x(), each.tip.y(), each.direction, each.width, each.height) for each in wanted]
    x, y, direction, width, height = np.array(columns).T[..., None]
    across, up = np.cos(direction + _TURNS), np.sin(direction + _TURNS)
    gap = _GAP * layout.scale
    # As far out as it takes until the rectangle is beside the tip, or above or below it.
    out = np.minimum(
        (gap + width / 2) / np.maximum(np.abs(across), 1e-9), (gap + height / 2) / np.maximum(np.abs(up), 1e-9)
    )
    left, top = x + across * out - width / 2, y - up * out - height / 2
    right, bottom = left + width, top + height
    inside = (left >= 0) & (top >= 0) & (right <= layout.width) & (bottom <= layout.height)
    edges = [(np.where(inside, edge, 0.0) // _CELL).astype(np.intp) for edge in (left, right, top, bottom)]
    table = zip(*(each.tolist() for each in (left, top, *edges)), strict=True)
    return [
        [place for place, is_inside in zip(zip(*row, strict=True), flags, strict=True) if is_inside]
        for row, flags in zip(table, inside.tolist(), strict=True)
    ]
