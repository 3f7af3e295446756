"""What every window on a document has, whatever kind of document it is: so much menus and actions can rely on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QMainWindow

from attnexplorer.app.focus_order import WindowParts, open_context_menu
from attnexplorer.app.opening import OPENABLE
from attnexplorer.document.document import Document
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.dialogs.message_bar import MessageArea
from attnexplorer.views.soon import soon
from attnexplorer.views.whole_errors import with_whole_errors


@with_whole_errors
class DocumentWindow(QMainWindow):
    """A window on one document."""

    closed = Signal()
    files_dropped = Signal(list)

    def __init__(self, document: Document, appearance: Appearance) -> None:
        super().__init__()
        self.document, self.appearance = document, appearance
        self.messages = MessageArea()
        self.parts = WindowParts(self, (), ())
        """What Tab and F6 go through, in this order."""
        self.setAcceptDrops(True)

    @property
    def workspace(self) -> str:
        """The name of the workspace that is shown."""
        raise NotImplementedError

    @property
    def path(self) -> Path | None:
        """The file that the document belongs to, or None."""
        raise NotImplementedError

    @property
    def stem(self) -> str:
        """What files that are made of the document are called."""
        raise NotImplementedError

    def bring_to_front(self) -> None:
        """Show the window before all others, and not minimised."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()

    def focusNextPrevChild(self, forward: bool) -> bool:
        return self.parts.go_on(forward=forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = Qt.KeyboardModifier.ShiftModifier
        if event.key() == Qt.Key.Key_F6 and not event.modifiers() & ~shift:
            self.parts.go_past(forward=not event.modifiers())
        elif event.key() == Qt.Key.Key_F10 and event.modifiers() == shift:
            open_context_menu()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _openable_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = _openable_files(event)
        if files:
            event.acceptProposedAction()
            # The program that was dragged from waits until this returns.
            soon(self, lambda: self.files_dropped.emit(files))


def _openable_files(event: QDropEvent) -> list[Path]:
    """Return the dropped files that can be opened; the name alone decides while the mouse moves."""
    urls = event.mimeData().urls()
    files = [url.toLocalFile() for url in urls if url.isLocalFile()]
    return [Path(file) for file in files if file.lower().endswith(OPENABLE)]
