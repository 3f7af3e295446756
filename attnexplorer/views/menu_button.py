"""A tool button that opens a menu at once."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from attnexplorer.views.soon import soon


class MenuButton(QToolButton):
    """Its text ends with ▾, which stands for the arrow that Qt would draw below it."""

    def __init__(self, text: str, menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(f"{text} ▾")
        self.setAccessibleName(text)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setMenu(menu)
        menu.aboutToHide.connect(self._on_menu_hidden)

    def _on_menu_hidden(self) -> None:
        soon(self, self._look_for_the_pointer)

    def _look_for_the_pointer(self) -> None:
        """Stay highlighted only with the pointer on it: while a menu is open, Qt does not notice that it leaves."""
        inside = self.rect().contains(self.mapFromGlobal(QCursor.pos()))
        self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, inside)
        self.update()
