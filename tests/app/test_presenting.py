"""For an audience: stages hidden and revealed one by one, the pointer's cell enlarged, all by keys."""

from __future__ import annotations

import pytest
from keys import CONTROL, SHIFT, Key, go_to, press
from pointing import point_at
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from real_windows import action, child, in_front

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_copy_of_example
from attnexplorer.views.magnifier import Magnifier
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.pipeline import PipelineWorkspace
from attnexplorer.views.presenting import Presenting

STEPS = (
    ("input",),
    ("W_Q", "W_K", "W_V"),
    ("query",),
    ("key",),
    ("value",),
    ("scores",),
    ("scaled",),
    ("masked",),
    ("weights",),
    ("head_output",),
)
WEIGHTS = "layers.0.weights.0"


@pytest.fixture
def window(windows: Windows, qtbot: QtBot) -> MainWindow:
    window = in_front(windows, "animal-street", qtbot)
    window.document.recomputation.finish()
    qtbot.waitUntil(lambda: bool(pipeline(window).canvas.cards))
    qtbot.wait(200)
    child(window, QWidget, "tab_pipeline").setFocus()
    return window


def pipeline(window: MainWindow) -> PipelineWorkspace:
    widget = window.workspaces["pipeline"].widget
    assert isinstance(widget, PipelineWorkspace)
    return widget


def seen(window: MainWindow) -> set[str]:
    return {key for key, card in pipeline(window).canvas.cards.items() if card.isVisible()}


def table(window: MainWindow, path: str) -> MatrixTable:
    return next(it for it in window.findChildren(MatrixTable) if it.path == path)


def test_stages_are_hidden_and_revealed_one_by_one_where_they_stood(window: MainWindow) -> None:
    canvas = pipeline(window).canvas
    places = {key: card.geometry() for key, card in canvas.cards.items()}
    press(Key.Key_F8, modifiers=CONTROL)
    assert seen(window) == set(STEPS[0])
    assert not canvas.scaling.isVisible()
    for count in range(2, len(STEPS) + 1):
        press(Key.Key_F8)
        assert seen(window) == {key for step in STEPS[:count] for key in step}
    assert canvas.scaling.isVisible()
    assert {key: card.geometry() for key, card in canvas.cards.items()} == places
    assert not action(window, "present_reveal").isEnabled()


def test_a_step_too_far_is_taken_back_and_all_is_shown_at_once(window: MainWindow) -> None:
    press(Key.Key_F8, modifiers=SHIFT)
    assert seen(window) == {key for step in STEPS[:-1] for key in step}
    press(Key.Key_F8, modifiers=SHIFT)
    assert seen(window) == {key for step in STEPS[:-2] for key in step}
    press(Key.Key_F8, modifiers=CONTROL | SHIFT)
    assert seen(window) == {key for step in STEPS for key in step}


def test_the_page_keys_of_a_remote_control_reveal_while_something_is_hidden(window: MainWindow) -> None:
    keys = [it.toString() for it in action(window, "present_reveal").shortcuts()]
    assert keys == ["F8"]
    press(Key.Key_F8, modifiers=CONTROL)
    press(Key.Key_PageDown, Key.Key_PageDown)
    assert seen(window) == {key for step in STEPS[:3] for key in step}
    press(Key.Key_PageUp)
    assert seen(window) == {key for step in STEPS[:2] for key in step}


def test_hiding_goes_to_the_pipeline_and_changes_nothing_in_the_experiment(window: MainWindow) -> None:
    before = window.document.experiment
    window.show_workspace("heads")
    press(Key.Key_F8, modifiers=CONTROL)
    assert window.workspace == "pipeline"
    assert window.document.experiment is before
    assert not window.storage.modified


def test_what_is_hidden_takes_no_focus_and_is_right_when_it_is_revealed(window: MainWindow) -> None:
    press(Key.Key_F8, modifiers=CONTROL)
    paths = {it.path for it in window.parts.stops() if isinstance(it, MatrixTable)}
    assert WEIGHTS not in paths
    window.document.set_cell("layers.0.attention.W_Q.0", 0, 0, 3.0)
    window.document.recomputation.finish()
    press(Key.Key_F8, modifiers=CONTROL | SHIFT)
    window.document.recomputation.finish()
    QApplication.processEvents()
    shown = table(window, WEIGHTS).content.picture.values
    assert (shown == window.document.matrix(WEIGHTS)).all()


def test_other_tokens_leave_revealed_what_was_revealed(window: MainWindow) -> None:
    press(Key.Key_F8, modifiers=CONTROL)
    press(Key.Key_F8)
    window.document.set_value("title", "Another", "Change title")
    window.document.recomputation.finish()
    QApplication.processEvents()
    assert seen(window) == {"input", "W_Q", "W_K", "W_V"}


def test_an_experiment_with_other_and_fewer_steps_than_were_revealed_is_shown_whole(
    windows: Windows, qtbot: QtBot
) -> None:
    window = windows.show_new(load_copy_of_example("grouped-query"))
    window.document.recomputation.finish()
    presenting = Presenting.of(window.document)
    presenting.hide_all()
    while presenting.hidden > 1:
        presenting.reveal()
    window.storage.take(load_copy_of_example("sky-is-blue"))
    window.document.recomputation.finish()
    assert not presenting.hides
    assert seen(window) == set(pipeline(window).canvas.cards)


def test_the_selected_cell_is_enlarged_beside_it_with_its_place_and_number(window: MainWindow) -> None:
    go_to(lambda widget: isinstance(widget, MatrixTable) and widget.path == WEIGHTS)
    press(Key.Key_End, modifiers=CONTROL)
    press(Key.Key_F9)
    magnifier = child(window, Magnifier, "magnifier")
    assert magnifier.isVisible()
    assert (magnifier.title, magnifier.place) == ("weights A, head 1", "it → it")
    cell = table(window, WEIGHTS)
    rect = cell.visualRect(cell.currentIndex())
    rect.moveTopLeft(cell.viewport().mapTo(window, rect.topLeft()))
    assert not magnifier.geometry().intersects(rect), "the cell itself is not covered"
    assert window.rect().contains(magnifier.geometry())
    press(Key.Key_Up)
    assert magnifier.place == "because → it"
    press(Key.Key_F9)
    assert not magnifier.isVisible()


def test_the_pointers_cell_is_enlarged_in_its_colour_and_lets_clicks_through(window: MainWindow) -> None:
    press(Key.Key_F9)
    weights = table(window, WEIGHTS)
    pipeline(window).ensureWidgetVisible(weights)
    index = weights.model().index(3, 1)
    point_at(weights.viewport(), weights.visualRect(index).center())
    magnifier = child(window, Magnifier, "magnifier")
    assert magnifier.place == "it → street"
    colours = {magnifier.grab().toImage().pixelColor(x, 60).name() for x in range(20, magnifier.width() - 20)}
    corner = weights.visualRect(index).bottomLeft()
    cell = weights.viewport().grab().toImage().pixelColor(corner.x() + 3, corner.y() - 3).name()
    assert cell in colours
    assert magnifier.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    QTest.mouseClick(weights.viewport(), Qt.MouseButton.LeftButton, pos=weights.visualRect(index).center())
    assert window.document.cursor.selected is not None
    assert window.document.cursor.selected[1:] == (3, 1)


def test_larger_type_enlarges_the_enlarged_cell_and_the_edge_of_the_window_holds_it(
    windows: Windows, window: MainWindow
) -> None:
    go_to(lambda widget: isinstance(widget, MatrixTable) and widget.path == WEIGHTS)
    press(Key.Key_F9)
    magnifier = child(window, Magnifier, "magnifier")
    before = magnifier.height()
    windows.appearance.set_text_scale(2.0)
    window.resize(700, 500)
    QApplication.processEvents()
    press(Key.Key_End, modifiers=CONTROL)
    assert magnifier.height() > before
    assert window.rect().contains(magnifier.geometry())


def test_a_table_of_another_window_has_no_place_in_this_one(windows: Windows, window: MainWindow, qtbot: QtBot) -> None:
    go_to(lambda widget: isinstance(widget, MatrixTable) and widget.path == WEIGHTS)
    press(Key.Key_F9)
    press(Key.Key_End, modifiers=CONTROL)
    assert child(window, Magnifier, "magnifier").isVisible()
    other = windows.show_new(load_copy_of_example("animal-street"))
    other.activateWindow()
    qtbot.waitUntil(other.isActiveWindow)
    qtbot.waitUntil(lambda: bool(pipeline(other).canvas.cards))
    table(other, WEIGHTS).setFocus()
    assert isinstance(QApplication.focusWidget(), MatrixTable)
    # It moves the picture of the cell beside the table with the focus, if that is its own.
    windows.appearance.set_text_scale(1.2)
    magnifier = child(window, Magnifier, "magnifier")
    assert magnifier.isVisible()
    assert window.rect().contains(magnifier.geometry())


def test_full_screen_is_entered_and_left_by_a_key(window: MainWindow, qtbot: QtBot) -> None:
    press(Key.Key_F11)
    qtbot.waitUntil(window.isFullScreen)
    press(Key.Key_F11)
    qtbot.waitUntil(lambda: not window.isFullScreen())
