"""Edits of the open document: named, undoable, one step a gesture, refused before anything changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hand_made import one_layer, with_scores
from PySide6.QtCore import QCoreApplication

from attnexplorer.compute.units import Unit
from attnexplorer.document.commands import EVERYTHING
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits import heads, layers, masks, widths
from attnexplorer.experiment.edits.positions import set_position_kind
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.examples import load_example

W_Q = "layers.0.attention.W_Q.0"
QUERY = "layers.0.query.0"
SCALE = "layers.0.attention.scale"


@pytest.fixture
def document(qapp: QCoreApplication) -> Iterator[Document]:
    made = Document(load_example("animal-street"))
    yield made
    made.close()


def test_an_edit_tells_its_place_in_the_menu(document: Document) -> None:
    document.set_cell(W_Q, 1, 0, 5.0)
    assert document.undo_stack.undoText() == "Set W_Q, head 1, row 2, column 1"
    document.set_cell(QUERY, 3, 1, 5.0)
    assert document.undo_stack.undoText() == "Pin Q, head 1, row 4, column 2"
    document.set_cells(W_Q, [0, 1], [0, 0], [7.0, 8.0])
    assert document.undo_stack.undoText() == "Set 2 cells of W_Q, head 1"
    document.release(QUERY)
    assert document.undo_stack.undoText() == "Release Q, head 1"


def test_undo_and_redo_restore_every_bit(document: Document) -> None:
    states = [document.experiment]
    for edit in (
        lambda: document.set_cell(W_Q, 0, 0, -0.0),
        lambda: document.set_cell(QUERY, 0, 0, 1 / 3),
        lambda: document.set_value(SCALE, 0.1, "Set the scale"),
        lambda: document.apply("Set d_k", lambda experiment: widths.set_d_k(experiment, 0, 5)),
        lambda: document.pin_as_shown("layers.0.weights.0"),
        lambda: document.release("layers.0.key.0"),
    ):
        document.recomputation.watch("all", lambda experiment: {Unit("weights", 0, 0)})
        document.recomputation.finish()
        edit()
        states.append(document.experiment)
    assert document.undo_stack.count() == 6
    for state in reversed(states[:-1]):
        document.undo_stack.undo()
        assert identical(document.experiment, state)
    for state in states[1:]:
        document.undo_stack.redo()
        assert identical(document.experiment, state)


def test_what_changes_nothing_is_no_step(document: Document) -> None:
    before = document.experiment
    document.set_cell(W_Q, 0, 0, 1.0)
    document.set_cells(W_Q, [], [], [])
    document.set_value(SCALE, "sqrt_dk", "Set the scale")
    document.apply("Nothing", lambda experiment: experiment)
    document.release(QUERY)
    document.release(QUERY, [(0, 0)])
    document.set_cell("layers.0.key.0", 0, 0, 1.5)
    document.pin_as_shown("layers.0.weights.0")
    assert document.undo_stack.count() == 0
    assert document.experiment is before


def test_releasing_cells_that_are_not_pinned_is_no_step(document: Document) -> None:
    document.set_cell(QUERY, 0, 0, 5.0)
    document.release(QUERY, [(1, 1), (2, 0), (99, 99)])
    assert document.undo_stack.count() == 1
    document.release(QUERY, [(0, 0), (1, 1)])
    assert QUERY not in document.experiment.pins


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda d: d.set_cell(W_Q, 1, 1, np.inf), "row 2, column 2 would be inf; a finite number is needed"),
        (lambda d: d.set_cell(W_Q, 0, 1, np.nan), "W_Q, head 1, row 1, column 2 would be nan"),
        (lambda d: d.set_cell(W_Q, 9, 0, 1.0), "W_Q, head 1 is 2 × 2; the edit reaches beyond it"),
        (lambda d: d.set_cell(QUERY, 0, 9, 1.0), "Q, head 1 is 4 × 2; the edit reaches beyond it"),
        (lambda d: d.set_cell(QUERY, 0, 0, -np.inf), "Q, head 1, row 1, column 1 would be -inf"),
        (lambda d: d.set_cell("layers.0.scores.0", 0, 0, np.inf), "would be inf"),
        (lambda d: d.set_cell("embeddings", 0, 0, 1.0), "looked-up embeddings follows from what comes before it"),
        (lambda d: d.set_cell("layers.4.attention.W_Q.0", 0, 0, 1.0), "is no longer part of the experiment"),
        (lambda d: d.set_cell("layers.0.attention.W_O", 0, 0, 1.0), "is no longer part of the experiment"),
        (lambda d: d.set_cell("layers.4.query.0", 0, 0, 1.0), "layer"),
        (lambda d: d.set_value(SCALE, float("nan"), "Set the scale"), "scale"),
        (lambda d: d.apply("Bad", lambda e: widths.set_d_k(e, 0, 0)), "d_k"),
    ],
)
def test_a_refused_edit_leaves_no_trace(document: Document, edit: Any, sentence: str) -> None:
    before = document.experiment
    with pytest.raises(ExperimentError) as refusal:
        edit(document)
    assert sentence in str(refusal.value)
    assert document.experiment is before
    assert document.undo_stack.count() == 0
    document.set_cell(W_Q, 0, 0, 2.0)
    document.undo_stack.undo()
    assert identical(document.experiment, before)


def test_a_gesture_is_one_step_and_back_at_its_start_none(document: Document) -> None:
    gesture = document.new_gesture()
    for value in (2.0, 3.0, 4.0):
        document.set_cell(W_Q, 0, 0, value, gesture)
    assert document.undo_stack.count() == 1
    document.undo_stack.undo()
    assert document.present_value(W_Q, 0, 0) == 1.0
    gesture = document.new_gesture()
    for value in (2.0, 3.0, 1.0):
        document.set_cell(W_Q, 0, 0, value, gesture)
    assert document.undo_stack.count() == 0
    assert not document.modified


def test_two_gestures_do_not_merge_nor_do_edits_without_one(document: Document) -> None:
    for value in (2.0, 3.0):
        document.set_cell(W_Q, 0, 0, value, document.new_gesture())
    for value in (4.0, 5.0):
        document.set_cell(W_Q, 0, 0, value)
    assert document.undo_stack.count() == 4


def test_a_gesture_does_not_merge_across_a_save(document: Document) -> None:
    gesture = document.new_gesture()
    document.set_cell(W_Q, 0, 0, 2.0, gesture)
    document.undo_stack.setClean()
    document.set_cell(W_Q, 0, 0, 3.0, gesture)
    assert document.modified
    document.undo_stack.undo()
    assert document.present_value(W_Q, 0, 0) == 2.0
    assert not document.modified


def test_edits_of_different_things_in_one_gesture_stay_apart(document: Document) -> None:
    gesture = document.new_gesture()
    document.set_cell(W_Q, 0, 0, 2.0, gesture)
    document.set_cell(W_Q, 0, 1, 2.0, gesture)
    document.set_value(SCALE, 0.5, "Set the scale", gesture)
    document.apply("Causal", lambda experiment: masks.toggle_causal(experiment, 0), gesture)
    assert document.undo_stack.count() == 4
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert identical(document.experiment, load_example("animal-street"))


def test_a_slider_that_changes_shapes_is_one_step_too(document: Document) -> None:
    gesture = document.new_gesture()
    for d_k in (3, 4, 5):
        document.apply("Set d_k", lambda experiment, d_k=d_k: widths.set_d_k(experiment, 0, d_k), gesture)
    assert document.undo_stack.count() == 1
    document.undo_stack.undo()
    assert identical(document.experiment, load_example("animal-street"))


def test_every_edit_is_announced_once_with_what_changed(document: Document, qtbot: Any) -> None:
    heard: list[Any] = []
    document.experiment_changed.connect(heard.append)
    document.set_cell(W_Q, 0, 0, 2.0)
    document.set_cell(QUERY, 0, 0, 2.0)
    document.apply("Causal", lambda experiment: masks.toggle_causal(experiment, 0))
    document.undo_stack.undo()
    assert heard == [{W_Q}, {f"pins.{QUERY}"}, EVERYTHING, EVERYTHING]


def test_what_an_edit_does_not_touch_stays_the_same_object(document: Document) -> None:
    before = document.experiment
    document.set_cell(W_Q, 0, 0, 2.0)
    after = document.experiment
    assert after.embedding is before.embedding
    assert after.layers[0].attention.W_K is before.layers[0].attention.W_K
    assert not after.layers[0].attention.W_Q[0].flags.writeable


def test_a_bias_is_edited_by_its_column(qapp: QCoreApplication) -> None:
    document = Document(one_layer(np.eye(2), b_Q=(np.array([1.0, 2.0]),)))
    document.set_cell("layers.0.attention.b_Q.0", 0, 1, 9.0)
    assert document.experiment.layers[0].attention.b_Q[0].tolist() == [1.0, 9.0]
    assert document.present_value("layers.0.attention.b_Q.0", 0, 1) == 9.0
    with pytest.raises(ExperimentError):
        document.set_cell("layers.0.attention.b_Q.0", 1, 0, 9.0)
    document.close()


def test_a_whole_matrix_is_replaced_in_one_step(document: Document) -> None:
    document.set_matrix(W_Q, [[1, 2], [3, 4]], "Fill W_Q")
    assert document.experiment.layers[0].attention.W_Q[0].tolist() == [[1, 2], [3, 4]]
    assert document.undo_stack.undoText() == "Fill W_Q"


def test_numbers_that_overflowed_are_not_pinned(qapp: QCoreApplication) -> None:
    document = Document(one_layer([[1e200, 1e200]]))
    document.recomputation.watch("scores", lambda experiment: {Unit("scores", 0, 0), Unit("head_output", 0, 0)})
    document.set_cell("layers.0.attention.W_V.0", 0, 0, 1e200)
    document.recomputation.finish()
    with pytest.raises(ExperimentError, match="not finite"):
        document.pin_as_shown("layers.0.head_output.0")
    document.close()


def test_a_pin_survives_as_long_as_its_stage(document: Document) -> None:
    document.recomputation.watch("q", lambda experiment: {Unit("query", 0, 0)})
    document.recomputation.finish()
    document.pin_as_shown(QUERY)
    assert np.array_equal(document.experiment.pins[QUERY], document.matrix(QUERY))
    document.set_cell(W_Q, 0, 0, 7.0)
    document.recomputation.finish()
    assert np.array_equal(document.matrix(QUERY), document.experiment.pins[QUERY])


def test_the_cursor_follows_a_matrix_that_becomes_smaller_and_leaves_one_that_goes(qapp: QCoreApplication) -> None:
    document = Document(load_example("multi-head"))
    head = document.experiment.layers[0].attention.heads - 1
    document.cursor.select(Cell(f"layers.0.attention.W_Q.{head}", 1, 1))
    document.cursor.hover(Cell(f"layers.0.query.{head}", 1, 1))
    document.apply("Set d_k", lambda experiment: widths.set_d_k(experiment, 0, 1))
    document.recomputation.finish()
    assert document.cursor.selected == Cell(f"layers.0.attention.W_Q.{head}", 1, 0)
    assert document.cursor.hovered == Cell(f"layers.0.query.{head}", 1, 0)
    document.apply("Set heads", lambda experiment: heads.remove_head(experiment, 0, head))
    document.recomputation.finish()
    assert document.cursor.selected is None
    assert document.cursor.hovered is None
    document.close()


def test_the_shown_layer_and_head_stay_inside_the_experiment(qapp: QCoreApplication) -> None:
    document = Document(load_example("multi-head"))
    document.display.choose("head", document.experiment.layers[0].attention.heads - 1)
    document.apply("Set heads", lambda experiment: heads.set_heads(experiment, 0, 1))
    assert document.display["head"] == 0
    document.apply("Add a layer", lambda experiment: layers.add_layer(experiment, 1))
    document.display.choose("layer", 1)
    document.undo_stack.undo()
    assert document.display["layer"] == 0
    document.close()


def test_another_experiment_starts_with_a_clean_undo_history(document: Document) -> None:
    document.set_cell(W_Q, 0, 0, 2.0)
    document.cursor.select(Cell(W_Q, 1, 1))
    document.replace_experiment(with_scores([[1.0, 2.0]]))
    assert document.undo_stack.count() == 0
    assert not document.modified
    assert document.cursor.selected is None
    document.recomputation.watch("scores", lambda experiment: {Unit("scores", 0, 0)})
    document.recomputation.finish()
    assert document.matrix("layers.0.scores.0").tolist() == [[1.0, 2.0]]


def test_numbers_of_what_is_gone_are_none(document: Document) -> None:
    assert document.present_value(W_Q, 0, 0) == 1.0
    assert document.present_value(W_Q, 5, 0) is None
    assert document.present_value("layers.3.attention.W_Q.0", 0, 0) is None
    assert document.present_value(QUERY, 0, 0) is None
    assert document.present_value("layers.0.key.0", 0, 0) == 1.5
    assert document.present_value("layers.0.key.0", 9, 0) is None
    assert document.matrix("layers.3.attention.W_Q.0") is None
    assert document.matrix("layers.3.query.0") is None


def test_a_position_kind_that_takes_a_stage_away_is_undone_whole(document: Document) -> None:
    document.apply("Position", lambda experiment: set_position_kind(experiment, "rope"))
    document.set_cell("layers.0.query_rotated.0", 0, 0, 3.0)
    document.apply("Position", lambda experiment: set_position_kind(experiment, "none"))
    assert "layers.0.query_rotated.0" not in document.experiment.pins
    document.undo_stack.undo()
    assert document.experiment.pins["layers.0.query_rotated.0"][0, 0] == 3.0
