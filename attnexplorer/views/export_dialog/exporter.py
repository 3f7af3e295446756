"""One export from beginning to end: the experiment's text, the process that makes the figure, and the file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.saving import write_whole
from attnexplorer.figures.command_words import command_words
from attnexplorer.figures.export import Export
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.views.export_dialog.carried_text import CarriedText
from attnexplorer.views.export_dialog.export_process import ExportProcess, sentence_of


class Exporter(QObject):
    """Makes figures of one experiment, and of one that it is compared with."""

    progressed = Signal(int, int)
    """Emitted with how many pages or pictures of how many are done."""
    written = Signal(object)
    """Emitted with the path of the file."""
    failed = Signal(str)
    """Emitted with a sentence; nothing was written."""
    text_ready = Signal()
    """Emitted once it is known how long the text of the experiment is."""

    def __init__(self, experiment: Experiment, other: Experiment | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.text = CarriedText(experiment, other, self)
        self.process = ExportProcess(self)
        self._wanted: tuple[Path, FigureSpec, Export] | None = None
        self.text.ready.connect(self._on_text_ready)
        self.process.progressed.connect(self.progressed)
        self.process.made.connect(self._on_process_made)
        self.process.failed.connect(self._fail)

    @property
    def running(self) -> bool:
        """Whether a figure is being made."""
        return self._wanted is not None

    def begin(self, path: Path, spec: FigureSpec, export: Export) -> None:
        """Make a figure and write it, replacing what is there."""
        self._wanted = (path, spec, export)
        self.text.start()
        if self.text.is_done:
            self._start()

    def stop(self) -> None:
        """End at once; nothing is written, and nothing is emitted any more."""
        self._wanted = None
        self.process.stop()

    def close(self) -> None:
        """Stop, and wait for the thread."""
        self.stop()
        self.text.finish()

    def _start(self) -> None:
        if self._wanted is None:
            return
        if self.text.problem:
            self._fail(sentence_of(self.text.problem))
            return
        _, spec, export = self._wanted
        texts = self.text.texts if spec.what == "compare" or spec.shown != "B" else self.text.texts[:1]
        try:
            self.process.start(export.form, command_words(spec, export), texts, self.text.suffix)
        except OSError as error:
            self.process.stop()
            self._fail(f"The figure could not be made: {error.strerror or error}.")

    def _on_text_ready(self) -> None:
        self.text_ready.emit()
        self._start()

    def _on_process_made(self, data: bytes) -> None:
        if self._wanted is None:
            return
        path = self._wanted[0]
        try:
            write_whole(data, path)
        except FileError as error:
            self._fail(sentence_of(str(error)))
            return
        self._wanted = None
        self.written.emit(path)

    def _fail(self, sentence: str) -> None:
        self._wanted = None
        self.failed.emit(sentence)
