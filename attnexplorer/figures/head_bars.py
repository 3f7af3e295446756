"""A bar a head: how large its part of the output is."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from attnexplorer.compute.numbers import significant_text
from attnexplorer.figures.fonts import font
from attnexplorer.figures.labels import every
from attnexplorer.figures.theme import Theme

_WIDEST = 44.0
_SHARE = 0.72
"""Which part of its place a bar takes."""


@dataclass(frozen=True, slots=True)
class HeadBars:
    """A number a head, never negative; None where it is still being computed. Muted heads have no bar."""

    values: tuple[float | None, ...]
    muted: frozenset[int]
    chosen: int
    theme: Theme
    decimal_point: str = "."

    @property
    def largest(self) -> float:
        """The number of the highest bar."""
        return max((v for head, v in enumerate(self.values) if v is not None and head not in self.muted), default=0.0)


@dataclass(frozen=True, slots=True)
class HeadBarsLayout:
    """The size of the whole picture in pixels, and of type."""

    width: float
    height: float
    heads: int
    font_pixels: float = 10.0

    @property
    def pitch(self) -> float:
        """The distance from one bar to the next."""
        return min(_WIDEST, self.width / max(self.heads, 1))

    @property
    def baseline(self) -> float:
        """Where the bars stand."""
        return self.height - self.font_pixels - 6

    def place(self, head: int) -> QRectF:
        """Return the whole place of a head, label included."""
        return QRectF(head * self.pitch, 0, self.pitch, self.height)

    def bar(self, head: int, share: float) -> QRectF:
        """Return the rectangle of a bar of a share of the highest."""
        high = max(0.0, (self.baseline - self.font_pixels - 6) * share)
        left = (head + (1 - _SHARE) / 2) * self.pitch
        return QRectF(left, self.baseline - high, self.pitch * _SHARE, high)

    def head_at(self, place: QPointF) -> int | None:
        """Return the head at a place."""
        head = int(place.x() // self.pitch)
        return head if place.x() >= 0 and 0 <= head < self.heads else None


def paint_head_bars(painter: QPainter, bars: HeadBars, layout: HeadBarsLayout) -> None:
    """Paint the bars with the top left corner at the painter's origin."""
    theme, largest = bars.theme, bars.largest
    labels, numbers = font("text", layout.font_pixels), font("number", layout.font_pixels - 1)
    number_room = QFontMetricsF(numbers).horizontalAdvance("0.000") + 2
    step = every(layout.pitch, QFontMetricsF(labels).horizontalAdvance("000"))
    painter.fillRect(QRectF(0, layout.baseline, layout.pitch * layout.heads, 1), QColor(theme.border))
    for head, value in enumerate(bars.values):
        place, muted = layout.place(head), head in bars.muted
        bar = layout.bar(head, 0.0 if value is None or muted or not largest else value / largest)
        _paint_bar(painter, bar, theme, chosen=head == bars.chosen)
        if head % step == 0 or head == bars.chosen:
            painter.setFont(font("text", layout.font_pixels, bold=head == bars.chosen))
            painter.setPen(QColor(theme.accent if head == bars.chosen else theme.muted))
            below = QRectF(place.center().x() - 20, layout.baseline + 3, 40, layout.font_pixels + 3)
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, str(head + 1))
        if number_room <= layout.pitch:
            painter.setFont(numbers)
            painter.setPen(QColor(theme.muted))
            above = QRectF(place.left(), bar.top() - layout.font_pixels - 4, place.width(), layout.font_pixels + 3)
            painter.drawText(above, Qt.AlignmentFlag.AlignCenter, _text(value, muted, bars.decimal_point))


def _paint_bar(painter: QPainter, bar: QRectF, theme: Theme, *, chosen: bool) -> None:
    colour = QColor(theme.accent)
    if not chosen:
        colour.setAlphaF(0.45)
    painter.fillRect(bar, colour)


def _text(value: float | None, muted: bool, decimal_point: str) -> str:
    if muted:
        return "M"
    return "…" if value is None else significant_text(value, 3, decimal_point)
