"""The dialog for title and notes of an experiment; its outcome is one undoable edit."""

from __future__ import annotations

import dataclasses

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from attnexplorer.document.document import Document
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.views.dialogs.plain_buttons import size_for_type, without_pictures
from attnexplorer.views.dialogs.still_text import StillText
from attnexplorer.views.whole_errors import with_whole_errors


@with_whole_errors
class NotesDialog(QDialog):
    """Shows title and notes, and changes them when it is accepted."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.setWindowTitle("Title and notes")
        self.resize(size_for_type(self, 520, 360))
        self._title = QLineEdit(document.experiment.title)
        self._title.setObjectName("notes_title")
        self._title.setAccessibleName("Title")
        self._title.setToolTip("What the experiment is called")
        self._notes = StillText(document.experiment.notes)
        self._notes.setObjectName("notes_text")
        self._notes.setAccessibleName("Notes")
        self._notes.setToolTip("What it shows, for whoever opens it")
        self._notes.setTabChangesFocus(True)
        self._error = QLabel()
        self._error.setProperty("look", "error")
        self._error.setWordWrap(True)
        self._error.hide()
        self._lay_out()

    def accept(self) -> None:
        try:
            self._change(self._title.text(), self._notes.toPlainText())
        except ExperimentError as error:
            self._error.setText(str(error))
            self._error.show()
            return
        super().accept()

    def _change(self, title: str, notes: str) -> None:
        experiment = self._document.experiment
        if notes == experiment.notes:
            self._document.set_value("title", title, "Change title")
        elif title == experiment.title:
            self._document.set_value("notes", notes, "Change notes")
        else:
            self._document.apply("Change title and notes", lambda e: dataclasses.replace(e, title=title, notes=notes))

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.addRow("&Title", self._title)
        form.addRow("&Notes", self._notes)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self._error)
        column.addWidget(buttons)
        without_pictures(self)
