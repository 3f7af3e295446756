"""Small jobs done a few milliseconds at a time, so that the window never waits for them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, Signal

Job = Callable[[], None]
BUDGET = 0.003
"""Seconds that a turn may take."""


class Backlog(QObject):
    """Does jobs in turn. What fits into a first turn is done at once; `advanced` is emitted after each later turn."""

    advanced = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs: deque[Job] = deque()
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def pending(self) -> int:
        """How many jobs are left."""
        return len(self._jobs)

    def begin(self, jobs: Iterable[Job]) -> None:
        """Replace what is left by new jobs."""
        self._jobs = deque(jobs)
        self._work()

    def finish(self) -> None:
        """Do all that is left now."""
        while self._jobs:
            self._jobs.popleft()()
        self._timer.stop()
        self.advanced.emit()

    def stop(self) -> None:
        """Forget what is left."""
        self._jobs.clear()
        self._timer.stop()

    def _work(self) -> None:
        end = time.perf_counter() + BUDGET
        while self._jobs and time.perf_counter() < end:
            self._jobs.popleft()()
        if not self._jobs:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def _on_timeout(self) -> None:
        self._work()
        self.advanced.emit()
