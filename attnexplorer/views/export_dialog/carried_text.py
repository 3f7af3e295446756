"""An experiment as files and figures hold it, written in a thread and only when it is needed.

A large one takes seconds, in which Python's lock makes everything that is painted wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from attnexplorer.document.background import BackgroundThread
from attnexplorer.document.storage import SUFFIX as ATTN_SUFFIX
from attnexplorer.experiment.captured import CAPTURE_SUFFIX, Capture
from attnexplorer.experiment.captured_file import capture_bytes
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.fileformat import dumps
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.carrying import MOST_BYTES, marked

MOST_NUMBERS_UNASKED = 300_000
"""The text of more numbers is not written before a figure is."""


class CarriedText(QObject):
    """Writes the text once, after `start`.

    Attributes
    ----------
    texts
        The file of the experiment, and of the one that it is compared with; empty until they are written.
    length
        How long the first is in a figure; 0 if it is too long to be carried.
    problem
        Why they could not be written.
    """

    ready = Signal()
    _written = Signal(object, int, str)

    def __init__(self, experiment: Experiment, other: Experiment | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._experiments = [experiment, *([] if other is None else [other])]
        self.texts: tuple[bytes, ...] = ()
        self.length = 0
        self.problem = ""
        self._is_started = False
        self._thread = BackgroundThread(self)
        self._written.connect(self._on_written)

    @property
    def is_large(self) -> bool:
        """Whether the text takes long."""
        return sum(map(number_count, self._experiments)) > MOST_NUMBERS_UNASKED

    @property
    def suffix(self) -> str:
        """How the names of the files end."""
        return suffix_of(self._experiments[0])

    def start(self) -> None:
        """Begin, unless that was done already."""
        if not self._is_started:
            self._is_started = True
            self._thread.start(self._write)

    @property
    def is_done(self) -> bool:
        """Whether the texts are there, or cannot be."""
        return bool(self.texts or self.problem)

    def finish(self) -> None:
        """Wait until the thread is done."""
        self._thread.wait()

    def _write(self) -> None:
        try:
            texts = tuple(map(_file_of, self._experiments))
        except (ExperimentError, UnicodeEncodeError, MemoryError) as error:
            self._written.emit((), 0, f"the experiment cannot be written: {error}")
            return
        length = len(marked(texts[0])) if len(texts[0]) <= MOST_BYTES else 0
        self._written.emit(texts, length, "")

    def _on_written(self, texts: tuple[bytes, ...], length: int, problem: str) -> None:
        self.texts, self.length, self.problem = texts, length, problem
        self.ready.emit()


def suffix_of(experiment: Experiment) -> str:
    """Return how the name of an experiment's own file ends."""
    return CAPTURE_SUFFIX if isinstance(experiment, Capture) else ATTN_SUFFIX


def _file_of(experiment: Experiment) -> bytes:
    return capture_bytes(experiment) if isinstance(experiment, Capture) else dumps(experiment).encode("utf-8")


def number_count(part: Any) -> int:
    """Return how many numbers the matrices of an experiment, or of a part of it, hold."""
    if isinstance(part, np.ndarray):
        return part.size
    if isinstance(part, Mapping):
        return sum(map(number_count, part.values()))
    if isinstance(part, (tuple, list)):
        return sum(map(number_count, part))
    if is_dataclass(part):
        return sum(number_count(getattr(part, field.name)) for field in fields(part))
    return 0
