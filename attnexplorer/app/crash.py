"""What happens when the program itself fails: it is written down, work is kept, the user is told, and all goes on."""

from __future__ import annotations

import contextlib
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QMessageBox

from attnexplorer import __version__
from attnexplorer.document.recovery import state_folder
from attnexplorer.views.dialogs.plain_buttons import without_pictures

LARGEST_LOG = 1_000_000


class CrashReporter(QObject):
    """Takes over uncaught exceptions of all threads; slots and paint events of Qt end there too."""

    _reported = Signal(str, str)

    def __init__(self, keep_work: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._keep_work = keep_work
        self._dialog: QMessageBox | None = None
        self._keeping = False
        # An exception of another thread is reported in the window's own.
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Take over from now on."""
        sys.excepthook = self.handle
        threading.excepthook = lambda it: self.handle(it.exc_type, it.exc_value, it.exc_traceback)

    def handle(self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
        """Write an exception down and have it shown."""
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        let_go(error, trace)
        _print(text)
        log = _written_down(text)
        sentence = "".join(traceback.format_exception_only(kind, error)).strip()
        place = f"It is written down in {log}." if log is not None else "It could not be written down."
        self._reported.emit(f"{sentence}\n\n{place}", text)

    def _on_reported(self, message: str, text: str) -> None:
        kept = self._work_kept()
        if self._dialog is not None:  # one dialog, however often a broken picture is painted
            self._dialog.setDetailedText(text)
            return
        box = QMessageBox(QApplication.activeWindow())
        box.setObjectName("crash_dialog")
        box.setIcon(QMessageBox.Icon.Critical)
        box.setWindowTitle("Attention Explorer")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText("Something in the program went wrong. Your experiment is still there, and you can go on.")
        box.setInformativeText(f"{message}\n{kept}")
        box.setDetailedText(text)
        box.setStandardButtons(QMessageBox.StandardButton.Close)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        without_pictures(box)
        box.finished.connect(self._on_dialog_finished)
        self._dialog = box
        box.open()

    def _work_kept(self) -> str:
        if self._keeping:
            return ""
        self._keeping = True
        try:
            self._keep_work()
        except Exception as error:
            _written_down("".join(traceback.format_exception(error)))
            return "A copy of unsaved work could not be written: save it now."
        finally:
            self._keeping = False
        return "A copy of unsaved work was written."

    def _on_dialog_finished(self) -> None:
        self._dialog = None


def let_go(error: BaseException | None, trace: TracebackType | None) -> None:
    """Free what the functions that failed still hold.

    Python keeps the last error and all its frames. The painter of a paint event would stay at work on its widget, and
    still be there when the widget is not.
    """
    traceback.clear_frames(trace)
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def log_file() -> Path:
    """Return the file that failures are written down in."""
    return state_folder() / "failures.log"


def _written_down(text: str) -> Path | None:
    """Append to the log, which starts anew when it has become large; return where, or None if it is not possible."""
    log = log_file()
    try:
        log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_large = log.exists() and log.stat().st_size > LARGEST_LOG
        with log.open("w" if is_large else "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{datetime.now().isoformat(timespec='seconds')}, version {__version__}\n{text}\n")
    except OSError:
        return None
    return log


def _print(text: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(text, file=sys.stderr, end="", flush=True)
