"""Autosave: a few seconds after an edit a recovery copy is on the disk, and gone again once the work is saved."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from attnexplorer.document.background import BackgroundThread
from attnexplorer.document.recovery import Origin, RecoveryCopy
from attnexplorer.document.storage import Storage, present_experiment
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.model import Experiment

DELAY = 3000
"""Milliseconds from the first unsaved edit to its copy, and between two copies at least."""


class Autosave(QObject):
    """Keeps the recovery copy of one document; it is written by a worker, so that a slow disk stops nobody."""

    failed = Signal(str)
    """Emitted with a sentence when a copy could not be written; not again before one could."""
    succeeded = Signal()
    _written = Signal(str)

    def __init__(
        self, storage: Storage, copy: RecoveryCopy | None = None, parent: QObject | None = None, *, delay: int = DELAY
    ) -> None:
        super().__init__(parent)
        self._storage = storage
        self._copy = copy or RecoveryCopy()
        self._running = False
        self._failing = False
        self._stopped = False
        self._background = BackgroundThread(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(delay)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._written.connect(self._on_written, Qt.ConnectionType.QueuedConnection)
        storage.document.experiment_changed.connect(self._on_something_changed)
        storage.changed.connect(self._on_something_changed)
        self._on_something_changed()

    def save_now(self) -> None:
        """Write the copy at once if there is unsaved work: the program may be about to end."""
        self._timer.stop()
        self._background.wait()
        if self._storage.modified and not self._stopped:
            self._report(self._attempt(present_experiment(self._storage.document), self._origin()))

    def adopt(self, copy: RecoveryCopy) -> None:
        """Go on with a claimed copy, which the document was restored from."""
        self._background.wait()
        self._copy.remove()
        self._copy = copy

    def stop(self, *, keep: bool = False) -> None:
        """End for good; the copy is removed unless it is to be offered at the next start."""
        if self._stopped:
            return
        self._stopped = True
        self._timer.stop()
        self._background.wait()
        if keep:
            self._copy.release()
        else:
            self._copy.remove()

    def _on_something_changed(self) -> None:
        if self._stopped:
            return
        if not self._storage.modified:
            self._timer.stop()
            if not self._running:
                self._copy.remove()
        elif not self._timer.isActive():
            self._timer.start()

    def _on_timer_timeout(self) -> None:
        if self._running:
            self._timer.start()
            return
        self._running = True
        experiment, origin = present_experiment(self._storage.document), self._origin()
        self._copy.claim()
        self._background.start(lambda: self._work(experiment, origin))

    def _work(self, experiment: Experiment, origin: Origin) -> None:
        refusal = "the program failed"
        try:
            refusal = self._attempt(experiment, origin)
        finally:
            self._written.emit(refusal)

    def _on_written(self, refusal: str) -> None:
        self._running = False
        if self._stopped:
            return
        if not self._storage.modified:
            self._copy.remove()
        self._report(refusal)

    def _attempt(self, experiment: Experiment, origin: Origin) -> str:
        """Write the copy and return why it was not possible, or nothing."""
        try:
            self._copy.claim()
            self._copy.write(experiment, origin)
        except FileError as error:
            return error.sentence
        return ""

    def _report(self, refusal: str) -> None:
        if not refusal:
            self._failing = False
            self.succeeded.emit()
        elif not self._failing:
            self._failing = True
            self.failed.emit(f"No recovery copy is kept ({refusal.removeprefix('not saved: ')}).")

    def _origin(self) -> Origin:
        title = self._storage.document.experiment.title
        return Origin(self._storage.path, self._storage.known_state, datetime.now(), title)
