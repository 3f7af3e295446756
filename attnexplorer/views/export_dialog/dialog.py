"""The dialog that turns what is shown into a figure: what, how, a live preview, and a file or the clipboard."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from attnexplorer.document.document import Document
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.carrying import MOST_BYTES
from attnexplorer.figures.command_words import command_words
from attnexplorer.figures.deck import WALKTHROUGH
from attnexplorer.figures.export import Format
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.dialogs.plain_buttons import without_pictures
from attnexplorer.views.export_dialog.carried_text import suffix_of
from attnexplorer.views.export_dialog.choices import Choices, as_text, from_text
from attnexplorer.views.export_dialog.choices_form import ChoicesForm
from attnexplorer.views.export_dialog.copying import copy_figure
from attnexplorer.views.export_dialog.export_process import sentence_of
from attnexplorer.views.export_dialog.exporter import Exporter
from attnexplorer.views.export_dialog.fields import align_labels
from attnexplorer.views.export_dialog.file_names import figure_name
from attnexplorer.views.export_dialog.file_row import FileRow, may_replace
from attnexplorer.views.export_dialog.memory import Memory
from attnexplorer.views.export_dialog.picturing import size_words
from attnexplorer.views.export_dialog.preset_row import PresetRow
from attnexplorer.views.export_dialog.preview_pane import PreviewPane
from attnexplorer.views.export_dialog.subject_form import SubjectForm
from attnexplorer.views.export_dialog.subjects import Seen, first_subject, subjects
from attnexplorer.views.whole_errors import with_whole_errors

_SIZE = QSize(1160, 780)
_AROUND = QSize(24, 40)
"""What is left of the window around the dialog."""
_FORM_WIDTH = 24.5
"""In heights of the type."""


@with_whole_errors
class ExportDialog(QDialog):
    """Works on the experiment as it is when the dialog opens.

    Parameters
    ----------
    experiment
        The experiment with its display choices, as it is saved.
    stem, folder
        What its own file is called, and where a figure goes at first.
    """

    written = Signal(object)
    """Emitted with the path of the file."""

    def __init__(
        self,
        document: Document,
        appearance: Appearance,
        memory: Memory,
        seen: Seen,
        experiment: Experiment,
        stem: str,
        folder: Path,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export figure")
        self.setObjectName("export-dialog")
        self._memory, self._appearance = memory, appearance
        self._experiment, self._stem = experiment, stem
        other = document.comparison.experiment
        found = subjects(document, seen)
        self.subject_form = SubjectForm(document, found, first_subject(found, seen, document.comparison.shown))
        kept = from_text(memory.figure_choices, appearance.theme.name)
        self.choices_form = ChoicesForm(kept, appearance.decimal_point)
        self.presets = PresetRow(memory)
        self.pane = PreviewPane(appearance, experiment, other)
        self.file_row = FileRow(folder)
        self.exporter = Exporter(experiment, other, self)
        self._refused = False
        self._make_buttons()
        self._lay_out()
        self._connect()
        self._refresh()
        self._export.setFocus()

    @property
    def choices(self) -> Choices:
        """What is chosen, as far as it is possible for what is shown."""
        choices, subject = self.choices_form.choices, self.subject_form.subject
        if subject.kind == WALKTHROUGH and choices.form not in ("pdf", "pptx"):
            return replace(choices, form="pptx")
        if not subject.sweeps and choices.is_animation:
            return replace(choices, form="png")
        if subject.sweeps and choices.sweep not in subject.sweeps:
            return replace(choices, sweep=subject.sweeps[0])
        return choices

    @property
    def spec(self) -> FigureSpec:
        """The figure."""
        form = self.choices_form
        point = self._appearance.decimal_point
        return self.choices.applied_to(self.subject_form.spec, form.title.text(), form.caption.text(), point)

    def choose_subject(self, key: str) -> None:
        """Have something else shown."""
        self.subject_form.choose(key)
        self._refresh()

    def export(self) -> None:
        """Make the figure and write it, after asking if a file would be replaced."""
        if self.exporter.running:
            return
        path = self.file_row.path
        if path is None:
            self._refuse("Name the file that the figure is to be written to.")
            return
        if os.path.exists(path) and not may_replace(self, path):
            return
        self._memory.figure_choices = as_text(self.choices_form.choices)
        self._memory.figure_folder = path.parent
        self._show_running(True)
        self.exporter.begin(path, self.spec, self.choices.export)

    def copy(self) -> None:
        """Put the figure of the preview on the clipboard."""
        try:
            copy_figure(self.pane.figure(self.spec, self.choices.export).figure, self.spec.dpi)
        except ExperimentError as error:
            self._refuse(sentence_of(str(error)))
            return
        self._memory.figure_choices = as_text(self.choices_form.choices)
        self.pane.say("Copied, as an image and as SVG.")

    def copy_command(self) -> None:
        """Put the command that makes the same figure of the saved experiment on the clipboard."""
        path = self.file_row.path
        out = f"figure.{self.choices.form}" if path is None else path.name
        suffix = suffix_of(self._experiment)
        words = ["attnexplorer", "export", f"{self._stem}{suffix}", "-o", out]
        words += ["--with", f"A{suffix}"] if self.spec.what == "compare" or self.spec.shown != "B" else []
        QGuiApplication.clipboard().setText(shlex.join([*words, *command_words(self.spec, self.choices.export)]))
        self.pane.say("Copied: the command that makes this figure of the saved experiment.")

    def leave(self) -> None:
        """Close at once, an export included: the window is about to go."""
        self.done(QDialog.DialogCode.Rejected.value)

    def _make_buttons(self) -> None:
        self._copy = _button("figure-copy", "Copy", "Put the figure on the clipboard, as an image and as SVG")
        tip = "Copy the command that makes the same figure of the saved experiment, without a window"
        self._copy_command = _button("figure-copy-command", "Copy command", tip)
        self._cancel = _button("figure-cancel", "Cancel", "Close without writing anything")
        self._export = _button("figure-export", "Export", "Write the figure into the file")
        self._export.setProperty("look", "primary")
        self.error = QLabel()
        self.error.setObjectName("figure-error")
        self.error.setProperty("look", "error")
        self.error.setTextFormat(Qt.TextFormat.PlainText)
        self.error.setWordWrap(True)
        self.error.hide()
        self.progress = QProgressBar()
        self.progress.setObjectName("figure-progress")
        self.progress.setAccessibleName("Progress of the export")
        self.progress.setTextVisible(False)
        self.progress.setMaximumWidth(220)
        self.progress.hide()

    def _lay_out(self) -> None:
        upper = QHBoxLayout()
        upper.setSpacing(12)
        upper.addWidget(self.pane, 1)
        upper.addWidget(self._form_card())
        buttons = QHBoxLayout()
        for button in (self._copy, self._copy_command):
            buttons.addWidget(button)
        buttons.addStretch(1)
        for widget in (self.progress, self._cancel, self._export):
            buttons.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.addLayout(upper, 1)
        column.addWidget(self.error)
        column.addWidget(self.file_row)
        column.addLayout(buttons)
        without_pictures(self)
        for button in self.findChildren(QPushButton):
            # Enter on one of several choices exports; Space chooses.
            button.setAutoDefault(button.property("look") != "segment")
        self._export.setDefault(True)

    def _form_card(self) -> QFrame:
        self._controls = QWidget()
        self._controls.setProperty("look", "panel")
        form = QVBoxLayout(self._controls)
        form.setContentsMargins(12, 10, 12, 12)
        form.setSpacing(8)
        for widget in (self.presets, self.subject_form, self.choices_form):
            form.addWidget(widget)
        form.addStretch(1)
        align_labels([self.subject_form.form, *self.choices_form.forms])
        scroll = QScrollArea()
        scroll.setWidget(self._controls)
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        card = QFrame()
        card.setProperty("look", "card")
        card.setFixedWidth(round(_FORM_WIDTH * self.fontMetrics().height()))
        row = QHBoxLayout(card)
        row.setContentsMargins(1, 1, 1, 1)
        row.addWidget(scroll)
        return card

    def _connect(self) -> None:
        self.subject_form.changed.connect(self._refresh)
        self.choices_form.changed.connect(self._on_choices_changed)
        self.presets.taken.connect(self._on_preset_taken)
        self.presets.save_requested.connect(self._on_save_requested)
        self.file_row.format_named.connect(self._on_format_named)
        self.pane.told.connect(self._on_pane_told)
        self.pane.shown.connect(self._on_pane_shown)
        self._copy.clicked.connect(self.copy)
        self._copy_command.clicked.connect(self.copy_command)
        self._cancel.clicked.connect(self.reject)
        self._export.clicked.connect(self.export)
        self.exporter.progressed.connect(self._on_exporter_progressed)
        self.exporter.written.connect(self._on_exporter_written)
        self.exporter.failed.connect(self._on_exporter_failed)
        self.exporter.text_ready.connect(self._show_carried)

    def _on_pane_told(self, sentence: str) -> None:
        """What was wrong with an export stays until something else is wanted."""
        if not self._refused:
            self._say(sentence)

    def _on_pane_shown(self) -> None:
        if not self.exporter.text.is_large:
            self.exporter.text.start()

    def _on_choices_changed(self) -> None:
        self.presets.show_none()
        self._refresh()

    def _on_preset_taken(self, text: str) -> None:
        self.choices_form.show_choices(from_text(text))
        self._refresh()

    def _on_save_requested(self, name: str) -> None:
        self._memory.keep_figure_preset(name, as_text(self.choices_form.choices))

    def _on_format_named(self, form: str) -> None:
        if self.choices_form.form.button(form).isEnabled():
            self.choices_form.show_choices(replace(self.choices_form.choices, form=cast(Format, form)))
            self._refresh()

    def _refresh(self) -> None:
        """Ask what matters, name the file, and have the preview follow."""
        self._refused = False
        choices, spec = self.choices, self.spec
        self.choices_form.suit(self.subject_form.subject, choices)
        self._show_carried()
        self.file_row.suggest(figure_name(self._stem, spec, choices.export, self._experiment), choices.form)
        self.pane.ask_for(spec, choices.export)

    def _show_carried(self) -> None:
        text = self.exporter.text
        if self.choices.is_animation:
            self.choices_form.say_carried(f"not in {self.choices.form_name}", possible=False)
        elif not text.is_done or text.problem:
            words = f"up to {size_words(MOST_BYTES)}" if text.is_large else ""
            self.choices_form.say_carried(words, possible=True)
        elif text.length:
            self.choices_form.say_carried(size_words(text.length), possible=True)
        else:
            self.choices_form.say_carried(f"{size_words(len(text.texts[0]))}, too large", possible=False)

    def _on_exporter_progressed(self, done: int, total: int) -> None:
        # What is left once all pictures are done takes a time that nobody knows.
        self.progress.setRange(0, total if done < total else 0)
        self.progress.setValue(done)

    def _on_exporter_written(self, path: Path) -> None:
        self._show_running(False)
        self.written.emit(path)
        self.accept()

    def _on_exporter_failed(self, sentence: str) -> None:
        self._show_running(False)
        self._refuse(sentence)

    def _show_running(self, running: bool) -> None:
        for widget in (self._controls, self.file_row, self._copy, self._copy_command, self._export):
            widget.setEnabled(not running)
        self.progress.setRange(0, 0)
        self.progress.setVisible(running)
        self._cancel.setText("Stop" if running else "Cancel")
        self._cancel.setToolTip("Stop; nothing is written" if running else "Close without writing anything")
        if running:
            self._refused = False
            self._say("")
        (self._cancel if running else self._export).setFocus()

    def _refuse(self, sentence: str) -> None:
        self._say(sentence)
        self._refused = True

    def _say(self, sentence: str) -> None:
        self.error.setText(sentence)
        self.error.setVisible(bool(sentence))

    def sizeHint(self) -> QSize:
        parent = self.parentWidget()
        return _SIZE if parent is None else _SIZE.boundedTo(parent.window().size() - _AROUND)

    def reject(self) -> None:
        """Stop the export; without one, close the dialog."""
        if self.exporter.running:
            self.exporter.stop()
            self._show_running(False)
            self.pane.say("Stopped: nothing was written.")
            return
        super().reject()

    def done(self, result: int) -> None:
        self.pane.rest()
        self.exporter.close()
        super().done(result)


def _button(name: str, text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setToolTip(tip)
    return button
