"""Signals that ask the program to end."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot
from real_windows import program

from attnexplorer.app.interruption import interruptible

E = "embedding.E"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the signals are Unix's")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_heard_when_what_is_going_on_is_done(qtbot: QtBot, number: signal.Signals) -> None:
    heard: list[int] = []
    with interruptible(heard.append):
        signal.raise_signal(number)
        assert heard == []
        qtbot.waitUntil(lambda: heard == [number])


def test_a_signal_in_the_midst_of_an_edit_leaves_only_after_it(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNEXPLORER_STATE", str(tmp_path))
    with program() as windows, interruptible(lambda _: windows.leave()):
        window = windows.show_first_example()
        qtbot.waitExposed(window)
        window.document.experiment_changed.connect(lambda *_: signal.raise_signal(signal.SIGTERM))
        shown: list[bool] = []

        def edit() -> None:
            window.document.set_cell(E, 0, 0, 7.0)
            shown.append(window.isVisible())

        QTimer.singleShot(0, edit)
        qtbot.waitUntil(lambda: not windows.open)
        assert shown == [True]
