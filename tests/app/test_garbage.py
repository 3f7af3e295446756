"""Garbage is looked for in the thread of the windows only, between events, and as before once the loop is over."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QWidget

from attnexplorer.app.garbage import collect_if_due, collected_here


class Ring:
    """An object that only a search for garbage can free."""

    def __init__(self) -> None:
        self.itself = self


class WidgetRing(QWidget):
    """The same as a widget with a timer."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self
        self.timer = QTimer(self)


@pytest.fixture
def threads() -> Iterator[list[str]]:
    """The names of the threads in which garbage was looked for."""
    found: list[str] = []

    def note(phase: str, _information: dict[str, int]) -> None:
        if phase == "start":
            found.append(threading.current_thread().name)

    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)


def run_loop(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


@pytest.fixture
def searching(qapp: object) -> Iterator[None]:
    """Python looks for garbage by itself, as it does when the program starts; tests keep it from that."""
    gc.enable()
    yield
    gc.disable()


@pytest.mark.usefixtures("searching")
def test_a_thread_that_makes_garbage_collects_none_and_the_loop_does(threads: list[str]) -> None:
    with collected_here():
        widget = weakref.ref(WidgetRing())
        worker = threading.Thread(target=lambda: [Ring() for _ in range(20_000)], name="worker")
        threads.clear()
        worker.start()
        worker.join()
        assert threads == []
        run_loop(20)
        assert set(threads) == {threading.main_thread().name}
        gc.collect()
    assert widget() is None


@pytest.mark.usefixtures("searching")
def test_python_searches_again_when_the_loop_is_over() -> None:
    with collected_here():
        assert not gc.isenabled()
        with collected_here():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


@pytest.mark.usefixtures("qapp")
def test_nothing_is_collected_before_it_is_due(threads: list[str]) -> None:
    gc.collect()
    threads.clear()
    collect_if_due()
    assert threads == []
    kept = [[] for _ in range(gc.get_threshold()[0] + 200)]
    collect_if_due()
    assert len(threads) == 1
    assert kept
