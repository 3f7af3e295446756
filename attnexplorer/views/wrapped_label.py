"""A label that wraps its words and asks for the height that this takes, also of layouts that ask for no more than a
smallest height.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel


class WrappedLabel(QLabel):
    """A label whose smallest height is the one its text needs at its present width."""

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self._keep_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_height()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._keep_height()

    def _keep_height(self) -> None:
        if self.wordWrap() and self.width() > 0:
            needed = max(0, self.heightForWidth(self.width()))
            if needed != self.minimumHeight():
                self.setMinimumHeight(needed)
