"""Python's search for garbage, kept to the thread of the windows and to moments when that is about to wait."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

from PySide6.QtCore import QAbstractEventDispatcher, QObject


@contextlib.contextmanager
def collected_here() -> Iterator[None]:
    """Collect garbage only between the events of this thread's loop, which runs inside.

    Otherwise Python does so wherever one object too many happens to be made, in a thread that computes as well. Widgets
    and timers that are found there would be deleted in the wrong thread, at which Qt hangs or crashes; and a search in
    the middle of a frame holds that up.
    """
    dispatcher, enabled = QAbstractEventDispatcher.instance(), gc.isenabled()
    if dispatcher is None or not enabled:
        yield
        return
    gc.disable()
    # A loop that never waits announces itself by the second.
    connections = [signal.connect(collect_if_due) for signal in (dispatcher.aboutToBlock, dispatcher.awake)]
    try:
        yield
    finally:
        for connection in connections:
            QObject.disconnect(connection)
        gc.enable()


def collect_if_due() -> None:
    """Collect as much as Python itself would now."""
    generations = [number for number, (count, most) in enumerate(_counts()) if count > most > 0]
    if generations:
        gc.collect(generations[-1])


def _counts() -> Iterator[tuple[int, int]]:
    return zip(gc.get_count(), gc.get_threshold(), strict=True)
