"""A window on a capture: the heads views, menus to open, save, copy and export, and nothing that edits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QRegularExpression, QSize, Qt
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QToolBar, QToolButton, QVBoxLayout, QWidget

from attnexplorer.app import transfer_dialogs
from attnexplorer.app.actions import add_action, add_edits, add_looks, build_help_menu
from attnexplorer.app.document_window import DocumentWindow
from attnexplorer.app.figure_actions import FigureActions
from attnexplorer.app.focus_order import WindowParts
from attnexplorer.app.open_actions import FILE_MESSAGE, OpenActions
from attnexplorer.app.top_bar import TopBar
from attnexplorer.app.transfer_actions import focused_table
from attnexplorer.compute.units import Unit
from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.captured import Capture
from attnexplorer.experiment.captured_file import capture_bytes
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.saving import write_whole
from attnexplorer.figures.content import NumberStyle, matrix_content
from attnexplorer.figures.theme import LIGHT
from attnexplorer.interop.matrix_files import FORMATS, matrix_file
from attnexplorer.views.capture.workspace import CaptureWorkspace
from attnexplorer.views.copying import fill_copy_menu
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.transfers import Transfers
from attnexplorer.views.whole_errors import with_whole_errors

if TYPE_CHECKING:
    from attnexplorer.app.windows import Windows

SIZE = QSize(1280, 860)
HEADS = "heads"
UNTITLED = "Captured attention"

open_windows: list[CaptureWindow] = []
"""In a script that shows a capture, nobody else holds on to such a window."""


@with_whole_errors
class CaptureWindow(DocumentWindow):
    """Shows one capture until it is closed."""

    def __init__(self, capture: Capture, windows: Windows, path: Path | None = None) -> None:
        super().__init__(Document(capture), windows.appearance)
        self.document.setParent(self)
        self._capture, self._windows, self._path = capture, windows, path
        self.heads = CaptureWorkspace(TableContext(self.document, self.appearance, Lights(self.document)))
        self._lay_out()
        self._build_menus()
        self._show_title()
        self.resize(SIZE.boundedTo(self.screen().availableGeometry().size()))
        Transfers.of(self.document).export_requested.connect(self.export_matrix)
        self.files_dropped.connect(self._on_files_dropped)
        open_windows.append(self)

    @property
    def workspace(self) -> str:
        """The only one that captures have."""
        return HEADS

    @property
    def path(self) -> Path | None:
        """The file that the capture was read from or saved in, or None."""
        return self._path

    @property
    def stem(self) -> str:
        """What files that are made of the capture are called."""
        if self._path is not None:
            return self._path.stem
        words = "".join(c if c.isalnum() else " " for c in self._capture.title).split()
        return "-".join(words)[:60] or "capture"

    def save_as(self) -> None:
        """Ask for a file and write the capture there."""
        suggestion = self._folder() / f"{self.stem}.npz"
        chosen = transfer_dialogs.ask_for_file_to_write(self, "Save the capture", suggestion, (("Capture", ".npz"),))
        if chosen is not None and self._written(chosen, lambda: capture_bytes(self._capture)):
            self._path = chosen
            self._windows.settings.add_recent_file(chosen)
            self._show_title()

    def export_matrix(self, path: str = "") -> None:
        """Ask for a file and write the weights of one head there: those at `path`, or those that are enlarged."""
        evaluation, display = self.document.evaluation, self.document.display
        path = path or Unit("weights", display["layer"], display["head"]).path
        content = matrix_content(evaluation.experiment, evaluation.arrays, path, LIGHT, NumberStyle())
        if content is None:
            return
        name = matrix_name(evaluation.experiment, path)
        suggestion = self._folder() / f"{self.stem}-{'-'.join(name.replace(',', '').split())}{FORMATS[0][1]}"
        chosen = transfer_dialogs.ask_for_file_to_write(self, f"Export {name}", suggestion, FORMATS)
        if chosen is not None:
            labels = content.rows.texts, content.columns.texts
            self._written(chosen, lambda: matrix_file(content.picture.values, chosen, *labels))

    def _folder(self) -> Path:
        return self._windows.folder_for_dialogs(self._path)

    def _written(self, file: Path, contents: Callable[[], bytes]) -> bool:
        self.messages.remove(FILE_MESSAGE)
        try:
            write_whole(contents(), file)
        except ExperimentError as error:
            self.messages.show_message(FILE_MESSAGE, "error", f"{error}.")
            return False
        return True

    def _show_title(self) -> None:
        title = self._capture.title or UNTITLED
        self.setWindowTitle(title if self._path is None else self._path.name)
        self.setWindowFilePath("" if self._path is None else str(self._path))

    def _lay_out(self) -> None:
        undo, redo = QAction(self), QAction(self)
        bar = TopBar(self.document, self.appearance, undo, redo)
        for button in bar.findChildren(QToolButton, QRegularExpression("^(un|re)do_button$")):
            button.hide()
        bar.add_workspace(HEADS, "Heads", "All heads of the layer side by side")
        bar.mark_workspace(HEADS)
        tools = QToolBar("Layer and head")
        tools.setMovable(False)
        tools.setStyleSheet("QToolBar { border: none; padding: 0; margin: 0; spacing: 0; }")
        tools.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        tools.toggleViewAction().setEnabled(False)
        tools.addWidget(bar)
        self.addToolBar(tools)
        centre = QWidget()
        centre.setProperty("look", "ground")
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.messages)
        column.addWidget(self.heads, 1)
        self.setCentralWidget(centre)
        self.parts = WindowParts(self, (bar, self.messages, self.heads), (bar,))

    def _build_menus(self) -> None:
        files = self.menuBar().addMenu("&File")
        self.opening = OpenActions(self, self._windows, files)
        files.addSeparator()
        save = add_action(files, "capture_save_as", "Save &As…", self.save_as)
        save.setShortcuts([QKeySequence(QKeySequence.StandardKey.Save), QKeySequence("Ctrl+Shift+S")])
        files.addSeparator()
        add_action(files, "export_matrix", "Export &Matrix…", self.export_matrix)
        add_action(files, "file_new_window", "New &Window", self._windows.show_first_example, "Ctrl+Shift+N")
        files.addSeparator()
        add_action(files, "file_close", "&Close", self.close, "Ctrl+W")
        add_action(files, "file_quit", "&Quit", self._windows.quit, "Ctrl+Q")
        self._build_edit_menu()
        add_looks(self.menuBar().addMenu("&View"), self, self._windows.settings)
        build_help_menu(self)
        FigureActions(self, self._windows, ("export_matrix", "edit_select_all"))

    def _build_edit_menu(self) -> None:
        edit = self.menuBar().addMenu("&Edit")
        add_edits(edit, ("copy",))
        copies = edit.addMenu("Copy &As")
        copies.setObjectName("edit_copy_as")
        copies.aboutToShow.connect(lambda: _fill_copies(copies))
        add_edits(edit, ("select_all",))

    def _on_files_dropped(self, files: list[Path]) -> None:
        for file in files:
            self.opening.open_file(file)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.document.close()
        if self in open_windows:
            open_windows.remove(self)
            self.closed.emit()
            self.deleteLater()
        super().closeEvent(event)


def _fill_copies(copies: QMenu) -> None:
    copies.clear()
    table = focused_table()
    if table is None:
        copies.addAction("Select a cell of a matrix first").setEnabled(False)
    else:
        fill_copy_menu(copies, table)
