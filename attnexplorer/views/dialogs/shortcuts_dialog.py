"""The sheet of all keys: the menus' own, read from the menus, and those of the tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QMenu,
    QMenuBar,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from attnexplorer.views.dialogs.plain_buttons import size_for_type, without_pictures

TABLE_KEYS = (
    ("Arrow keys, Tab, Shift+Tab", "Go from cell to cell"),
    ("Shift + arrow keys", "Select several cells"),
    ("Typing", "Replace the number; expressions such as 1/sqrt(2) are understood"),
    ("Return", "Take the typed number"),
    ("Esc", "Leave the number as it was"),
    ("Del", "Clear the selected cells"),
    ("Ctrl+D, Ctrl+R", "Fill the selected cells down, to the right"),
    ("Space", "In the mask: block or allow the pair"),
    ("Alt + drag, Alt + up or down, or the wheel on the selected cell", "Turn the number; Shift finer, Ctrl coarser"),
    ("F6", "Leave the table"),
)
WINDOW_KEYS = (
    ("Tab, Shift+Tab", "Go to the next control, or the one before"),
    ("F6, Shift+F6", "Go to the next table or part of the window, or the one before"),
    ("Menu key, Shift+F10", "Open the menu of what has the focus"),
    ("Page Down, Page Up", "While stages are hidden: reveal the next one, hide the last one"),
)
PICTURE_KEYS = (
    ("Arrow keys", "Choose a head, a map, a cell, or a token of the flow"),
    ("Return", "Heads: open the head; flow: select the pair"),
    ("M, S", "Heads: mute, solo"),
    ("Tab, arrow keys, F", "Geometry: go from arrow to arrow, move the tip, show all"),
    ("+, −, 0", "Plots and the plane: zoom, show all; Alt + arrow keys move what is seen"),
    ("Alt + +, Alt + −, Alt + 0", "The enlarged head, where it is large: zoom, show all"),
    ("Left, Right, Page keys, Home, End", "Scale and curves: change the scale; Ctrl from mark to mark"),
)


class Section(NamedTuple):
    """A part of the sheet: its title, and (keys, what they do)."""

    title: str
    rows: tuple[tuple[str, str], ...]


def sections_of(menu_bar: QMenuBar) -> Iterator[Section]:
    """Yield a section for each menu that has keys, and those of what has no menu."""
    for action in menu_bar.actions():
        menu = action.menu()
        if isinstance(menu, QMenu):
            rows = tuple((_keys(it), it.text().replace("&", "").rstrip("…")) for it in _leaves(menu) if it.shortcuts())
            if rows:
                yield Section(action.text().replace("&", ""), rows)
    yield Section("In the window", WINDOW_KEYS)
    yield Section("In a table of numbers", TABLE_KEYS)
    yield Section("In pictures", PICTURE_KEYS)


class ShortcutsDialog(QDialog):
    """Shows the sheet."""

    def __init__(self, sections: Iterable[Section], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        self.resize(size_for_type(self, 620, 560))
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(_sheet(sections))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(scroll)
        column.addWidget(buttons)
        without_pictures(self)


def _sheet(sections: Iterable[Section]) -> QWidget:
    sheet = QWidget()
    grid = QGridLayout(sheet)
    grid.setHorizontalSpacing(24)
    grid.setColumnStretch(0, 2)
    grid.setColumnStretch(1, 3)
    for section in sections:
        title = QLabel(section.title.upper())
        title.setProperty("look", "section")
        grid.addWidget(title, grid.rowCount(), 0, 1, 2)
        for keys, what in section.rows:
            row = grid.rowCount()
            grid.addWidget(_cell(keys), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(_cell(what), row, 1)
    grid.setRowStretch(grid.rowCount(), 1)
    return sheet


def _cell(text: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def _leaves(menu: QMenu) -> Iterator[QAction]:
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from _leaves(inner)
        else:
            yield action


def _keys(action: QAction) -> str:
    """Return the first keys of an action; the others are those of older keyboards."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
