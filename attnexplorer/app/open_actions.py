"""Opening from a window: the entries Open and Open Recent of its menu File, and what is said when a file is refused."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from attnexplorer.app import file_dialogs
from attnexplorer.app.actions import add_action
from attnexplorer.app.document_window import DocumentWindow
from attnexplorer.app.opening import load_any
from attnexplorer.experiment.errors import FileError

if TYPE_CHECKING:
    from attnexplorer.app.windows import Windows

FILE_MESSAGE = "file"


class OpenActions(QObject):
    """What one window does to open files."""

    def __init__(self, window: DocumentWindow, windows: Windows, menu: QMenu) -> None:
        super().__init__(window)
        self._window, self._windows = window, windows
        add_action(menu, "file_open", "&Open…", self._open, QKeySequence.StandardKey.Open)
        self._recent = menu.addMenu("Open &Recent")
        self._recent.setObjectName("file_recent")
        self._recent.aboutToShow.connect(self._fill_recent)

    def open_file(self, path: Path) -> None:
        """Open a file here if nothing would be lost, else in a window of its own; say so if it cannot be read."""
        if self._windows.activate(path):
            return
        try:
            loaded = load_any(path)
        except FileError as error:
            self._window.messages.show_message(FILE_MESSAGE, "error", sentence_of(error))
            return
        self._window.messages.remove(FILE_MESSAGE)
        self._windows.show_loaded(loaded, self._window)

    def _open(self) -> None:
        path = file_dialogs.ask_for_file_to_open(self._window, self._windows.folder_for_dialogs(self._window.path))
        if path is not None:
            self.open_file(path)

    def _fill_recent(self) -> None:
        _empty(self._recent)
        files = self._windows.settings.recent_files
        for number, path in enumerate(files, start=1):
            text = f"&{number} {path.name.replace('&', '&&')}" if number < 10 else path.name.replace("&", "&&")
            action = add_action(self._recent, f"file_recent_{number}", text, partial(self.open_file, path))
            action.setToolTip(str(path))
        self._recent.setToolTipsVisible(True)
        if files:
            self._recent.addSeparator()
            forget = self._windows.settings.forget_recent_files
            add_action(self._recent, "file_recent_forget", "&Forget These", forget)
        else:
            add_action(self._recent, "file_recent_none", "No files yet", lambda: None).setEnabled(False)


def sentence_of(error: FileError) -> str:
    """Return what was wrong with a file, with a full stop."""
    text = str(error)
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _empty(menu: QMenu) -> None:
    for action in menu.actions():
        menu.removeAction(action)
        action.deleteLater()
