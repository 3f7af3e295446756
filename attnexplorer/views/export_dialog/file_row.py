"""Which file a figure is written to: a name that says what is in it, until another one is typed or chosen."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QLineEdit, QMessageBox, QPushButton, QWidget

from attnexplorer.figures.export import FORMATS, Format
from attnexplorer.views.dialogs.plain_buttons import without_pictures
from attnexplorer.views.export_dialog.file_names import free_path, known_format

_FILTER = f"Figures ({' '.join(f'*.{form}' for form in FORMATS)});;All files (*)"


class FileRow(QWidget):
    """The path in a line, and a button for the system's dialog."""

    format_named = Signal(str)
    """Emitted with the format that the ending of a typed or chosen name says."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._form: Format = "png"
        self._is_own = False
        self.line = QLineEdit()
        self.line.setObjectName("figure-file")
        self.line.setAccessibleName("File")
        self.line.setToolTip("The file that is written; its ending says the format")
        self.browse = QPushButton("Choose…")
        self.browse.setObjectName("figure-browse")
        self.browse.setToolTip("Choose the folder and the name of the file")
        label = QLabel("&File")
        label.setBuddy(self.line)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (label, self.line, self.browse):
            row.addWidget(widget, 1 if widget is self.line else 0)
        self.line.textEdited.connect(self._on_line_edited)
        self.browse.clicked.connect(self._on_browse_clicked)

    @property
    def path(self) -> Path | None:
        """The file, or None if none is named."""
        text = self.line.text().strip()
        if not text:
            return None
        path = self._folder / os.path.expanduser(text)
        if os.path.isdir(path):  # which, other than `Path.is_dir`, takes any text
            return None
        return path if known_format(path.name) else Path(f"{path}.{self._form}")

    def suggest(self, name: str, form: Format) -> None:
        """Show a name that is not taken yet, or have the user's own name end as the format does."""
        self._form = form
        text = self.line.text().strip()
        if not self._is_own:
            self.line.setText(str(free_path(self._folder, name)))
        elif text and known_format(text) not in (None, form):
            self.line.setText(str(Path(text).with_suffix(f".{form}")))

    def _on_line_edited(self, text: str) -> None:
        self._is_own = bool(text.strip())
        form = known_format(text)
        if form is not None and form != self._form:
            self.format_named.emit(form)

    def _on_browse_clicked(self) -> None:
        path = ask_for_figure_file(self, self.path or self._folder / f"figure.{self._form}")
        if path is not None:
            self.line.setText(str(path))
            self.line.setFocus()
            self._on_line_edited(str(path))


def ask_for_figure_file(parent: QWidget, suggestion: Path) -> Path | None:
    """Return the chosen file, or None; whether a file is replaced is asked when the figure is written."""
    dialog = QFileDialog(parent, "Export figure", str(suggestion.parent), _FILTER)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
    dialog.setDefaultSuffix(suggestion.suffix.removeprefix("."))
    dialog.selectFile(suggestion.name)
    accepted = dialog.exec() == QFileDialog.DialogCode.Accepted
    files = dialog.selectedFiles()
    dialog.deleteLater()
    return Path(files[0]) if accepted and files else None


def may_replace(parent: QWidget, path: Path) -> bool:
    """Ask whether a file that is there may be replaced."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle("Export figure")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(f"Replace “{path.name}”?")
    box.setInformativeText(f"There is a file of this name in {path.parent} already.")
    replacing = box.addButton("Replace", QMessageBox.ButtonRole.DestructiveRole)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    without_pictures(box)
    box.exec()
    box.deleteLater()
    return box.clickedButton() is replacing
