"""There is one cursor: what is typed goes to the number that Explain describes, wherever that was chosen."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot
from real_windows import child, click, in_front

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.cursor import Cell
from attnexplorer.document.storage import Loaded
from attnexplorer.experiment.examples import load_example
from attnexplorer.views.embedding_table import PATH, EmbeddingTable
from attnexplorer.views.input.token_list import TokenList
from attnexplorer.views.matrix_table import MatrixTable

LEFT = Qt.MouseButton.LeftButton
X = "layers.0.input"


def table_of(window: MainWindow, path: str) -> MatrixTable:
    return next(table for table in window.findChildren(MatrixTable) if table.path == path and table.isVisible())


def type_number(qtbot: QtBot, text: str) -> None:
    """Type into what has the keyboard, and end it with Enter."""
    for key in text:
        qtbot.keyClick(QApplication.focusWidget(), key)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)


def test_the_keyboard_begins_at_the_cell_that_was_chosen_elsewhere(windows: Windows, qtbot: QtBot) -> None:
    window = in_front(windows, "animal-street", qtbot)
    window.document.cursor.select(Cell(X, 2, 1))
    table_of(window, X).setFocus(Qt.FocusReason.TabFocusReason)
    type_number(qtbot, "7")
    changed = window.document.experiment.pins[X]
    assert np.argwhere(~np.isnan(changed)).tolist() == [[2, 1]]


def test_it_goes_on_at_another_cell_of_a_matrix_that_had_one(windows: Windows, qtbot: QtBot) -> None:
    window = in_front(windows, "animal-street", qtbot)
    table = table_of(window, X)
    table.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    child(window, TokenList, "tokens").setFocus()
    window.document.cursor.select(Cell(X, 3, 0))
    assert (table.currentIndex().row(), table.currentIndex().column()) == (3, 0)
    table.setFocus(Qt.FocusReason.TabFocusReason)
    assert window.document.cursor.selected == Cell(X, 3, 0)
    type_number(qtbot, "7")
    assert np.argwhere(~np.isnan(window.document.experiment.pins[X])).tolist() == [[3, 0]]


def test_a_file_that_brings_its_cursor_back_has_it_in_the_table_too(windows: Windows, qtbot: QtBot) -> None:
    experiment = load_example("animal-street")
    view = {**experiment.view, "workspace": "pipeline", "selected": [X, 2, 1]}
    window = windows.show_new(Loaded(replace(experiment, view=MappingProxyType(view))))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert window.document.cursor.selected == Cell(X, 2, 1)
    table = table_of(window, X)
    assert (table.currentIndex().row(), table.currentIndex().column()) == (2, 1)


def test_a_block_that_the_cursor_is_in_stays_selected(windows: Windows, qtbot: QtBot) -> None:
    window = in_front(windows, "animal-street", qtbot)
    table = table_of(window, X)
    table.setFocus()
    table.select_all()
    window.document.cursor.select(Cell(X, 1, 1))
    block = table.selected_block()
    assert block is not None
    assert (block.top, block.left, block.bottom, block.right) == (0, 0, 4, 2)
    assert (table.currentIndex().row(), table.currentIndex().column()) == (1, 1)


@pytest.mark.parametrize("text", ["7", "-7", ".5"])
def test_a_number_of_a_token_is_typed_over_after_a_click(windows: Windows, qtbot: QtBot, text: str) -> None:
    window = in_front(windows, "animal-street", qtbot)
    tokens = child(window, TokenList, "tokens")
    QTest.mouseClick(tokens.viewport(), LEFT, pos=tokens.part_rect(1, "numbers", 1).center())
    before = window.document.experiment.embedding.E
    place = window.document.cursor.selected
    assert place is not None
    assert place.path == PATH
    type_number(qtbot, text)
    after = window.document.experiment.embedding.E
    assert np.argwhere(before != after).tolist() == [[place.row, place.column]]
    assert after[place.row, place.column] == float(text)


def test_a_double_click_on_a_number_of_a_token_opens_it_in_sight(windows: Windows, qtbot: QtBot) -> None:
    window = in_front(windows, "animal-street", qtbot)
    tokens = child(window, TokenList, "tokens")
    QTest.mouseDClick(tokens.viewport(), LEFT, pos=tokens.part_rect(2, "numbers", 0).center())
    table = window.findChild(EmbeddingTable).table
    editor = table.viewport().findChild(QLineEdit)
    assert editor is not None
    assert editor.hasFocus()
    inside = editor.mapTo(window.input_dock, QPoint(0, 0))
    assert window.input_dock.rect().contains(inside)
    type_number(qtbot, "0.75")
    row = window.document.experiment.embedding.vocabulary.index(window.document.experiment.sequence.tokens[2])
    assert window.document.experiment.embedding.E[row, 0] == 0.75


def test_after_a_click_on_a_number_enter_renames_that_token(windows: Windows, qtbot: QtBot) -> None:
    window = in_front(windows, "animal-street", qtbot)
    tokens = child(window, TokenList, "tokens")
    QTest.mouseClick(tokens.viewport(), LEFT, pos=tokens.part_rect(2, "numbers", 0).center())
    qtbot.keyClick(tokens, Qt.Key.Key_Return)
    editor = tokens.viewport().findChild(QLineEdit)
    assert editor is not None
    assert editor.text() == window.document.experiment.sequence.tokens[2]
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    click(window, "tab_pipeline")
