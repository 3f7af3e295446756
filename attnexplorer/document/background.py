"""A thread for work that would make the window wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, QRunnable, QThreadPool


class BackgroundThread:
    """Calls functions in one thread, one after the other.

    It stands in for `QRunnable.create`, which must not be used: the pool deletes what that returns, but PySide goes on
    knowing the place in memory, and the next undo command that happens to be made there crashes the program when it is
    deleted.
    """

    def __init__(self, parent: QObject, stop: Callable[[], None] = lambda: None) -> None:
        """`stop` is called when `parent` is deleted; it makes the function that is being called come to its end."""
        self._pool = QThreadPool(parent)
        self._pool.setMaxThreadCount(1)
        # One for all calls: PySide leaves what a pool was given to the pool, which never deletes it.
        self._work = _Work()
        self._stop = stop
        parent.destroyed.connect(self._on_parent_destroyed)

    def start(self, call: Callable[[], None]) -> None:
        """Have a function called after those that wait already; it must not raise."""
        self._work.calls.append(call)
        self._pool.start(self._work)

    def wait(self) -> None:
        """Wait until every function has returned."""
        self._pool.waitForDone()

    def _on_parent_destroyed(self) -> None:
        # The pool, about to be deleted, waits as well; but not so that the thread can run Python meanwhile.
        self._stop()
        self._pool.clear()
        self.wait()


class _Work(QRunnable):
    """Makes the first of the calls that wait; the pool is given it once a call."""

    def __init__(self) -> None:
        super().__init__()
        self.setAutoDelete(False)
        self.calls: deque[Callable[[], None]] = deque()

    def run(self) -> None:
        # What is called is let go of at once: it may hold the owner of the thread, which Python would not find out.
        try:
            call = self.calls.popleft()
        except IndexError:
            return
        call()
