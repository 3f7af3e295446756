"""A matrix as a table that is also a heatmap: one widget for parameters and for every stage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QScrollArea, QTableView, QWidget

from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.document.names import matrix_name
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.matrix import Block, CellSize, MatrixPicture, paint_cells
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.cell_editing import CellDelegate
from attnexplorer.views.complaint import complain, forget_complaint
from attnexplorer.views.matrix_headers import MatrixHeader
from attnexplorer.views.matrix_model import MatrixModel
from attnexplorer.views.scrubbing import Scrub
from attnexplorer.views.table_clipboard import TableClipboard
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.table_marks import paint_light, paint_selection
from attnexplorer.views.whole_errors import with_whole_errors

FRAME = 1
_QUIET = 0.38
_PASSING = frozenset(
    (
        *(Qt.Key.Key_F6, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape, Qt.Key.Key_F10, Qt.Key.Key_Menu),
        *(Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta),
    )
)
"""Keys that choose no cell: they lead elsewhere, or only belong to others."""


@with_whole_errors
class MatrixTable(QTableView):
    """Shows one matrix, edits it in place, selects and hovers with the window's one cursor.

    Typing, pasting and scrubbing set a parameter's numbers and pin a stage's.
    """

    menu_requested = Signal(QPoint)
    pair_pressed = Signal(int, int)
    """A cell was pressed while `paints_pairs`; `pair_dragged` follows for each further cell, then `pair_released`."""
    pair_dragged = Signal(int, int)
    pair_released = Signal()

    def __init__(
        self, context: TableContext, content: MatrixContent, *, editable: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document, self._appearance, self._lights = context.document, context.appearance, context.lights
        self._model = MatrixModel(content, editable=editable)
        self._cell = CellSize(46, 26)
        self._pressed_pair: tuple[int, int] | None = None
        self._names_rows = self._names_columns = True
        self._quiet = self._passed = False
        self._faint: tuple[MatrixPicture, MatrixPicture] | None = None
        self._may_be_edited, self._held = editable, ""
        self._paints_pairs = False
        self.setModel(self._model)
        self._set_up_headers()
        self._set_up_behaviour()
        self._delegate = CellDelegate(self)
        self.setItemDelegate(self._delegate)
        self.scrub = Scrub(self)
        self.clipboard = TableClipboard(self)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self._lights.changed.connect(self._on_lights_changed)
        self.show_content(content)

    @property
    def document(self) -> Document:
        """The document that edits go to."""
        return self._document

    @property
    def appearance(self) -> Appearance:
        """The look of the window."""
        return self._appearance

    @property
    def content(self) -> MatrixContent:
        """What is on screen."""
        return self._model.content

    @property
    def path(self) -> str:
        """The path of the matrix that is on screen."""
        return self._model.content.path

    @property
    def editable(self) -> bool:
        """Whether typing does anything."""
        return self._model.editable

    @property
    def may_be_edited(self) -> bool:
        """Whether typing does anything as long as the table is not held."""
        return self._may_be_edited

    @property
    def held(self) -> bool:
        """Whether nothing can be changed here for the time being."""
        return bool(self._held)

    @property
    def paints_pairs(self) -> bool:
        """Whether clicks on cells are told as `pair_pressed`."""
        return self._paints_pairs and not self._held

    @paints_pairs.setter
    def paints_pairs(self, paints: bool) -> None:
        self._paints_pairs = paints

    def hold(self, sentence: str) -> None:
        """Let nothing be changed for the reason that the sentence gives; an empty one lets go."""
        # An editor that was closed a moment ago may still be there, and must not commit again.
        if sentence and self.state() == QAbstractItemView.State.EditingState:
            self._delegate.commit_open_editor()
        self._held = sentence
        self._model.editable = self._may_be_edited and not sentence

    @property
    def cell_size(self) -> CellSize:
        """The size of a cell."""
        return self._cell

    def show_content(self, content: MatrixContent) -> None:
        """Show new numbers, and new labels or another matrix where they differ."""
        before = self._model.content
        if content.path != before.path or content.shape != before.shape:
            self._exchange(content)
        else:
            self._model.content = content
        self._refresh_headers()
        self.viewport().update()

    @property
    def strength(self) -> float:
        """How strong the colours of the cells are: faint where a pin keeps the matrix from the output."""
        return _QUIET if self._quiet else 1.0

    def set_quiet(self, quiet: bool) -> None:
        """Show that a pin stands between this matrix and the output: it is painted faintly."""
        if quiet != self._quiet:
            self._quiet = quiet
            self.viewport().update()

    def set_cell_size(self, width: int, height: int) -> None:
        """Give every cell a size in pixels."""
        if (width, height) != (self._cell.width, self._cell.height):
            self._cell = CellSize(width, height)
            self._refresh_headers()
            self.viewport().update()

    def name_axes(self, *, rows: bool, columns: bool) -> None:
        """Show or hide the names of rows and columns; the bars in the positions' colours stay."""
        if (rows, columns) != (self._names_rows, self._names_columns):
            self._names_rows, self._names_columns = rows, columns
            self._refresh_headers()

    def chrome(self, width: int, height: int) -> QSize:
        """Return what the headers and the frame take beside cells of this size."""
        return QSize(
            self.verticalHeader().breadth(height) + 2 * FRAME, self.horizontalHeader().breadth(width) + 2 * FRAME
        )

    def selected_block(self) -> Block | None:
        """Return the selected rectangle, or None."""
        ranges = self.selectionModel().selection().toList()
        if not ranges:
            return None
        return Block(
            min(r.top() for r in ranges),
            min(r.left() for r in ranges),
            max(r.bottom() for r in ranges) + 1,
            max(r.right() for r in ranges) + 1,
        )

    def select_block(self, block: Block) -> None:
        """Select a rectangle and make its first cell the current one."""
        self._select(block, block.top, block.left)

    def select_all(self) -> None:
        """Select every cell."""
        self.selectAll()

    def copy_selection(self) -> None:
        """Put the selected numbers on the clipboard, in full precision, as a spreadsheet takes them."""
        self.clipboard.copy()

    def cut_selection(self) -> None:
        """Copy the selected numbers, then clear them."""
        self.clipboard.copy()
        self.clear_selection()

    def paste(self) -> None:
        """Paste a block of numbers with its first cell at the current one."""
        if self._is_free():
            self.clipboard.paste()

    def clear_selection(self) -> None:
        """Set the selected numbers of a parameter to 0; release those of a pinned stage."""
        if self._is_free():
            self.clipboard.clear()

    def fill_down(self) -> None:
        """Copy the first selected row into the other selected rows."""
        if self._is_free():
            self.clipboard.fill(down=True)

    def fill_right(self) -> None:
        """Copy the first selected column into the other selected columns."""
        if self._is_free():
            self.clipboard.fill(down=False)

    def complain(self, sentence: str, row: int, column: int) -> None:
        """Show why an edit was refused, beside the cell."""
        rect = self.visualRect(self._model.index(row, column))
        complain(self, sentence, QRect(self.viewport().mapTo(self, rect.topLeft()), rect.size()))

    def verticalHeader(self) -> MatrixHeader:
        header = super().verticalHeader()
        assert isinstance(header, MatrixHeader)
        return header

    def horizontalHeader(self) -> MatrixHeader:
        header = super().horizontalHeader()
        assert isinstance(header, MatrixHeader)
        return header

    def _is_free(self) -> bool:
        """Tell whether numbers can be changed; if not, say why."""
        current = self.currentIndex()
        if self._held:
            self.complain(self._held, max(current.row(), 0), max(current.column(), 0))
        return not self._held

    def _seen_picture(self) -> MatrixPicture:
        """Return the picture of the content, faint where the matrix is quiet; made anew for a new content only."""
        picture = self.content.picture
        if not self._quiet:
            return picture
        if self._faint is None or self._faint[0] is not picture:
            self._faint = (picture, replace(picture, strength=_QUIET, _memo={}))
        return self._faint[1]

    def _set_up_headers(self) -> None:
        self.setHorizontalHeader(MatrixHeader(Qt.Orientation.Horizontal, self._appearance, self))
        self.setVerticalHeader(MatrixHeader(Qt.Orientation.Vertical, self._appearance, self))
        self.setCornerButtonEnabled(False)

    def _set_up_behaviour(self) -> None:
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.setTabKeyNavigation(True)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.AnyKeyPressed | trigger.EditKeyPressed | trigger.DoubleClicked)
        self.viewport().setAutoFillBackground(False)
        # With every pixel painted here, Qt need not paint again what lies below, up to the window.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def _refresh_headers(self) -> None:
        content = self._model.content
        rows = content.rows if self._names_rows else content.rows.without_names()
        columns = content.columns if self._names_columns else content.columns.without_names()
        headers = self.verticalHeader(), self.horizontalHeader()
        before = [header.breadth() for header in headers]
        headers[0].show_labels(rows, self._cell.height)
        headers[1].show_labels(columns, self._cell.width)
        if [header.breadth() for header in headers] != before:
            self.updateGeometries()

    def _exchange(self, content: MatrixContent) -> None:
        """Show another matrix, or one of another shape, with the same cells selected as far as they are there."""
        self._delegate.commit_open_editor()
        path, block, current, cursor = self.path, self.selected_block(), self.currentIndex(), self._document.cursor
        place = (current.row(), current.column())
        self._model.show(content)
        rows, columns = content.shape
        if current.isValid() and block is not None and rows and columns:
            top, left = min(block.top, rows - 1), min(block.left, columns - 1)
            inside = Block(top, left, min(block.bottom, rows), min(block.right, columns))
            self._select(inside, min(place[0], rows - 1), min(place[1], columns - 1))
        elif current.isValid() and rows and columns:
            self._go_to(min(place[0], rows - 1), min(place[1], columns - 1))
        for cell, point in ((cursor.selected, cursor.select), (cursor.hovered, cursor.hover)):
            if cell is not None and cell.path == path != content.path and cell.row < rows and cell.column < columns:
                point(Cell(content.path, cell.row, cell.column))

    def _select(self, block: Block, row: int, column: int) -> None:
        flags = QItemSelectionModel.SelectionFlag
        first, last = self._model.index(block.top, block.left), self._model.index(block.bottom - 1, block.right - 1)
        self._go_to(row, column)
        self.selectionModel().select(QItemSelection(first, last), flags.ClearAndSelect)

    def _go_to(self, row: int, column: int) -> None:
        """Make a cell the current one; the selection stays."""
        flag = QItemSelectionModel.SelectionFlag.NoUpdate
        self.selectionModel().setCurrentIndex(self._model.index(row, column), flag)

    def _visible_block(self, region: QRect) -> Block:
        rows, columns = self.content.shape
        x, y = self.horizontalHeader().offset(), self.verticalHeader().offset()
        width, height = int(self._cell.width), int(self._cell.height)
        return Block(
            max(0, (region.top() + y) // height),
            max(0, (region.left() + x) // width),
            min(rows, (region.bottom() + y) // height + 1),
            min(columns, (region.right() + x) // width + 1),
        )

    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and self.hasFocus() and not self._passed:
            self._point_at(current)
            self._bring_into_view(current)

    def _point_at(self, index: QModelIndex) -> None:
        self._document.cursor.select(self._own_cell(index.row(), index.column()))

    def _bring_into_view(self, index: QModelIndex) -> None:
        """Have the workspace scroll to a cell that keys have gone to; the table itself has done so already."""
        parent = self.parentWidget()
        while parent is not None and not isinstance(parent, QScrollArea):
            parent = parent.parentWidget()
        inside = None if parent is None else parent.widget()
        if parent is not None and inside is not None:
            rect = self.visualRect(index)
            centre = self.viewport().mapTo(inside, rect.center())
            parent.ensureVisible(centre.x(), centre.y(), rect.width() // 2 + 2, rect.height() // 2 + 2)

    def _own_cell(self, row: int, column: int) -> Cell | None:
        """Return a cell as the cursor of the window has it; None for one that only the other experiment has."""
        matrix = self._document.matrix(self.path) if self._held else None
        rows, columns = self.content.shape if matrix is None else np.atleast_2d(matrix).shape
        return Cell(self.path, row, column) if row < rows and column < columns else None

    def _on_lights_changed(self, paths: set[str]) -> None:
        if self.path in paths:
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        # The whole viewport is painted: parts would save little and defeat the memory of what was prepared.
        region = self.viewport().rect()
        painter.fillRect(region, QColor(self._appearance.theme.card))
        painter.translate(-self.horizontalHeader().offset(), -self.verticalHeader().offset())
        paint_cells(painter, self._seen_picture(), self._cell, self._visible_block(region))
        for light in self._lights.on(self.path):
            paint_light(painter, self._appearance.theme, self._cell, light)
        self._paint_selection(painter)
        painter.end()

    def _paint_selection(self, painter: QPainter) -> None:
        block = self.selected_block()
        selected = self._document.cursor.selected
        if block is None or (not self.hasFocus() and (selected is None or selected.path != self.path)):
            return
        current = self.currentIndex()
        cell = (current.row(), current.column()) if current.isValid() else None
        paint_selection(painter, self._appearance.theme, self._cell, block, cell)

    def _cell_at(self, position: QPoint) -> tuple[int, int] | None:
        index = self.indexAt(position)
        return (index.row(), index.column()) if index.isValid() else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self._cell_at(event.position().toPoint())
        if cell is not None and self.scrub.press(event, *cell):
            self._document.cursor.select(self._own_cell(*cell))
            return
        super().mousePressEvent(event)
        if cell is None:
            return
        self._document.cursor.select(self._own_cell(*cell))
        if self.paints_pairs and event.button() == Qt.MouseButton.LeftButton and not event.modifiers():
            self._pressed_pair = cell
            self.pair_pressed.emit(*cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.scrub.move(event):
            return
        cell = self._cell_at(event.position().toPoint())
        if self._pressed_pair is not None:
            if cell is not None and cell != self._pressed_pair:
                self._pressed_pair = cell
                self.pair_dragged.emit(*cell)
        else:
            super().mouseMoveEvent(event)
        self._document.cursor.hover(None if cell is None else self._own_cell(*cell))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.scrub.release(event):
            return
        if self._pressed_pair is not None:
            self._pressed_pair = None
            self.pair_released.emit()
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.paints_pairs:
            # Two quick clicks on a pair are two clicks: block and allow again.
            self.mousePressEvent(event)
        else:
            super().mouseDoubleClickEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        cell = self._cell_at(event.position().toPoint())
        if not self.scrub.wheel(event, cell):
            self._scroll_or_pass_on(event)

    def _scroll_or_pass_on(self, event: QWheelEvent) -> None:
        """Scroll this table only if it can; else let the workspace scroll."""
        bars = (self.verticalScrollBar(), self.horizontalScrollBar())
        if any(bar.maximum() > bar.minimum() for bar in bars):
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._obey(event)
        if event.key() not in _PASSING and self.currentIndex().isValid():
            # A key that moves no further chooses the cell it was pressed at.
            self._point_at(self.currentIndex())

    def _obey(self, event: QKeyEvent) -> None:
        key, modifiers = event.key(), event.modifiers()
        control = modifiers == Qt.KeyboardModifier.ControlModifier
        forget_complaint(self)
        if key == Qt.Key.Key_F6:
            # Not the table's own way of going on, which is to the next cell.
            QAbstractScrollArea.focusNextPrevChild(self, not modifiers & Qt.KeyboardModifier.ShiftModifier)
        elif modifiers & Qt.KeyboardModifier.AltModifier and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            if self._is_free():
                self.scrub.turn(1 if key == Qt.Key.Key_Up else -1, modifiers)
        elif self._is_edit_shortcut(event):
            return
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.clear_selection()
        elif control and key == Qt.Key.Key_D:
            self.fill_down()
        elif control and key == Qt.Key.Key_R:
            self.fill_right()
        elif self.paints_pairs and key == Qt.Key.Key_Space and self.currentIndex().isValid():
            self.pair_pressed.emit(self.currentIndex().row(), self.currentIndex().column())
            self.pair_released.emit()
        elif key == Qt.Key.Key_Space:
            event.ignore()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.editable:
            # Without a trigger Qt writes a line where nothing can be opened: no cell, or one that is open already.
            self.edit(self.currentIndex(), QAbstractItemView.EditTrigger.EditKeyPressed, event)
        else:
            super().keyPressEvent(event)

    def _is_edit_shortcut(self, event: QKeyEvent) -> bool:
        """Run copy, cut and paste where no menu of the window has taken the key before."""
        standard = QKeySequence.StandardKey
        calls = {
            standard.Copy: self.copy_selection,
            standard.Cut: self.cut_selection,
            standard.Paste: self.paste,
            standard.SelectAll: self.select_all,
        }
        call = next((call for keys, call in calls.items() if event.matches(keys)), None)
        if call is not None:
            call()
        return call is not None

    def keyboardSearch(self, search: str) -> None:
        """Say why typing does nothing where it does nothing; there is no searching by typing."""
        if self._is_free() and not self.editable and self.currentIndex().isValid():
            name = matrix_name(self._document.experiment, self.path)
            sentence = f"{name} follows from what comes before it and cannot be changed itself."
            self.complain(sentence, self.currentIndex().row(), self.currentIndex().column())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_requested.emit(event.globalPos())

    def leaveEvent(self, event: QEvent) -> None:
        self._document.cursor.hover(None)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        # Keys that only pass by leave the window's one cursor where it is: what is explained was chosen elsewhere.
        self._passed = True
        super().focusInEvent(event)
        if self.selected_block() is None and np.prod(self.content.shape):
            self.setCurrentIndex(self.currentIndex() if self.currentIndex().isValid() else self._model.index(0, 0))
        self._passed = False
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()
