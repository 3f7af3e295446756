"""What only passes by with the focus stays as it is: what is explained, what is written, what is seen to be chosen."""

from __future__ import annotations

import pytest
from keys import CONTROL, SHIFT, Key, focused, go_to_name, press
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot
from real_windows import child, in_front, label_text

from attnexplorer.app.focus_order import give_focus
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.cursor import Cell
from attnexplorer.figures.theme import ThemeName
from attnexplorer.views.explain.step_ink import frame_of
from attnexplorer.views.explain.steps_view import StepsView
from attnexplorer.views.input.segmented import SegmentedControl
from attnexplorer.views.matrix_table import MatrixTable

CHOSEN = Cell("layers.0.weights.0", 3, 0)
WORKSPACES = ("pipeline", "heads", "scaling", "geometry")
BY_TAB = Qt.FocusReason.TabFocusReason
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])


@pytest.fixture
def window(windows: Windows, qtbot: QtBot) -> MainWindow:
    window = in_front(windows, "animal-street", qtbot)
    window.document.recomputation.finish()
    window.document.cursor.select(CHOSEN)
    qtbot.waitUntil(lambda: "52.94" in label_text(window, "explain-heading"))
    return window


def tables(window: MainWindow) -> list[MatrixTable]:
    """Return the tables of the pipeline."""
    return [it for it in window.workspaces["pipeline"].widget.findChildren(MatrixTable) if it.isVisible()]


def test_f6_goes_through_all_tables_and_past_what_is_between_them_to_explain_and_back(window: MainWindow) -> None:
    first, *_ = stops = [stop for stop in window.parts.stops() if stop in tables(window)]
    give_focus(first, BY_TAB)
    seen = [focused()]
    while not window.explain_dock.isAncestorOf(focused()) and len(seen) < 60:
        press(Key.Key_F6)
        seen.append(focused())
    assert [stop for stop in seen if isinstance(stop, MatrixTable)] == stops
    assert len(stops) == len(tables(window)) == 12
    assert child(window, StepsView, "explain-steps").isVisible()
    assert "scale-slider" in [stop.objectName() for stop in seen]
    press(Key.Key_F6, modifiers=SHIFT)
    back = [focused()]
    while focused() is not first and len(back) < 60:
        press(Key.Key_F6, modifiers=SHIFT)
        back.append(focused())
    assert [stop for stop in back if isinstance(stop, MatrixTable)] == stops[::-1]


def test_passing_tables_changes_nothing_of_what_is_explained(window: MainWindow) -> None:
    child(window, QPushButton, "tab_pipeline").setFocus(BY_TAB)
    for _ in range(12):
        press(Key.Key_F6)
        assert window.document.cursor.selected == CHOSEN
    while not window.explain_dock.isAncestorOf(focused()):
        press(Key.Key_F6, modifiers=CONTROL)
    window.document.recomputation.finish()
    assert window.document.cursor.selected == CHOSEN
    assert "52.94" in label_text(window, "explain-heading")


@pytest.mark.parametrize(("key", "cell"), [(Key.Key_Right, (0, 1)), (Key.Key_Left, (0, 0)), (Key.Key_Return, (0, 0))])
def test_the_first_key_in_a_table_that_was_passed_to_chooses_its_cell(
    window: MainWindow, key: Qt.Key, cell: tuple[int, int]
) -> None:
    table = next(it for it in tables(window) if it.path == "layers.0.scores.0")
    give_focus(table, BY_TAB)
    assert window.document.cursor.selected == CHOSEN
    press(key)
    assert window.document.cursor.selected == Cell("layers.0.scores.0", *cell)


@THEMES
def test_the_arithmetic_stays_readable_with_the_focus_and_with_a_marked_number(
    windows: Windows, window: MainWindow, qtbot: QtBot, theme: ThemeName
) -> None:
    windows.appearance.choose_theme(theme)
    steps = child(window, StepsView, "explain-steps")
    before = written(steps)
    assert go_to_name("explain-steps") is steps
    qtbot.waitUntil(steps.hasFocus)
    assert window.document.cursor.selected == CHOSEN
    assert written(steps) == before
    press(Key.Key_Right)
    first = next(place for place in steps.words if place.word.reference is not None)
    lit = frame_of(first).toAlignedRect().adjusted(-2, -2, 2, 2)
    assert {k: v for k, v in written(steps).items() if not QRect(*k).intersects(lit)} == {
        k: v for k, v in before.items() if not QRect(*k).intersects(lit)
    }


def written(steps: StepsView) -> dict[tuple[int, int, int, int], QImage]:
    """Return how each word looks in the window, by its place."""
    window = steps.window()
    corner = steps.mapTo(window, QPoint())
    image = window.grab(QRect(corner, steps.size())).toImage()
    inside = steps.rect().adjusted(2, 2, -2, -2)
    rects = [place.rect.toAlignedRect() & inside for place in steps.words]
    assert len(rects) > 40
    assert all(len(colours(image.copy(rect))) > 1 for rect in rects if rect.width() > 8), "a word is not to be seen"
    return {(it.x(), it.y(), it.width(), it.height()): image.copy(it) for it in rects}


def colours(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_a_tab_has_the_same_room_for_its_name_with_the_focus(window: MainWindow, workspace: str) -> None:
    press(getattr(Key, f"Key_{WORKSPACES.index(workspace) + 1}"), modifiers=Qt.KeyboardModifier.AltModifier)
    tab = child(window, QPushButton, f"tab_{workspace}")
    inner = tab.rect().adjusted(3, 3, -3, -3)
    child(window, QPushButton, "export_figure_button").setFocus(BY_TAB)
    QApplication.processEvents()
    without = tab.grab(inner).toImage()
    tab.setFocus(BY_TAB)
    QApplication.processEvents()
    assert tab.hasFocus()
    assert tab.grab(inner).toImage() == without, "what is written changes with the focus"


@pytest.mark.parametrize("workspace", WORKSPACES)
def test_no_segment_needs_more_room_with_the_focus(window: MainWindow, workspace: str) -> None:
    press(getattr(Key, f"Key_{WORKSPACES.index(workspace) + 1}"), modifiers=Qt.KeyboardModifier.AltModifier)
    QApplication.processEvents()
    segments = [it for it in window.findChildren(QPushButton) if it.property("look") == "segment" and it.isVisible()]
    assert segments
    for segment in segments:
        room = segment.sizeHint()
        segment.setFocus(BY_TAB)
        assert segment.sizeHint() == room, segment.text()


@THEMES
def test_a_chosen_segment_stays_filled_with_the_focus_and_has_a_ring(
    windows: Windows, window: MainWindow, theme: ThemeName
) -> None:
    windows.appearance.choose_theme(theme)
    control = next(it for it in window.input_dock.findChildren(SegmentedControl) if it.isVisible())
    chosen = control.button(control.value)
    chosen.setFocus(BY_TAB)
    QApplication.processEvents()
    image, middle = chosen.grab().toImage(), chosen.height() // 2
    across = [image.pixelColor(x, middle).name() for x in range(8)]
    filling, ring = QColor(windows.appearance.theme.accent).name(), QColor(windows.appearance.theme.on_accent).name()
    assert across[4:] == [filling] * 4
    assert ring in across[:4]
