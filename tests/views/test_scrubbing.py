"""Scrubbing numbers with Alt and a drag, or with the wheel on the selected cell."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from views_of_matrices import OpenPipeline, cell_centre, click_cell, open_pipeline, turn_wheel

from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import replace
from attnexplorer.views.matrix_table import MatrixTable

Modifier = Qt.KeyboardModifier
Alt, Shift, Control, Plain = Modifier.AltModifier, Modifier.ShiftModifier, Modifier.ControlModifier, Modifier.NoModifier
W_Q = "layers.0.attention.W_Q.0"


@pytest.fixture
def pipeline(qtbot: Any) -> OpenPipeline:
    return open_pipeline(qtbot, load_example("animal-street"))


def with_third() -> Experiment:
    return replace(load_example("animal-street"), W_Q, frozen([[1 / 3, 1], [1, 1]]))


def drag(table: MatrixTable, row: int, column: int, *ways: int, modifiers: Qt.KeyboardModifier = Alt) -> None:
    """Press on a cell, move to each distance from there in pixels, and let go."""
    start, view = cell_centre(table, row, column).toPointF(), table.viewport()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, modifiers, start.toPoint())
    for way in ways:
        _move(table, start + QPointF(way, 0), modifiers)
    end = (start + QPointF(ways[-1], 0)).toPoint()
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, modifiers, end)
    QApplication.processEvents()


def _move(table: MatrixTable, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
    view, button = table.viewport(), Qt.MouseButton.LeftButton
    event = QMouseEvent(QEvent.Type.MouseMove, at, view.mapToGlobal(at), Qt.MouseButton.NoButton, button, modifiers)
    QApplication.sendEvent(view, event)


def value(pipeline: OpenPipeline, row: int = 0, column: int = 0, path: str = W_Q) -> float | None:
    return pipeline.document.present_value(path, row, column)


@pytest.mark.parametrize(("more", "change"), [(Plain, 0.2), (Shift, 0.02), (Control, 2.0)])
def test_alt_and_a_drag_move_a_number_in_one_step(
    pipeline: OpenPipeline, more: Qt.KeyboardModifier, change: float
) -> None:
    table = pipeline.table("W_Q")
    drag(table, 0, 0, 3, 11, 20, modifiers=Alt | more)
    assert value(pipeline) == 1.0 + change
    assert pipeline.document.undo_stack.count() == 1
    assert pipeline.document.undo_stack.undoText() == "Set W_Q, head 1, row 1, column 1"
    pipeline.document.undo_stack.undo()
    assert value(pipeline) == 1.0


def test_a_drag_that_ends_where_it_began_leaves_no_step(qtbot: Any) -> None:
    before = with_third()
    pipeline = open_pipeline(qtbot, before)
    drag(pipeline.table("W_Q"), 0, 0, 5, 17, -4, 0)
    assert pipeline.document.undo_stack.count() == 0
    assert not pipeline.document.modified
    assert identical(pipeline.document.experiment, before)


def test_a_drag_on_a_computed_cell_pins_it_and_back_at_its_start_does_not(pipeline: OpenPipeline) -> None:
    table, path = pipeline.table("query"), "layers.0.query.0"
    drag(table, 0, 0, 5, 0)
    assert path not in pipeline.document.experiment.pins
    assert pipeline.document.undo_stack.count() == 0
    drag(table, 0, 0, 10)
    assert value(pipeline, path=path) == 1.2
    assert pipeline.document.undo_stack.undoText() == "Pin Q, head 1, row 1, column 1"


def test_two_drags_are_two_steps(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    drag(table, 0, 0, 10)
    drag(table, 0, 0, 10)
    assert value(pipeline) == 1.2
    assert pipeline.document.undo_stack.count() == 2


def test_everything_downstream_answers_while_the_number_is_dragged(pipeline: OpenPipeline) -> None:
    table, view = pipeline.table("W_Q"), pipeline.table("W_Q").viewport()
    start = cell_centre(table, 0, 0)
    before = pipeline.document.matrix("layers.0.weights.0")[3].copy()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, Alt, start)
    _move(table, start.toPointF() + QPointF(60, 0), Alt)
    pipeline.settle()
    assert (pipeline.document.matrix("layers.0.weights.0")[3] != before).any()
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Alt, start)


@pytest.mark.parametrize(("modifiers", "change"), [(Plain, 0.3), (Shift, 0.03), (Control, 3.0), (Alt, 0.3)])
def test_the_wheel_on_the_selected_cell_moves_its_number_in_one_step(
    pipeline: OpenPipeline, modifiers: Qt.KeyboardModifier, change: float
) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    turn_wheel(table, 0, 0, 3, modifiers)
    assert value(pipeline) == 1.0 + change
    assert pipeline.document.undo_stack.count() == 1


def test_the_wheel_turned_forth_and_back_leaves_no_step(qtbot: Any) -> None:
    before = with_third()
    pipeline = open_pipeline(qtbot, before)
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    turn_wheel(table, 0, 0, 3)
    turn_wheel(table, 0, 0, -3)
    assert identical(pipeline.document.experiment, before)
    assert pipeline.document.undo_stack.count() == 0


def test_what_was_undone_does_not_come_back_with_the_next_notch(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    turn_wheel(table, 0, 0, 3)
    pipeline.document.undo_stack.undo()
    turn_wheel(table, 0, 0, 1)
    assert value(pipeline) == 1.1


def test_the_wheel_leaves_blocked_scores_alone(pipeline: OpenPipeline) -> None:
    table = pipeline.table("masked")
    click_cell(table, 0, 3, Shift)
    turn_wheel(table, 0, 3, 2)
    assert pipeline.document.undo_stack.count() == 0


def test_the_wheel_pins_no_computed_number_unless_alt_is_held(pipeline: OpenPipeline) -> None:
    table, path = pipeline.table("query"), "layers.0.query.0"
    click_cell(table, 0, 0)
    turn_wheel(table, 0, 0, 3)
    assert path not in pipeline.document.experiment.pins
    assert pipeline.document.undo_stack.count() == 0
    before = table.content.picture.values[0, 0]
    turn_wheel(table, 0, 0, 3, Alt)
    assert value(pipeline, path=path) == pytest.approx(before + 0.3)
    turn_wheel(table, 0, 0, -1)
    assert value(pipeline, path=path) == pytest.approx(before + 0.2), "a pinned number is moved by the wheel alone"
    assert pipeline.document.undo_stack.count() == 1
