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
    """Call `stop` with the number of the signal that asks the program to end; the usual ways are back afterwards.

    It is called from Qt's event loop. Python handles a signal between any two steps of a function, where a window may
    be half painted and a list half read.
    """
    asked: list[int] = []

    def on_signal(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    def look() -> None:
        while asked:
            stop(asked.pop())

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    former = {number: signal.signal(number, on_signal) for number in numbers}
    try:
        with _awake(look):
            yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _awake(look: Callable[[], None]) -> Iterator[None]:
    """Let Python run its signal handlers although Qt's loop waits outside of Python, and have a look after them."""
    if sys.platform == "win32":
        timer = QTimer()
        timer.timeout.connect(look)
        timer.start(_TICK)
        yield
        timer.stop()
        return
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    former = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    notifier = QSocketNotifier(reading, QSocketNotifier.Type.Read)

    def on_awake() -> None:
        os.read(reading, 64)
        look()

    notifier.activated.connect(on_awake)
    try:
        yield
    finally:
        notifier.setEnabled(False)
        signal.set_wakeup_fd(former)
        os.close(reading)
        os.close(writing)
