"""The application object: it also hears which files the desktop wants opened."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from attnexplorer.views.whole_errors import with_whole_errors


@with_whole_errors
class Application(QApplication):
    """On macOS a double click on a file comes as an event, not as an argument."""

    file_requested = Signal(str)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self.file_requested.emit(event.file())
            return True
        return super().event(event)
