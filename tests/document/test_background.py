"""Work in a thread of its own."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path
from typing import Any

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRunnable

import attnexplorer
from attnexplorer.compute.units import Unit
from attnexplorer.document import recompute
from attnexplorer.document.background import BackgroundThread
from attnexplorer.document.document import Document
from attnexplorer.experiment.examples import load_example


def test_functions_are_called_in_another_thread_one_after_the_other(qapp: QCoreApplication) -> None:
    owner, done = QObject(), []
    background = BackgroundThread(owner)
    for number in range(5):
        background.start(lambda number=number: done.append((number, threading.get_ident())))
    background.wait()
    assert [number for number, _ in done] == [0, 1, 2, 3, 4]
    assert len({thread for _, thread in done}) == 1
    assert done[0][1] != threading.get_ident()


def test_many_edits_between_long_evaluations_do_no_harm(qapp: QCoreApplication, monkeypatch: Any) -> None:
    monkeypatch.setattr(recompute, "LONG", 0.0)
    for _ in range(40):
        document = Document(load_example("animal-street"))
        document.recomputation.watch("weights", lambda experiment: {Unit("weights", 0, 0)})
        for value in range(30):
            gesture = document.new_gesture()
            for more in (0.25, 0.5, 0.0):
                document.set_cell("layers.0.attention.W_Q.0", 0, 0, value + more, gesture)
            document.recomputation.finish()
            if value % 7 == 0:
                document.undo_stack.undo()
        assert document.present_value("layers.0.attention.W_Q.0", 0, 0) == 29.0
        document.close()
        document.deleteLater()
        QCoreApplication.sendPostedEvents(document, QEvent.Type.DeferredDelete.value)


def test_nothing_uses_the_runnables_that_pyside_forgets_to_forget() -> None:
    call = "QRunnable" + ".create("
    sources = Path(attnexplorer.__file__).parent.rglob("*.py")
    assert [path.name for path in sources if call in path.read_text(encoding="utf-8")] == []


def test_an_owner_that_is_deleted_ends_its_work_instead_of_waiting_for_ever(qapp: QCoreApplication) -> None:
    owner, told, seen = QObject(), threading.Event(), []
    background = BackgroundThread(owner, told.set)
    background.start(lambda: seen.append(told.wait(60)))
    background.start(lambda: seen.append("another"))
    # This deletes it while no other thread may run Python.
    shiboken6.delete(owner)
    assert seen in ([True], [True, "another"])


def test_nothing_is_kept_of_what_was_called(qapp: QCoreApplication) -> None:
    class Thing:
        def work(self) -> None:
            pass

    owner, thing = QObject(), Thing()
    there = weakref.ref(thing)
    background = BackgroundThread(owner)
    background.start(thing.work)
    background.wait()
    del thing
    gc.collect()
    assert there() is None


def test_calls_leave_nothing_behind(qapp: QCoreApplication) -> None:
    owner, done = QObject(), []
    background = BackgroundThread(owner)

    def call_often() -> int:
        for _ in range(50):
            background.start(lambda: done.append(1))
        background.wait()
        gc.collect()
        return sum(isinstance(each, QRunnable) for each in gc.get_objects())

    first = call_often()
    assert call_often() == first
    assert len(done) == 100
