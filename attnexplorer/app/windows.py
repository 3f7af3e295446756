"""All windows of the program: opening and closing them, and bringing back what a crash left behind."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QPoint, QStandardPaths, Qt

from attnexplorer.app.actions import build_edit_menu, build_help_menu, build_view_menu
from attnexplorer.app.compare_actions import CompareActions
from attnexplorer.app.document_window import DocumentWindow
from attnexplorer.app.figure_actions import FigureActions
from attnexplorer.app.file_actions import FileActions
from attnexplorer.app.file_notices import FileNotices
from attnexplorer.app.main_window import MainWindow, Panels
from attnexplorer.app.menu_keys import MenuKeys
from attnexplorer.app.open_actions import FILE_MESSAGE
from attnexplorer.app.pending_text import commit_pending_text
from attnexplorer.app.presenting_actions import PresentingActions
from attnexplorer.app.settings import Settings
from attnexplorer.app.transfer_actions import TransferActions
from attnexplorer.document.autosave import DELAY, Autosave
from attnexplorer.document.document import Document
from attnexplorer.document.recovery import RecoveryCopy, abandoned_copies
from attnexplorer.document.storage import Loaded, Storage, load_copy_of_example
from attnexplorer.experiment.captured import Capture
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.examples import DEFAULT_EXAMPLE
from attnexplorer.views.appearance import Appearance

if TYPE_CHECKING:
    from attnexplorer.app.capture_window import CaptureWindow

BuildPanels = Callable[[Document, Appearance], Panels]
_OFFERED_AT_ONCE = 2
"""Bars of unsaved work at a time; each that is dealt with makes room for the next."""
CASCADE = QPoint(28, 28)


class _Parts(NamedTuple):
    """What works for one window."""

    files: FileActions
    autosave: Autosave
    notices: FileNotices


class Windows(QObject):
    """The windows of one process; they share appearance and settings and nothing else."""

    def __init__(
        self, build_panels: BuildPanels, appearance: Appearance, settings: Settings, *, autosave_delay: int = DELAY
    ) -> None:
        super().__init__()
        self.settings, self.appearance = settings, appearance
        self._build_panels = build_panels
        self._autosave_delay = autosave_delay
        self._open: dict[MainWindow, _Parts] = {}
        self._captures: list[CaptureWindow] = []
        MenuKeys(self)
        self._offered: list[RecoveryCopy] = []
        self._waiting: list[RecoveryCopy] = []

    @property
    def open(self) -> tuple[MainWindow, ...]:
        """The windows that are open, the oldest first."""
        return tuple(self._open)

    @property
    def captures(self) -> tuple[CaptureWindow, ...]:
        """The windows on captured weights, the oldest first."""
        return tuple(self._captures)

    def show_new(self, loaded: Loaded, copy: RecoveryCopy | None = None) -> MainWindow:
        """Show an experiment in a window of its own."""
        storage = Storage(loaded)
        window = MainWindow(storage, self.appearance, self._build_panels(storage.document, self.appearance))
        files = FileActions(window, self)
        build_edit_menu(window)
        view_menu = build_view_menu(window, self.settings)
        CompareActions(window, self, view_menu)
        PresentingActions(window, view_menu)
        build_help_menu(window)
        TransferActions(window, self)
        FigureActions(window, self)
        autosave = Autosave(storage, copy, window, delay=self._autosave_delay)
        autosave.failed.connect(window.status_line.show_alarm)
        autosave.succeeded.connect(lambda: window.status_line.show_alarm(""))
        window.closed.connect(lambda: self._on_window_closed(window))
        self._place(window)
        notices = FileNotices(window, files.revert, files.save_as)
        self._open[window] = _Parts(files, autosave, notices)
        self._after_loading(window, loaded)
        # Not on the first button that there is, which the next press of the space bar would set off.
        window.setFocus()
        window.show()
        return window

    def show_capture(self, capture: Capture, path: Path | None = None) -> CaptureWindow:
        """Show captured weights, of a file or of a program, in a window of their own."""
        from attnexplorer.app.capture_window import CaptureWindow

        window = CaptureWindow(capture, self, path)
        self._captures.append(window)
        window.closed.connect(lambda: self._captures.remove(window))
        if path is not None:
            self.settings.add_recent_file(path)
        window.show()
        return window

    def show_any(self, loaded: Loaded) -> DocumentWindow:
        """Show what was loaded in a new window."""
        if isinstance(loaded.experiment, Capture):
            return self.show_capture(loaded.experiment, loaded.path)
        return self.show_new(loaded)

    def show_loaded(self, loaded: Loaded, near: DocumentWindow) -> DocumentWindow:
        """Show an experiment in a window without unsaved edits if `near` is one, else in a new one."""
        if isinstance(loaded.experiment, Capture) or not isinstance(near, MainWindow):
            return self.show_any(loaded)
        commit_pending_text(near)
        if near.storage.modified:
            return self.show_new(loaded)
        near.storage.take(loaded)
        self._after_loading(near, loaded)
        return near

    def open_file(self, path: Path) -> None:
        """Open a file as if the window that is in front had been asked to."""
        in_front = [parts for window, parts in self._open.items() if window.isActiveWindow()]
        for parts in (*in_front, *self._open.values())[:1]:
            parts.files.open_file(path)
        if not self._open and self._captures:
            self._captures[0].opening.open_file(path)

    def show_first_example(self) -> MainWindow:
        """Show the built-in experiment that the program starts with in a new window."""
        return self.show_new(load_copy_of_example(DEFAULT_EXAMPLE))

    def show_warnings(self, window: MainWindow, warnings: tuple[str, ...]) -> None:
        """Say what was strange about a file, or take away what was said about the former one."""
        if warnings:
            window.messages.show_message(FILE_MESSAGE, "note", "\n".join(warnings))
        else:
            window.messages.remove(FILE_MESSAGE)

    def activate(self, path: Path) -> bool:
        """Bring the window with a file to the front; False if there is none."""
        for window in (*self._open, *self._captures):
            if window.path is not None and _same_file(window.path, path):
                window.bring_to_front()
                return True
        return False

    def offer_recovery(self, window: MainWindow) -> None:
        """Offer what was not saved when the program last ended."""
        self._offered = list(abandoned_copies())
        self._waiting = self._offered[_OFFERED_AT_ONCE:]
        for copy in self._offered[:_OFFERED_AT_ONCE]:
            self._offer(copy, window)

    def _offer_next(self, window: MainWindow) -> None:
        if self._waiting and window in self._open:
            self._offer(self._waiting.pop(0), window)

    def quit(self) -> None:
        """Close all windows, or none of them if one is to stay."""
        windows = self.open
        if not all(window.may_close() for window in windows):
            return
        for window in windows:
            window.may_close = lambda: True
            window.close()
        self._close_captures()

    def save_recovery_copies(self) -> None:
        """Write the recovery copies of all unsaved work at once."""
        for parts in tuple(self._open.values()):
            parts.autosave.save_now()

    def leave(self) -> None:
        """End the program without a question; what is not saved is offered at the next start."""
        for window in self.open:
            commit_pending_text(window)
        self.save_recovery_copies()
        for window, parts in tuple(self._open.items()):
            parts.autosave.stop(keep=True)
            window.may_close = lambda: True
            window.close()
        self._close_captures()

    def folder_for_dialogs(self, path: Path | None) -> Path:
        """Return the folder where a file dialog starts."""
        recent = (file.parent for file in self.settings.recent_files)
        fallback = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        return path.parent if path is not None else next(recent, Path(fallback or Path.cwd()))

    def _close_captures(self) -> None:
        for window in self.captures:
            window.close()

    def _place(self, window: MainWindow) -> None:
        others = self.open
        window.restore_layout(others[-1].layout_to_keep() if others else self.settings.layout)
        if others:
            window.setWindowState(window.windowState() & ~Qt.WindowState.WindowFullScreen)
            window.move(others[-1].pos() + CASCADE)

    def _after_loading(self, window: MainWindow, loaded: Loaded) -> None:
        if loaded.path is not None and loaded.saved:
            self.settings.add_recent_file(loaded.path)
        self.show_warnings(window, loaded.warnings)

    def _offer(self, copy: RecoveryCopy, window: MainWindow) -> None:
        from attnexplorer.views.dialogs.recovery_bar import offer_recovery

        origin = copy.origin()
        offer_recovery(
            window.messages,
            f"recovery {copy.file.stem}",
            "" if origin.path is None else origin.name,
            origin.title,
            origin.saved_at,
            lambda: self._restore(copy, window),
            lambda: self._discard(copy, window),
            len(self._waiting),
        )

    def _restore(self, copy: RecoveryCopy, window: MainWindow) -> None:
        try:
            loaded = copy.load()
        except FileError as error:
            sentence = f"The unsaved work cannot be read. {error.sentence}"
            window.messages.show_message(FILE_MESSAGE, "error", sentence)
            self._offer(copy, window)
            return
        self._offered.remove(copy)
        if window.storage.modified:
            self.show_new(loaded, copy)
        else:
            self.show_loaded(loaded, window)
            self._open[window].autosave.adopt(copy)
        self._offer_next(window)

    def _discard(self, copy: RecoveryCopy, window: MainWindow) -> None:
        self._offered.remove(copy)
        copy.remove()
        self._offer_next(window)

    def _on_window_closed(self, window: MainWindow) -> None:
        self.settings.keep_layout(*window.layout_to_keep())
        parts = self._open.pop(window)
        parts.autosave.stop()
        parts.notices.stop()
        window.storage.close()
        window.deleteLater()
        if not self._open:
            for copy in self._offered:
                copy.release()
            self._offered.clear()


def _same_file(left: Path, right: Path) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return os.path.samefile(left, right)
    return False
