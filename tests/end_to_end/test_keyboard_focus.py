"""The focus in the real window: Tab comes everywhere and round, F6 goes from part to part, and one sees where it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from keys import ALT, CONTROL, SHIFT, Key, focused, go_to, leave, press
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from real_windows import child, in_front

from attnexplorer.app.focus_order import give_focus
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_copy_of_example
from attnexplorer.figures.theme import ThemeName
from attnexplorer.views.sight import is_in_sight

WORKSPACES = ("pipeline", "heads", "scaling", "geometry")


@pytest.fixture
def window(windows: Windows, qtbot: QtBot) -> MainWindow:
    return in_front(windows, "multi-head", qtbot)


def show(window: MainWindow, qtbot: QtBot, workspace: str) -> None:
    """Show a workspace by its keys, and wait until it holds still."""
    press(getattr(Key, f"Key_{WORKSPACES.index(workspace) + 1}"), modifiers=ALT)
    window.document.recomputation.finish()
    before: list[QWidget] = []
    for _ in range(40):
        qtbot.wait(50)
        now = window.parts.stops()
        if now == before:
            return
        before = now


def takes_tab(widget: QWidget) -> bool:
    tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return tab and widget.isVisible() and widget.isEnabled() and widget.focusProxy() is None


def picture_of(window: MainWindow, widget: QWidget) -> QImage:
    rect = QRect(widget.mapTo(window, QPoint()), widget.size()).adjusted(-3, -3, 3, 3)
    return window.grab(rect).toImage()


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_tab_comes_to_every_control_and_round_again_and_nothing_holds_it(
    window: MainWindow, qtbot: QtBot, workspace: str
) -> None:
    show(window, qtbot, workspace)
    start = child(window, QPushButton, f"tab_{workspace}")
    start.setFocus()
    visited: list[QWidget] = [start]
    while True:
        leave()
        if focused() is start:
            break
        assert focused() not in visited, f"Tab comes twice to {focused()} before it comes round"
        visited.append(focused())
    assert [widget for widget in window.findChildren(QWidget) if takes_tab(widget) and widget not in visited] == []


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_shift_and_tab_go_the_same_way_back(window: MainWindow, qtbot: QtBot, workspace: str) -> None:
    show(window, qtbot, workspace)
    child(window, QPushButton, f"tab_{workspace}").setFocus()
    there, back = [focused()], []
    for _ in range(25):
        leave()
        there.append(focused())
    for _ in range(25):
        back.append(focused())
        leave(forward=False)
    assert [*back, focused()] == there[::-1]


def test_the_order_is_that_of_reading_the_bar_the_left_dock_the_workspace_the_right_dock(
    window: MainWindow, qtbot: QtBot
) -> None:
    show(window, qtbot, "pipeline")
    stops = window.parts.stops()
    places = [next(k for k, part in enumerate(parts(window)) if part.isAncestorOf(stop)) for stop in stops]
    assert places == sorted(places)
    assert set(places) == {0, 1, 2, 3, 4}


def parts(window: MainWindow) -> tuple[QWidget, ...]:
    bar = child(window, QWidget, "top_bar")
    return bar, window.input_dock, window.workspaces["pipeline"].widget, window.explain_dock, window.status_line


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("workspace", WORKSPACES)
def test_one_sees_what_has_the_focus(
    windows: Windows, window: MainWindow, qtbot: QtBot, workspace: str, theme: ThemeName
) -> None:
    windows.appearance.choose_theme(theme)
    QApplication.setCursorFlashTime(0)
    show(window, qtbot, workspace)
    elsewhere = child(window, QAbstractButton, "export_figure_button")
    unseen = []
    for stop in window.parts.stops():
        if stop is elsewhere:
            continue
        give_focus(stop, Qt.FocusReason.TabFocusReason)
        QApplication.processEvents()
        with_focus, in_sight = picture_of(window, stop), is_in_sight(stop)
        elsewhere.setFocus()
        QApplication.processEvents()
        if not in_sight or picture_of(window, stop) == with_focus:
            unseen.append(f"{type(stop).__name__} {stop.objectName()}")
    assert unseen == []


def test_f6_goes_from_part_to_part_and_back_to_where_the_focus_was_there(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, "heads")
    seen = []
    child(window, QPushButton, "tab_heads").setFocus()
    for _ in range(5):
        press(Key.Key_F6, modifiers=CONTROL)
        seen.append(next(k for k, part in enumerate(heads_parts(window)) if part.isAncestorOf(focused())))
    assert seen == [1, 2, 3, 4, 0]
    grid = go_to(lambda widget: widget.objectName() == "head-grid")
    press(Key.Key_F6)
    assert window.explain_dock.isAncestorOf(focused())
    press(Key.Key_F6, modifiers=SHIFT)
    assert focused() is grid


def heads_parts(window: MainWindow) -> tuple[QWidget, ...]:
    bar = child(window, QWidget, "top_bar")
    return bar, window.input_dock, window.workspaces["heads"].widget, window.explain_dock, window.status_line


def test_tab_brings_into_view_what_it_comes_to(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, "pipeline")
    child(window, QPushButton, "tab_pipeline").setFocus()
    hidden = []
    for _ in range(len(window.parts.stops())):
        leave()
        QApplication.processEvents()
        if not is_in_sight(focused()):
            hidden.append(focused().objectName())
    assert hidden == []


@pytest.mark.parametrize("name", ["multi-head", "animal-street"])
def test_every_entry_of_the_menus_has_a_letter_or_keys_and_no_letter_twice(windows: Windows, name: str) -> None:
    window = windows.show_new(load_copy_of_example(name))
    without, twice = [], []
    for menu in menus_of(window):
        letters: list[str] = []
        for action in menu.actions():
            letter = letter_of(action)
            if letter and letter in letters:
                twice.append(f"{menu.title()}: {action.text()}")
            letters.append(letter)
            if not letter and not action.shortcuts() and not action.isSeparator():
                without.append(action.text())
    assert twice == []
    assert without == []


def menus_of(window: MainWindow) -> Iterator[QMenu]:
    """Yield all menus that are not made anew from what there is each time they open."""
    waiting = [action.menu() for action in window.menuBar().actions()]
    while waiting:
        menu = waiting.pop()
        assert isinstance(menu, QMenu)
        if not menu.actions() or menu.objectName() in ("compare_examples", "file_recent", "file_examples"):
            continue
        yield menu
        waiting += [action.menu() for action in menu.actions() if action.menu() is not None]


def letter_of(action: QAction) -> str:
    text = action.text().replace("&&", "")
    return text[text.index("&") + 1].lower() if "&" in text else ""


def test_the_menus_open_by_alt_and_their_letters(window: MainWindow) -> None:
    for action in window.menuBar().actions():
        QTest.keyClick(window, getattr(Key, f"Key_{letter_of(action).upper()}"), ALT)
        QApplication.processEvents()
        assert QApplication.activePopupWidget() is action.menu()
        press(Key.Key_Escape)
        press(Key.Key_Escape)
