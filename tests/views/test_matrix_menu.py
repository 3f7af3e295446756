"""The menu of a matrix: every entry is one undo step with a name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QMenu
from views_of_matrices import OpenPipeline, cell_centre, click_cell, complaint_of, open_pipeline

from attnexplorer.experiment import matrices
from attnexplorer.experiment.examples import load_example
from attnexplorer.figures.matrix import Block
from attnexplorer.views.matrix_table import MatrixTable


@pytest.fixture
def pipeline(qtbot: Any) -> OpenPipeline:
    return open_pipeline(qtbot, load_example("animal-street"))


def open_menu(pipeline: OpenPipeline, table: MatrixTable) -> QMenu:
    """Open the menu of a table with the right button."""
    at = cell_centre(table, 0, 0)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, table.viewport().mapToGlobal(at))
    QApplication.sendEvent(table.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def entries(menu: QMenu) -> dict[str, QAction]:
    found = {}
    for action in menu.actions():
        found[action.text()] = action
        if action.menu() is not None:
            found.update(entries(action.menu()))
    return found


def choose(pipeline: OpenPipeline, table: MatrixTable, text: str) -> None:
    menu = open_menu(pipeline, table)
    action = entries(menu)[text]
    menu.close()
    action.trigger()
    QApplication.processEvents()
    pipeline.settle()


def answer(text: str, *, accept: bool = True) -> None:
    """Answer the next question."""

    def reply() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QInputDialog)
        dialog.findChild(QLineEdit).setText(text)
        QTest.keyClick(dialog, Qt.Key.Key_Return if accept else Qt.Key.Key_Escape)

    QTimer.singleShot(100, reply)


def W_Q(pipeline: OpenPipeline) -> np.ndarray:
    matrix: np.ndarray = pipeline.document.experiment.layers[0].attention.W_Q[0]
    return matrix


def test_every_entry_of_the_specification_is_there(pipeline: OpenPipeline) -> None:
    menu = open_menu(pipeline, pipeline.table("W_Q"))
    assert {
        *("Select all", "Copy", "Cut", "Paste", "Clear", "Fill down", "Fill right"),
        *("Zeros", "Ones", "Identity", "Random normal, seed 1", "Xavier, seed 1", "Orthogonal, seed 1"),
        *("Rotate columns 1 and 2 by…", "Multiply by…", "Transpose"),
    } <= set(entries(menu))
    menu.close()


@pytest.mark.parametrize(
    ("entry", "expected", "step"),
    [
        ("Zeros", [[0, 0], [0, 0]], "Fill W_Q, head 1 with zeros"),
        ("Identity", [[1, 0], [0, 1]], "Fill W_Q, head 1 with identity"),
        ("Clear", [[0, 1], [1, 1]], "Clear W_Q, head 1"),
    ],
)
def test_fills_are_one_named_step(pipeline: OpenPipeline, entry: str, expected: Any, step: str) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    choose(pipeline, table, entry)
    assert W_Q(pipeline).tolist() == expected
    assert pipeline.document.undo_stack.undoText() == step
    pipeline.document.undo_stack.undo()
    assert W_Q(pipeline).tolist() == [[1, 1], [1, 1]]


def test_random_fills_tell_their_seed_and_take_the_next_one_afterwards(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    choose(pipeline, table, "Random normal, seed 1")
    assert np.array_equal(W_Q(pipeline), matrices.random_normal((2, 2), 1))
    assert pipeline.document.undo_stack.undoText() == "Fill W_Q, head 1 with random normal, seed 1"
    choose(pipeline, table, "Xavier, seed 2")
    assert np.array_equal(W_Q(pipeline), matrices.xavier((2, 2), 2))
    assert pipeline.document.undo_stack.undoText() == "Fill W_Q, head 1 with Xavier, seed 2"
    choose(pipeline, table, "Orthogonal, seed 3")
    assert np.allclose(W_Q(pipeline) @ W_Q(pipeline).T, np.eye(2))


def test_rotating_and_multiplying_ask_for_a_number(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_K")
    answer("180/2")
    choose(pipeline, table, "Rotate columns 1 and 2 by…")
    turned = pipeline.document.experiment.layers[0].attention.W_K[0]
    assert np.allclose(np.abs(turned), [[0, 1], [1, 0]])
    answer("1/4")
    choose(pipeline, table, "Multiply by…")
    assert np.array_equal(pipeline.document.experiment.layers[0].attention.W_K[0], turned * 0.25)
    answer("3", accept=False)
    choose(pipeline, table, "Multiply by…")
    assert pipeline.document.undo_stack.count() == 2


def test_transposing_turns_rows_into_columns(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    pipeline.document.set_matrix(table.path, [[1, 2], [3, 4]], "Set")
    pipeline.settle()
    choose(pipeline, table, "Transpose")
    assert W_Q(pipeline).tolist() == [[1, 3], [2, 4]]
    assert "Transpose" not in entries(open_menu(pipeline, pipeline.table("query")))
    QApplication.activePopupWidget().close()


def test_fill_copy_and_paste_work_from_the_menu(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_K")
    click_cell(table, 0, 0)
    table.select_block(Block(0, 0, 2, 2))
    choose(pipeline, table, "Copy")
    assert QApplication.clipboard().text() == "1.0\t0.0\n0.0\t1.0"
    choose(pipeline, table, "Fill down")
    assert pipeline.document.experiment.layers[0].attention.W_K[0].tolist() == [[1, 0], [1, 0]]
    choose(pipeline, table, "Paste")
    assert pipeline.document.experiment.layers[0].attention.W_K[0].tolist() == [[1, 0], [0, 1]]


def test_a_stage_is_pinned_to_its_numbers_and_released(pipeline: OpenPipeline) -> None:
    table, path = pipeline.table("query"), "layers.0.query.0"
    before = pipeline.document.matrix(path)
    menu = open_menu(pipeline, table)
    assert not entries(menu)["Release the pin"].isEnabled()
    menu.close()
    choose(pipeline, table, "Pin to these numbers")
    assert np.array_equal(pipeline.document.experiment.pins[path], before)
    assert pipeline.document.undo_stack.undoText() == "Pin Q, head 1"
    choose(pipeline, table, "Release the pin")
    assert path not in pipeline.document.experiment.pins


def test_what_cannot_be_done_is_said_beside_the_matrix(pipeline: OpenPipeline) -> None:
    table = pipeline.table("masked")
    answer("-1")
    choose(pipeline, table, "Multiply by…")
    assert "would be inf" in complaint_of(table)
    assert pipeline.document.undo_stack.count() == 0


@pytest.mark.parametrize("stage", ["scores", "masked", "weights"])
def test_the_pair_under_the_pointer_is_blocked_and_allowed_again(pipeline: OpenPipeline, stage: str) -> None:
    table, document = pipeline.table(stage), pipeline.document
    query, key = (document.experiment.query_tokens[0], document.experiment.key_tokens[0])
    choose(pipeline, table, f"Block “{query}” → “{key}”")
    assert document.matrix("layers.0.weights.0")[0, 0] == 0.0
    assert document.undo_stack.undoText() == "Block query 1, key 1"
    choose(pipeline, table, f"Allow “{query}” → “{key}”")
    assert document.matrix("layers.0.weights.0")[0, 0] > 0.0
    assert document.undo_stack.count() == 2


def test_no_pair_is_blocked_where_there_are_none_or_something_else_than_B_is_shown(pipeline: OpenPipeline) -> None:
    assert not any(text.startswith("Block") for text in entries(open_menu(pipeline, pipeline.table("query"))))
    pipeline.document.comparison.keep(pipeline.document.experiment, "kept", "A")
    pipeline.document.comparison.finish()
    pipeline.settle()
    assert not any(text.startswith("Block") for text in entries(open_menu(pipeline, pipeline.table("weights"))))
