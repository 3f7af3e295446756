"""Typing into a cell: what is no number stays in the editor, with a sentence beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemDelegate, QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.expressions import NumberError, parse_number
from attnexplorer.views.complaint import forget_complaint

if TYPE_CHECKING:
    from attnexplorer.views.matrix_table import MatrixTable

Index = QModelIndex | QPersistentModelIndex
_LEAST_WIDTH = 84
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_TABS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


class CellDelegate(QStyledItemDelegate):
    """Opens a line for a number or an expression; Enter commits and goes down, Tab goes right, Esc gives up."""

    def __init__(self, table: MatrixTable) -> None:
        super().__init__(table)
        self._table = table

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName("cell-editor")
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
        editor.setGeometry(rect)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, QLineEdit)
        self._commit(editor, index.row(), index.column())

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        if isinstance(editor, QLineEdit) and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (*_ENTER, *_TABS):
                self._leave(editor, Qt.Key(event.key()))
                return True
            if event.key() == Qt.Key.Key_Escape:
                forget_complaint(self._table)
        return super().eventFilter(editor, event)

    def _leave(self, editor: QLineEdit, key: Qt.Key) -> None:
        index = self._table.currentIndex()
        if not self._commit(editor, index.row(), index.column()):
            return
        # What was just committed must not be committed again when the editor closes.
        self.closeEditor.emit(editor, QAbstractItemDelegate.EndEditHint.RevertModelCache)
        self._table.setFocus()
        step = (1, 0) if key in _ENTER else (0, 1 if key == Qt.Key.Key_Tab else -1)
        self._move(index.row() + step[0], index.column() + step[1])

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
        try:
            value = parse_number(editor.text(), table.appearance.decimal_point)
            table.document.set_cell(table.path, row, column, value)
        except (NumberError, ExperimentError) as refusal:
            editor.setProperty("bad", True)
            editor.style().polish(editor)
            table.complain(str(refusal), row, column)
            return False
        forget_complaint(table)
        return True
