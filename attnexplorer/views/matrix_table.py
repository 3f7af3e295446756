"""A matrix as a table that can be edited: one widget for parameters and for every stage."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QScrollArea, QWidget

from attnexplorer.document.cursor import Cell
from attnexplorer.document.names import matrix_name
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.matrix import Block
from attnexplorer.views.cell_editing import CellDelegate
from attnexplorer.views.complaint import complain, forget_complaint
from attnexplorer.views.matrix_grid import MatrixGrid
from attnexplorer.views.scrubbing import Scrub
from attnexplorer.views.table_clipboard import TableClipboard
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.whole_errors import with_whole_errors

_PASSING = frozenset(
    (
        *(Qt.Key.Key_F6, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Escape, Qt.Key.Key_F10, Qt.Key.Key_Menu),
        *(Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta),
    )
)
"""Keys that choose no cell: they lead elsewhere, or only belong to others."""


@with_whole_errors
class MatrixTable(MatrixGrid):
    """Edits the matrix that it shows in place, selects and hovers with the window's one cursor.

    Typing, pasting and scrubbing set a parameter's numbers and pin a stage's.
    """

    pair_pressed = Signal(int, int)
    """A cell was pressed while `paints_pairs`; `pair_dragged` follows for each further cell, then `pair_released`."""
    pair_dragged = Signal(int, int)
    pair_released = Signal()

    def __init__(
        self, context: TableContext, content: MatrixContent, *, editable: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(context, content, editable=editable, parent=parent)
        self._pressed_pair: tuple[int, int] | None = None
        self._passed = False
        self._may_be_edited, self._held = editable, ""
        self._paints_pairs = False
        self._set_up_behaviour()
        self._delegate = CellDelegate(self)
        self.setItemDelegate(self._delegate)
        self.scrub = Scrub(self)
        self.clipboard = TableClipboard(self)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.show_content(content)
        self._document.cursor.selection_changed.connect(self._follow)
        self._document.cursor.typing_requested.connect(self._type)
        self._follow(self._document.cursor.selected)

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
            self.finish_typing()
        self._held = sentence
        self._model.editable = self._may_be_edited and not sentence

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

    def _is_free(self) -> bool:
        """Tell whether numbers can be changed; if not, say why."""
        current = self.currentIndex()
        if self._held:
            self.complain(self._held, max(current.row(), 0), max(current.column(), 0))
        return not self._held

    def _set_up_behaviour(self) -> None:
        self.setTabKeyNavigation(True)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.AnyKeyPressed | trigger.EditKeyPressed | trigger.DoubleClicked)

    def finish_typing(self) -> None:
        """Take over what is being typed into a cell."""
        self._delegate.commit_open_editor()

    def _on_current_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and self.hasFocus() and not self._passed:
            self._point_at(current)
            self._bring_into_view(current)

    def _follow(self, cell: Cell | None) -> None:
        """Go along where the window's one cursor is put onto a cell of this matrix elsewhere: keys then begin there."""
        rows, columns = self.content.shape
        if cell is None or cell.path != self.path or cell.row >= rows or cell.column >= columns:
            return
        current, block, place = self.currentIndex(), self.selected_block(), (cell.row, cell.column)
        if block is not None and (current.row(), current.column()) == place:
            return
        passed, self._passed = self._passed, True
        self._select(block if block is not None and block.has(*place) else Block.of(*place), *place)
        self._passed = passed

    def _type(self, cell: Cell, begun: str) -> None:
        """Have a number typed that was asked for elsewhere, if it is one of these."""
        if cell.path != self.path or not self.editable or not self.isVisible():
            return
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._follow(cell)
        index = self.currentIndex()
        if (index.row(), index.column()) != (cell.row, cell.column):
            return
        self._bring_into_view(index)
        self.edit(index)
        self._delegate.begin(begun)

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

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position().toPoint())
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
        cell = self.cell_at(event.position().toPoint())
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
        cell = self.cell_at(event.position().toPoint())
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

    def leaveEvent(self, event: QEvent) -> None:
        self._document.cursor.hover(None)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        # Keys that only pass by leave the window's one cursor where it is: what is explained was chosen elsewhere.
        self._passed = True
        super().focusInEvent(event)
        if self.selected_block() is None:
            self._follow(self._document.cursor.selected)
        if self.selected_block() is None and np.prod(self.content.shape):
            self.setCurrentIndex(self.currentIndex() if self.currentIndex().isValid() else self._model.index(0, 0))
        self._passed = False
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()
