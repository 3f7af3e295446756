"""The painting of small maps: border, heading, labels, cells, and the marks of row and cell."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF, QRegion

from attnexplorer.figures.labels import every, paint_column_label, paint_row_label
from attnexplorer.figures.matrix import Block, CellSize, paint_cells
from attnexplorer.figures.theme import Theme
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.scaling.map_layout import Frame, Map

MARK = 8
"""Room right of the cells for what points at a row."""
_FRAMED_FROM = 6.0


class Marks(NamedTuple):
    """What is marked in a map: the row and the cell of the keyboard, and the cell under the pointer."""

    row: int | None
    focused: tuple[int, int] | None
    hovered: tuple[int, int] | None


def paint_map(
    painter: QPainter, it: Map, index: int, frame: Frame, appearance: Appearance, region: QRegion, marks: Marks
) -> None:
    """Paint heading, labels, cells and marks of a map; labels only where they are to be painted again."""
    corner, shape, theme = frame.corner(index), it.content.shape, appearance.theme
    _paint_heading(painter, frame.heading(index), it, frame.line, appearance)
    cells = frame.cells(index, shape)
    beside = QRectF(corner.x() - frame.label_width, cells.top(), frame.label_width - 2, cells.height())
    above = QRectF(cells.left(), corner.y() - frame.label_height, cells.width(), frame.label_height - 2)
    if any(region.intersects(rect.toRect()) for rect in (beside, above)):
        _paint_labels(painter, frame, it, corner, appearance)
    painter.translate(corner)
    painter.save()
    # One rectangle to clip to instead of the many that change together: images are then scaled the fast way.
    painter.setClipRect(frame.cell.rect(0, 0, *shape).toAlignedRect())
    paint_cells(painter, it.content.picture, frame.cell, Block(0, 0, *shape))
    painter.restore()
    _paint_marks(painter, frame.cell, shape, marks, theme)
    painter.translate(-corner)


def paint_chosen(painter: QPainter, place: QRectF, theme: Theme, *, focused: bool) -> None:
    """Paint the border of a chosen map."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setPen(QPen(QColor(theme.accent), 2.0 if focused else 1.2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), 6, 6)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_heading(painter: QPainter, heading: QRectF, it: Map, line: float, appearance: Appearance) -> None:
    theme = appearance.theme
    rect = QRectF(heading.left(), heading.top(), heading.width(), line)
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    face = appearance.font("text", 12.5, bold=True)
    painter.setFont(face)
    painter.setPen(QColor(theme.accent if it.chosen else theme.text))
    elide = Qt.TextElideMode.ElideRight
    painter.drawText(rect, flags, QFontMetricsF(face).elidedText(it.title, elide, rect.width()))
    quiet = appearance.font("text", 11)
    metrics = QFontMetricsF(quiet)
    fitting = (text for text in it.captions if metrics.horizontalAdvance(text) <= rect.width())
    text = next(fitting, metrics.elidedText(it.captions[-1], elide, rect.width()))
    painter.setFont(quiet)
    painter.setPen(QColor(theme.muted))
    painter.drawText(rect.translated(0, line), flags, text)


def _paint_labels(painter: QPainter, frame: Frame, it: Map, corner: QPointF, appearance: Appearance) -> None:
    theme, cell, scale = appearance.theme, frame.cell, appearance.text_scale
    painter.setFont(appearance.font("text", 12))
    rows = it.content.shape[0]
    row_labels, column_labels = it.content.rows, it.content.columns
    if not frame.named:
        row_labels, column_labels = row_labels.without_names(), column_labels.without_names()
    bounds = QRectF(corner.x() - frame.label_width, corner.y(), frame.label_width, rows * cell.height)
    step = every(cell.height, 17 * scale)
    for row in range(len(row_labels.texts)):
        rect = QRectF(bounds.left(), corner.y() + row * cell.height, frame.label_width, cell.height)
        paint_row_label(painter, row_labels, row, rect, theme, step, bounds)
    step = every(cell.width, 17 * scale) if frame.upright else 1
    for column in range(len(column_labels.texts)):
        left = corner.x() + column * cell.width
        rect = QRectF(left, corner.y() - frame.label_height, cell.width, frame.label_height)
        paint_column_label(painter, column_labels, column, rect, theme, frame.upright, step)


def _paint_marks(painter: QPainter, cell: CellSize, shape: tuple[int, int], marks: Marks, theme: Theme) -> None:
    rows, columns = shape
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if marks.row is not None and marks.row < rows:
        _paint_row_mark(painter, cell, marks.row, columns, theme)
        if marks.focused is not None:
            _paint_cell_mark(painter, cell, marks.focused, theme, 2.0)
    if marks.hovered is not None and marks.hovered[0] < rows and marks.hovered[1] < columns:
        _paint_cell_mark(painter, cell, marks.hovered, theme, 1.5)


def _paint_cell_mark(painter: QPainter, cell: CellSize, at: tuple[int, int], theme: Theme, width: float) -> None:
    painter.setPen(QPen(QColor(theme.text), width))
    painter.drawRect(cell.rect(*at).adjusted(0.5, 0.5, -0.5, -0.5))


def _paint_row_mark(painter: QPainter, cell: CellSize, row: int, columns: int, theme: Theme) -> None:
    """Frame the row or, where a frame would hide it, point at it from the right."""
    rect, colour = cell.rect(row, 0, 1, columns), QColor(theme.accent)
    if cell.height >= _FRAMED_FROM:
        painter.setPen(QPen(colour, 1.5))
        painter.drawRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5))
        return
    tip = QPointF(rect.right() + 1, rect.center().y())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([tip, tip + QPointF(6, -4), tip + QPointF(6, 4)]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
