"""The title of the experiment between the tabs and the buttons, with its notes as the tip."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QDialog, QLineEdit
from pytestqt.qtbot import QtBot
from real_windows import answering, button, child, click

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.title_line import TitleLine
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_copy_of_example


@pytest.fixture
def window(windows: Windows) -> MainWindow:
    return windows.show_new(load_copy_of_example("tired"))


def line_of(window: MainWindow) -> TitleLine:
    return child(window, TitleLine, "title_line")


def test_the_title_is_seen_and_the_notes_are_its_tip(window: MainWindow) -> None:
    experiment, line = window.document.experiment, line_of(window)
    assert line.isVisible() and line.text() == experiment.title
    assert experiment.notes.strip()
    assert line.accessibleDescription() == experiment.notes.strip().replace("*", "")
    assert experiment.notes.split()[-1] in line.toolTip()


def test_a_press_asks_for_title_and_notes_and_the_line_follows(window: MainWindow, qtbot: QtBot) -> None:
    def answer(dialog: QDialog) -> None:
        child(dialog, QLineEdit, "notes_title").setText("A < B")
        button("OK")(dialog)

    with answering(answer) as asked:
        click(window, "title_line")
        qtbot.waitUntil(lambda: bool(asked))
    assert asked == ["Title and notes"]
    assert line_of(window).text() == "A < B" and "A &lt; B" in line_of(window).toolTip()
    window.undo_action.trigger()
    assert line_of(window).text() == window.document.experiment.title != "A < B"


def test_without_a_title_there_is_no_line(window: MainWindow) -> None:
    window.document.set_value("title", "", "Change the title")
    assert not line_of(window).isVisible()


def test_a_long_title_makes_no_window_wider(window: MainWindow) -> None:
    window.resize(1024, 700)
    window.document.set_value("title", "long " * 100, "Change the title")
    right = child(window, TitleLine, "title_line").geometry().right()
    assert window.width() == 1024 and right < 1024
