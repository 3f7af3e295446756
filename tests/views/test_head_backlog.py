"""Small jobs of the Heads workspace: the quick ones at once, the slow ones when nothing else is to be painted."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from attnexplorer.views.heads.backlog import REST, Backlog


def test_slow_jobs_are_done_after_a_rest(qtbot: QtBot) -> None:
    done: list[str] = []
    backlog = Backlog()
    backlog.begin([lambda: done.append("quick")], [lambda: done.append("slow")])
    assert done == ["quick"]

    qtbot.waitUntil(lambda: done == ["quick", "slow"])
    assert backlog.pending == 0


def test_the_rest_begins_when_what_came_with_the_jobs_is_painted(qtbot: QtBot) -> None:
    done: list[float] = []
    painted: list[float] = []
    backlog = Backlog()

    def paint() -> None:
        time.sleep(REST / 1000 + 0.05)
        painted.append(time.monotonic())

    QTimer.singleShot(0, paint)
    backlog.begin([], [lambda: done.append(time.monotonic())])

    qtbot.waitUntil(lambda: bool(done))
    assert done[0] - painted[0] >= REST / 1000 - 0.02


def test_jobs_that_are_stopped_are_never_done(qtbot: QtBot) -> None:
    done: list[str] = []
    backlog = Backlog()
    backlog.begin([], [lambda: done.append("slow")])
    backlog.stop()

    qtbot.wait(REST + 50)
    assert done == []
