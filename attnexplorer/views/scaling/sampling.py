"""Draws the laboratory's vectors in a thread of its own, with progress, and can be stopped. Keeps what was found."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Qt, Signal

from attnexplorer.compute.dot_products import WIDTHS, DotProducts, components, dot_products
from attnexplorer.document.background import BackgroundThread

KEPT_SEEDS = 16
_PAUSE = 0.04
"""Progress is told at most once in so many seconds."""


class Sampling(QObject):
    """One run at a time; a new one stops the one before. Results arrive in the thread that this object lives in."""

    found = Signal(int)
    """The results of a seed have become more."""
    progressed = Signal(float)
    """The share that is done of the present run."""
    running_changed = Signal(bool)
    _width_done = Signal(object, object)
    _told = Signal(object, float)
    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: OrderedDict[int, dict[int, DotProducts]] = OrderedDict()
        self._run: threading.Event | None = None
        self._background = BackgroundThread(self, self._end_run)
        queued = Qt.ConnectionType.QueuedConnection
        self._width_done.connect(self._on_width_done, queued)
        self._told.connect(self._on_told, queued)
        self._ended.connect(self._on_ended, queued)

    @property
    def running(self) -> bool:
        """Whether vectors are being drawn."""
        return self._run is not None

    def results(self, seed: int) -> Mapping[int, DotProducts]:
        """Return what is known of a seed, by width."""
        return self._known.get(seed, {})

    def complete(self, seed: int) -> bool:
        """Tell whether every width of a seed is known."""
        return len(self.results(seed)) == len(WIDTHS)

    def start(self, seed: int, first: int) -> None:
        """Draw what is not known of a seed, beginning with one width; a run that goes on is stopped."""
        self.stop()
        missing = [
            width for width in sorted(WIDTHS, key=lambda it: (it != first, it)) if width not in self.results(seed)
        ]
        if not missing:
            return
        self._run = run = threading.Event()
        self.running_changed.emit(True)
        self._background.start(self._work(run, seed, missing))

    def stop(self) -> None:
        """Stop drawing; what is finished is kept."""
        if self._run is not None:
            self._run.set()
            self._run = None
            self.running_changed.emit(False)

    def wait(self) -> None:
        """Wait until the thread has come to its end."""
        self._background.wait()

    def _end_run(self) -> None:
        if self._run is not None:
            self._run.set()

    def _work(self, run: threading.Event, seed: int, widths: Sequence[int]) -> Callable[[], None]:
        whole = sum(map(components, widths))

        def work() -> None:
            drawn, last = 0, time.monotonic()

            def progress(more: int) -> bool:
                nonlocal drawn, last
                drawn += more
                now = time.monotonic()
                if now - last > _PAUSE and not run.is_set():
                    last = now
                    self._told.emit(run, drawn / whole)
                return not run.is_set()

            for width in widths:
                result = dot_products(width, seed, progress)
                if result is None or run.is_set():
                    return
                self._width_done.emit(run, result)
            self._ended.emit(run)

        return work

    def _on_width_done(self, run: threading.Event, result: DotProducts) -> None:
        self._known.setdefault(result.seed, {})[result.d_k] = result
        self._known.move_to_end(result.seed)
        while len(self._known) > KEPT_SEEDS:
            self._known.popitem(last=False)
        self.found.emit(result.seed)

    def _on_told(self, run: threading.Event, share: float) -> None:
        if run is self._run:
            self.progressed.emit(share)

    def _on_ended(self, run: threading.Event) -> None:
        if run is self._run:
            self._run = None
            self.running_changed.emit(False)
