"""The pointer's cell enlarged, for the last row of a lecture hall: its number, its colour, and where it is."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QCursor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QWidget

from attnexplorer.compute.numbers import exact_text
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.document.names import matrix_name
from attnexplorer.figures.content import MatrixContent, NumberStyle, matrix_content
from attnexplorer.figures.matrix import Block, CellSize, MatrixPicture, paint_cells
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.soon import soon
from attnexplorer.views.whole_errors import with_whole_errors

_CELL = QSize(176, 84)
_NUMBER = 4.2
"""How many times as large as usual its number is."""
_BORDER, _MARGIN = 2, 12
_AWAY = QPoint(26, 22)
"""From the pointer to the corner of the picture."""


@with_whole_errors
class Magnifier(Speaking, QWidget):
    """Lies over a window beside the pointer, or beside the selected cell, and takes neither clicks nor the focus."""

    def __init__(self, document: Document, appearance: Appearance, window: QWidget) -> None:
        super().__init__(window)
        self._document, self._appearance, self._window = document, appearance, window
        self._content: MatrixContent | None = None
        self._cell: Cell | None = None
        self._on = False
        self.setObjectName("magnifier")
        self.setAccessibleName("The enlarged cell")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        document.cursor.hover_changed.connect(self._refresh)
        document.cursor.selection_changed.connect(self._refresh)
        document.evaluated.connect(self._refresh)
        appearance.changed.connect(self._refresh)

    @property
    def on(self) -> bool:
        """Whether cells are enlarged."""
        return self._on

    def switch(self, on: bool) -> None:
        """Enlarge cells, or no longer."""
        self._on = on
        self._refresh()

    @property
    def title(self) -> str:
        """Which matrix the enlarged cell is of."""
        return "" if self._cell is None else matrix_name(self._document.evaluation.experiment, self._cell.path)

    @property
    def place(self) -> str:
        """Where in the matrix the enlarged cell is."""
        if self._content is None or self._cell is None:
            return ""
        row, column = self._content.rows.texts[self._cell.row], self._content.columns.texts[self._cell.column]
        return f"{row} → {column}" if self._content.columns.coloured else f"{row}, {column}"

    def spoken(self) -> str:
        """Return which cell is enlarged, and its number."""
        if self._content is None or self._cell is None:
            return ""
        picture = self._content.picture
        value = float(picture.values[self._cell.row, self._cell.column])
        return f"{self.title}, {self.place}: {exact_text(value, picture.decimal_point)}"

    def _refresh(self) -> None:
        cell = self._document.cursor.shown if self._on else None
        self._content = None if cell is None else self._content_of(cell)
        self._cell = cell if self._content is not None else None
        self.setVisible(self._cell is not None)
        if self._cell is not None:
            self.resize(self._wanted_size())
            self._move_beside()
            # Keys that go to a cell out of sight have the workspace scroll after they have said where they go.
            soon(self, self._move_beside)
            self.raise_()
            self.say_value()
            self.update()

    def _content_of(self, cell: Cell) -> MatrixContent | None:
        evaluation, look = self._document.evaluation, self._appearance
        numbers = NumberStyle(2, look.decimal_point, _NUMBER * look.text_scale)
        content = matrix_content(evaluation.experiment, evaluation.arrays, cell.path, look.theme, numbers)
        inside = content is not None and cell.row < content.shape[0] and cell.column < content.shape[1]
        return content if inside else None

    def _wanted_size(self) -> QSize:
        cell, inset = _CELL * self._appearance.text_scale, 2 * (_BORDER + _MARGIN)
        texts = ((self.title, self._title_font()), (self.place, self._place_font()))
        widths = [QFontMetricsF(face).horizontalAdvance(text) for text, face in texts]
        widest = self._window.width() - inset
        width = min(max(cell.width(), round(max(widths)) + 2), widest)
        return QSize(width + inset, cell.height() + 2 * self._line() + 6 + inset)

    def _move_beside(self) -> None:
        """Put the picture beside the cell without covering it, inside the window."""
        if self._cell is None:
            return
        window, near = self._window, self._place_of(self._cell)
        place = near.bottomRight() + QPoint(8, 8)
        if place.x() + self.width() > window.width():
            place.setX(near.left() - 8 - self.width())
        if place.y() + self.height() > window.height():
            place.setY(near.top() - 8 - self.height())
        right, bottom = max(0, window.width() - self.width()), max(0, window.height() - self.height())
        self.move(min(max(0, place.x()), right), min(max(0, place.y()), bottom))

    def _place_of(self, cell: Cell) -> QRect:
        """Return where the cell is on the window: around the pointer, or as a table with the focus has it."""
        window, focused = self._window, QApplication.focusWidget()
        if self._document.cursor.hovered is None and isinstance(focused, MatrixTable) and focused.path == cell.path:
            rect = focused.visualRect(focused.model().index(cell.row, cell.column))
            # The table with the focus may stand in another window of the program.
            if window.isAncestorOf(focused):
                return QRect(focused.viewport().mapTo(window, rect.topLeft()), rect.size())
        pointer = window.mapFromGlobal(QCursor.pos())
        return QRect(pointer - _AWAY, pointer + _AWAY - QPoint(8, 8))

    def _line(self) -> int:
        return round(22 * self._appearance.text_scale)

    def _title_font(self) -> QFont:
        return self._appearance.font("text", 15, bold=True)

    def _place_font(self) -> QFont:
        return self._appearance.font("text", 15)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._content is None or self._cell is None:
            return
        theme, content, cell = self._appearance.theme, self._content, self._cell
        painter = QPainter(self)
        painter.setPen(QPen(QColor(theme.accent), _BORDER))
        painter.setBrush(QColor(theme.card))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        inset, line = _BORDER + _MARGIN, self._line()
        width, height = self.width() - 2 * inset, (_CELL * self._appearance.text_scale).height()
        left, middle = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignVCenter
        painter.setPen(QColor(theme.text))
        painter.setFont(self._title_font())
        painter.drawText(QRect(inset, inset, width, line), left | middle, self.title)
        painter.setFont(self._place_font())
        painter.drawText(QRect(inset, inset + line + 6 + height, width, line), left | middle, self.place)
        painter.translate(inset, inset + line + 3)
        paint_cells(painter, _one_cell(content.picture, cell), CellSize(width, height), Block(0, 0, 1, 1))
        painter.end()


def _one_cell(picture: MatrixPicture, cell: Cell) -> MatrixPicture:
    """Return a picture of one cell in the colours of the whole; its number need not be as small as the others ask."""
    part = Block(cell.row, cell.column, cell.row + 1, cell.column + 1).slices
    hatched = None if picture.hatched is None else picture.hatched[part]
    pinned = None if picture.pinned is None else picture.pinned[part]
    return replace(picture, values=picture.values[part], hatched=hatched, pinned=pinned, _memo={})
