"""Figures from a window: the dialog from menu, key and button, the walkthrough, and a figure on the clipboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QStandardPaths, Qt
from PySide6.QtWidgets import QMenu, QPushButton

from attnexplorer.app.actions import add_action
from attnexplorer.app.document_window import DocumentWindow
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.menus import action_of, menu_of
from attnexplorer.app.top_bar import TopBar
from attnexplorer.app.transfer_actions import focused_table
from attnexplorer.document.shapes import matrix_shape
from attnexplorer.document.storage import present_experiment
from attnexplorer.experiment.captured import Capture
from attnexplorer.experiment.errors import ExperimentError

if TYPE_CHECKING:
    from attnexplorer.app.windows import Windows
    from attnexplorer.views.export_dialog.dialog import ExportDialog
    from attnexplorer.views.export_dialog.subjects import Seen

FIGURE_MESSAGE = "figure"


class FigureActions(QObject):
    """What one window does with figures."""

    def __init__(
        self, window: DocumentWindow, windows: Windows, before: tuple[str, str] = ("file_notes", "edit_paste")
    ) -> None:
        """`before` names the entries of the menus File and Edit that those of figures stand before."""
        super().__init__(window)
        self._window, self._windows, self._document = window, windows, window.document
        self._document.replaced.connect(self._forget_message)
        self._add_entries(menu_of(window, "File"), menu_of(window, "Edit"), before)
        bar = window.findChild(TopBar)
        if isinstance(bar, TopBar):
            bar.add_button(self._button())

    def export_figure(self) -> None:
        """Show the dialog, at first with what the window shows."""
        self._opened()

    def export_walkthrough(self) -> None:
        """Show the dialog with the deck of all stages."""
        from attnexplorer.figures.deck import WALKTHROUGH

        self._opened().choose_subject(WALKTHROUGH)

    def copy_figure(self) -> None:
        """Put what the window shows on the clipboard, set as the last figure was."""
        from attnexplorer.views.export_dialog.copying import copy_shown

        self._window.messages.remove(FIGURE_MESSAGE)
        try:
            copy_shown(self._document, self._seen(), self._windows.settings, self._window.appearance)
        except ExperimentError as error:
            self._window.messages.show_message(FIGURE_MESSAGE, "error", f"Nothing was copied: {error}.")

    def _add_entries(self, files: QMenu, edit: QMenu, names: tuple[str, str]) -> None:
        before = action_of(files, names[0])
        figure = add_action(files, "file_export_figure", "Export &Figure…", self.export_figure, "Ctrl+E")
        files.insertAction(before, figure)
        if not isinstance(self._document.experiment, Capture):
            deck = add_action(files, "file_export_deck", "Export Walkthrough as a &Deck…", self.export_walkthrough)
            files.insertAction(before, deck)
        files.insertSeparator(before)
        copy = add_action(edit, "edit_copy_figure", "Copy Fi&gure", self.copy_figure, "Ctrl+Shift+C")
        edit.insertAction(action_of(edit, names[1]), copy)

    def _button(self) -> QPushButton:
        button = QPushButton("Export figure…")
        button.setObjectName("export_figure_button")
        button.setProperty("look", "primary")
        button.setToolTip("Make a figure of what is shown (Ctrl+E)")
        button.setAccessibleName("Export figure")
        # The matrix that has the keyboard is what the figure shows: a click must not take it away.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(self.export_figure)
        return button

    def _opened(self) -> ExportDialog:
        from attnexplorer.views.export_dialog.dialog import ExportDialog

        window = self._window
        dialog = ExportDialog(
            self._document,
            window.appearance,
            self._windows.settings,
            self._seen(),
            present_experiment(self._document),
            window.stem,
            self._folder(),
            window,
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.written.connect(self._on_written)
        window.closed.connect(dialog.leave)
        window.messages.remove(FIGURE_MESSAGE)
        dialog.open()
        return dialog

    def _seen(self) -> Seen:
        table = focused_table()
        path = table.path if table is not None and table.document is self._document else ""
        if path and matrix_shape(self._document.experiment, path) is None:
            path = ""
        return _seen(self._window, path)

    def _folder(self) -> Path:
        """Return the folder of the last figure, of the experiment, or else one of the user's that is there."""
        last = self._windows.settings.figure_folder
        usual = self._windows.folder_for_dialogs(self._window.path)
        home = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.HomeLocation)
        known = (folder for folder in (last, usual, Path(home)) if folder is not None and folder.is_dir())
        return next(known, Path.cwd())

    def _forget_message(self) -> None:
        self._window.messages.remove(FIGURE_MESSAGE)

    def _on_written(self, path: Path) -> None:
        self._window.messages.show_message(FIGURE_MESSAGE, "note", f"The figure is in {path}.")


def _seen(window: DocumentWindow, path: str) -> Seen:
    """Return what a window shows; `path` is the matrix with the focus. Workspaces are imported once they are there."""
    from attnexplorer.views.export_dialog.subjects import Seen

    seen = Seen(window.workspace, path)
    widget = window.workspaces[window.workspace].widget if isinstance(window, MainWindow) else None
    if window.workspace == "heads":
        from attnexplorer.views.heads.workspace import HeadsWorkspace

        if isinstance(widget, HeadsWorkspace):
            order = widget.canvas.order
            heads = order if order != tuple(range(len(order))) else ()
            return seen._replace(stage=widget.tools.choices.stage, heads=heads)
    if window.workspace == "geometry":
        from attnexplorer.views.geometry.workspace import GeometryWorkspace

        if isinstance(widget, GeometryWorkspace):
            return seen._replace(axes=widget.controls.axes, vectors=widget.controls.choices["kinds"])
    return seen
