"""A field of several lines whose text is not dragged away."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QPlainTextEdit

from attnexplorer.views.whole_errors import with_whole_errors


@with_whole_errors
class StillText(QPlainTextEdit):
    """A press on selected text begins another selection.

    While Qt drags text it waits in a loop of its own, and crashes after it if the dialog was closed meanwhile.
    """

    def mousePressEvent(self, event: QMouseEvent) -> None:
        extends = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.button() == Qt.MouseButton.LeftButton and not extends:
            cursor = self.textCursor()
            cursor.clearSelection()
            self.setTextCursor(cursor)
        super().mousePressEvent(event)
