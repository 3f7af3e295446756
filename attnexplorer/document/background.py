"""A thread for work that would make the window wait."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QRunnable, QThreadPool


class BackgroundThread:
    """Calls functions in one thread, one after the other.

    It stands in for `QRunnable.create`, which must not be used: the pool deletes what that returns, but PySide goes on
    knowing the place in memory, and the next undo command that happens to be made there crashes the program when it is
    deleted.
    """

    def __init__(self, parent: QObject) -> None:
        self._pool = QThreadPool(parent)
        self._pool.setMaxThreadCount(1)
        self._works: list[_Work] = []

    def start(self, call: Callable[[], None]) -> None:
        """Have a function called after those that wait already; it must not raise."""
        self._works = [work for work in self._works if not work.is_done]
        self._works.append(_Work(call))
        self._pool.start(self._works[-1])

    def wait(self) -> None:
        """Wait until every function has returned."""
        self._pool.waitForDone()


class _Work(QRunnable):
    def __init__(self, call: Callable[[], None]) -> None:
        super().__init__()
        self.setAutoDelete(False)
        self._call = call
        self.is_done = False

    def run(self) -> None:
        try:
            self._call()
        finally:
            self.is_done = True
