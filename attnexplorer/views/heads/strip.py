"""Part of a matrix as a small heatmap: rows of W_O, or a vector. Hovering and choosing are told in its own cells."""

from __future__ import annotations

import html

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from attnexplorer.compute.numbers import exact_text
from attnexplorer.figures.fonts import font
from attnexplorer.figures.head_grid import pooled
from attnexplorer.figures.matrix import Block, CellSize, MatrixPicture, paint_cells
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.whole_errors import with_whole_errors

_WIDEST, _HIGHEST, _TALLEST = 46, 22, 150
_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


@with_whole_errors
class MatrixStrip(Speaking, QWidget):
    """Paints rows with a number beside each. `Cell` signals count within the strip. Arrow keys choose a cell."""

    cell_hovered = Signal(int, int)
    cell_chosen = Signal(int, int)
    hover_left = Signal()

    def __init__(self, name: str, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._picture: MatrixPicture | None = None
        self._labels: tuple[str, ...] = ()
        self._mark: tuple[int, int] | None = None
        self._aligned: MatrixStrip | None = None
        self.setObjectName(name)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.installEventFilter(self)

    @property
    def picture(self) -> MatrixPicture | None:
        """What is shown."""
        return self._picture

    def show_picture(self, picture: MatrixPicture | None, labels: tuple[str, ...] = ()) -> None:
        """Show rows with their labels."""
        if picture is not self._picture or labels != self._labels:
            before = None if self._picture is None else self._picture.values.shape
            self._picture, self._labels = picture, labels
            if picture is None or picture.values.shape != before:
                self.updateGeometry()
            self.say_value()
            self.update()

    def show_mark(self, cell: tuple[int, int] | None) -> None:
        """Mark a cell."""
        if cell != self._mark:
            self._mark = cell
            self.say_value()
            self.update()

    def spoken(self) -> str:
        """Return the marked cell."""
        return "" if self._mark is None else self._told(*self._mark)

    def align_with(self, other: MatrixStrip) -> None:
        """Begin the columns where another strip begins its own."""
        self._aligned = other

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return the place of a cell."""
        return self._cell().rect(row, column).translated(self._left(), 0)

    def _left(self) -> float:
        if self._aligned is not None and self._aligned.picture is not None:
            return self._aligned._left()
        metrics = QFontMetricsF(self._label_font())
        return max((metrics.horizontalAdvance(label) for label in self._labels), default=-6.0) + 6

    def _label_font(self) -> QFont:
        return font("text", 10.5 * self._appearance.text_scale)

    def _cell(self) -> CellSize:
        if self._picture is None:
            return CellSize(1, 1)
        rows, columns = self._picture.values.shape
        width = max(0.01, min(_WIDEST, (self.width() - self._left()) / max(columns, 1)))
        height = max(2.0, min(_HIGHEST * self._appearance.text_scale, _TALLEST / max(rows, 1)))
        return CellSize(int(width) if width >= 3 else width, int(height))

    def _cell_at(self, place: QPointF) -> tuple[int, int] | None:
        if self._picture is None:
            return None
        cell, (rows, columns) = self._cell(), self._picture.values.shape
        row, column = int(place.y() // cell.height), int((place.x() - self._left()) // cell.width)
        return (row, column) if 0 <= row < rows and 0 <= column < columns else None

    def sizeHint(self) -> QSize:
        rows = 1 if self._picture is None else self._picture.values.shape[0]
        return QSize(200, round(rows * self._cell().height) + 1)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        picture = self._picture
        if picture is None:
            return
        painter, cell, theme = QPainter(self), self._cell(), picture.theme
        rows, columns = picture.values.shape
        painter.setFont(self._label_font())
        painter.setPen(QColor(theme.muted))
        step = max(1, -int(-13 * self._appearance.text_scale // cell.height))
        for row, label in enumerate(self._labels):
            if row % step == 0:
                place = QRectF(0, row * cell.height - 4, self._left() - 6, cell.height + 8)
                painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, label)
        painter.translate(self._left(), 0)
        if cell.width < 1:
            self._paint_pooled(painter, picture, cell)
        else:
            paint_cells(painter, picture, cell, Block(0, 0, rows, columns))
        if self._mark is not None and self._mark[0] < rows and self._mark[1] < columns:
            painter.setPen(QPen(QColor(theme.text), 2.0))
            painter.drawRect(cell.rect(*self._mark).adjusted(0.5, 0.5, -1.5, -1.5))
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 1.5))
            painter.drawRect(cell.rect(0, 0, rows, columns).adjusted(0.5, 0.5, -1, -1))
        painter.end()

    def _paint_pooled(self, painter: QPainter, picture: MatrixPicture, cell: CellSize) -> None:
        """Paint the largest of neighbouring columns where a column is narrower than a pixel."""
        pool = -int(-1 // cell.width)
        rows = [pooled(row[None, :].repeat(pool, axis=0), pool)[0] for row in picture.values]
        narrow = MatrixPicture(values=np.stack(rows), scale=picture.scale, theme=picture.theme)
        columns = narrow.values.shape[1]
        paint_cells(painter, narrow, CellSize(1, cell.height), Block(0, 0, len(rows), columns))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position())
        if cell is None:
            self.hover_left.emit()
        else:
            self.cell_hovered.emit(*cell)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position())
        if cell is not None and event.button() == Qt.MouseButton.LeftButton:
            self.cell_chosen.emit(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or self._picture is None:
            super().keyPressEvent(event)
            return
        rows, columns = self._picture.values.shape
        row, column = (0, 0) if self._mark is None else (self._mark[0] + step[0], self._mark[1] + step[1])
        self.cell_chosen.emit(min(max(row, 0), rows - 1), min(max(column, 0), columns - 1))

    def leaveEvent(self, event: QEvent) -> None:
        self.hover_left.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cell = self._cell_at(event.pos().toPointF())
            QToolTip.showText(event.globalPos(), "" if cell is None else html.escape(self._told(*cell)), self)
            return True
        return False

    def _told(self, row: int, column: int) -> str:
        picture = self._picture
        if picture is None or row >= picture.values.shape[0] or column >= picture.values.shape[1]:
            return ""
        number = exact_text(float(picture.values[row, column]), picture.decimal_point)
        name = self._labels[row] if row < len(self._labels) else ""
        return f"{f'row {name}, ' if name else ''}column {column + 1}: {number}"
