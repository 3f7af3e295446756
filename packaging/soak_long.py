"""The long run: a slider that moves for minutes, and whether widgets, timers, threads or files grow in number."""

from __future__ import annotations

import gc
import math
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication
from soak_findings import Findings, Holding, give_back_large_pieces, holding
from soak_growth import growth

from attnexplorer.app.garbage import collected_here
from attnexplorer.app.launch import make_application, make_windows
from attnexplorer.app.main_window import MainWindow
from attnexplorer.document.storage import load_copy_of_example
from attnexplorer.experiment.examples import example_names
from attnexplorer.views.scale_slider import RADIUS, ScaleSlider

LOOKS = 12
WARMING_UP = 5.0
"""Seconds before the first look: by then a recovery copy was written, and what that needs is there."""
LARGEST_GROWTH = 0.05
FRAME = 8
"""Milliseconds between two movements."""
HOLD = 200
"""Movements of one hold of the slider, which is one step of undo."""


def long(seconds: float, seed: int) -> list[str]:
    """Move the slider for so long and return what was found."""
    findings = Findings()
    application = make_application()
    findings.install()
    give_back_large_pieces()
    with tempfile.TemporaryDirectory(prefix="attnexplorer-long-") as folder:
        os.environ["ATTNEXPLORER_STATE"] = str(Path(folder) / "state")
        windows = make_windows()
        name = random.Random(seed).choice(example_names())
        window = windows.show_new(load_copy_of_example(name))
        window.resize(1440, 900)
        run = _Hand(window, seconds)
        QTimer.singleShot(0, run.begin)
        with collected_here():
            application.exec()
        window.may_close = lambda: True
        window.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    print(f"The slider moved {run.moves} times in {seconds:.0f} s, seed {seed}, example {name}.")
    for problem in run.grown():
        findings.add(problem)
    return findings.texts


class _Hand:
    """A hand that moves the slider with real mouse events, and a look at what is held every so often."""

    def __init__(self, window: MainWindow, seconds: float) -> None:
        self._window, self._seconds = window, seconds
        self._timer = QTimer()
        self._timer.timeout.connect(self._move)
        self._timers = 0
        self._looked: list[tuple[Holding, int]] = []
        self._began = 0.0
        self.moves = 0

    def begin(self) -> None:
        """Begin to move."""
        slider = self._window.findChild(ScaleSlider)
        assert isinstance(slider, ScaleSlider)
        self._slider = slider
        self._began = time.monotonic()
        self._timer.start(FRAME)

    def grown(self) -> list[str]:
        """Return what was never as few in the second half as it was in the first; what comes and goes is no leak."""
        half = len(self._looked) // 2
        first, second = self._looked[:half], self._looked[half:]
        problems = []
        for name, count in _COUNTS.items():
            before, after = max(map(count, first)), min(map(count, second))
            if after > before:
                problems.append(f"{name} grew from {before} to {after}")
        grown = growth([held.megabytes for held, _ in second])
        print(f"Memory grew by {grown:.1%} over the second half.")
        return [*problems, *([f"memory grew by {grown:.1%}"] if grown > LARGEST_GROWTH else [])]

    def _move(self) -> None:
        elapsed = time.monotonic() - self._began - WARMING_UP
        if elapsed > 0 and len(self._looked) < LOOKS * elapsed / self._seconds:
            self._look(elapsed)
        if elapsed >= self._seconds:
            self._send(QEvent.Type.MouseButtonRelease)
            self._look(elapsed)
            self._timer.stop()
            QApplication.exit(0)  # quit would ask the windows, which ask the user
            return
        if self.moves % HOLD == 0:
            self._send(QEvent.Type.MouseButtonRelease)
            self._send(QEvent.Type.MouseButtonPress)
            # The steps of undo are bounded here so that what they rightly hold does not count as a leak.
            if self.moves % (HOLD * 10) == 0:
                self._window.document.undo_stack.clear()
        self._send(QEvent.Type.MouseMove)
        self.moves += 1

    def _send(self, kind: QEvent.Type) -> None:
        width = self._slider.width() - 2 * RADIUS
        place = QPointF(RADIUS + width * (0.5 - 0.5 * math.cos(self.moves / 40)), 13.0)
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
        held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
        shift = Qt.KeyboardModifier.ShiftModifier
        event = QMouseEvent(kind, place, self._slider.mapToGlobal(place), button, held, shift)
        QApplication.sendEvent(self._slider, event)

    def _look(self, elapsed: float) -> None:
        held = holding()
        timers = sum(it.isActive() for it in gc.get_objects() if type(it) is QTimer)
        self._looked.append((held, timers))
        print(
            f"{elapsed:.0f} s: {held.megabytes:.1f} MB, {held.allocated:.1f} of them allocated, "
            f"{held.widgets} widgets, {timers} timers, {held.threads} threads, {held.files} files, "
            f"{held.objects} objects, {self.moves} moves",
            flush=True,
        )


_COUNTS: dict[str, Callable[[tuple[Holding, int]], int]] = {
    "widgets": lambda it: it[0].widgets,
    "threads": lambda it: it[0].threads,
    "open files": lambda it: it[0].files,
    "running timers": lambda it: it[1],
}
