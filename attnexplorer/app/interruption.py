"""Ctrl-C in the terminal, and a system that ends the program: both reach Qt's event loop at once."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType

from PySide6.QtCore import QSocketNotifier, QTimer

_TICK = 250


@contextlib.contextmanager
def interruptible(stop: Callable[[int], None]) -> Iterator[None]:
    """Call `stop` with the number of the signal that asks the program to end; the usual ways are back afterwards."""

    def on_signal(number: int, frame: FrameType | None) -> None:
        stop(number)

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    former = {number: signal.signal(number, on_signal) for number in numbers}
    try:
        with _awake():
            yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _awake() -> Iterator[None]:
    """Let Python run its signal handlers although Qt's loop waits outside of Python."""
    if sys.platform == "win32":
        timer = QTimer()
        timer.timeout.connect(lambda: None)
        timer.start(_TICK)
        yield
        timer.stop()
        return
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    former = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    notifier = QSocketNotifier(reading, QSocketNotifier.Type.Read)
    notifier.activated.connect(lambda: os.read(reading, 64))
    try:
        yield
    finally:
        notifier.setEnabled(False)
        signal.set_wakeup_fd(former)
        os.close(reading)
        os.close(writing)
