"""The menu File of a window: what each entry does, what is asked, and what is said when it cannot be done."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMessageBox

from attnexplorer.app import file_dialogs
from attnexplorer.app.actions import add_action
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.open_actions import FILE_MESSAGE, OpenActions, sentence_of
from attnexplorer.app.pending_text import commit_pending_text
from attnexplorer.app.title_line import TitleLine
from attnexplorer.app.top_bar import TopBar
from attnexplorer.document.storage import Loaded, Storage, load_copy_of_example
from attnexplorer.experiment.errors import FileError
from attnexplorer.views.dialogs.plain_buttons import without_pictures

if TYPE_CHECKING:
    from attnexplorer.app.windows import Windows

_Result = TypeVar("_Result")
_Key = QKeySequence.StandardKey
_Button = QMessageBox.StandardButton


class FileActions(QObject):
    """The file menu of one window; what concerns several windows goes to `Windows`."""

    def __init__(self, window: MainWindow, windows: Windows) -> None:
        super().__init__(window)
        self._window, self._windows = window, windows
        self._storage = window.storage
        window.may_close = self.may_close
        window.files_dropped.connect(self._on_files_dropped)
        self._build()
        self._storage.changed.connect(self._on_storage_changed)
        self._on_storage_changed()

    def open_file(self, path: Path) -> None:
        """Open a file here if nothing would be lost, else in a window of its own; say so if it cannot be read."""
        self._opening.open_file(path)

    def save(self) -> bool:
        """Save in the document's file; ask for one if there is none. False if it is not saved."""
        commit_pending_text(self._window)
        if self._storage.path is None:
            return self.save_as()
        if self._storage.changed_on_disk() and not self._may_replace_changed_file():
            return False
        return self._saved(self._storage.path)

    def save_as(self) -> bool:
        """Ask for a file and save there."""
        commit_pending_text(self._window)
        folder = self._windows.folder_for_dialogs(self._storage.path)
        path = file_dialogs.ask_for_file_to_save(self._window, folder / self._storage.suggested_path.name)
        return path is not None and self._saved(path)

    def revert(self) -> None:
        """Go back to what the file holds, after asking if edits would be lost."""
        commit_pending_text(self._window)
        if self._storage.modified and not self._may_lose_edits():
            return
        warnings = self._tried(self._storage.revert)
        if warnings is not None:
            self._windows.show_warnings(self._window, warnings)

    def may_close(self) -> bool:
        """Ask once about unsaved edits; False if the window is to stay."""
        commit_pending_text(self._window)
        if not self._storage.modified:
            return True
        box = _question(self._window, *_asked_at_closing(self._storage))
        box.setStandardButtons(_Button.Save | _Button.Discard | _Button.Cancel)
        box.setDefaultButton(_Button.Save)
        without_pictures(box)
        answer = box.exec()
        box.deleteLater()
        return answer == _Button.Discard or (answer == _Button.Save and self.save())

    def _build(self) -> None:
        menu = self._window.menuBar().addMenu("&File")
        add_action(menu, "file_new", "&New…", self._new, _Key.New)
        self._opening = OpenActions(self._window, self._windows, menu)
        self._examples = menu.addMenu("&Examples")
        self._examples.setObjectName("file_examples")
        self._examples.aboutToShow.connect(self._fill_examples)
        menu.addSeparator()
        self._save = add_action(menu, "file_save", "&Save", self.save, _Key.Save)
        add_action(menu, "file_save_as", "Save &As…", self.save_as, "Ctrl+Shift+S")
        self._revert = add_action(menu, "file_revert", "Re&vert", self.revert)
        menu.addSeparator()
        add_action(menu, "file_notes", "&Title and Notes…", self._edit_notes)
        self._show_title()
        add_action(menu, "file_new_window", "New &Window", self._windows.show_first_example, "Ctrl+Shift+N")
        menu.addSeparator()
        add_action(menu, "file_close", "&Close", self._window.close, "Ctrl+W")
        add_action(menu, "file_quit", "&Quit", self._windows.quit, "Ctrl+Q")

    def _new(self) -> None:
        from attnexplorer.views.dialogs.new_dialog import NewDialog

        dialog = NewDialog(self._window)
        if dialog.exec() and dialog.experiment is not None:
            self._windows.show_loaded(Loaded(dialog.experiment), self._window)
        dialog.deleteLater()

    def _open_example(self, name: str) -> None:
        loaded = self._tried(lambda: load_copy_of_example(name))
        if loaded is not None:
            self._windows.show_loaded(loaded, self._window)

    def _show_title(self) -> None:
        bar = self._window.findChild(TopBar)
        if isinstance(bar, TopBar):
            line = TitleLine(self._window.document, self._window.appearance)
            line.clicked.connect(self._edit_notes)
            bar.add_title(line)

    def _edit_notes(self) -> None:
        from attnexplorer.views.dialogs.notes_dialog import NotesDialog

        dialog = NotesDialog(self._window.document, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _fill_examples(self) -> None:
        if self._examples.actions():
            return
        from attnexplorer.experiment.examples import example_summaries

        self._examples.setToolTipsVisible(True)
        for name, title, summary in example_summaries():
            text = (title or name).replace("&", "&&")
            show = partial(self._open_example, name)
            add_action(self._examples, f"file_example_{name}", text, show).setToolTip(summary)

    def _saved(self, path: Path) -> bool:
        def save() -> bool:
            self._storage.save_as(path)
            return True

        if not self._tried(save):
            return False
        self._windows.settings.add_recent_file(self._storage.path or path)
        return True

    def _may_replace_changed_file(self) -> bool:
        box = _question(
            self._window,
            f"“{self._storage.name}” was changed by another program since it was read here.",
            "Saving replaces what the other program wrote.",
        )
        replace = box.addButton("Replace", QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(_Button.Cancel))
        without_pictures(box)
        box.exec()
        box.deleteLater()
        return box.clickedButton() is replace

    def _may_lose_edits(self) -> bool:
        box = _question(
            self._window,
            f"Go back to what “{self._storage.name}” holds?",
            "The changes since it was last saved are lost; this cannot be undone.",
        )
        revert = box.addButton("Revert", QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(_Button.Cancel))
        without_pictures(box)
        box.exec()
        box.deleteLater()
        return box.clickedButton() is revert

    def _tried(self, action: Callable[[], _Result]) -> _Result | None:
        """Do something with a file; a refusal becomes a message in the window and None."""
        try:
            result = action()
        except FileError as error:
            self._window.messages.show_message(FILE_MESSAGE, "error", sentence_of(error))
            return None
        self._window.messages.remove(FILE_MESSAGE)
        return result

    def _on_files_dropped(self, paths: list[Path]) -> None:
        for path in paths:
            self.open_file(path)

    def _on_storage_changed(self) -> None:
        self._revert.setEnabled(self._storage.path is not None)


def _asked_at_closing(storage: Storage) -> tuple[str, str]:
    """Return the question about unsaved work, and what becomes of it otherwise."""
    if storage.path is not None:
        return f"Save the changes of {storage.called}?", "They are lost otherwise."
    return f"Save {storage.called}?", "It has no file yet. Everything that was done is lost otherwise."


def _question(window: MainWindow, text: str, more: str) -> QMessageBox:
    box = QMessageBox(window)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle("Attention Explorer")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text)
    box.setInformativeText(more)
    return box
