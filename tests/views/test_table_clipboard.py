"""Copying and pasting blocks of numbers, as spreadsheets exchange them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QApplication
from views_of_matrices import (
    OpenPipeline,
    click_cell,
    complaint_of,
    open_pipeline,
    press,
)

from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.positions import set_position_kind
from attnexplorer.experiment.examples import load_example
from attnexplorer.figures.matrix import Block

Key, Control = Qt.Key, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def pipeline(qtbot: Any) -> OpenPipeline:
    return open_pipeline(qtbot, new_experiment(["a", "b", "c"], 3, 3, 2, 1, 5))


@pytest.fixture
def german() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German, QLocale.Country.Germany))
    yield
    QLocale.setDefault(before)


def paste(text: str) -> None:
    QApplication.clipboard().setText(text)
    press(Key.Key_V, Control)


def W_Q(pipeline: OpenPipeline) -> list[list[float]]:
    numbers: list[list[float]] = pipeline.document.experiment.layers[0].attention.W_Q[0].tolist()
    return numbers


def test_a_copied_block_is_tab_separated_in_full_precision(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    table.select_block(Block(0, 1, 2, 3))
    press(Key.Key_C, Control)
    expected = "\n".join("\t".join(repr(number) for number in row[1:]) for row in W_Q(pipeline)[:2])
    assert QApplication.clipboard().text() == expected


def test_a_copied_block_pastes_back_bit_for_bit_and_is_no_step(pipeline: OpenPipeline) -> None:
    before = pipeline.document.experiment
    click_cell(pipeline.table("W_Q"), 0, 0)
    press(Key.Key_A, Control)
    press(Key.Key_C, Control)
    press(Key.Key_V, Control)
    assert pipeline.document.undo_stack.count() == 0
    press(Key.Key_Delete)
    press(Key.Key_V, Control)
    assert identical(pipeline.document.experiment, before)
    assert pipeline.document.undo_stack.count() == 2


def test_a_spreadsheets_block_has_no_extra_row_and_no_carriage_returns(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 1, 1)
    paste("1\t2\r\n3\t4\r\n")
    assert [row[1:] for row in W_Q(pipeline)[1:]] == [[1.0, 2.0], [3.0, 4.0]]
    assert table.selected_block() == Block(1, 1, 3, 3)
    assert pipeline.document.undo_stack.undoText() == "Paste into W_Q, head 1"
    pipeline.document.undo_stack.undo()
    assert W_Q(pipeline)[1][1] not in (1.0, 2.0)
    pipeline.document.undo_stack.redo()
    assert W_Q(pipeline)[2] == [W_Q(pipeline)[2][0], 3.0, 4.0]


def test_one_number_fills_the_whole_selection(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    table.select_block(Block(0, 0, 2, 3))
    paste("1/4\n")
    assert W_Q(pipeline)[:2] == [[0.25] * 3] * 2
    assert W_Q(pipeline)[2] != [0.25] * 3
    assert table.selected_block() == Block(0, 0, 2, 3)


REFUSED = (
    ("1\t2\t3\t4", "The pasted block is 1 × 4, but in W_Q, head 1 from row 1, column 1 only 3 × 3 fit."),
    ("1\n2\n3\n4\n", "The pasted block is 4 × 1"),
    ("1\n" * 10_000, "The pasted block is 10000 × 1"),
    ("1\t2\n3", "Row 2 has 1 cell, but row 1 has 2 cells."),
    ("1\t\n3\t4", "Row 1, column 2 is empty; a number is needed."),
    ("1\tcat", "Row 1, column 2: “cat” is not a number."),
    ("", "There is nothing to paste: the text is empty."),
    ("\r\n\r\n", "There is nothing to paste: the text is empty."),
    ("-inf", "“-inf” is infinite or too large; a finite number is needed."),
    ("0,5", "“0,5” has a comma."),
)


def test_what_does_not_fit_is_refused_in_a_sentence_and_changes_nothing(pipeline: OpenPipeline) -> None:
    table, before = pipeline.table("W_Q"), pipeline.document.experiment
    for text, sentence in REFUSED:
        click_cell(table, 0, 0)
        paste(text)
        assert sentence in complaint_of(table)
        assert pipeline.document.experiment is before
        assert pipeline.document.undo_stack.count() == 0


@pytest.mark.usefixtures("german")
def test_a_german_spreadsheet_copies_and_pastes_decimal_commas(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("animal-street"))
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    paste("0,5\t1,25\r\n-2\t1e3\r\n")
    assert W_Q(pipeline) == [[0.5, 1.25], [-2.0, 1000.0]]
    pipeline.settle()
    press(Key.Key_C, Control)
    assert QApplication.clipboard().text() == "0,5\t1,25\n-2,0\t1000,0"
    paste("1.000\t2")
    assert "could mean 1 or 1000" in complaint_of(table)


def test_cutting_copies_and_clears(pipeline: OpenPipeline) -> None:
    click_cell(pipeline.table("W_Q"), 0, 0)
    value = W_Q(pipeline)[0][0]
    press(Key.Key_X, Control)
    assert QApplication.clipboard().text() == repr(value)
    assert W_Q(pipeline)[0][0] == 0.0


def test_the_other_keys_for_the_clipboard_work_too(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    value = W_Q(pipeline)[0][0]
    press(Key.Key_Insert, Control)
    assert QApplication.clipboard().text() == repr(value)
    click_cell(table, 1, 1)
    press(Key.Key_Insert, Qt.KeyboardModifier.ShiftModifier)
    assert W_Q(pipeline)[1][1] == value


def test_pasting_into_a_computed_stage_pins_the_pasted_cells(pipeline: OpenPipeline) -> None:
    click_cell(pipeline.table("query"), 1, 0)
    paste("1\t2\n3\t4")
    pin = pipeline.document.experiment.pins["layers.0.query.0"]
    assert pin[1:, :2].tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert np.isnan(pin[0]).all()


def test_blocked_scores_are_copied_and_pasted_as_blocked(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("animal-street"))
    masked = pipeline.document.matrix("layers.0.masked.0")
    click_cell(pipeline.table("masked"), 0, 0, Qt.KeyboardModifier.ShiftModifier)
    press(Key.Key_A, Control)
    press(Key.Key_C, Control)
    click_cell(pipeline.table("scores"), 0, 0)
    press(Key.Key_V, Control)
    assert np.array_equal(pipeline.document.experiment.pins["layers.0.scores.0"], masked)
    assert np.isneginf(masked).any()


def test_pasting_where_nothing_can_be_changed_says_so(qtbot: Any) -> None:
    experiment = set_position_kind(load_example("animal-street"), "sinusoidal")
    pipeline = open_pipeline(qtbot, experiment)
    table = pipeline.table("embeddings")
    click_cell(table, 0, 0)
    paste("1")
    assert complaint_of(table).endswith("cannot be pinned")
    assert pipeline.document.undo_stack.count() == 0
