"""Writing a file that takes long to make, in a thread: the window never waits, and stopping is at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal

from attnexplorer.compute.progress import Step
from attnexplorer.document.background import BackgroundThread
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.saving import write_whole

Contents = Callable[[Step], bytes]
"""Makes the bytes of the file, and tells its argument how far it is."""


class _Stopped(Exception):
    """Ends an export that is no longer wanted."""


class BackgroundExport(QObject):
    """One export at a time. Nothing is emitted of one that was stopped."""

    progressed = Signal(int, int)
    """Emitted with how much of how much is done."""
    written = Signal(object)
    """Emitted with the path of the file."""
    failed = Signal(str)
    """Emitted with a sentence, without a full stop."""
    _told = Signal(int, int, int)
    _ended = Signal(int, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runs = 0
        self._wanted = 0
        self._thread = BackgroundThread(self, self._forget)
        self._told.connect(self._on_told, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    @property
    def running(self) -> bool:
        """Whether a file is being made."""
        return self._wanted != 0

    def start(self, contents: Contents, file: Path) -> None:
        """Begin; one that runs already is stopped."""
        self._runs += 1
        run = self._wanted = self._runs

        def work() -> None:
            error = self._attempt(run, contents, file)
            if run == self._wanted:
                self._ended.emit(run, file, error)

        self._thread.start(work)

    def stop(self) -> None:
        """Want the file no more; only what is being put on the disk already is still finished."""
        self._forget()

    def finish(self) -> None:
        """Wait until the thread is done; what it found out is told afterwards."""
        self._thread.wait()

    def _forget(self) -> None:
        self._wanted = 0

    def _attempt(self, run: int, contents: Contents, file: Path) -> Exception | None:
        def step(done: int, total: int) -> None:
            if run != self._wanted:
                raise _Stopped
            self._told.emit(run, done, total)

        try:
            data = contents(step)
            step(1, 1)
            write_whole(data, file)
        except Exception as error:
            # It would be lost in the thread, and the window would wait for ever.
            return error
        return None

    def _on_told(self, run: int, done: int, total: int) -> None:
        if run == self._wanted:
            self.progressed.emit(done, total)

    def _on_ended(self, run: int, file: Path, error: Exception | None) -> None:
        if run != self._wanted:
            return
        self._wanted = 0
        if error is None:
            self.written.emit(file)
        elif isinstance(error, ExperimentError):
            self.failed.emit(str(error))
        elif isinstance(error, MemoryError):
            self.failed.emit(f"{file.name}: not saved: there is not enough memory for it")
        else:
            self.failed.emit(f"{file.name}: not saved: {error}")
            raise error
