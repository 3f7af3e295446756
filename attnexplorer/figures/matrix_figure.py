"""One matrix as a figure of its own: title, labels and cells, painted by the routines that the screen uses."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.fonts import font
from attnexplorer.figures.labels import BAR, longest, paint_column_label, paint_row_label
from attnexplorer.figures.matrix import Block, CellSize, paint_cells

_MARGIN = 12.0
_TITLE = 28.0
_LONGEST_LABEL = 120.0


@dataclass(frozen=True, slots=True)
class MatrixFigure:
    """A matrix with its title. Sizes are in pixels at scale 1."""

    content: MatrixContent
    title: str
    cell: CellSize

    @property
    def upright(self) -> bool:
        """Whether column labels are turned, because they do not fit their columns."""
        return longest(self.content.columns, font("text", 12)) + 4 > self.cell.width

    @property
    def corner(self) -> QPointF:
        """Where the first cell stands."""
        face = font("text", 12)
        left = min(longest(self.content.rows, face), _LONGEST_LABEL) + BAR + 12
        above = min(longest(self.content.columns, face), _LONGEST_LABEL) + 8 if self.upright else 18.0
        return QPointF(_MARGIN + left, _MARGIN + _TITLE + above + BAR + 2)

    @property
    def size(self) -> QSizeF:
        """The size of the whole figure."""
        rows, columns = self.content.shape
        corner = self.corner
        return QSizeF(corner.x() + columns * self.cell.width + _MARGIN, corner.y() + rows * self.cell.height + _MARGIN)


def paint_matrix_figure(painter: QPainter, figure: MatrixFigure) -> None:
    """Paint a figure with its top left corner at the painter's origin."""
    content, cell, corner = figure.content, figure.cell, figure.corner
    theme = content.picture.theme
    rows, columns = content.shape
    painter.fillRect(QRectF(QPointF(0, 0), figure.size), QColor(theme.card))
    painter.setPen(QColor(theme.text))
    painter.setFont(font("mathematics", 18, bold=True))
    title = QRectF(_MARGIN, _MARGIN - 4, figure.size.width() - 2 * _MARGIN, _TITLE)
    painter.drawText(title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, figure.title)
    painter.setFont(font("text", 12))
    for row in range(rows):
        rect = QRectF(_MARGIN, corner.y() + row * cell.height, corner.x() - _MARGIN - 2, cell.height)
        paint_row_label(painter, content.rows, row, rect, theme)
    above = corner.y() - _MARGIN - _TITLE
    for column in range(columns):
        rect = QRectF(corner.x() + column * cell.width, _MARGIN + _TITLE, cell.width, above)
        paint_column_label(painter, content.columns, column, rect, theme, figure.upright)
    painter.translate(corner)
    paint_cells(painter, content.picture, cell, Block(0, 0, rows, columns))
    painter.translate(-corner)


def matrix_image(figure: MatrixFigure, scale: float = 2.0) -> QImage:
    """Return a figure as an image, `scale` times as many pixels each way."""
    size = figure.size * scale
    image = QImage(round(size.width()), round(size.height()), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(scale, scale)
    paint_matrix_figure(painter, figure)
    painter.end()
    return image
