"""What a window says about its file without being asked: who else has it open, and that it is no longer as it was."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QFileSystemWatcher, QObject, QTimer

from attnexplorer.app.main_window import MainWindow
from attnexplorer.document.presence import Presence, presence_folder
from attnexplorer.views.dialogs.message_bar import Choice
from attnexplorer.views.whole_errors import with_whole_errors

SETTLING = 200
"""Milliseconds that a change of files is left alone: many come as several."""
ELSEWHERE, DISK = "open_elsewhere", "changed_on_disk"


@with_whole_errors
class FileNotices(QObject):
    """Looks when the window becomes active, when its file becomes another, and when the folders in question change."""

    def __init__(self, window: MainWindow, read_again: Callable[[], None], save_as: Callable[[], object]) -> None:
        super().__init__(window)
        self._window, self._storage = window, window.storage
        self._read_again, self._save_as = read_again, save_as
        self._presence: Presence | None = None
        self._path: Path | None = None
        self._said = {ELSEWHERE: "", DISK: ""}
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLING)
        self._timer.timeout.connect(self.look)
        self._watcher.fileChanged.connect(lambda _: self._timer.start())
        self._watcher.directoryChanged.connect(lambda _: self._timer.start())
        self._storage.changed.connect(self.look)
        window.installEventFilter(self)
        self.look()

    def look(self) -> None:
        """Look now, and say or take back what there is to say."""
        if self._storage.path != self._path:
            self._follow(self._storage.path)
        self._watch()
        self._say(ELSEWHERE, self._about_others(), ())
        text, choices = self._about_disk()
        self._say(DISK, text, choices)

    def stop(self) -> None:
        """End for good: the file is no longer open here."""
        self._timer.stop()
        self._window.removeEventFilter(self)
        self._storage.changed.disconnect(self.look)
        self._follow(None)

    def _follow(self, path: Path | None) -> None:
        if self._presence is not None:
            self._presence.leave()
        watched = [*self._watcher.files(), *self._watcher.directories()]
        if watched:
            self._watcher.removePaths(watched)
        self._path = path
        self._presence = None if path is None else Presence(path)

    def _watch(self) -> None:
        """Watch the file, which is a new one after each saving, its folder, and the folder of those who come and go."""
        if self._path is None:
            return
        watched = {*self._watcher.files(), *self._watcher.directories()}
        wanted = {str(self._path), str(self._path.parent), str(presence_folder())}
        missing = [place for place in sorted(wanted - watched) if os.path.exists(place)]
        if missing:
            self._watcher.addPaths(missing)

    def _about_others(self) -> str:
        others = () if self._presence is None else self._presence.others()
        if not others:
            return ""
        where = "window" if all(others) else "program"
        return (
            f"“{self._storage.name}” is open in another {where} too. What is saved last replaces what was saved before."
        )

    def _about_disk(self) -> tuple[str, tuple[Choice, ...]]:
        if self._path is None:
            return "", ()
        if not os.path.lexists(self._path):
            choice = Choice("Save As…", "Save in another file", self._on_save_as_chosen)
            return f"“{self._storage.name}” is no longer where it was, or its folder cannot be reached.", (choice,)
        if self._storage.touched_on_disk() and self._storage.changed_on_disk():
            choice = Choice("Read Again", "Go on with what the other program wrote", self._read_again)
            return f"“{self._storage.name}” was changed by another program since it was read here.", (choice,)
        return "", ()

    def _say(self, key: str, text: str, choices: tuple[Choice, ...]) -> None:
        """Say something once: a message that was closed stays away until there is another to be said."""
        if text == self._said[key]:
            return
        self._said[key] = text
        if text:
            self._window.messages.show_message(key, "warning", text, choices)
        else:
            self._window.messages.remove(key)

    def _on_save_as_chosen(self) -> None:
        self._save_as()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.WindowActivate:
            self._timer.start()
        return False
