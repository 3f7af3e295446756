"""The operators between matrices: a sign, or an arrow with what is done above it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from attnexplorer.figures.theme import Theme
from attnexplorer.figures.typeset import Style, TextLine, marked_up

_PIXELS = 15.0
_HEAD = 5.0
_LEAST = 26.0


@dataclass(frozen=True, slots=True)
class Operator:
    """What stands between two matrices. `markup` is set above an arrow, or alone as a sign."""

    markup: str
    theme: Theme
    arrow: bool = True

    @property
    def line(self) -> TextLine:
        """The text."""
        return TextLine(marked_up(self.markup, Style("mathematics", _PIXELS, self.theme.text)))

    @property
    def width(self) -> float:
        """The width in pixels."""
        return max(_LEAST, self.line.width + 10) if self.arrow else self.line.width + 4

    @property
    def height(self) -> float:
        """The height in pixels: the middle of it is on the middle of the matrices."""
        return 2 * self.line.height + 8.0

    @property
    def _lift(self) -> float:
        return 4.0 if "_{" in self.markup else 1.0

    def paint(self, painter: QPainter) -> None:
        """Paint the operator with its top left corner at the painter's origin."""
        line, middle = self.line, self.height / 2
        painter.save()
        painter.translate(
            (self.width - line.width) / 2, middle - (line.height + self._lift if self.arrow else line.height / 2)
        )
        line.paint(painter)
        painter.restore()
        if self.arrow:
            self._paint_arrow(painter, middle)

    def _paint_arrow(self, painter: QPainter, middle: float) -> None:
        colour, tip = QColor(self.theme.muted), self.width - 2
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(QPen(colour, 1.3))
        painter.drawLine(QPointF(2, middle), QPointF(tip - _HEAD, middle))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        corners = [QPointF(tip, middle), QPointF(tip - _HEAD - 2, middle - 4), QPointF(tip - _HEAD - 2, middle + 4)]
        painter.drawPolygon(QPolygonF(corners))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
