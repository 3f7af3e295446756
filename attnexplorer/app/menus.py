"""Finding the menus of a window and their entries, for what adds more of them."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu


def menu_of(window: QMainWindow, title: str) -> QMenu:
    """Return a menu of the menu bar."""
    for action in window.menuBar().actions():
        menu = action.menu()
        if isinstance(menu, QMenu) and action.text().replace("&", "") == title:
            return menu
    raise LookupError(title)


def action_of(menu: QMenu, name: str) -> QAction:
    """Return an entry of a menu by its object name."""
    return next(action for action in menu.actions() if action.objectName() == name)
