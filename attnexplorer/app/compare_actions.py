"""The entries of the menu View that keep an A, load one, and say which of the two is seen."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from attnexplorer.app import file_dialogs
from attnexplorer.app.actions import add_action
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.opening import load_any
from attnexplorer.document.comparison import Shown
from attnexplorer.document.storage import Storage, shortened
from attnexplorer.experiment.captured import Capture
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.examples import example_summaries, load_example

if TYPE_CHECKING:
    from attnexplorer.app.windows import Windows

COMPARE_MESSAGE = "compare"
_LONGEST = 40
_SHOWN: tuple[tuple[Shown, str, str], ...] = (("A", "Show &A", "A"), ("B", "Show &B", "B"), ("B-A", "Show B − A", "D"))


class CompareActions(QObject):
    """What can be compared with the experiment of one window."""

    def __init__(self, window: MainWindow, windows: Windows, view_menu: QMenu) -> None:
        super().__init__(window)
        self._window, self._windows = window, windows
        self._comparison = window.document.comparison
        menu = QMenu("&Compare", view_menu)
        menu.setObjectName("view_compare")
        view_menu.addSeparator()
        view_menu.addMenu(menu)
        add_action(menu, "compare_keep", "&Keep as A", self.keep, "Ctrl+Alt+K")
        self._examples = menu.addMenu("Compare with &Example")
        self._examples.setObjectName("compare_examples")
        self._examples.aboutToShow.connect(self._fill_examples)
        add_action(menu, "compare_file", "Compare with &File…", self._ask_for_file)
        menu.addSeparator()
        self._add_choices(menu)
        menu.addSeparator()
        self._leave = add_action(menu, "compare_leave", "&Leave Compare", self._comparison.leave)
        window.status_line.keep_requested.connect(self.keep)
        self._comparison.changed.connect(self._refresh)
        self._refresh()

    def keep(self) -> None:
        """Keep the present state as A."""
        self._comparison.keep(self._window.document.experiment, name_of(self._window.storage))

    def compare_with_file(self, path: Path) -> None:
        """Make the experiment of a file A; say so if it cannot be read."""
        try:
            loaded = load_any(path)
        except FileError as error:
            self._window.messages.show_message(COMPARE_MESSAGE, "error", f"Nothing to compare with. {error}")
            return
        if isinstance(loaded.experiment, Capture):
            why = f"Nothing to compare with. {path.name} holds weights of another program, and no experiment."
            self._window.messages.show_message(COMPARE_MESSAGE, "error", why)
            return
        self._window.messages.remove(COMPARE_MESSAGE)
        self._comparison.keep(loaded.experiment, shortened(path.stem, _LONGEST), "B-A")

    def _compare_with_example(self, name: str) -> None:
        self._comparison.keep(load_example(name), name, "B-A")

    def _ask_for_file(self) -> None:
        folder = self._windows.folder_for_dialogs(self._window.storage.path)
        path = file_dialogs.ask_for_file_to_open(self._window, folder)
        if path is not None:
            self.compare_with_file(path)

    def _fill_examples(self) -> None:
        if self._examples.actions():
            return
        self._examples.setToolTipsVisible(True)
        for name, title, summary in example_summaries():
            text = (f"{name}: {title}" if title else name).replace("&", "&&")
            compare = partial(self._compare_with_example, name)
            add_action(self._examples, f"compare_example_{name}", text, compare).setToolTip(summary)

    def _add_choices(self, menu: QMenu) -> None:
        group = QActionGroup(menu)
        self._choices = {}
        for shown, text, key in _SHOWN:
            action = add_action(menu, f"compare_show_{shown}", text, partial(self._comparison.show, shown))
            action.setShortcut(f"Ctrl+Alt+{key}")
            action.setCheckable(True)
            group.addAction(action)
            self._choices[shown] = action

    def _refresh(self) -> None:
        for shown, action in self._choices.items():
            action.setEnabled(self._comparison.active)
            action.setChecked(self._comparison.active and shown == self._comparison.shown)
        self._leave.setEnabled(self._comparison.active)


def name_of(storage: Storage) -> str:
    """Return what the present state of a document is called when it is kept: its file, or else its title."""
    title = " ".join(storage.document.experiment.title.split())
    return shortened(storage.path.stem if storage.path is not None else title or storage.name, _LONGEST)
