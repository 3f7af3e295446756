"""Numbers in and out: Copy As in the menu Edit, Import and Export in the menu File, and files that are dropped.

What reads and writes files is imported when the first one is: no window needs it for its first picture.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from attnexplorer.app import transfer_dialogs
from attnexplorer.app.actions import add_action
from attnexplorer.app.background_export import BackgroundExport
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.menus import action_of, menu_of
from attnexplorer.app.opening import load_any
from attnexplorer.app.pending_text import commit_pending_text
from attnexplorer.compute.progress import Step
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.saving import write_whole
from attnexplorer.figures.content import NumberStyle, matrix_content, units_of
from attnexplorer.figures.theme import LIGHT
from attnexplorer.views.copying import fill_copy_menu
from attnexplorer.views.dialogs.message_bar import Choice
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.soon import soon
from attnexplorer.views.transfers import Transfers
from attnexplorer.views.whole_errors import with_whole_errors

if TYPE_CHECKING:
    from attnexplorer.app.windows import Windows
    from attnexplorer.views.importing.array_source import ArraySource

TRANSFER_MESSAGE, EXPORT_MESSAGE = "transfer", "export"
Contents = Callable[[Experiment, Step], bytes]
"""Makes the bytes of a file of an experiment, and tells how far it is."""


@with_whole_errors
class TransferActions(QObject):
    """What one window does with files and texts of other programs."""

    def __init__(self, window: MainWindow, windows: Windows) -> None:
        super().__init__(window)
        self._window, self._windows, self._document = window, windows, window.document
        self._exports: list[QAction] = []
        self._add_copy_menu(menu_of(window, "Edit"))
        self._add_file_entries(menu_of(window, "File"))
        self.exporting = BackgroundExport(self)
        self.exporting.progressed.connect(self._on_exporting_progressed)
        self.exporting.written.connect(self._on_exporting_written)
        self.exporting.failed.connect(self._on_exporting_failed)
        window.closed.connect(self.exporting.stop)
        transfers = Transfers.of(window.document)
        transfers.import_requested.connect(self.import_file)
        transfers.export_requested.connect(self.export_matrix)
        window.installEventFilter(self)

    def import_file(self, path: str = "") -> None:
        """Ask for a file, and where its numbers go: at first into the matrix at `path`."""
        folder = self._windows.folder_for_dialogs(self._window.storage.path)
        chosen = transfer_dialogs.ask_for_matrix_file(self._window, folder)
        if chosen is not None:
            self.import_from(chosen, path)

    def import_from(self, file: Path, path: str = "") -> None:
        """Ask where a file's numbers go; attention weights with their tokens are shown in a window of their own."""
        from attnexplorer.interop.capture import holds_capture
        from attnexplorer.views.importing.array_source import ArraySource

        if holds_capture(file):
            self._tried(lambda: self._windows.show_loaded(load_any(file), self._window))
        else:
            self._tried(lambda: self._ask_about(ArraySource.of_file(file), path))

    def import_from_clipboard(self) -> None:
        """Ask where copied numbers go: those of a copied file, or of a copied text."""
        from attnexplorer.views.importing.array_source import ArraySource

        data = QGuiApplication.clipboard().mimeData()
        files = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        path = self._focused_path()
        if files:
            self.import_from(files[0], path)
        else:
            self._tried(lambda: self._ask_about(ArraySource.of_text(data.text()), path))

    def export_matrix(self, path: str = "") -> None:
        """Ask for a file and write a matrix there: the one at `path`, or the one with the focus."""
        from attnexplorer.interop.matrix_files import FORMATS

        commit_pending_text(self._window)
        path = path or self._focused_path()
        if not path:
            self._say("Select a cell of the matrix that is to be exported first.")
            return
        name = matrix_name(self._document.experiment, path)
        words = "-".join("".join(c if c.isalnum() or c == "_" else " " for c in name).split())
        suggestion = self._suggested(f"-{words}{FORMATS[0][1]}")
        chosen = transfer_dialogs.ask_for_file_to_write(self._window, f"Export {name}", suggestion, FORMATS)
        if chosen is not None:
            self._tried(lambda: write_whole(_matrix_bytes(self._document.experiment, path, chosen), chosen))

    def export_experiment(self, title: str, kind: str, suffix: str, contents: Contents) -> None:
        """Ask for a file and write what `contents` makes of the experiment, which may take a while."""
        commit_pending_text(self._window)
        formats = ((kind, suffix[suffix.rindex(".") :]),)
        chosen = transfer_dialogs.ask_for_file_to_write(self._window, title, self._suggested(suffix), formats)
        if chosen is None:
            return
        stop = Choice("Stop", "Stop; nothing is written", self._stop_exporting)
        self._window.messages.remove(TRANSFER_MESSAGE)
        self._window.messages.show_message(EXPORT_MESSAGE, "note", f"Writing {chosen.name} …", [stop], closable=False)
        self._window.messages.show_progress(EXPORT_MESSAGE, 0, 0)
        self.exporting.start(partial(contents, self._document.experiment), chosen)
        self._let_export()

    def _stop_exporting(self) -> None:
        self.exporting.stop()
        self._let_export()

    def _let_export(self) -> None:
        """Have one export at a time."""
        for entry in self._exports:
            entry.setEnabled(not self.exporting.running)

    def _on_exporting_progressed(self, done: int, total: int) -> None:
        self._window.messages.show_progress(EXPORT_MESSAGE, done, total)

    def _on_exporting_written(self, path: Path) -> None:
        self._window.messages.show_message(EXPORT_MESSAGE, "note", f"Written: {path}.")
        self._let_export()

    def _on_exporting_failed(self, sentence: str) -> None:
        self._window.messages.remove(EXPORT_MESSAGE)
        self._let_export()
        self._say(sentence if sentence.endswith((".", "?", "!")) else f"{sentence}.")

    def _add_copy_menu(self, menu: QMenu) -> None:
        copies = QMenu("Copy &As", menu)
        copies.setObjectName("edit_copy_as")
        copies.aboutToShow.connect(lambda: self._fill_copies(copies))
        menu.insertMenu(action_of(menu, "edit_paste"), copies)

    def _add_file_entries(self, menu: QMenu) -> None:
        before = action_of(menu, "file_notes")
        entry = add_action(menu, "file_import", "&Import Matrix…", self.import_file, "Ctrl+Shift+O")
        pasted = add_action(menu, "file_import_clipboard", "Import from Clip&board…", self.import_from_clipboard)
        exports = QMenu("E&xport", menu)
        exports.setObjectName("file_export")
        menu.insertActions(before, [entry, pasted])
        menu.insertMenu(before, exports)
        menu.insertSeparator(before)
        add_action(exports, "export_matrix", "&Matrix…", self.export_matrix)
        for name, text, title, kind, suffix, contents in _EXPORTS:
            export = partial(self.export_experiment, title, kind, suffix, contents)
            self._exports.append(add_action(exports, name, text, export))

    def _fill_copies(self, copies: QMenu) -> None:
        copies.clear()
        table = focused_table()
        if table is None:
            copies.addAction("Select a cell of a matrix first").setEnabled(False)
        else:
            fill_copy_menu(copies, table)

    def _ask_about(self, source: ArraySource, path: str) -> None:
        from attnexplorer.views.importing.import_dialog import ImportDialog

        dialog = ImportDialog(self._document, self._window.appearance, source, path or None, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _suggested(self, ending: str) -> Path:
        storage = self._window.storage
        folder = self._windows.folder_for_dialogs(storage.path)
        return folder / f"{storage.suggested_path.stem}{ending}"

    def _focused_path(self) -> str:
        table = focused_table()
        selected = self._document.cursor.selected
        if table is not None and table.document is self._document:
            return table.path
        return "" if selected is None else selected.path

    def _tried(self, action: Callable[[], object]) -> None:
        self._window.messages.remove(TRANSFER_MESSAGE)
        try:
            action()
        except ExperimentError as error:
            text = str(error)
            self._say(text if text.endswith((".", "?", "!")) else f"{text}.")

    def _say(self, sentence: str) -> None:
        self._window.messages.show_message(TRANSFER_MESSAGE, "error", sentence)

    def _table_at(self, place: QPoint) -> MatrixTable | None:
        return _table_around(self._window.childAt(place))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, (QDragEnterEvent, QDropEvent)) and event.type() in (
            QEvent.Type.DragEnter,
            QEvent.Type.Drop,
        ):
            file = _dropped_file(event)
            if file is not None:
                event.acceptProposedAction()
                if event.type() == QEvent.Type.Drop:
                    table = self._table_at(event.position().toPoint())
                    path = "" if table is None else table.path
                    # The program that was dragged from waits until this returns.
                    soon(self, lambda: self.import_from(file, path))
                return True
        return False


def focused_table() -> MatrixTable | None:
    """Return the table with the keyboard focus, its editor's included."""
    return _table_around(QApplication.focusWidget())


def _table_around(widget: QWidget | None) -> MatrixTable | None:
    while widget is not None and not isinstance(widget, MatrixTable):
        widget = None if widget.isWindow() else widget.parentWidget()
    return widget


def _dropped_file(event: QDropEvent) -> Path | None:
    """Return the first of the dropped files if it can hold matrices."""
    from attnexplorer.interop.arrays.reading import SUFFIXES

    files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return files[0] if files and files[0].suffix.lower() in SUFFIXES else None


def _matrix_bytes(experiment: Experiment, path: str, file: Path) -> bytes:
    from attnexplorer.compute.trace import evaluate
    from attnexplorer.interop.matrix_files import matrix_file

    trace = evaluate(experiment)
    arrays = {unit: trace.array(unit) for unit in units_of(experiment, path)}
    # The labels are wanted, not the colours.
    content = matrix_content(experiment, arrays, path, LIGHT, NumberStyle())
    if content is None:
        raise ExperimentError(path, "is no longer part of the experiment")
    return matrix_file(content.picture.values, file, content.rows.texts, content.columns.texts)


def _numpy_script(experiment: Experiment, step: Step) -> bytes:
    from attnexplorer.interop.numpy_script import numpy_script

    return numpy_script(experiment).encode("utf-8")


def _pytorch_script(experiment: Experiment, step: Step) -> bytes:
    from attnexplorer.interop.pytorch_script import pytorch_script

    return pytorch_script(experiment).encode("utf-8")


def _npz(experiment: Experiment, step: Step) -> bytes:
    from attnexplorer.interop.trace_npz import write_trace_npz

    buffer = BytesIO()
    write_trace_npz(experiment, buffer, step=step)
    return buffer.getvalue()


def _safetensors(experiment: Experiment, step: Step) -> bytes:
    from attnexplorer.interop.stages_safetensors import stages_safetensors

    return stages_safetensors(experiment, step=step)


_EXPORTS: tuple[tuple[str, str, str, str, str, Contents], ...] = (
    ("export_numpy", "&NumPy Script…", "Export a NumPy script", "Python", "-numpy.py", _numpy_script),
    ("export_pytorch", "&PyTorch Code…", "Export PyTorch code", "Python", "-pytorch.py", _pytorch_script),
    ("export_npz", "All Stages, .np&z…", "Export all stages", "NumPy archive", ".npz", _npz),
    ("export_safetensors", "All Stages, .&safetensors…", "Export all stages", "Tensors", ".safetensors", _safetensors),
)
"""Name of the action, its text, title of the dialog, name of the format, end of the file's name, and what is in it."""
