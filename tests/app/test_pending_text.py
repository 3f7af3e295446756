"""What is being typed counts when the work is saved, exported or closed; and the menu Edit takes nothing apart."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPushButton, QToolBar
from pytestqt.qtbot import QtBot
from real_windows import answering, button, child, trigger

from attnexplorer.app import file_dialogs, transfer_dialogs
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_copy_of_example, load_file
from attnexplorer.experiment.examples import example_path, load_example
from attnexplorer.experiment.fileformat import load
from attnexplorer.views.matrix_table import MatrixTable

E = "embedding.E"


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    return Path(shutil.copy(example_path("animal-street"), tmp_path / "lesson.attn"))


@pytest.fixture
def window(windows: Windows, lesson: Path, qtbot: QtBot) -> MainWindow:
    window = windows.show_new(load_file(lesson))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def type_into_first_cell(window: MainWindow, text: str) -> MatrixTable:
    table = next(it for it in window.findChildren(MatrixTable) if it.path == E)
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 0))
    for letter in text:
        QTest.keyClick(window.windowHandle(), ord(letter))
    assert isinstance(QApplication.focusWidget(), QLineEdit)
    return table


def test_ctrl_s_saves_the_number_that_is_being_typed(window: MainWindow, lesson: Path) -> None:
    table = type_into_first_cell(window, "4.5")
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert load(lesson).embedding.E[0, 0] == 4.5
    assert not window.storage.modified
    assert table.hasFocus()


def test_save_as_takes_the_number_along(window: MainWindow, lesson: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_dialogs, "ask_for_file_to_save", lambda parent, path: lesson.with_name("mine.attn"))
    type_into_first_cell(window, "4.5")
    trigger(window, "file_save_as")
    assert load(lesson.with_name("mine.attn")).embedding.E[0, 0] == 4.5


def test_exporting_takes_the_number_along(
    window: MainWindow, lesson: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    script = lesson.with_name("script.py")
    monkeypatch.setattr(transfer_dialogs, "ask_for_file_to_write", lambda parent, title, path, filters: script)
    type_into_first_cell(window, "4.53125")
    trigger(window, "export_numpy")
    qtbot.waitUntil(script.exists)
    assert "4.53125" in script.read_text(encoding="utf-8")


def test_closing_asks_about_the_number_that_is_being_typed(window: MainWindow, lesson: Path) -> None:
    type_into_first_cell(window, "4.5")
    with answering(button("Save")) as asked:
        window.close()
    assert asked == ["Save the changes of “lesson.attn”?"]
    assert load(lesson).embedding.E[0, 0] == 4.5


def test_opening_another_experiment_does_not_type_into_it(windows: Windows, window: MainWindow) -> None:
    type_into_first_cell(window, "4.5")
    other = windows.show_loaded(load_copy_of_example("tired"), window)
    assert other is not window
    assert window.document.experiment.embedding.E[0, 0] == 4.5
    assert (other.document.experiment.embedding.E == load_example("tired").embedding.E).all()


def test_what_is_no_number_is_said_and_the_rest_is_saved(window: MainWindow, lesson: Path) -> None:
    window.document.set_cell(E, 1, 1, 7.0)
    type_into_first_cell(window, "4.5.6")
    trigger(window, "file_save")
    assert load(lesson).embedding.E[1, 1] == 7.0
    assert load(lesson).embedding.E[0, 0] == load_example("animal-street").embedding.E[0, 0]


def test_without_anything_typed_the_focus_stays_where_it_is(window: MainWindow) -> None:
    tab = child(window, QPushButton, "tab_pipeline")
    tab.setFocus()
    trigger(window, "file_save")
    assert tab.hasFocus()


def test_clear_in_the_menu_takes_no_bar_and_no_box_apart(windows: Windows, window: MainWindow) -> None:
    windows.show_loaded(load_copy_of_example("multi-head"), window)
    bar, heads = child(window, QToolBar, "top_bar"), child(window, QComboBox, "head_chooser")
    for widget in (child(window, QPushButton, "tab_pipeline"), heads):
        widget.setFocus()
        for name in ("edit_clear", "edit_cut", "edit_select_all"):
            trigger(window, name)
    assert len(bar.actions()) == 1
    assert child(bar, QPushButton, "tab_pipeline").isVisible()
    assert heads.count() == len(window.document.experiment.layers[0].attention.W_Q)
