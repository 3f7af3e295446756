"""Every dialog by keys alone, in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from keys import CONTROL, SHIFT, Key, choose_by_letters, focused, go_to, go_to_name, press, write
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QListWidget,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot
from real_windows import answering, in_front

from attnexplorer.app import transfer_dialogs
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows


@pytest.fixture
def window(windows: Windows, qtbot: QtBot) -> MainWindow:
    window = in_front(windows, "animal-street", qtbot)
    window.document.recomputation.finish()
    QApplication.processEvents()
    return window


def opened(qtbot: QtBot) -> QDialog:
    """Return the dialog that is open, once it has the keyboard."""
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), QDialog))
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def with_keyboard(answer: Callable[[QDialog], None], qtbot: QtBot) -> Callable[[QDialog], None]:
    """Return an answer to a dialog that waits until the dialog has the keyboard."""

    def wait_and_answer(dialog: QDialog) -> None:
        qtbot.waitUntil(dialog.isActiveWindow)
        answer(dialog)

    return wait_and_answer


def stops_of(dialog: QDialog) -> list[QWidget]:
    """Go once round a dialog by Tab."""
    first = focused()
    found = [first]
    for _ in range(100):
        QTest.keyClick(focused(), Key.Key_Tab)
        if focused() is first:
            return found
        assert focused() not in found, f"Tab turns back at {focused()}"
        found.append(focused())
    raise AssertionError("Tab never comes round")


def unreached(dialog: QDialog, stops: list[QWidget]) -> list[str]:
    """Return the controls of a dialog that Tab does not come to, without those of which a neighbour is chosen."""
    controls = (QAbstractButton, QComboBox, QPlainTextEdit)
    left = [it for it in dialog.findChildren(QWidget) if isinstance(it, controls) and it not in stops]
    left = [it for it in left if it.isVisible() and it.isEnabled() and it.focusProxy() is None]
    return [f"{type(it).__name__} {it.objectName()}" for it in left if it.focusPolicy().value & 1]


def test_a_new_experiment_is_made(window: MainWindow, qtbot: QtBot) -> None:
    def fill(dialog: QDialog) -> None:
        assert focused().objectName() == "new_tokens"
        assert unreached(dialog, stops_of(dialog)) == []
        press(Key.Key_A, modifiers=CONTROL)
        write("to be or not")
        go_to_name("new_heads")
        press(Key.Key_Up)
        press(Key.Key_Return)

    with answering(with_keyboard(fill, qtbot)):
        press(Key.Key_N, modifiers=CONTROL)
    experiment = window.document.experiment
    assert experiment.query_tokens == ("to", "be", "or", "not")
    assert experiment.layers[0].attention.heads == 3


def test_title_and_notes_are_written(window: MainWindow, qtbot: QtBot) -> None:
    def fill(dialog: QDialog) -> None:
        go_to_name("notes_title")
        press(Key.Key_A, modifiers=CONTROL)
        write("By keys")
        go_to_name("notes_text")
        press(Key.Key_A, modifiers=CONTROL)
        write("All of it")
        go_to(lambda widget: isinstance(widget, QAbstractButton) and widget.text().replace("&", "") in ("OK", "Keep"))
        press(Key.Key_Space)

    with answering(with_keyboard(fill, qtbot)):
        choose_by_letters(window, "ft")
    assert (window.document.experiment.title, window.document.experiment.notes) == ("By keys", "All of it")


def test_the_sheet_of_shortcuts_opens_scrolls_and_closes(window: MainWindow, qtbot: QtBot) -> None:
    press(Key.Key_F1)
    dialog = opened(qtbot)
    area = dialog.findChild(QScrollArea)
    assert area is not None
    go_to(lambda widget: widget is area)
    press(Key.Key_Down, Key.Key_Down)
    assert area.verticalScrollBar().value() > 0
    press(Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)


def test_the_licences_are_chosen_in_the_box_about_the_program(window: MainWindow, qtbot: QtBot) -> None:
    choose_by_letters(window, "ha")
    dialog = opened(qtbot)
    assert unreached(dialog, stops_of(dialog)) == []
    parts = go_to_name("about_parts")
    assert isinstance(parts, QListWidget)
    before = parts.currentRow()
    press(Key.Key_Down)
    assert parts.currentRow() == before + 1
    press(Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)


def test_an_array_is_mapped_to_a_matrix_and_imported(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "numbers.npz"
    np.savez(file, first=np.ones((2, 2)), second=np.full((2, 2), 7.0))
    monkeypatch.setattr(transfer_dialogs, "ask_for_matrix_file", lambda *_: file)

    def fill(dialog: QDialog) -> None:
        arrays = go_to_name("import-array")
        assert isinstance(arrays, QComboBox)
        while "second" not in arrays.currentText():
            press(Key.Key_Down)
        targets = go_to_name("import-target")
        assert isinstance(targets, QComboBox)
        press(Key.Key_Home)
        for _ in range(targets.count()):
            if targets.currentText().startswith("W_K"):
                break
            press(Key.Key_Down)
        assert unreached(dialog, stops_of(dialog)) == []
        press(Key.Key_Return)

    with answering(with_keyboard(fill, qtbot)):
        press(Key.Key_O, modifiers=CONTROL | SHIFT)
    assert (window.document.experiment.layers[0].attention.W_K[0] == 7.0).all()


def test_a_figure_is_chosen_named_and_exported(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    press(Key.Key_E, modifiers=CONTROL)
    dialog = opened(qtbot)
    assert unreached(dialog, stops_of(dialog)) == []
    file = go_to_name("figure-file")
    press(Key.Key_A, modifiers=CONTROL)
    write(str(tmp_path / "by-keys.svg"))
    assert focused() is file
    go_to_name("figure-labels")
    press(Key.Key_Space)
    go_to_name("figure-export")
    press(Key.Key_Space)
    qtbot.waitUntil(lambda: (tmp_path / "by-keys.svg").exists(), timeout=30_000)
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None, timeout=30_000)


def test_closing_with_changes_asks_and_is_answered(window: MainWindow, qtbot: QtBot) -> None:
    window.document.set_cell("embedding.E", 0, 0, 3.0)

    def cancel(dialog: QDialog) -> None:
        go_to(lambda widget: isinstance(widget, QAbstractButton) and widget.text().replace("&", "") == "Cancel")
        press(Key.Key_Space)

    with answering(with_keyboard(cancel, qtbot)):
        press(Key.Key_W, modifiers=CONTROL)
    assert window.isVisible()


def test_a_message_is_closed(window: MainWindow) -> None:
    window.messages.show_message("file", "note", "Something to know.")
    QApplication.processEvents()
    go_to_name("message_close")
    press(Key.Key_Space)
    QApplication.processEvents()
    assert not [it for it in window.findChildren(QWidget, "message_close") if it.isVisible()]


def test_escape_leaves_the_export_of_a_figure(window: MainWindow, qtbot: QtBot) -> None:
    press(Key.Key_E, modifiers=CONTROL)
    assert opened(qtbot).isVisible()
    press(Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)
    assert window.isVisible()
