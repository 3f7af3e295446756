"""A second experiment beside the document's own: kept, evaluated as far as it is watched, and left."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from attnexplorer.compute.trace import evaluate
from attnexplorer.compute.units import Unit
from attnexplorer.document.document import Document
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment

WEIGHTS = Unit("weights", 0, 0)


@pytest.fixture
def document(qtbot: QtBot) -> Iterator[Document]:
    document = Document(load_example("flooded"))
    yield document
    document.close()


def weights(experiment: Experiment) -> set[Unit]:
    return {WEIGHTS}


def test_without_an_A_it_is_B_that_is_seen(document: Document) -> None:
    comparison = document.comparison
    comparison.show("B-A")
    assert (comparison.active, comparison.shown, comparison.read_only, comparison.text) == (False, "B", False, "")
    assert comparison.base is None
    assert comparison.seen(document.evaluation) is document.evaluation


def test_A_is_evaluated_as_far_as_it_is_watched_with_an_engine_of_its_own(document: Document) -> None:
    tired = load_example("tired")
    document.recomputation.watch(weights, weights)
    document.comparison.watch(weights, weights)
    document.comparison.keep(tired, "tired")
    document.comparison.finish()
    document.recomputation.finish()
    base = document.comparison.base
    assert base is not None
    assert set(base.arrays) == {WEIGHTS}
    assert np.array_equal(base.arrays[WEIGHTS], evaluate(tired).array(WEIGHTS))
    assert not np.array_equal(base.arrays[WEIGHTS][-1], document.evaluation.arrays[WEIGHTS][-1])


def test_what_is_no_longer_watched_is_no_longer_evaluated(document: Document) -> None:
    document.comparison.watch(weights, weights)
    document.comparison.keep(load_example("tired"), "tired")
    document.comparison.finish()
    document.comparison.unwatch(weights)
    document.comparison.request()
    document.comparison.finish()
    base = document.comparison.base
    assert base is not None
    assert not base.arrays


def test_the_caption_names_what_is_seen_and_what_A_is(document: Document) -> None:
    comparison = document.comparison
    comparison.keep(load_example("tired"), "tired", "B-A")
    assert comparison.text == "B − A, A = tired"
    comparison.show("A")
    assert comparison.text == "A = tired"
    assert comparison.read_only
    comparison.show("B")
    assert not comparison.read_only


def test_every_change_is_told_once_and_has_a_state_of_its_own(document: Document) -> None:
    comparison, told = document.comparison, []
    comparison.changed.connect(lambda: told.append(comparison.state))
    comparison.keep(load_example("tired"), "tired")
    comparison.show("A")
    comparison.show("A")
    comparison.leave()
    comparison.leave()
    assert len(told) == len({id(state) for state in told}) == 3


def test_edits_of_B_leave_A_as_it_was(document: Document) -> None:
    document.comparison.watch(weights, weights)
    document.comparison.keep(document.experiment, "before")
    document.comparison.finish()
    before = document.comparison.base
    document.set_value("layers.0.attention.scale", 4.0, "Set scale")
    document.recomputation.finish()
    document.comparison.finish()
    after = document.comparison.base
    assert before is not None
    assert after is not None
    assert after.arrays[WEIGHTS] is before.arrays[WEIGHTS]
    assert document.undo_stack.count() == 1


def test_another_A_takes_the_place_of_the_one_before(document: Document) -> None:
    document.comparison.watch(weights, weights)
    for name in ("tired", "animal-street"):
        document.comparison.keep(load_example(name), name)
        document.comparison.finish()
    assert document.comparison.name == "animal-street"
    base = document.comparison.base
    assert base is not None
    assert base.arrays[WEIGHTS].shape == (4, 4)


def test_A_stays_when_another_experiment_is_opened_as_B(document: Document) -> None:
    tired = load_example("tired")
    document.comparison.keep(tired, "tired")
    document.replace_experiment(load_example("animal-street"))
    assert document.comparison.experiment is tired


def test_leaving_forgets_A(document: Document) -> None:
    document.comparison.keep(load_example("tired"), "tired", "A")
    document.comparison.leave()
    assert (document.comparison.active, document.comparison.experiment, document.comparison.shown) == (False, None, "B")
