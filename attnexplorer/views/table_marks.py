"""Marks on the cells of a table: what is lit, what is selected, which cell is the current one."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from attnexplorer.document.lights import Light
from attnexplorer.figures.matrix import Block, CellSize
from attnexplorer.figures.theme import Theme

_FRAMED_TWICE_FROM = 16.0
_WASH = 50


def paint_light(painter: QPainter, theme: Theme, cell: CellSize, light: Light) -> None:
    """Frame a lit area: solid what the number is made from, dotted what it feeds.

    A light line inside sets the frame off from cells in a colour like its own.
    """
    rows, columns = light.area.rows, light.area.columns
    rect = cell.rect(rows.start, columns.start, len(rows), len(columns))
    colour = QColor(theme.text if light.kind == "cell" else theme.accent)
    style = Qt.PenStyle.DotLine if light.kind == "target" else Qt.PenStyle.SolidLine
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if min(rect.width(), rect.height()) >= _FRAMED_TWICE_FROM:
        painter.setPen(QPen(QColor(theme.card), 1.0))
        painter.drawRect(rect.adjusted(2.0, 2.0, -3.0, -3.0))
    painter.setPen(QPen(colour, 2.0, style))
    painter.drawRect(rect.adjusted(0.5, 0.5, -1.5, -1.5))


def paint_selection(
    painter: QPainter, theme: Theme, cell: CellSize, block: Block, current: tuple[int, int] | None
) -> None:
    """Wash a selection of several cells, and frame the current cell."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    rows, columns = block.bottom - block.top, block.right - block.left
    rect = cell.rect(block.top, block.left, rows, columns)
    if rows * columns > 1:
        wash = QColor(theme.accent)
        wash.setAlpha(_WASH)
        painter.fillRect(rect, wash)
        painter.setPen(QPen(QColor(theme.accent), 1.5))
        painter.drawRect(rect.adjusted(0.5, 0.5, -1.5, -1.5))
    if current is not None:
        _paint_frame(painter, theme, cell.rect(*current))


def _paint_frame(painter: QPainter, theme: Theme, rect: QRectF) -> None:
    """Frame a cell in dark and light, so that the frame is seen on every colour."""
    painter.setPen(QPen(QColor(theme.text), 2.0))
    painter.drawRect(rect.adjusted(0.5, 0.5, -1.5, -1.5))
    if min(rect.width(), rect.height()) >= _FRAMED_TWICE_FROM:
        painter.setPen(QPen(QColor(theme.card), 1.0))
        painter.drawRect(rect.adjusted(2.0, 2.0, -3.0, -3.0))
