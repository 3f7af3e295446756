"""A window on a capture: the heads views, a menu to save and to copy, and nothing that edits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRegularExpression, QSize, Qt
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QToolButton, QVBoxLayout, QWidget

from attnexplorer.app import transfer_dialogs
from attnexplorer.app.actions import add_action
from attnexplorer.app.top_bar import TopBar
from attnexplorer.app.transfer_actions import focused_table
from attnexplorer.document.lights import Lights
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.saving import write_whole
from attnexplorer.figures.content import NumberStyle, matrix_content
from attnexplorer.figures.theme import LIGHT, ThemeName
from attnexplorer.interop.capture import Capture, capture_bytes
from attnexplorer.interop.matrix_files import FORMATS, matrix_file
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.capture.captured_document import CapturedDocument
from attnexplorer.views.capture.workspace import CaptureWorkspace
from attnexplorer.views.copying import fill_copy_menu
from attnexplorer.views.dialogs.message_bar import MessageArea
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.transfers import Transfers

SIZE = QSize(1280, 860)
_THEMES: tuple[tuple[str, ThemeName | None], ...] = (("Like the &System", None), ("&Light", "light"), ("&Dark", "dark"))

open_windows: list[CaptureWindow] = []
"""Nobody else holds on to such a window."""


class CaptureWindow(QMainWindow):
    """Shows one capture until it is closed."""

    def __init__(self, capture: Capture, appearance: Appearance, folder: Path | None = None) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.document = CapturedDocument(capture, self)
        self.messages = MessageArea()
        self._capture, self._folder = capture, folder or Path.cwd()
        self.heads = CaptureWorkspace(TableContext(self.document, appearance, Lights(self.document)))
        self._lay_out(appearance)
        self._build_menus(appearance)
        self.setWindowTitle(capture.title or "Captured attention")
        self.resize(SIZE.boundedTo(self.screen().availableGeometry().size()))
        Transfers.of(self.document).export_requested.connect(self.export_matrix)
        open_windows.append(self)

    def save_as(self) -> None:
        """Ask for a file and write the capture there."""
        name = "".join(c if c.isalnum() else "-" for c in self._capture.title) or "capture"
        formats = (("Capture", ".npz"),)
        chosen = transfer_dialogs.ask_for_file_to_write(self, "Save the capture", self._folder / f"{name}.npz", formats)
        if chosen is not None:
            self._write(chosen, lambda: capture_bytes(self._capture))

    def export_matrix(self, path: str) -> None:
        """Ask for a file and write the weights of one head there."""
        evaluation = self.document.evaluation
        content = matrix_content(evaluation.experiment, evaluation.arrays, path, LIGHT, NumberStyle())
        if content is None:
            return
        name = matrix_name(evaluation.experiment, path)
        suggestion = self._folder / f"{'-'.join(name.replace(',', '').split())}{FORMATS[0][1]}"
        chosen = transfer_dialogs.ask_for_file_to_write(self, f"Export {name}", suggestion, FORMATS)
        if chosen is not None:
            labels = content.rows.texts, content.columns.texts
            self._write(chosen, lambda: matrix_file(content.picture.values, chosen, *labels))

    def _write(self, file: Path, contents: Callable[[], bytes]) -> None:
        self.messages.remove("file")
        try:
            write_whole(contents(), file)
        except ExperimentError as error:
            self.messages.show_message("file", "error", f"{error}.")

    def _lay_out(self, appearance: Appearance) -> None:
        undo, redo = QAction(self), QAction(self)
        bar = TopBar(self.document, appearance, undo, redo)
        for button in bar.findChildren(QToolButton, QRegularExpression("^(un|re)do_button$")):
            button.hide()
        bar.add_workspace("heads", "Heads", "All heads of the layer side by side")
        bar.mark_workspace("heads")
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

    def _build_menus(self, appearance: Appearance) -> None:
        files = self.menuBar().addMenu("&File")
        add_action(files, "capture_save_as", "Save &As…", self.save_as, QKeySequence.StandardKey.Save)
        add_action(files, "capture_close", "&Close", self.close, "Ctrl+W")
        copies = self.menuBar().addMenu("&Edit").addMenu("Copy &As")
        copies.setObjectName("edit_copy_as")
        copies.aboutToShow.connect(lambda: _fill_copies(copies))
        themes = self.menuBar().addMenu("&View").addMenu("&Theme")
        for text, name in _THEMES:
            add_action(themes, f"view_theme_{name or 'system'}", text, partial(appearance.choose_theme, name))

    def closeEvent(self, event: QCloseEvent) -> None:
        self.document.close()
        if self in open_windows:
            open_windows.remove(self)
        super().closeEvent(event)


def _fill_copies(copies: QMenu) -> None:
    copies.clear()
    table = focused_table()
    if table is None:
        copies.addAction("Select a cell of a matrix first").setEnabled(False)
    else:
        fill_copy_menu(copies, table)
