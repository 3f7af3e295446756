"""Small jobs done a few milliseconds at a time, so that the window never waits for them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, Signal

Job = Callable[[], None]
BUDGET = 0.004
"""Seconds that a turn may take."""
REST = 250
"""Milliseconds without new jobs after which the rest of them is done: a drag is not held up by them."""


class Backlog(QObject):
    """Does jobs in turn: at once what is quick, the rest when no new jobs come. `advanced` follows each later turn."""

    advanced = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs: deque[Job] = deque()
        self._painted = True
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def pending(self) -> int:
        """How many jobs are left."""
        return len(self._jobs)

    def begin(self, quick: Iterable[Job], slow: Iterable[Job]) -> None:
        """Replace what is left by new jobs. As many of the quick ones as fit into a turn are done now."""
        self._jobs = deque(quick)
        self._work()
        self._jobs.extend(slow)
        self._timer.stop()
        # The rest begins once what the new jobs came with is painted: where that takes long, the jobs would be done
        # in between otherwise, and make it take longer still.
        self._painted = False
        if self._jobs:
            self._timer.start(0)

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

    def _on_timeout(self) -> None:
        if not self._painted:
            self._painted = True
            self._timer.start(REST)
            return
        self._work()
        if self._jobs:
            self._timer.start(0)
        self.advanced.emit()
