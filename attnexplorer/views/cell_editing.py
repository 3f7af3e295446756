"""Typing into a cell: what is no number stays in the editor, with a sentence beside it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.expressions import NumberError, parse_number
from attnexplorer.views.complaint import forget_complaint
from attnexplorer.views.table_clipboard import MINUS_INFINITY, takes_minus_infinity
from attnexplorer.views.whole_errors import with_whole_errors

if TYPE_CHECKING:
    from attnexplorer.views.matrix_table import MatrixTable

Index = QModelIndex | QPersistentModelIndex
_LEAST_WIDTH = 84
_STEPS = {
    Qt.Key.Key_Return: (1, 0),
    Qt.Key.Key_Enter: (1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Tab: (0, 1),
    Qt.Key.Key_Backtab: (0, -1),
}
"""The keys that commit, and where they go from there, in rows and columns."""
EDITOR = "cell-editor"


@with_whole_errors
class CellDelegate(QStyledItemDelegate):
    """Opens a line for a number or an expression; Enter commits and goes down, Tab goes right, Esc gives up.

    A line in which nothing was typed changes nothing, so that looking at a computed number does not pin it.
    """

    def __init__(self, table: MatrixTable) -> None:
        super().__init__(table)
        self._table = table
        self._cell = (0, 0)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName(EDITOR)
        self._cell = (index.row(), index.column())
        editor.setAccessibleName("Number or expression")
        editor.setFont(self._table.appearance.font("number", 12))
        editor.setFrame(False)
        editor.textEdited.connect(lambda _text: forget_complaint(self._table))
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        rect = self._table.visualRect(index)
        rect.setWidth(max(rect.width(), _LEAST_WIDTH))
        rect.setHeight(max(rect.height(), 24))
        room = self._table.viewport().rect()
        rect.moveLeft(max(0, min(rect.left(), room.right() - rect.width())))
        rect.moveTop(max(0, min(rect.top(), room.bottom() - rect.height())))
        editor.setGeometry(rect)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        self._commit(editor, index.row(), index.column())

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        if isinstance(editor, QLineEdit) and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = _STEPS.get(Qt.Key(event.key()))
            if step is not None:
                self._leave(editor, *step)
                return True
            if event.key() == Qt.Key.Key_Escape:
                forget_complaint(self._table)
            # These would go on to the table, and leave the editor behind at another cell than the current one.
            elif event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
                return True
        elif isinstance(editor, QLineEdit) and isinstance(event, QFocusEvent) and self._waits(editor, event):
            return False
        return super().eventFilter(editor, event)

    def begin(self, text: str) -> None:
        """Have the open editor begin with what was typed elsewhere instead of with the present number."""
        editor = self._table.viewport().findChild(QLineEdit, EDITOR)
        if editor is not None and text:
            editor.clear()
            editor.insert(text)

    def commit_open_editor(self) -> None:
        """Commit what is being typed, or say why not, and close the editor: its matrix is about to be another one."""
        editor = self._table.viewport().findChild(QLineEdit, EDITOR)
        if editor is not None:
            self._commit(editor, *self._cell)
            self.closeEditor.emit(editor, QAbstractItemDelegate.EndEditHint.RevertModelCache)

    def _waits(self, editor: QLineEdit, event: QFocusEvent) -> bool:
        """Tell whether an editor that lost the focus stays open: the window was left with no number in it yet."""
        left = event.lostFocus() and event.reason() == Qt.FocusReason.ActiveWindowFocusReason
        return left and editor.isModified() and not self._is_number(editor.text())

    def _is_number(self, text: str) -> bool:
        try:
            self._number(text)
        except NumberError:
            return False
        return True

    def _number(self, text: str) -> float:
        if text.strip().lower() in MINUS_INFINITY and takes_minus_infinity(self._table.path):
            return -math.inf
        return parse_number(text, self._table.appearance.decimal_point)

    def _leave(self, editor: QLineEdit, down: int, right: int) -> None:
        row, column = self._cell
        if not self._commit(editor, row, column):
            return
        # What was just committed must not be committed again when the editor closes.
        self.closeEditor.emit(editor, QAbstractItemDelegate.EndEditHint.RevertModelCache)
        self._table.setFocus()
        self._move(row + down, column + right)

    def _move(self, row: int, column: int) -> None:
        rows, columns = self._table.content.shape
        if column >= columns:
            row, column = row + 1, 0
        elif column < 0:
            row, column = row - 1, columns - 1
        if 0 <= row < rows:
            self._table.setCurrentIndex(self._table.model().index(row, column))

    def _commit(self, editor: QLineEdit, row: int, column: int) -> bool:
        """Ask the document for the edit; on a refusal say why and return False."""
        table = self._table
        if not editor.isModified():
            return True
        try:
            table.document.set_cell(table.path, row, column, self._number(editor.text()))
        except (NumberError, ExperimentError) as refusal:
            editor.setProperty("bad", True)
            editor.style().polish(editor)
            table.complain(str(refusal), row, column)
            return False
        forget_complaint(table)
        return True
