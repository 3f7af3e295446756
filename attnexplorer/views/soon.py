"""Calls that are made a moment later, once what waits in the loop of events is done."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def soon(owner: QObject, call: Callable[[], object]) -> None:
    """Make a call soon, unless the owner is deleted before.

    It stands in for `QTimer.singleShot` with an owner, of which PySide 6.11 keeps the call, and all that it holds, for
    ever where the owner is deleted first.
    """
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.timeout.connect(call)
    timer.timeout.connect(timer.deleteLater)
    timer.start(0)
