"""The frame of a window: bar, docks, workspaces, messages, status line. What it is filled with comes from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QStackedWidget, QToolBar, QVBoxLayout, QWidget

from attnexplorer.app.opening import OPENABLE
from attnexplorer.app.status_line import StatusLine
from attnexplorer.app.top_bar import TopBar
from attnexplorer.app.workspace import Workspace
from attnexplorer.document.storage import Storage
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.compare_bar import CompareBar
from attnexplorer.views.dialogs.message_bar import MessageArea

LAYOUT_VERSION = 1
USUAL_SIZE = (1440, 900)
SMALLEST_SIZE = (640, 420)
DOCK_WIDTHS = (250, 280)


class Panels(NamedTuple):
    """What fills a window."""

    input: QWidget
    explain: QWidget
    workspaces: Sequence[Workspace]


class MainWindow(QMainWindow):
    """One window on one document."""

    closed = Signal()
    files_dropped = Signal(list)
    workspaces_changed = Signal()

    def __init__(self, storage: Storage, appearance: Appearance, panels: Panels) -> None:
        super().__init__()
        self.storage, self.document, self.appearance = storage, storage.document, appearance
        storage.setParent(self)
        self.may_close: Callable[[], bool] = lambda: True
        """Asked before the window closes; False keeps it open."""
        self.undo_action = self.document.undo_stack.createUndoAction(self, "&Undo")
        self.redo_action = self.document.undo_stack.createRedoAction(self, "&Redo")
        self.undo_action.setShortcuts(QKeySequence.StandardKey.Undo)
        redo_keys = QKeySequence.keyBindings(QKeySequence.StandardKey.Redo)
        self.redo_action.setShortcuts(list(dict.fromkeys([*redo_keys, QKeySequence("Ctrl+Y")])))
        self.messages = MessageArea()
        self.status_line = StatusLine(storage)
        self._compare_bar = CompareBar(self.document, appearance)
        self.workspaces: dict[str, Workspace] = {}
        self._top_bar = TopBar(self.document, appearance, self.undo_action, self.redo_action)
        self._stack = QStackedWidget()
        self._lay_out()
        self.input_dock = self._dock("Input", Qt.DockWidgetArea.LeftDockWidgetArea, panels.input)
        self.explain_dock = self._dock("Explain", Qt.DockWidgetArea.RightDockWidgetArea, panels.explain)
        for workspace in panels.workspaces:
            self.add_workspace(workspace)
        if not self.workspace and panels.workspaces:
            self._present(panels.workspaces[0].name)
        self._usual_docks = self.saveState(LAYOUT_VERSION)
        self._top_bar.workspace_requested.connect(self.show_workspace)
        self.document.display.changed.connect(self._on_display_changed)
        storage.changed.connect(self._show_title)
        self.document.experiment_changed.connect(self._show_title)
        self._show_title()

    @property
    def workspace(self) -> str:
        """The name of the workspace that is shown."""
        shown = self._stack.currentWidget()
        return next((it.name for it in self.workspaces.values() if it.shows(shown)), "")

    def add_workspace(self, workspace: Workspace) -> None:
        """Add a workspace as the last tab; it is shown if the display choices ask for it, or if none is left to ask."""
        name = workspace.name
        self.workspaces[name] = workspace
        self._top_bar.add_workspace(name, workspace.title, workspace.description)
        if self.document.display["workspace"] == name:
            self._present(name)
        self.workspaces_changed.emit()

    def show_workspace(self, name: str) -> None:
        """Show a workspace and remember it as a display choice."""
        self.document.display.choose("workspace", name)
        self._present(name)

    def restore_layout(self, layout: tuple[QByteArray, QByteArray] | None) -> None:
        """Take a remembered size, place and arrangement of docks, or the usual ones."""
        if layout is None or not self.restoreGeometry(layout[0]):
            self.resize(self._usual_size())
            self.reset_layout()
        else:
            self.restoreState(layout[1], LAYOUT_VERSION)

    def layout_to_keep(self) -> tuple[QByteArray, QByteArray]:
        """Return size, place and arrangement of docks."""
        return self.saveGeometry(), self.saveState(LAYOUT_VERSION)

    def reset_layout(self) -> None:
        """Put the docks back where they are at first."""
        self.restoreState(self._usual_docks, LAYOUT_VERSION)
        for dock in (self.input_dock, self.explain_dock):
            dock.setFloating(False)
            dock.show()
        scale = self.appearance.text_scale
        widths = [round(width * scale) for width in DOCK_WIDTHS]
        self.resizeDocks([self.input_dock, self.explain_dock], widths, Qt.Orientation.Horizontal)

    def _lay_out(self) -> None:
        self.setMinimumSize(*SMALLEST_SIZE)
        self.setAcceptDrops(True)
        self.setDockOptions(QMainWindow.DockOption.AnimatedDocks | QMainWindow.DockOption.AllowTabbedDocks)
        bar = QToolBar("Workspaces")
        bar.setObjectName("top_bar")
        bar.setMovable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.toggleViewAction().setEnabled(False)
        bar.setStyleSheet("QToolBar { border: none; padding: 0; margin: 0; spacing: 0; }")
        bar.addWidget(self._top_bar)
        self.addToolBar(bar)
        centre = QWidget()
        centre.setProperty("look", "ground")
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.messages)
        column.addWidget(self._compare_bar)
        column.addWidget(self._stack, 1)
        self.setCentralWidget(centre)
        self.setStatusBar(self.status_line)

    def _dock(self, title: str, area: Qt.DockWidgetArea, content: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(f"dock_{title.lower()}")
        dock.setWidget(content)
        self.addDockWidget(area, dock)
        return dock

    def _present(self, name: str) -> None:
        widget = self.workspaces[name].widget
        if self._stack.indexOf(widget) < 0:
            self._stack.addWidget(widget)
        self._stack.setCurrentWidget(widget)
        self._top_bar.mark_workspace(name)
        self._compare_bar.show_workspace(name)

    def _on_display_changed(self, choice: str) -> None:
        wanted = self.document.display["workspace"]
        if choice == "workspace" and wanted in self.workspaces:
            self._present(wanted)

    def _show_title(self) -> None:
        storage = self.storage
        title = self.document.experiment.title if storage.path is None else ""
        self.setWindowTitle(f"{storage.name}{f': {title}' if title else ''}[*]")
        self.setWindowModified(storage.modified)
        self.setWindowFilePath("" if storage.path is None else str(storage.path))

    def _usual_size(self) -> QSize:
        available = self.screen().availableGeometry().size()
        return QSize(*USUAL_SIZE).boundedTo(available)

    def createPopupMenu(self) -> QMenu:
        menu = QMenu(self)
        menu.addActions([self.input_dock.toggleViewAction(), self.explain_dock.toggleViewAction()])
        return menu

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _experiment_files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = _experiment_files(event)
        if files:
            event.acceptProposedAction()
            # The program that was dragged from waits until this returns.
            QTimer.singleShot(0, self, lambda: self.files_dropped.emit(files))

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.may_close():
            event.ignore()
            return
        event.accept()
        self.closed.emit()


def _experiment_files(event: QDropEvent) -> list[Path]:
    """Return the dropped files that can be experiments; the name alone decides while the mouse moves."""
    urls = event.mimeData().urls()
    files = [url.toLocalFile() for url in urls if url.isLocalFile()]
    return [Path(file) for file in files if file.lower().endswith(OPENABLE)]
