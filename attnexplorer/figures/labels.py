"""Labels of rows and columns: token names with their position colour, or numbers; thinned where there is no room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from attnexplorer.figures.theme import Theme, position_colour

BAR = 3.0
"""Width of the bar in a position's colour, in pixels."""
_SPACE = 6.0


@dataclass(frozen=True, slots=True)
class Labels:
    """What stands beside rows or above columns. `coloured`: the labels are positions and carry their colour."""

    texts: tuple[str, ...]
    coloured: bool = False
    faded: frozenset[int] = frozenset()

    def without_names(self) -> Labels:
        """Return the labels with nothing but the colours of positions, where they have them."""
        return Labels(("",) * len(self.texts), coloured=True) if self.coloured else Labels(())


def longest(labels: Labels, label_font: QFont) -> float:
    """Return the width of the longest label in pixels."""
    metrics = QFontMetricsF(label_font)
    return max((metrics.horizontalAdvance(text) for text in labels.texts), default=0.0)


def every(extent: float, room: float) -> int:
    """Return which labels are shown, every k-th, so that labels of `room` pixels do not touch at `extent` a cell."""
    return max(1, -int(-room // max(extent, 1e-6)))


def paint_row_label(
    painter: QPainter,
    labels: Labels,
    row: int,
    rect: QRectF,
    theme: Theme,
    step: int = 1,
    bounds: QRectF | None = None,
) -> None:
    """Paint the label of a row in the rectangle left of it, its colour bar on the right edge.

    A label that is higher than its row stays within `bounds`.
    """
    if labels.coloured:
        bar = QRectF(rect.right() - BAR - 2, rect.top() + 1, BAR, max(1.0, rect.height() - 2))
        painter.fillRect(bar, position_colour(row))
        rect = rect.adjusted(0, 0, -BAR - 2, 0)
    if row % step:
        return
    tall = QRectF(rect.left(), rect.center().y() - 8, rect.width(), 16) if rect.height() < 16 else rect
    if bounds is not None and bounds.height() >= tall.height():
        tall.moveTop(min(max(tall.top(), bounds.top()), bounds.bottom() - tall.height()))
    painter.setPen(_pen(labels, row, theme))
    text = _elided(painter, labels.texts[row], rect.width() - _SPACE)
    painter.drawText(tall.adjusted(0, 0, -_SPACE, 0), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


def paint_column_label(
    painter: QPainter, labels: Labels, column: int, rect: QRectF, theme: Theme, upright: bool, step: int = 1
) -> None:
    """Paint the label of a column in the rectangle above it: level, or turned to read upwards when `upright`."""
    if labels.coloured:
        painter.fillRect(
            QRectF(rect.left() + 1, rect.bottom() - BAR - 1, max(1.0, rect.width() - 2), BAR), position_colour(column)
        )
        rect = rect.adjusted(0, 0, 0, -BAR - 2)
    if column % step:
        return
    painter.setPen(_pen(labels, column, theme))
    if not upright:
        text = _elided(painter, labels.texts[column], rect.width() - 2)
        painter.drawText(rect, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, text)
        return
    painter.save()
    painter.translate(QPointF(rect.center().x(), rect.bottom() - 2))
    painter.rotate(-90)
    text = _elided(painter, labels.texts[column], rect.height() - 4)
    painter.drawText(QRectF(0, -8, rect.height(), 16), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    painter.restore()


def _pen(labels: Labels, index: int, theme: Theme) -> QColor:
    return QColor(theme.muted if index in labels.faded or not labels.coloured else theme.text)


def _elided(painter: QPainter, text: str, width: float) -> str:
    metrics = QFontMetricsF(painter.font())
    if metrics.horizontalAdvance(text) <= width:
        return text
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(width, 0.0))
