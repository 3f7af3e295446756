"""Undo and redo by keys while a field has the focus: the document's, unless something is being typed in the field."""

from __future__ import annotations

import pytest
from keys import CONTROL, SHIFT, focused, press, write
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from real_windows import in_front

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.experiment.comparison import identical
from attnexplorer.views.matrix_table import MatrixTable

Key = Qt.Key
FIELDS = {
    "temperature": "2",
    "softcap": "30",
    "d_k": "3",
    "d_v": "5",
    "d_model": "3",
    "text": "the animal was tired",
    "scale-field": "2",
}
"""Fields that are on screen from the start, and what is typed into each."""


@pytest.fixture
def window(windows: Windows, qtbot: QtBot) -> MainWindow:
    return in_front(windows, "sky-is-blue", qtbot)


def entered(window: MainWindow, qtbot: QtBot, name: str) -> tuple[QWidget, QLineEdit, str]:
    """Type into a field as a user does, up to Enter; return it, its line, and the text before."""
    field = next(it for it in window.findChildren(QWidget, name) if it.isVisible())
    line = field.lineEdit() if isinstance(field, QAbstractSpinBox) else field
    assert isinstance(line, QLineEdit)
    before = line.text()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    line.selectAll()
    write(FIELDS[name])
    press(Key.Key_Return)
    if window.document.undo_stack.count() == 0:
        press(Key.Key_Return)  # what would be lost was asked about
        field.setFocus()
    qtbot.waitUntil(lambda: window.document.undo_stack.count() == 1)
    return field, line, before


@pytest.mark.parametrize("name", FIELDS)
def test_ctrl_z_right_after_a_field_undoes_what_was_made_of_it(window: MainWindow, qtbot: QtBot, name: str) -> None:
    document, experiment = window.document, window.document.experiment
    field, line, before = entered(window, qtbot, name)
    changed = document.experiment
    assert not identical(changed, experiment)
    press(Key.Key_Z, modifiers=CONTROL)
    assert identical(document.experiment, experiment)
    qtbot.waitUntil(lambda: line.text() == before)
    press(Key.Key_Z, modifiers=CONTROL)
    assert identical(document.experiment, experiment)
    assert line.text() == before, "the field says something else than the experiment"
    press(Key.Key_Z, modifiers=CONTROL | SHIFT)
    assert identical(document.experiment, changed)
    press(Key.Key_Z, modifiers=CONTROL)
    press(Key.Key_Y, modifiers=CONTROL)
    assert identical(document.experiment, changed)
    field.clearFocus()
    assert document.undo_stack.count() == 1, "to leave the field changes something"


def test_ctrl_z_while_typing_takes_back_what_was_typed_and_no_step(window: MainWindow, qtbot: QtBot) -> None:
    document = window.document
    _, line, _ = entered(window, qtbot, "temperature")
    changed, shown = document.experiment, line.text()
    line.setFocus()
    line.end(False)
    write("5")
    assert line.text() == f"{shown}5"
    press(Key.Key_Z, modifiers=CONTROL)
    assert line.text() == shown and document.experiment is changed
    press(Key.Key_Z, modifiers=CONTROL | SHIFT)
    assert line.text() == f"{shown}5" and document.experiment is changed


def test_a_cell_that_is_being_typed_into_keeps_its_keys(window: MainWindow, qtbot: QtBot) -> None:
    entered(window, qtbot, "temperature")
    changed = window.document.experiment
    table = next(it for it in window.findChildren(MatrixTable) if it.path == "embedding.E")
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 0))
    write("45")
    editor = focused()
    assert isinstance(editor, QLineEdit) and editor.text() == "45"
    press(Key.Key_Z, modifiers=CONTROL)
    assert window.document.experiment is changed
    assert focused() is editor
    press(Key.Key_Escape)
    press(Key.Key_Z, modifiers=CONTROL)
    assert window.document.undo_stack.index() == 0, "the table itself leaves the key to the document"
