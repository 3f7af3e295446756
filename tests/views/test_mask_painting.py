"""Blocking and allowing pairs by clicks, drags and the space bar."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from views_of_matrices import OpenPipeline, cell_centre, click_cell, open_pipeline, press

from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.examples import load_example

Left = Qt.MouseButton.LeftButton


@pytest.fixture
def pipeline(qtbot: Any) -> OpenPipeline:
    return open_pipeline(qtbot, load_example("animal-street"))


def blocked(pipeline: OpenPipeline) -> list[list[int]]:
    pipeline.settle()
    return [list(pair) for pair in np.argwhere(np.isneginf(pipeline.document.matrix("layers.0.masked.0")))]


FUTURE = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]


def test_a_click_blocks_an_allowed_pair_and_allows_a_blocked_one(pipeline: OpenPipeline) -> None:
    table, mask = pipeline.table("masked"), "layers.0.weights.0"
    assert blocked(pipeline) == FUTURE
    click_cell(table, 3, 0)
    assert blocked(pipeline) == [*FUTURE, [3, 0]]
    assert pipeline.document.matrix(mask)[3, 0] == 0.0
    assert pipeline.document.undo_stack.undoText() == "Block query 4, key 1"
    click_cell(table, 0, 3)
    assert blocked(pipeline) == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [3, 0]]
    assert pipeline.document.undo_stack.undoText() == "Allow query 1, key 4"
    click_cell(table, 0, 3)
    click_cell(table, 3, 0)
    assert identical(pipeline.document.experiment, load_example("animal-street"))


def test_quick_clicks_are_as_good_as_slow_ones(pipeline: OpenPipeline) -> None:
    table = pipeline.table("masked")
    at = cell_centre(table, 3, 1)
    QTest.mouseClick(table.viewport(), Left, pos=at)
    QTest.mouseDClick(table.viewport(), Left, pos=at)
    assert blocked(pipeline) == FUTURE
    assert pipeline.document.undo_stack.count() == 2


def test_a_drag_paints_what_its_first_cell_became_in_one_step(pipeline: OpenPipeline) -> None:
    table = pipeline.table("masked")
    view = table.viewport()
    QTest.mousePress(view, Left, pos=cell_centre(table, 3, 0))
    for cell in ((3, 1), (3, 2), (2, 2), (2, 3)):
        at = cell_centre(table, *cell).toPointF()
        move = QMouseEvent(
            QEvent.Type.MouseMove, at, view.mapToGlobal(at), Qt.MouseButton.NoButton, Left, Qt.KeyboardModifier(0)
        )
        QApplication.sendEvent(view, move)
    QTest.mouseRelease(view, Left, pos=cell_centre(table, 2, 3))
    assert blocked(pipeline) == sorted([*FUTURE, [3, 0], [3, 1], [3, 2], [2, 2]])
    assert pipeline.document.undo_stack.count() == 1
    pipeline.document.undo_stack.undo()
    assert identical(pipeline.document.experiment, load_example("animal-street"))


def test_space_blocks_and_allows_the_selected_pair(pipeline: OpenPipeline) -> None:
    table = pipeline.table("masked")
    click_cell(table, 3, 0, Qt.KeyboardModifier.ShiftModifier)
    press(Qt.Key.Key_Right)
    press(Qt.Key.Key_Space)
    assert blocked(pipeline) == [*FUTURE, [3, 1]]
    press(Qt.Key.Key_Space)
    assert blocked(pipeline) == FUTURE


def test_a_row_without_any_key_left_has_weights_of_zero(pipeline: OpenPipeline) -> None:
    click_cell(pipeline.table("masked"), 0, 0)
    pipeline.settle()
    assert pipeline.document.matrix("layers.0.weights.0")[0].tolist() == [0.0] * 4
    assert pipeline.document.matrix("layers.0.head_output.0")[0].tolist() == [0.0] * 2


def test_clicks_only_select_when_the_switch_is_off(pipeline: OpenPipeline) -> None:
    card = pipeline.card("masked")
    switch = card.findChild(QToolButton, "paint-mask")
    assert switch.isChecked()
    QTest.mouseClick(switch, Left)
    assert switch.text() == "paint off"
    click_cell(card.table, 3, 0)
    assert pipeline.document.undo_stack.count() == 0
    assert pipeline.document.cursor.selected[1:] == (3, 0)


def test_a_row_of_blocked_pairs_is_hatched_in_every_pair_stage(pipeline: OpenPipeline) -> None:
    click_cell(pipeline.table("masked"), 3, 1)
    pipeline.settle()
    for key in ("scores", "scaled", "masked", "weights"):
        assert pipeline.table(key).content.picture.hatched.tolist() == [
            [[row, column] in [*FUTURE, [3, 1]] for column in range(4)] for row in range(4)
        ]
