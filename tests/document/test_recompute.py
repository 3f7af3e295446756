"""Evaluation after edits: gathered, on this thread or on the worker, and always of what is shown."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication

from attnexplorer.compute.engine import Engine, Evaluation, Plan
from attnexplorer.compute.units import Unit
from attnexplorer.document import recompute
from attnexplorer.document.document import Document
from attnexplorer.experiment.edits import widths
from attnexplorer.experiment.examples import load_example

W_Q = "layers.0.attention.W_Q.0"
WEIGHTS, OUTPUT = Unit("weights", 0, 0), Unit("head_output", 0, 0)


class Gate:
    """Makes the worker wait before it computes, so that a test can do something meanwhile."""

    def __init__(self) -> None:
        self.entered, self.open = threading.Semaphore(0), threading.Semaphore(0)
        self.failure: Exception | None = None

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        run = Engine.run

        def gated(engine: Engine, plan: Plan) -> Evaluation:
            if threading.current_thread() is not threading.main_thread():
                self.entered.release()
                assert self.open.acquire(timeout=20)
                if self.failure is not None:
                    raise self.failure
            return run(engine, plan)

        monkeypatch.setattr(Engine, "run", gated)


@pytest.fixture
def shown(qapp: QCoreApplication) -> Iterator[tuple[Document, list[Evaluation]]]:
    """A document of which the weights are watched, and its evaluations so far."""
    document, evaluations = Document(load_example("animal-street")), []
    document.evaluated.connect(evaluations.append)
    document.recomputation.watch("weights", lambda experiment: {WEIGHTS})
    document.recomputation.finish()
    evaluations.clear()
    yield document, evaluations
    document.close()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, shown: Any) -> Gate:
    """From now on everything is long work, and the worker waits at the gate."""
    made = Gate()
    made.install(monkeypatch)
    monkeypatch.setattr(recompute, "LONG", 0.0)
    return made


def scores_of(document: Document) -> Any:
    return Engine().evaluate(document.experiment, {WEIGHTS}).arrays[WEIGHTS]


def test_a_burst_of_edits_is_evaluated_once(shown: Any, qtbot: Any) -> None:
    document, evaluations = shown
    for value in (2.0, 3.0, 4.0):
        document.set_cell(W_Q, 0, 0, value)
    assert evaluations == []
    qtbot.waitUntil(lambda: len(evaluations) > 0)
    assert len(evaluations) == 1
    assert np.array_equal(document.matrix("layers.0.weights.0"), scores_of(document))


def test_only_what_is_watched_is_evaluated(shown: Any) -> None:
    document, _ = shown
    assert set(document.evaluation.arrays) == {WEIGHTS}
    document.recomputation.watch("output", lambda experiment: {OUTPUT})
    document.recomputation.finish()
    assert set(document.evaluation.arrays) == {WEIGHTS, OUTPUT}
    document.recomputation.unwatch("output")
    document.set_cell(W_Q, 0, 0, 2.0)
    document.recomputation.finish()
    assert set(document.evaluation.arrays) == {WEIGHTS}


def test_what_an_edit_does_not_reach_keeps_the_very_same_array(shown: Any) -> None:
    document, _ = shown
    before = document.matrix("layers.0.weights.0")
    document.set_cell("layers.0.attention.W_V.0", 0, 0, 9.0)
    document.recomputation.finish()
    assert document.matrix("layers.0.weights.0") is before
    assert document.evaluation.recomputed == ()


def test_long_work_is_done_by_the_worker_and_shown_when_it_is_finished(shown: Any, gate: Gate, qtbot: Any) -> None:
    document, evaluations = shown
    busy: list[bool] = []
    document.recomputation.busy_changed.connect(busy.append)
    before = document.evaluation
    document.set_cell(W_Q, 0, 0, 2.0)
    qtbot.waitUntil(lambda: document.recomputation.busy)
    assert gate.entered.acquire(timeout=20)
    assert document.evaluation is before
    gate.open.release()
    qtbot.waitUntil(lambda: len(evaluations) == 1)
    assert np.array_equal(document.matrix("layers.0.weights.0"), scores_of(document))
    assert busy == [True, False]


def test_of_the_requests_that_wait_only_the_newest_is_done(shown: Any, gate: Gate, qtbot: Any) -> None:
    document, evaluations = shown
    document.set_cell(W_Q, 0, 0, 2.0)
    qtbot.waitUntil(lambda: document.recomputation.busy)
    for value in (3.0, 4.0, 5.0):
        document.set_cell(W_Q, 0, 0, value)
        document.recomputation.flush()
    gate.open.release(2)
    qtbot.waitUntil(lambda: len(evaluations) == 2)
    assert [e.experiment.layers[0].attention.W_Q[0][0, 0] for e in evaluations] == [2.0, 5.0]
    assert not document.recomputation.busy
    assert np.array_equal(document.matrix("layers.0.weights.0"), scores_of(document))


def test_an_answer_of_old_shapes_is_not_shown(shown: Any, gate: Gate, qtbot: Any) -> None:
    document, evaluations = shown
    document.set_cell(W_Q, 0, 0, 2.0)
    qtbot.waitUntil(lambda: document.recomputation.busy)
    document.apply("Set d_k", lambda experiment: widths.set_d_k(experiment, 0, 5))
    gate.open.release(2)
    qtbot.waitUntil(lambda: len(evaluations) == 1)
    assert evaluations[0].experiment is document.experiment
    assert evaluations[0].experiment.layers[0].attention.d_k == 5


def test_waiting_for_the_end_shows_the_newest(shown: Any, gate: Gate) -> None:
    document, evaluations = shown
    gate.open.release(2)
    document.set_cell(W_Q, 0, 0, 2.0)
    document.recomputation.flush()
    document.set_cell(W_Q, 0, 0, 3.0)
    document.recomputation.finish()
    assert evaluations[-1].experiment is document.experiment
    assert np.array_equal(document.matrix("layers.0.weights.0"), scores_of(document))


def test_word_of_a_run_that_was_waited_for_is_not_taken_for_the_next_one(shown: Any, gate: Gate, qtbot: Any) -> None:
    document, evaluations = shown
    gate.open.release()
    document.set_cell(W_Q, 0, 0, 2.0)
    document.recomputation.finish()  # the worker's own message is still in the queue
    document.set_cell(W_Q, 0, 0, 3.0)
    document.recomputation.flush()
    QCoreApplication.processEvents()
    assert document.recomputation.busy
    assert len(evaluations) == 1
    gate.open.release()
    qtbot.waitUntil(lambda: len(evaluations) == 2)
    assert evaluations[-1].experiment is document.experiment


def test_closing_while_the_worker_is_busy_shows_nothing_any_more(shown: Any, gate: Gate, qtbot: Any) -> None:
    document, evaluations = shown
    document.set_cell(W_Q, 0, 0, 2.0)
    qtbot.waitUntil(lambda: document.recomputation.busy)
    gate.open.release()
    document.close()
    QCoreApplication.processEvents()
    assert evaluations == []
    assert not document.recomputation.busy
    document.set_cell(W_Q, 0, 0, 3.0)
    document.recomputation.watch("late", lambda experiment: {WEIGHTS})
    QCoreApplication.processEvents()
    assert evaluations == []


def test_work_that_fails_says_so_and_the_next_edit_is_evaluated(shown: Any, gate: Gate) -> None:
    document, evaluations = shown
    gate.failure = MemoryError("no room")
    gate.open.release()
    document.set_cell(W_Q, 0, 0, 2.0)
    with pytest.raises(MemoryError, match="no room"):
        document.recomputation.finish()
    assert not document.recomputation.busy
    assert evaluations == []
    gate.failure = None
    gate.open.release()
    document.set_cell(W_Q, 0, 0, 3.0)
    document.recomputation.finish()
    assert np.array_equal(document.matrix("layers.0.weights.0"), scores_of(document))


def test_short_work_is_done_at_once_on_this_thread(shown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    document, evaluations = shown
    gate = Gate()
    gate.install(monkeypatch)
    document.set_cell(W_Q, 0, 0, 2.0)
    document.recomputation.flush()
    assert len(evaluations) == 1
    assert not document.recomputation.busy
