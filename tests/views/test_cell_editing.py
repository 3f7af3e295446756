"""Typing into the cells of a matrix, with real keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QLocale, Qt
from PySide6.QtGui import QFocusEvent
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
    open_pipeline,
    press,
    turn_wheel,
    type_text,
)

from attnexplorer.experiment.edits.positions import set_position_kind
from attnexplorer.experiment.edits.widths import set_d_model
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.paths import get
from attnexplorer.views.complaint import Complaint, complain

Key = Qt.Key
W_Q = "layers.0.attention.W_Q.0"


@pytest.fixture
def pipeline(qtbot: Any) -> OpenPipeline:
    return open_pipeline(qtbot, load_example("animal-street"))


@pytest.fixture
def german() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German, QLocale.Country.Germany))
    yield
    QLocale.setDefault(before)


def number(pipeline: OpenPipeline, row: int, column: int, path: str = W_Q) -> float:
    return float(get(pipeline.document.experiment, path)[row, column])


def test_typing_replaces_the_number_and_enter_commits_and_goes_down(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 1)
    type_text("5.25")
    assert editor_of(table).text() == "5.25"
    assert number(pipeline, 0, 1) == 1.0
    press(Key.Key_Return)
    assert number(pipeline, 0, 1) == 5.25
    assert current_cell(table) == (1, 1)
    assert editor_of(table) is None
    assert table.hasFocus()
    assert pipeline.document.undo_stack.undoText() == "Set W_Q, head 1, row 1, column 2"
    pipeline.settle()
    assert table.model().data(table.model().index(0, 1)) == "5.25"


def test_enter_on_a_cell_opens_it_with_its_number_in_full(pipeline: OpenPipeline) -> None:
    table = pipeline.table("weights")
    click_cell(table, 3, 0)
    press(Key.Key_Return)
    value = pipeline.document.matrix("layers.0.weights.0")[3, 0]
    assert float(editor_of(table).text()) == value
    press(Key.Key_Escape)


def test_f2_edits_the_present_number_and_escape_keeps_it(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 1, 0)
    press(Key.Key_F2)
    assert editor_of(table).text() == "1.0"
    type_text("7")
    press(Key.Key_Escape)
    assert number(pipeline, 1, 0) == 1.0
    assert editor_of(table) is None
    assert table.hasFocus()
    assert pipeline.document.undo_stack.count() == 0


def test_a_double_click_opens_the_editor(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=cell_centre(table, 0, 0))
    assert editor_of(table) is not None
    assert focused() is editor_of(table)
    press(Key.Key_Escape)


def test_keys_that_commit_go_on_to_the_next_cell(pipeline: OpenPipeline) -> None:
    table, before = pipeline.table("W_Q"), get(pipeline.document.experiment, W_Q)
    for key, start, end in (
        (Key.Key_Tab, (0, 0), (0, 1)),
        (Key.Key_Tab, (0, 1), (1, 0)),
        (Key.Key_Tab, (1, 1), (1, 1)),
        (Key.Key_Backtab, (1, 0), (0, 1)),
        (Key.Key_Backtab, (0, 0), (0, 0)),
        (Key.Key_Enter, (1, 1), (1, 1)),
        (Key.Key_Up, (1, 1), (0, 1)),
        (Key.Key_Down, (0, 1), (1, 1)),
    ):
        click_cell(table, *start)
        type_text("3")
        press(key)
        assert number(pipeline, *start) == 3.0
        assert current_cell(table) == end
        assert table.hasFocus()
        changed = get(pipeline.document.experiment, W_Q) != before
        assert np.argwhere(changed).tolist() == [list(start)]
        pipeline.document.undo_stack.undo()


def test_keys_for_pages_do_not_leave_an_open_editor_behind(pipeline: OpenPipeline) -> None:
    table = pipeline.table("X" if "X" in pipeline.workspace.canvas.cards else "query")
    click_cell(table, 1, 0)
    type_text("4")
    press(Key.Key_PageDown)
    assert current_cell(table) == (1, 0)
    press(Key.Key_Return)
    assert pipeline.document.present_value(table.path, 1, 0) == 4.0


def test_numbers_and_expressions_are_understood(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    for typed, value in (
        ("1/sqrt(2)", 1 / np.sqrt(2)),
        ("-3e-2", -0.03),
        ("−0.5", -0.5),
        ("2*pi", 2 * np.pi),
        (" 7 ", 7.0),
        (".5", 0.5),
    ):
        click_cell(table, 0, 0)
        press(Key.Key_F2)
        editor_of(table).selectAll()
        type_text(typed)
        press(Key.Key_Return)
        assert number(pipeline, 0, 0) == value


def test_what_is_no_number_stays_in_the_editor_with_a_sentence_beside_it(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    for typed in ("abc", "1,5", "1/0", "1e999", "sqrt(-1)", "2 3", "__import__"):
        click_cell(table, 0, 0)
        type_text(typed)
        press(Key.Key_Return)
        assert editor_of(table).text() == typed
        assert focused() is editor_of(table)
        assert typed in complaint_of(table)
        assert complaint_of(table).endswith(".")
        assert pipeline.document.undo_stack.count() == 0
        press(Key.Key_Tab)
        assert editor_of(table).text() == typed
        press(Key.Key_Backspace)
        assert complaint_of(table) == ""
        press(Key.Key_Escape)
        assert number(pipeline, 0, 0) == 1.0


def test_the_sentence_stands_beside_the_cell_and_inside_the_window(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 1, 1)
    type_text("abc")
    press(Key.Key_Return)
    label = table.window().findChild(Complaint)
    cell = table.visualRect(table.model().index(1, 1))
    top = table.viewport().mapTo(table.window(), cell.topLeft()).y()
    assert abs(label.geometry().top() - (top + cell.height())) < 12
    assert table.window().rect().contains(label.geometry())
    press(Key.Key_Escape)


def test_the_sentence_goes_with_what_it_is_about(pipeline: OpenPipeline, qtbot: Any) -> None:
    pipeline.workspace.resize(1000, 300)
    pipeline.settle()
    table = pipeline.table("W_Q")
    for wait, go in (
        (1600, lambda: pipeline.workspace.verticalScrollBar().setValue(40)),
        (400, lambda: pipeline.table("W_K").setFocus()),
        (0, table.hide),
    ):
        table.show()
        complain(table, "This cannot be done.", table.rect())
        label = table.window().findChild(Complaint)
        assert label.isVisible()
        qtbot.wait(wait)
        assert label.isVisible()
        go()
        qtbot.waitUntil(label.isHidden)


def test_an_edit_is_committed_when_the_focus_goes_elsewhere(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    type_text("9")
    click_cell(pipeline.table("W_K"), 1, 1)
    assert number(pipeline, 0, 0) == 9.0
    assert editor_of(table) is None
    click_cell(table, 0, 0)
    type_text("8")
    click_cell(table, 1, 1)
    assert number(pipeline, 0, 0) == 8.0
    assert number(pipeline, 1, 1) == 1.0


def test_what_is_being_typed_is_committed_by_taking_the_focus_away(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    type_text("2.5")
    focused().clearFocus()
    assert number(pipeline, 0, 0) == 2.5
    assert editor_of(table) is None


def test_an_edit_that_is_no_number_is_refused_in_words_when_the_focus_goes_elsewhere(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    type_text("nine")
    click_cell(pipeline.table("W_K"), 1, 1)
    assert "“nine” is not a number" in complaint_of(table)
    assert editor_of(table) is None
    assert pipeline.document.undo_stack.count() == 0


def test_leaving_the_window_keeps_unfinished_text_and_commits_a_number(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    type_text("1/")
    left = QFocusEvent(QEvent.Type.FocusOut, Qt.FocusReason.ActiveWindowFocusReason)
    QApplication.sendEvent(editor_of(table), left)
    assert editor_of(table).text() == "1/"
    assert complaint_of(table) == ""
    type_text("4")
    press(Key.Key_Return)
    assert number(pipeline, 0, 0) == 0.25


def test_an_open_editor_is_committed_before_another_head_is_shown(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("multi-head"))
    table = pipeline.table("W_Q")
    click_cell(table, 1, 1)
    type_text("6.5")
    pipeline.document.display.choose("head", 1)
    pipeline.settle()
    assert table.path == "layers.0.attention.W_Q.1"
    assert number(pipeline, 1, 1) == 6.5
    assert editor_of(table) is None
    assert pipeline.document.undo_stack.count() == 1


def test_an_open_editor_whose_cell_is_gone_is_refused_in_words(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 1, 1)
    type_text("6.5")
    pipeline.document.apply("Set d_model", lambda experiment: set_d_model(experiment, 1))
    pipeline.settle()
    assert table.content.shape == (1, 2)
    assert "reaches beyond" in complaint_of(table)
    assert pipeline.document.undo_stack.count() == 1


def test_looking_at_a_computed_number_does_not_pin_it(pipeline: OpenPipeline) -> None:
    table = pipeline.table("query")
    click_cell(table, 0, 0)
    for leave in (Key.Key_Return, Key.Key_Tab):
        press(Key.Key_F2)
        press(leave)
    press(Key.Key_F2)
    click_cell(pipeline.table("W_K"), 0, 0)
    assert pipeline.document.undo_stack.count() == 0


def test_typing_into_a_computed_cell_pins_it_and_delete_releases_it(pipeline: OpenPipeline) -> None:
    table = pipeline.table("query")
    click_cell(table, 0, 0)
    type_text("2")
    press(Key.Key_Return)
    pipeline.settle()
    pin = pipeline.document.experiment.pins["layers.0.query.0"]
    assert pin[0, 0] == 2.0
    assert np.isnan(pin).sum() == pin.size - 1
    assert table.content.picture.pinned[0, 0]
    assert pipeline.document.matrix("layers.0.scores.0")[0, 0] == 2.0 * 1.5 + 1.1 * 1.0
    click_cell(table, 0, 0)
    press(Key.Key_Delete)
    assert "layers.0.query.0" not in pipeline.document.experiment.pins
    assert pipeline.document.undo_stack.undoText() == "Release Q, head 1, row 1, column 1"


def test_delete_on_a_computed_cell_that_is_not_pinned_is_no_step(pipeline: OpenPipeline) -> None:
    for key in ("query", "key"):
        table = pipeline.table(key)
        click_cell(table, 0, 0)
        press(Key.Key_Delete)
        press(Key.Key_Delete)
    assert pipeline.document.undo_stack.count() == 1


def test_the_tag_releases_the_whole_pin(pipeline: OpenPipeline) -> None:
    card = pipeline.card("key")
    assert card._tag.text() == "pinned ×"
    QTest.mouseClick(card._tag, Qt.MouseButton.LeftButton)
    pipeline.settle()
    assert "layers.0.key.0" not in pipeline.document.experiment.pins
    assert not card._tag.isVisible()
    pipeline.document.undo_stack.undo()
    pipeline.settle()
    assert card._tag.isVisible()


def test_minus_infinity_may_be_typed_where_a_pin_may_block(pipeline: OpenPipeline) -> None:
    table = pipeline.table("scores")
    click_cell(table, 3, 0)
    press(Key.Key_F2)
    editor_of(table).selectAll()
    type_text("-inf")
    press(Key.Key_Return)
    pipeline.settle()
    assert pipeline.document.matrix("layers.0.weights.0")[3, 0] == 0.0
    click_cell(pipeline.table("query"), 0, 0)
    type_text("-inf")
    press(Key.Key_Return)
    assert "infinite" in complaint_of(table)
    press(Key.Key_Escape)


def test_typing_into_what_cannot_be_changed_says_why(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("dog-bites-man"))
    pipeline.document.apply("Position", lambda e: set_position_kind(e, "sinusoidal"))
    pipeline.settle()
    table = pipeline.table("embeddings")
    click_cell(table, 0, 0)
    type_text("5")
    assert "cannot be changed itself" in complaint_of(table)
    assert current_cell(table) == (0, 0)
    assert pipeline.document.undo_stack.count() == 1


def test_a_position_table_becomes_editable_when_it_is_learned(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("animal-street"))
    for kind in ("sinusoidal", "learned"):
        pipeline.document.apply("Position", lambda e, kind=kind: set_position_kind(e, kind))
        pipeline.settle()
    table = pipeline.table("position")
    click_cell(table, 1, 1)
    type_text("2")
    press(Key.Key_Return)
    assert pipeline.document.experiment.position.table[1, 1] == 2.0


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(("typed", "value"), [("0,5", 0.5), ("0.5", 0.5), ("1/2", 0.5), ("1,25e1", 12.5)])
def test_a_german_reader_types_a_decimal_comma(qtbot: Any, typed: str, value: float) -> None:
    pipeline = open_pipeline(qtbot, load_example("animal-street"))
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    type_text(typed)
    press(Key.Key_Return)
    assert number(pipeline, 0, 0) == value
    assert table.model().data(table.model().index(1, 1)) == "1,00"


@pytest.mark.usefixtures("german")
def test_a_german_reader_is_asked_what_1_000_means(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("animal-street"))
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    type_text("1.000")
    press(Key.Key_Return)
    assert "could mean 1 or 1000" in complaint_of(table)
    assert number(pipeline, 0, 0) == 1.0
    press(Key.Key_Escape)


def test_a_long_text_is_refused_and_quoted_in_short(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    type_text("1")
    editor_of(table).insert("1" * 400)
    press(Key.Key_Return)
    assert "longer than the 200 characters" in complaint_of(table)
    press(Key.Key_Escape)


def test_the_pointer_of_a_mouse_on_an_open_editor_does_not_scrub(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    type_text("4")
    turn_wheel(table, 0, 0, 2)
    assert pipeline.document.undo_stack.count() == 0
    press(Key.Key_Return)
    assert number(pipeline, 0, 0) == 4.0


def test_enter_without_a_current_cell_or_where_an_editor_is_open_already_does_nothing(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    click_cell(table, 0, 1)
    table.setCurrentIndex(table.model().index(-1, -1))
    QTest.keyClick(table, Key.Key_Return)
    assert editor_of(table) is None
    click_cell(table, 0, 1)
    QTest.keyClick(table, Key.Key_Return)
    editor = editor_of(table)
    QTest.keyClick(table, Key.Key_Return)
    assert editor_of(table) is editor
    press(Key.Key_Escape)
