"""Docks in narrow windows: they give way, come back, and stay where the user wants them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QAbstractAnimation, Qt
from PySide6.QtWidgets import QApplication, QFrame, QMainWindow, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from real_windows import child, program, trigger

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_copy_of_example


@pytest.fixture
def window(windows: Windows, qtbot: QtBot) -> MainWindow:
    window = windows.show_new(load_copy_of_example("multi-head"))
    widen(window, 1440)
    return window


def widen(window: MainWindow, width: int, height: int = 700) -> None:
    window.resize(width, height)
    QApplication.processEvents()


def docks(window: MainWindow) -> tuple[bool, bool]:
    return not window.input_dock.isHidden(), not window.explain_dock.isHidden()


def test_the_workspace_keeps_its_room_in_the_smallest_window_and_the_docks_come_back(window: MainWindow) -> None:
    widen(window, 1024)
    assert docks(window) == (True, True)
    widen(window, 640, 420)
    assert docks(window) == (True, False)
    assert window.workspaces["pipeline"].widget.width() >= 360
    widen(window, 1024)
    assert docks(window) == (True, True)


def test_large_type_takes_room_as_a_narrow_window_does(windows: Windows, window: MainWindow) -> None:
    windows.appearance.set_text_scale(1.95)
    QApplication.processEvents()
    assert docks(window) == (True, False)
    widen(window, 1024)
    assert docks(window) == (False, False)
    windows.appearance.set_text_scale(1.0)
    QApplication.processEvents()
    assert docks(window) == (True, True)


def test_docks_that_grew_with_type_shrink_with_it(windows: Windows, window: MainWindow) -> None:
    before = window.input_dock.width()
    windows.appearance.set_text_scale(1.4)
    QApplication.processEvents()
    assert window.input_dock.width() > before
    windows.appearance.set_text_scale(1.0)
    QApplication.processEvents()
    assert abs(window.input_dock.width() - before) <= 4


def test_docks_that_were_made_wide_are_narrower_in_a_narrower_window(window: MainWindow, qtbot: QtBot) -> None:
    both = [window.input_dock, window.explain_dock]
    window.resizeDocks(both, [430, 430], Qt.Orientation.Horizontal)
    QApplication.processEvents()
    assert window.input_dock.width() > 400
    widen(window, 1300)
    assert window.input_dock.width() > 400, "there is still room enough"
    widen(window, 1024)
    qtbot.waitUntil(lambda: window.workspaces["pipeline"].widget.width() >= 360)
    assert docks(window) == (True, True)


def test_every_workspace_has_room_in_the_smallest_window_or_scrolls(window: MainWindow, qtbot: QtBot) -> None:
    widen(window, 640, 420)
    for name in window.workspaces:
        window.show_workspace(name)
        widget = window.workspaces[name].widget
        qtbot.waitUntil(lambda widget=widget: cut_cards(widget) == [])


def cut_cards(workspace: QWidget) -> list[str]:
    """The names of the cards that are lower than they must be."""
    cards = (card for card in workspace.findChildren(QFrame) if card.property("look") == "card" and card.isVisible())
    return [it.objectName() for it in cards if it.layout() and it.height() < it.minimumSizeHint().height()]


def test_a_dock_that_is_opened_in_a_narrow_window_stays(window: MainWindow) -> None:
    widen(window, 640)
    window.explain_dock.toggleViewAction().trigger()
    widen(window, 660)
    assert docks(window) == (True, True)


def test_a_dock_that_was_closed_stays_closed_in_a_wide_window(window: MainWindow) -> None:
    window.explain_dock.toggleViewAction().trigger()
    widen(window, 640)
    widen(window, 1440)
    assert docks(window) == (True, False)


def test_a_dock_that_gave_way_is_there_in_the_next_wide_window(windows: Windows, window: MainWindow) -> None:
    widen(window, 640)
    trigger(window, "file_close")
    with program() as later:
        again = later.show_new(load_copy_of_example("multi-head"))
        assert again.width() == 640
        assert docks(again) == (True, False)
        widen(again, 1440)
        assert docks(again) == (True, True)


def test_the_bar_across_the_top_leaves_out_undo_before_it_cuts_a_word(windows: Windows, window: MainWindow) -> None:
    tabs = [child(window, QPushButton, f"tab_{name}") for name in window.workspaces]
    widen(window, 640)
    assert all(tab.width() >= tab.sizeHint().width() for tab in tabs)
    assert not child(window, QToolButton, "undo_button").isVisible()
    widen(window, 1440)
    assert child(window, QToolButton, "undo_button").isVisible()


def test_nothing_in_the_window_moves_by_itself(window: MainWindow) -> None:
    for name in window.workspaces:
        window.show_workspace(name)
        QApplication.processEvents()
    assert not window.dockOptions() & QMainWindow.DockOption.AnimatedDocks
    running = QAbstractAnimation.State.Running
    assert [it for it in window.findChildren(QAbstractAnimation) if it.state() == running] == []
