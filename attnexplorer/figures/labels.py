"""Labels of rows and columns: token names with their position colour, or numbers; thinned where there is no room."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from attnexplorer.figures.theme import Theme, position_colour

BAR = 3.0
"""Width of the bar in a position's colour, in pixels."""
LINE = 13.0
"""Pixels that a line of 12 pixel type takes across its reading direction."""
_SPACE = 6.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
_BOTTOM = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom | Qt.TextFlag.TextDontClip


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
    key = (labels.texts, label_font.key())
    if key not in _lengths:
        if len(_lengths) >= _MOST_LENGTHS:
            _lengths.clear()
        metrics = QFontMetricsF(label_font)
        _lengths[key] = max((metrics.horizontalAdvance(text) for text in labels.texts), default=0.0)
    return _lengths[key]


_lengths: dict[tuple[tuple[str, ...], str], float] = {}
_MOST_LENGTHS = 256


def every(extent: float, room: float) -> int:
    """Return which labels are shown, every k-th, so that labels of `room` pixels do not touch at `extent` a cell.

    The first and the last label are moved inwards, so as to be whole; the others keep clear of them there.
    """
    if room <= extent:
        return 1
    moved = (room - extent) / 2
    return math.ceil((room + moved) / max(extent, 1e-6))


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

    A label that is higher than its row stays within `bounds`, the rectangle left of all rows.
    """
    if labels.coloured:
        bar = QRectF(rect.right() - BAR - 2, rect.top() + 1, BAR, max(1.0, rect.height() - 2))
        painter.fillRect(bar, position_colour(row))
        rect = rect.adjusted(0, 0, -BAR - 2, 0)
    if row % step:
        return
    height = max(rect.height(), _line(painter))
    top = _inside(rect.center().y() - height / 2, height, None if bounds is None else (bounds.top(), bounds.bottom()))
    painter.setPen(_pen(labels, row, theme))
    text = _elided(painter, labels.texts[row], rect.width() - _SPACE)
    painter.drawText(QRectF(rect.left(), top, rect.width() - _SPACE, height), _RIGHT, text)


def paint_column_label(
    painter: QPainter,
    labels: Labels,
    column: int,
    rect: QRectF,
    theme: Theme,
    upright: bool,
    step: int = 1,
    bounds: QRectF | None = None,
) -> None:
    """Paint the label of a column in the rectangle above it: level, or turned to read upwards when `upright`.

    A label that is wider than its column stays within `bounds`, the rectangle above all columns.
    """
    if labels.coloured:
        painter.fillRect(
            QRectF(rect.left() + 1, rect.bottom() - BAR - 1, max(1.0, rect.width() - 2), BAR), position_colour(column)
        )
        rect = rect.adjusted(0, 0, 0, -BAR - 2)
    if column % step:
        return
    painter.setPen(_pen(labels, column, theme))
    # A thinned label may reach over its neighbours, whose labels are left out.
    text = _elided(painter, labels.texts[column], (rect.height() - 4) if upright else rect.width() * step - 2)
    width = _line(painter) if upright else QFontMetricsF(painter.font()).horizontalAdvance(text)
    sides = None if bounds is None else (bounds.left(), bounds.right())
    left = _inside(rect.center().x() - width / 2, width, sides)
    if not upright:
        painter.drawText(QRectF(left, rect.top(), width, rect.height()), _BOTTOM, text)
        return
    painter.save()
    painter.translate(QPointF(left + width / 2, rect.bottom() - 2))
    painter.rotate(-90)
    painter.drawText(QRectF(0, -width / 2, rect.height(), width), _LEFT, text)
    painter.restore()


def _line(painter: QPainter) -> float:
    """Return what a line of text takes across its reading direction; letters without their leading."""
    return LINE * painter.font().pixelSize() / 12


def _inside(start: float, extent: float, bounds: tuple[float, float] | None) -> float:
    """Return where a label begins when it is moved into its bounds, if it fits them."""
    if bounds is None or bounds[1] - bounds[0] < extent:
        return start
    return min(max(start, bounds[0]), bounds[1] - extent)


def _pen(labels: Labels, index: int, theme: Theme) -> QColor:
    return QColor(theme.muted if index in labels.faded or not labels.coloured else theme.text)


def _elided(painter: QPainter, text: str, width: float) -> str:
    metrics = QFontMetricsF(painter.font())
    if metrics.horizontalAdvance(text) <= width:
        return text
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(width, 0.0))
