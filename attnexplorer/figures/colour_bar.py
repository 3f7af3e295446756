"""A colour bar that can be read: the very colours of the cells, with the values they stand for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from attnexplorer.compute.numbers import limit_text
from attnexplorer.figures.colours import ColourScale, argb, image_of
from attnexplorer.figures.fonts import font
from attnexplorer.figures.theme import Theme

_THICKNESS = 12.0
_GAP = 6.0
_STEPS = 257


@dataclass(frozen=True, slots=True)
class ColourBar:
    """An upright colour bar of a height, high values at the top."""

    scale: ColourScale
    theme: Theme
    height: float
    decimal_point: str = "."
    pixels: float = 11.0

    @property
    def ticks(self) -> tuple[float, ...]:
        """The values that are written beside it, from the top."""
        high, low = self.scale.high, self.scale.low
        middle = (high + low) / 2
        if self.height < 5 * self.pixels:
            return (high, middle, low) if self.height >= 3 * self.pixels else (high, low)
        return (high, (high + middle) / 2, middle, (low + middle) / 2, low)

    @property
    def width(self) -> float:
        """The width, values included."""
        metrics = QFontMetricsF(font("number", self.pixels))
        return _THICKNESS + _GAP + max(metrics.horizontalAdvance(self._text(tick)) for tick in self.ticks)

    def paint(self, painter: QPainter) -> None:
        """Paint the bar with its top left corner at the painter's origin."""
        # Weighted ends, for the difference of two enormous ones would be infinite.
        share = np.linspace(0.0, 1.0, _STEPS)[:, None]
        values = self.scale.high * (1.0 - share) + self.scale.low * share
        colours = np.ascontiguousarray(argb(values, self.scale, self.theme))
        painter.drawImage(QRectF(0, 0, _THICKNESS, self.height), image_of(colours))
        painter.setFont(font("number", self.pixels))
        painter.setPen(QColor(self.theme.muted))
        span = self.scale.high / 2 - self.scale.low / 2
        for tick in self.ticks:
            y = (self.scale.high / 2 - tick / 2) / span * self.height
            baseline = min(max(y + self.pixels * 0.36, self.pixels * 0.74), self.height)
            painter.drawText(QPointF(_THICKNESS + _GAP, baseline), self._text(tick))

    def _text(self, value: float) -> str:
        return limit_text(value, self.decimal_point)
