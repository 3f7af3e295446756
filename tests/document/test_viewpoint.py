"""What a view looks at while two experiments are compared."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from attnexplorer.compute.differences import difference
from attnexplorer.compute.units import Unit
from attnexplorer.document.document import Document
from attnexplorer.document.viewpoint import Viewpoint
from attnexplorer.experiment.edits.heads import remove_head
from attnexplorer.experiment.edits.masks import set_scale
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment

WEIGHTS = Unit("weights", 0, 0)


def watched(experiment: Experiment) -> set[Unit]:
    return {Unit("weights", 0, head) for head in range(experiment.layers[0].attention.heads)}


@pytest.fixture
def document(qtbot: QtBot) -> Iterator[Document]:
    document = Document(load_example("multi-head"))
    yield document
    document.close()


@pytest.fixture
def viewpoint(document: Document) -> Viewpoint:
    viewpoint = Viewpoint(document, watched, QObject(document))
    viewpoint.start()
    settle(document)
    return viewpoint


def settle(document: Document) -> None:
    for _ in range(3):
        document.recomputation.finish()
        document.comparison.finish()
        QApplication.processEvents()


def test_without_a_comparison_it_is_the_documents_own_evaluation(document: Document, viewpoint: Viewpoint) -> None:
    assert viewpoint.evaluation is viewpoint.plain is document.evaluation
    assert (viewpoint.base, viewpoint.held, viewpoint.of_which) == (None, "", "")
    assert viewpoint.obstacle(WEIGHTS) == "" and viewpoint.is_there()


def test_A_B_and_the_difference_are_evaluations_like_any_other(document: Document, viewpoint: Viewpoint) -> None:
    kept = document.experiment
    document.comparison.keep(kept, "kept", "A")
    document.apply("Sharpen", lambda it: set_scale(it, 0, 4.0))
    settle(document)
    a, b = viewpoint.evaluation.arrays[WEIGHTS], document.evaluation.arrays[WEIGHTS]
    assert viewpoint.evaluation.experiment is kept and not np.array_equal(a, b)
    document.comparison.show("B-A")
    assert np.array_equal(viewpoint.evaluation.arrays[WEIGHTS], b - a)
    assert viewpoint.evaluation.experiment is document.experiment
    assert viewpoint.plain is document.evaluation and viewpoint.base is not None
    document.comparison.show("B")
    assert viewpoint.evaluation.arrays[WEIGHTS] is b


def test_a_difference_stays_the_same_array_as_long_as_nothing_it_is_of_changes(
    document: Document, viewpoint: Viewpoint
) -> None:
    document.comparison.keep(document.experiment, "kept", "B-A")
    settle(document)
    before = viewpoint.evaluation.arrays[WEIGHTS]
    document.apply("Mute", lambda it: it)
    document.recomputation.request()
    settle(document)
    assert viewpoint.evaluation.arrays[WEIGHTS] is before
    document.apply("Sharpen", lambda it: set_scale(it, 0, 4.0))
    settle(document)
    assert viewpoint.evaluation.arrays[WEIGHTS] is not before


def test_what_only_one_of_them_has_is_not_in_the_difference(document: Document, viewpoint: Viewpoint) -> None:
    last = document.experiment.layers[0].attention.heads - 1
    document.comparison.keep(remove_head(document.experiment, 0, last), "fewer", "B-A")
    settle(document)
    arrays = viewpoint.evaluation.arrays
    assert WEIGHTS in arrays and Unit("weights", 0, last) not in arrays
    assert viewpoint.is_there()
    assert viewpoint.obstacle(Unit("weights", 0, last)) == "A has no such matrix."
    assert set(arrays) == {Unit("weights", 0, head) for head in range(last)} and len(arrays) == last


def test_what_is_lacking_is_asked_for_and_not_again_and_again(
    document: Document, viewpoint: Viewpoint, qtbot: QtBot
) -> None:
    document.comparison.keep(document.experiment, "kept", "B-A")
    heard: list[bool] = []
    viewpoint.changed.connect(lambda: heard.append(viewpoint.is_there()))
    assert not viewpoint.is_there()
    qtbot.waitUntil(lambda: bool(heard) and heard[-1])
    count = len(heard)
    qtbot.wait(50)
    assert len(heard) == count


def test_a_hidden_view_has_nothing_evaluated(document: Document, viewpoint: Viewpoint) -> None:
    viewpoint.stop()
    document.comparison.keep(document.experiment, "kept", "A")
    settle(document)
    assert WEIGHTS not in viewpoint.evaluation.arrays


def test_blocked_in_both_is_no_difference_and_flags_are_joined() -> None:
    a, b = np.array([[1.0, -np.inf, -np.inf]]), np.array([[3.0, -np.inf, 2.0]])
    assert difference(a, b).tolist() == [[2.0, 0.0, np.inf]]
    assert difference(np.array([True, False]), np.array([False, False])).tolist() == [True, False]


def test_a_difference_beyond_all_numbers_is_infinite_and_costs_no_warning() -> None:
    most = np.array([[1.7e308, -1.7e308, 1.0]])
    assert difference(most, -most).tolist() == [[-np.inf, np.inf, -2.0]]
