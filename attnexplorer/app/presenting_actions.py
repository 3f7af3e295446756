"""The entries of the menu View for an audience: stages hidden and revealed one by one, the pointer's cell enlarged."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from attnexplorer.app.actions import add_action
from attnexplorer.app.main_window import MainWindow
from attnexplorer.views.presenting import Presenting

REVEAL, TAKE_BACK = QKeySequence("F8"), QKeySequence("Shift+F8")
PAGES = QKeySequence("PgDown"), QKeySequence("PgUp")
"""What a remote control of a presenter sends; taken only while something is hidden, as else they scroll."""


class PresentingActions(QObject):
    """What a window does for an audience."""

    def __init__(self, window: MainWindow, view_menu: QMenu) -> None:
        super().__init__(window)
        self._window = window
        self._presenting = Presenting.of(window.document)
        menu = QMenu("&Present", view_menu)
        menu.setObjectName("view_present")
        view_menu.addMenu(menu)
        self._hide = add_action(menu, "present_hide", "&Hide Stages", self._presenting.hide_all, "Ctrl+F8")
        self._reveal = add_action(menu, "present_reveal", "&Reveal Next Stage", self._presenting.reveal)
        self._take_back = add_action(menu, "present_take_back", "Hide &Last Stage", self._presenting.hide_last)
        self._show = add_action(menu, "present_show", "&Show All Stages", self._presenting.show_all, "Ctrl+Shift+F8")
        menu.addSeparator()
        self._enlarge = add_action(menu, "present_enlarge", "&Enlarge the Pointer's Cell", self._switch, "F9")
        self._enlarge.setCheckable(True)
        self._presenting.changed.connect(self._refresh)
        self._refresh()

    def _switch(self) -> None:
        self._window.enlarge_cells(self._enlarge.isChecked())

    def _refresh(self) -> None:
        hides = self._presenting.hides
        self._reveal.setShortcuts([REVEAL, PAGES[0]] if hides else [REVEAL])
        self._take_back.setShortcuts([TAKE_BACK, PAGES[1]] if hides else [TAKE_BACK])
        self._reveal.setEnabled(hides)
        self._show.setEnabled(hides)
