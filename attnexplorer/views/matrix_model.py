"""The Qt model of a matrix: what tables need of it for editing, tooltips and screen readers. It changes nothing."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from attnexplorer.compute.numbers import cell_text, exact_text, full_text
from attnexplorer.figures.content import MatrixContent
from attnexplorer.views.whole_errors import with_whole_errors

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@with_whole_errors
class MatrixModel(QAbstractTableModel):
    """Shows a `MatrixContent`; a new one of the same shape replaces it without any signal but a repaint."""

    def __init__(self, content: MatrixContent, *, editable: bool) -> None:
        super().__init__()
        self.content = content
        self.editable = editable

    def show(self, content: MatrixContent) -> None:
        """Show another content; the model is reset where shape or labels differ."""
        if content.shape == self.content.shape and content.path == self.content.path:
            self.content = content
            return
        self.beginResetModel()
        self.content = content
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else self.content.shape[0]

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else self.content.shape[1]

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if self.editable else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        picture = self.content.picture
        if role == Qt.ItemDataRole.DisplayRole:
            value = float(picture.values[index.row(), index.column()])
            return cell_text(value, picture.decimals, False, picture.decimal_point)
        if role == Qt.ItemDataRole.EditRole:
            return full_text(float(picture.values[index.row(), index.column()]), picture.decimal_point)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._described(index.row(), index.column())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        labels = self.content.columns if orientation == Qt.Orientation.Horizontal else self.content.rows
        return labels.texts[section] if section < len(labels.texts) else ""

    def _described(self, row: int, column: int) -> str:
        content = self.content
        value = exact_text(float(content.picture.values[row, column]), content.picture.decimal_point)
        pinned = content.picture.pinned
        marks = [content.blocked_by(row, column)]
        marks.append("pinned" if pinned is not None and pinned[row, column] else "")
        place = f"{content.rows.texts[row]}, {content.columns.texts[column]}"
        return f"{place}: {value}" + "".join(f" ({mark})" for mark in marks if mark)
