"""The frame of a window: bar, docks, workspaces, messages, status line. What it is filled with comes from outside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QStackedWidget, QToolBar, QVBoxLayout, QWidget

from attnexplorer.app.dock_room import DockRoom
from attnexplorer.app.document_window import DocumentWindow
from attnexplorer.app.focus_order import WindowParts
from attnexplorer.app.status_line import StatusLine
from attnexplorer.app.top_bar import TopBar
from attnexplorer.app.workspace import Workspace
from attnexplorer.document.storage import Storage
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.compare_bar import CompareBar
from attnexplorer.views.whole_errors import with_whole_errors

if TYPE_CHECKING:
    from attnexplorer.views.magnifier import Magnifier

LAYOUT_VERSION = 1
USUAL_SIZE = (1440, 900)
FRAME = QSize(16, 40)
"""What a desktop puts around a window: its title and borders."""
SMALLEST_SIZE = (640, 420)
DOCK_WIDTHS = (250, 280)


class Panels(NamedTuple):
    """What fills a window; the two panels are made in their docks."""

    input: Callable[[QWidget], QWidget]
    explain: Callable[[QWidget], QWidget]
    workspaces: Sequence[Workspace]


@with_whole_errors
class MainWindow(DocumentWindow):
    """One window on one experiment."""

    workspaces_changed = Signal()

    def __init__(self, storage: Storage, appearance: Appearance, panels: Panels) -> None:
        super().__init__(storage.document, appearance)
        self.storage = storage
        storage.setParent(self)
        self.may_close: Callable[[], bool] = lambda: True
        """Asked before the window closes; False keeps it open."""
        self.undo_action = self.document.undo_stack.createUndoAction(self, "&Undo")
        self.redo_action = self.document.undo_stack.createRedoAction(self, "&Redo")
        self.undo_action.setShortcuts(QKeySequence.StandardKey.Undo)
        redo_keys = QKeySequence.keyBindings(QKeySequence.StandardKey.Redo)
        self.redo_action.setShortcuts(list(dict.fromkeys([*redo_keys, QKeySequence("Ctrl+Y")])))
        self.status_line = StatusLine(storage)
        self._compare_bar = CompareBar(self.document, appearance)
        self.workspaces: dict[str, Workspace] = {}
        self._magnifier: Magnifier | None = None
        self._top_bar = TopBar(self.document, appearance, self.undo_action, self.redo_action)
        self._stack = QStackedWidget()
        self._lay_out()
        self.input_dock = self._dock("Input", Qt.DockWidgetArea.LeftDockWidgetArea, panels.input)
        self.explain_dock = self._dock("Explain", Qt.DockWidgetArea.RightDockWidgetArea, panels.explain)
        lines = (self._top_bar, self._compare_bar, self.status_line)
        order = (self._top_bar, self.messages, self._compare_bar, self.input_dock, self._stack, self.explain_dock)
        self._dock_room = DockRoom(self, appearance, (self.input_dock, self.explain_dock), DOCK_WIDTHS)
        self.parts = WindowParts(self, (*order, self.status_line), lines)
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

    @property
    def path(self) -> Path | None:
        """The file of the experiment, or None if there is none yet."""
        return self.storage.path

    @property
    def stem(self) -> str:
        """What files that are made of the experiment are called."""
        return self.storage.suggested_path.stem

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

    def enlarge_cells(self, on: bool) -> None:
        """Enlarge the cell under the pointer, or the selected one, or no longer."""
        if self._magnifier is None and on:
            from attnexplorer.views.magnifier import Magnifier

            self._magnifier = Magnifier(self.document, self.appearance, self)
        if self._magnifier is not None:
            self._magnifier.switch(on)

    def restore_layout(self, layout: tuple[QByteArray, QByteArray] | None) -> None:
        """Take a remembered size, place and arrangement of docks, or the usual ones."""
        if layout is None or not self.restoreGeometry(layout[0]):
            self.resize(self._usual_size())
            self.reset_layout()
        else:
            self.restoreState(layout[1], LAYOUT_VERSION)
            self._dock_room.begin_anew()

    def layout_to_keep(self) -> tuple[QByteArray, QByteArray]:
        """Return size, place and arrangement of docks; those that gave way to a narrow window count as open."""
        gone = self._dock_room.gone
        for dock in gone:
            dock.show()
        layout = self.saveGeometry(), self.saveState(LAYOUT_VERSION)
        for dock in gone:
            dock.hide()
        return layout

    def reset_layout(self) -> None:
        """Put the docks back where they are at first."""
        self.restoreState(self._usual_docks, LAYOUT_VERSION)
        for dock in (self.input_dock, self.explain_dock):
            dock.setFloating(False)
            dock.show()
        self._dock_room.begin_anew()
        self._dock_room.widen()

    def _lay_out(self) -> None:
        self.setMinimumSize(*SMALLEST_SIZE)
        # Nothing in the window moves by itself: those who ask for reduced motion have it.
        self.setDockOptions(QMainWindow.DockOption.AllowTabbedDocks)
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

    def _dock(self, title: str, area: Qt.DockWidgetArea, build: Callable[[QWidget], QWidget]) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(f"dock_{title.lower()}")
        dock.setWidget(build(dock))
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
        return QSize(*USUAL_SIZE).boundedTo(available - FRAME)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._dock_room.settle()

    def createPopupMenu(self) -> QMenu:
        menu = QMenu(self)
        menu.addActions([self.input_dock.toggleViewAction(), self.explain_dock.toggleViewAction()])
        return menu

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.may_close():
            event.ignore()
            return
        event.accept()
        self.closed.emit()
