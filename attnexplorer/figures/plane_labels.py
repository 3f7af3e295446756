"""The labels of arrows, such as q with the token as its index: how large they are, and where there is room for them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

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


@lru_cache(maxsize=2048)
def label_size(letter: str, token: str, scale: float) -> tuple[float, float]:
    """Return width and height of a label."""
    width = QFontMetricsF(_letter_font(scale)).horizontalAdvance(letter)
    width += QFontMetricsF(_token_font(scale)).horizontalAdvance(_short(token))
    return width + 5 * scale, (_PIXELS + _DROP) * scale


def place_labels(
    wanted: Sequence[tuple[float, float, float, float]],
    layout: PlaneLayout,
    tips: Iterable[tuple[float, float]],
    kept: Iterable[QRectF],
    *,
    shafts: bool,
    needed: int = 0,
) -> list[QRectF | None]:
    """Return where each label stands, beyond or beside its tip, or None where there is no room.

    `wanted`: x and y of the tip, width and height of the label, the most important first. All tips and
    the rectangles `kept` stay free, and with `shafts` the arrows too as long as there is another place. The first
    `needed` labels may cover tips.
    """
    points, lines, taken = (_Squares(layout) for _ in range(3))
    for area in kept:
        taken.take(area.left(), area.top(), area.right(), area.bottom())
    origin = layout.place(0, 0)
    for x, y in tips:
        place = layout.place(x, y)
        points.take(place.x() - 4, place.y() - 4, place.x() + 4, place.y() + 4)
        if shafts:
            lines.take_along(origin, place)
    placed: list[QRectF | None] = []
    for x, y, width, height in wanted:
        places = _places(layout, x, y, width, height)
        rect = _free(places, (taken, points), lines, (width, height))
        if rect is None and len(placed) < needed:
            rect = _free(places, (taken,), points, (width, height))
        if rect is not None:
            taken.take(rect.left(), rect.top(), rect.right(), rect.bottom())
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
    left = rect.left() + 2.5 * scale + QFontMetricsF(_letter_font(scale)).horizontalAdvance(letter)
    painter.setFont(_token_font(scale))
    painter.drawText(QPointF(left, baseline + _DROP * scale * 0.8), _short(token))


def _letter_font(scale: float) -> QFont:
    return font("mathematics", _PIXELS * scale, italic=True)


def _token_font(scale: float) -> QFont:
    return font("text", _INDEX_PIXELS * scale)


def _short(token: str) -> str:
    return token if len(token) <= LONGEST else token[: LONGEST - 1] + "…"


class _Squares:
    """Which squares of a picture are taken: a whole number a row, a bit a square. What is outside is no matter."""

    def __init__(self, layout: PlaneLayout) -> None:
        self._columns = math.floor(layout.width / _CELL) + 1
        self._rows = [0] * (math.floor(layout.height / _CELL) + 1)

    def take(self, left: float, top: float, right: float, bottom: float) -> None:
        """Take the squares of a rectangle."""
        bits, rows = self._of(left, top, right, bottom)
        for row in rows:
            self._rows[row] |= bits

    def take_along(self, start: QPointF, end: QPointF) -> None:
        """Take the squares along a line."""
        x, y, across, down = start.x(), start.y(), end.x() - start.x(), end.y() - start.y()
        steps = min(400, max(1, math.ceil(math.hypot(across, down) / (_CELL / 2))))
        for step in range(steps + 1):
            column = math.floor((x + across * step / steps) / _CELL)
            row = math.floor((y + down * step / steps) / _CELL)
            if 0 <= row < len(self._rows) and 0 <= column < self._columns:
                self._rows[row] |= 1 << column

    def touches(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Tell whether a rectangle touches a square that is taken."""
        bits, rows = self._of(left, top, right, bottom)
        return any(self._rows[row] & bits for row in rows)

    def _of(self, left: float, top: float, right: float, bottom: float) -> tuple[int, range]:
        first, last = max(0, math.floor(left / _CELL)), min(self._columns - 1, math.floor(right / _CELL))
        rows = range(max(0, math.floor(top / _CELL)), min(len(self._rows) - 1, math.floor(bottom / _CELL)) + 1)
        return ((1 << (last + 1)) - (1 << first) if last >= first else 0), rows


def _free(
    places: Sequence[tuple[float, float]],
    taken: Sequence[_Squares],
    rather_not: _Squares,
    size: tuple[float, float],
) -> QRectF | None:
    """Return the first place that touches nothing, else the first that touches only what it may."""
    second: QRectF | None = None
    width, height = size
    for left, top in places:
        sides = (left, top, left + width, top + height)
        if not any(others.touches(*sides) for others in taken):
            rect = QRectF(left, top, width, height)
            if not rather_not.touches(*sides):
                return rect
            second = second or rect
    return second


def _places(layout: PlaneLayout, x: float, y: float, width: float, height: float) -> list[tuple[float, float]]:
    """Return the corners of places around a tip: the way the arrow points first, then to both sides of that."""
    tip = layout.place(x, y)
    direction = math.atan2(y, x) if x or y else math.pi / 4
    gap, found = _GAP * layout.scale, []
    for turn in (0.0, 0.6, -0.6, 1.2, -1.2, 1.8, -1.8):
        across, up = math.cos(direction + turn), math.sin(direction + turn)
        # As far out as it takes until the rectangle is beside the tip, or above or below it.
        out = min((gap + width / 2) / max(abs(across), 1e-9), (gap + height / 2) / max(abs(up), 1e-9))
        left, top = tip.x() + across * out - width / 2, tip.y() - up * out - height / 2
        if left >= 0 and top >= 0 and left + width <= layout.width and top + height <= layout.height:
            found.append((left, top))
    return found
