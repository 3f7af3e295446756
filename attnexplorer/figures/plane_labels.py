"""The labels of arrows, such as q with the token as its index: how large they are, and where there is room for them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
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

Squares = set[tuple[int, int]]


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
    points: Squares = set()
    lines: Squares = set()
    taken: Squares = set().union(*(_squares(rect) for rect in kept))
    for x, y in tips:
        place = layout.place(x, y)
        points.update(_squares(QRectF(place.x() - 4, place.y() - 4, 8, 8)))
        if shafts:
            lines.update(_squares_along(layout.place(0, 0), place))
    placed: list[QRectF | None] = []
    for x, y, width, height in wanted:
        rect = _free(_places(layout, x, y, width, height), (taken, points), lines)
        if rect is None and len(placed) < needed:
            rect = _free(_places(layout, x, y, width, height), (taken,), points)
        if rect is not None:
            taken.update(_squares(rect))
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


def _free(places: Iterable[QRectF], taken: Sequence[Squares], rather_not: Squares) -> QRectF | None:
    """Return the first place that touches nothing, else the first that touches only what it may."""
    second: QRectF | None = None
    for place in places:
        squares = _squares(place)
        if all(squares.isdisjoint(others) for others in taken):
            if squares.isdisjoint(rather_not):
                return place
            second = second or place
    return second


def _places(layout: PlaneLayout, x: float, y: float, width: float, height: float) -> Iterator[QRectF]:
    """Yield places around a tip: the way the arrow points first, then to both sides of that."""
    tip = layout.place(x, y)
    direction = math.atan2(y, x) if x or y else math.pi / 4
    for turn in (0.0, 0.6, -0.6, 1.2, -1.2, 1.8, -1.8):
        angle = direction + turn
        across, up, gap = math.cos(angle), math.sin(angle), _GAP * layout.scale
        # As far out as it takes until the rectangle is beside the tip, or above or below it.
        out = min((gap + width / 2) / max(abs(across), 1e-9), (gap + height / 2) / max(abs(up), 1e-9))
        rect = QRectF(tip.x() + across * out - width / 2, tip.y() - up * out - height / 2, width, height)
        if layout.rect.contains(rect):
            yield rect


def _squares(rect: QRectF) -> Squares:
    columns = range(math.floor(rect.left() / _CELL), math.floor(rect.right() / _CELL) + 1)
    rows = range(math.floor(rect.top() / _CELL), math.floor(rect.bottom() / _CELL) + 1)
    return {(column, row) for column in columns for row in rows}


def _squares_along(start: QPointF, end: QPointF) -> Squares:
    steps = min(400, max(1, math.ceil(math.hypot(end.x() - start.x(), end.y() - start.y()) / (_CELL / 2))))
    return {
        (
            math.floor((start.x() + (end.x() - start.x()) * step / steps) / _CELL),
            math.floor((start.y() + (end.y() - start.y()) * step / steps) / _CELL),
        )
        for step in range(steps + 1)
    }
