"""Moving, selecting, hovering and reading in the table of a matrix, with real keys and clicks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hand_made import with_scores
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from views_of_matrices import (
    OpenPipeline,
    cell_centre,
    click_cell,
    complaint_of,
    current_cell,
    editor_of,
    focused,
    move_pointer,
    open_pipeline,
    press,
    turn_wheel,
    type_text,
)

from attnexplorer.document.cursor import Cell
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.widths import set_d_k, set_d_model
from attnexplorer.experiment.examples import load_example
from attnexplorer.figures.matrix import Block
from attnexplorer.views.matrix_table import MatrixTable

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def pipeline(qtbot: Any) -> OpenPipeline:
    return open_pipeline(qtbot, load_example("animal-street"))


def drag(table: MatrixTable, start: tuple[int, int], *ways: tuple[int, int]) -> None:
    """Press the left button on a cell, go over others and let go on the last."""
    view, button = table.viewport(), Qt.MouseButton.LeftButton
    QTest.mousePress(view, button, Modifier.NoModifier, cell_centre(table, *start))
    for way in ways:
        QTest.mouseMove(view, cell_centre(table, *way))
        QApplication.processEvents()
    QTest.mouseRelease(view, button, Modifier.NoModifier, cell_centre(table, *ways[-1]))


def test_arrow_keys_home_and_end_move_the_current_cell(pipeline: OpenPipeline) -> None:
    table = pipeline.table("scores")
    click_cell(table, 1, 1)
    for key, cell in (
        (Key.Key_Right, (1, 2)),
        (Key.Key_Down, (2, 2)),
        (Key.Key_Left, (2, 1)),
        (Key.Key_Up, (1, 1)),
        (Key.Key_Home, (1, 0)),
        (Key.Key_End, (1, 3)),
        (Key.Key_Right, (1, 3)),
    ):
        press(key)
        assert current_cell(table) == cell
        assert pipeline.document.cursor.selected == Cell("layers.0.scores.0", *cell)


def test_tab_moves_in_the_table_and_f6_leaves_it(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    press(Key.Key_Tab)
    assert (focused(), current_cell(table)) == (table, (0, 1))
    press(Key.Key_Tab)
    assert (focused(), current_cell(table)) == (table, (1, 0))
    press(Key.Key_Backtab)
    assert (focused(), current_cell(table)) == (table, (0, 1))
    press(Key.Key_F6)
    assert focused() is not table
    assert current_cell(table) == (0, 1)
    press(Key.Key_F6) if isinstance(focused(), MatrixTable) else press(Key.Key_Tab)
    assert focused() is not table


def test_f6_visits_every_table_and_shift_f6_goes_back(pipeline: OpenPipeline) -> None:
    click_cell(pipeline.table("input"), 0, 0)
    seen: list[Any] = []
    while focused() not in seen and len(seen) < 60:
        seen.append(focused())
        press(Key.Key_F6 if isinstance(focused(), MatrixTable) else Key.Key_Tab)
    tables = [card.table for card in pipeline.workspace.canvas.cards.values()]
    assert [table.path for table in tables if table not in seen] == []
    order = [widget for widget in seen if isinstance(widget, MatrixTable)]
    press(Key.Key_F6)
    order_paths = [table.path for table in order]
    assert order_paths == [table.path for table in tables]
    click_cell(order[1], 0, 0)
    for _ in range(6):
        if focused() is order[0]:
            break
        press(Key.Key_F6 if isinstance(focused(), MatrixTable) else Key.Key_Backtab, Modifier.ShiftModifier)
    assert focused() is order[0]


def test_f6_in_an_open_editor_commits_and_leaves(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    type_text("3")
    press(Key.Key_F6)
    assert pipeline.document.present_value(table.path, 0, 0) == 3.0
    assert focused() is not table
    assert editor_of(table) is None


def test_a_drag_selects_a_rectangle_and_changes_nothing(pipeline: OpenPipeline) -> None:
    table = pipeline.table("scores")
    drag(table, (0, 1), (1, 2), (2, 3))
    assert table.selected_block() == Block(0, 1, 3, 4)
    assert pipeline.document.undo_stack.count() == 0


def test_shift_with_arrows_or_a_click_extends_the_selection(pipeline: OpenPipeline) -> None:
    table = pipeline.table("scores")
    click_cell(table, 0, 0)
    press(Key.Key_Right, Modifier.ShiftModifier)
    press(Key.Key_Down, Modifier.ShiftModifier)
    assert table.selected_block() == Block(0, 0, 2, 2)
    click_cell(table, 3, 2, Modifier.ShiftModifier)
    assert table.selected_block() == Block(0, 0, 4, 3)
    press(Key.Key_Up)
    assert table.selected_block() == Block(2, 2, 3, 3)


def test_control_a_selects_everything(pipeline: OpenPipeline) -> None:
    table = pipeline.table("scores")
    click_cell(table, 1, 1)
    press(Key.Key_A, Modifier.ControlModifier)
    assert table.selected_block() == Block(0, 0, 4, 4)


def test_delete_clears_the_selected_numbers_in_one_step(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    drag(table, (0, 0), (1, 0))
    press(Key.Key_Delete)
    assert pipeline.document.experiment.layers[0].attention.W_Q[0].tolist() == [[0.0, 1.0], [0.0, 1.0]]
    assert pipeline.document.undo_stack.undoText() == "Clear W_Q, head 1"
    pipeline.document.undo_stack.undo()
    assert pipeline.document.experiment.layers[0].attention.W_Q[0].tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_control_d_fills_down_and_control_r_fills_right(pipeline: OpenPipeline) -> None:
    table, document = pipeline.table("W_K"), pipeline.document
    drag(table, (0, 0), (1, 1))
    press(Key.Key_D, Modifier.ControlModifier)
    assert document.experiment.layers[0].attention.W_K[0].tolist() == [[1.0, 0.0], [1.0, 0.0]]
    pipeline.settle()
    press(Key.Key_R, Modifier.ControlModifier)
    assert document.experiment.layers[0].attention.W_K[0].tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert document.undo_stack.count() == 2


def test_filling_a_computed_stage_pins_the_filled_cells(pipeline: OpenPipeline) -> None:
    table = pipeline.table("query")
    drag(table, (0, 0), (2, 0))
    press(Key.Key_D, Modifier.ControlModifier)
    pin = pipeline.document.experiment.pins["layers.0.query.0"]
    assert pin[:3, 0].tolist() == [1.1, 1.1, 1.1]
    assert np.isnan(pin).sum() == 5


def test_space_does_nothing_where_there_is_nothing_to_block(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    press(Key.Key_Space)
    assert editor_of(table) is None
    assert pipeline.document.undo_stack.count() == 0


def test_rows_are_queries_from_the_top_and_columns_are_keys_from_the_left(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, with_scores(np.arange(10.0).reshape(2, 5)))
    table = pipeline.table("scores")
    size = table.cell_size
    top_right = QPoint(int(size.width * 5) - 2, 2)
    move_pointer(table, top_right)
    assert pipeline.document.cursor.hovered == Cell("layers.0.scores.0", 0, 4)
    index = table.indexAt(top_right)
    assert table.model().headerData(index.row(), Qt.Orientation.Vertical) == "t0"
    assert table.model().headerData(index.column(), Qt.Orientation.Horizontal) == "s4"
    assert table.model().data(index, Qt.ItemDataRole.ToolTipRole).startswith("t0, s4: 4.0")
    move_pointer(table, QPoint(2, int(size.height * 2) - 2))
    assert pipeline.document.cursor.hovered == Cell("layers.0.scores.0", 1, 0)


def test_hovering_a_cell_lights_what_it_is_made_from(pipeline: OpenPipeline) -> None:
    table = pipeline.table("scores")
    query = pipeline.table("query")
    before = query.viewport().grab().toImage()
    move_pointer(table, cell_centre(table, 3, 0))
    assert query.viewport().grab().toImage() != before
    pipeline.document.cursor.hover(None)
    assert query.viewport().grab().toImage() == before


def test_the_tooltip_has_full_precision_and_names_what_is_special(pipeline: OpenPipeline) -> None:
    table = pipeline.table("weights")
    tip = table.model().data(table.model().index(3, 0), Qt.ItemDataRole.ToolTipRole)
    assert tip == f"it, animal: {float(pipeline.document.matrix('layers.0.weights.0')[3, 0])!r}"
    assert table.model().data(table.model().index(0, 3), Qt.ItemDataRole.ToolTipRole).endswith("(blocked: causal)")
    key = pipeline.table("key")
    assert key.model().data(key.model().index(0, 0), Qt.ItemDataRole.ToolTipRole) == "animal, 1: 1.5 (pinned)"


def test_screen_readers_hear_the_matrix_and_its_cells(pipeline: OpenPipeline) -> None:
    table = pipeline.table("weights")
    interface = QAccessible.queryAccessibleInterface(table)
    assert interface.text(QAccessible.Text.Name) == "weights A, head 1, 4 × 4"
    assert interface.role() == QAccessible.Role.Table
    names = [interface.child(index).text(QAccessible.Text.Name) for index in range(interface.childCount())]
    value = float(pipeline.document.matrix("layers.0.weights.0")[3, 0])
    assert f"it, animal: {value!r}" in names
    assert "animal, it: 0.0 (blocked: causal)" in names
    click_cell(pipeline.table("W_Q"), 0, 0)
    type_text("1")
    assert QAccessible.queryAccessibleInterface(focused()).text(QAccessible.Text.Name) == "Number or expression"
    press(Key.Key_Escape)


def test_the_wheel_scrolls_the_workspace_unless_it_is_on_the_selected_cell(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("animal-street"), height=400)
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    turn_wheel(table, 1, 1, -1)
    assert pipeline.workspace.verticalScrollBar().value() > 0
    assert pipeline.document.undo_stack.count() == 0


def test_keys_bring_the_cell_they_go_to_into_view(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, new_experiment([f"t{i}" for i in range(12)], 4, 2, 2, 1, 1), height=300)
    table = pipeline.table("input")
    click_cell(table, 0, 0)
    for _ in range(11):
        press(Key.Key_Down)
    cell = table.viewport().mapTo(pipeline.workspace.viewport(), cell_centre(table, 11, 0))
    assert pipeline.workspace.viewport().rect().contains(cell)


def test_the_selection_stays_on_the_same_cells_when_another_head_is_shown(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("multi-head"))
    table = pipeline.table("weights")
    click_cell(table, 1, 0)
    pipeline.document.display.choose("head", 1)
    pipeline.settle()
    assert current_cell(table) == (1, 0)
    assert pipeline.document.cursor.selected == Cell("layers.0.weights.1", 1, 0)


def test_the_selection_stays_inside_a_matrix_that_becomes_smaller(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 1, 1)
    pipeline.document.apply("Set d_model", lambda experiment: set_d_model(experiment, 1))
    pipeline.settle()
    assert current_cell(table) == (0, 1)
    assert pipeline.document.cursor.selected == Cell(table.path, 0, 1)
    pipeline.document.apply("Set d_k", lambda experiment: set_d_k(experiment, 0, 1))
    pipeline.settle()
    assert current_cell(table) == (0, 0)
    type_text("2")
    press(Key.Key_Return)
    assert pipeline.document.present_value(table.path, 0, 0) == 2.0


def test_a_complaint_goes_away_at_the_next_key(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 1, 1)
    QApplication.clipboard().setText("1\t2\n3\t4")
    press(Key.Key_V, Modifier.ControlModifier)
    assert "2 × 2" in complaint_of(table)
    press(Key.Key_Up)
    assert complaint_of(table) == ""
