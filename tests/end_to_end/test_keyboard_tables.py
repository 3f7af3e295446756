"""The Input dock and the Pipeline by keys alone, in the real window: tokens, masks, tables, pins, scale, compare."""

from __future__ import annotations

import pytest
from keys import (
    ALT,
    CONTROL,
    SHIFT,
    Key,
    choose_by_letters,
    choose_entry,
    confirm,
    focused,
    go_to,
    go_to_choice,
    go_to_name,
    go_to_table,
    leave,
    press,
    write,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot
from real_windows import answering, child, in_front

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.cursor import Cell
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.model import Experiment, Mask

W_Q = "layers.0.attention.W_Q.0"
SCORES, MASKED, WEIGHTS = "layers.0.scores.0", "layers.0.masked.0", "layers.0.weights.0"


@pytest.fixture
def window(windows: Windows, qtbot: QtBot) -> MainWindow:
    window = in_front(windows, "animal-street", qtbot)
    settle(window)
    child(window, QWidget, "tab_pipeline").setFocus()
    return window


def settle(window: MainWindow) -> None:
    window.document.recomputation.finish()
    QApplication.processEvents()


def experiment(window: MainWindow) -> Experiment:
    return window.document.experiment


def mask(window: MainWindow) -> Mask:
    return experiment(window).layers[0].attention.mask


def test_a_text_is_split_and_tokens_are_renamed_added_moved_padded_and_removed(window: MainWindow) -> None:
    go_to_name("text")
    press(Key.Key_A, modifiers=CONTROL)
    write("one two three")
    press(Key.Key_Return)
    assert experiment(window).query_tokens[0] == "animal", "the pinned keys would be lost, which is asked about first"
    confirm(window)
    assert experiment(window).query_tokens == ("one", "two", "three")
    go_to_name("tokens")
    press(Key.Key_Home, Key.Key_Down, Key.Key_F2)
    press(Key.Key_A, modifiers=CONTROL)
    write("zwei")
    press(Key.Key_Return)
    assert experiment(window).query_tokens == ("one", "zwei", "three")
    press(Key.Key_Return, modifiers=CONTROL)
    write("new")
    press(Key.Key_Return)
    assert experiment(window).query_tokens == ("one", "zwei", "new", "three")
    press(Key.Key_Home)
    press(Key.Key_Down, modifiers=ALT)
    assert experiment(window).query_tokens == ("zwei", "one", "new", "three")
    press(Key.Key_Space)
    assert experiment(window).sequence.padding == (False, True, False, False)
    press(Key.Key_Delete)
    confirm(window)
    assert experiment(window).query_tokens == ("zwei", "new", "three")


def test_the_menu_of_a_token_opens_by_keys(window: MainWindow) -> None:
    go_to_name("tokens")
    press(Key.Key_End)
    press(Key.Key_F10, modifiers=SHIFT)
    assert isinstance(QApplication.activePopupWidget(), QMenu)
    choose_entry("Move up")
    assert experiment(window).query_tokens == ("animal", "street", "it", "because")


def test_positions_masks_the_softmax_and_the_second_sequence_are_set(window: MainWindow) -> None:
    go_to_choice("position-kind")
    press(Key.Key_Right)
    assert experiment(window).position.kind == "sinusoidal"
    before = mask(window).causal
    go_to_name("causal")
    press(Key.Key_Space)
    assert mask(window).causal is not before
    go_to_name("window-on")
    press(Key.Key_Space)
    assert mask(window).window is not None
    go_to_name("temperature")
    press(Key.Key_A, modifiers=CONTROL)
    write("2")
    press(Key.Key_Return)
    assert experiment(window).layers[0].attention.temperature == 2.0
    go_to_choice("source")
    press(Key.Key_Right)
    assert experiment(window).source is not None


def test_widths_and_heads_change(window: MainWindow) -> None:
    go_to_name("heads")
    press(Key.Key_Up)
    press(Key.Key_Return)
    assert experiment(window).layers[0].attention.heads == 2
    go_to_name("d_k")
    press(Key.Key_Up)
    press(Key.Key_Return)
    confirm(window)
    assert experiment(window).layers[0].attention.d_k == 3


def test_numbers_are_typed_turned_selected_copied_pasted_filled_and_cleared(window: MainWindow, qtbot: QtBot) -> None:
    table = go_to_table(W_Q)
    write("1/sqrt(4)")
    press(Key.Key_Return)
    assert experiment(window).layers[0].attention.W_Q[0][0, 0] == 0.5
    press(Key.Key_Home, modifiers=CONTROL)
    press(Key.Key_Up, Key.Key_Up, modifiers=ALT)
    assert experiment(window).layers[0].attention.W_Q[0][0, 0] == pytest.approx(0.7)
    press(Key.Key_Z, modifiers=CONTROL)
    assert experiment(window).layers[0].attention.W_Q[0][0, 0] == 0.5, "turned by two keys at once, it is one step"
    press(Key.Key_Right, modifiers=SHIFT)
    press(Key.Key_C, modifiers=CONTROL)
    assert QGuiApplication.clipboard().text().startswith("0.5\t")
    press(Key.Key_Home, modifiers=CONTROL)
    press(Key.Key_Down)
    press(Key.Key_V, modifiers=CONTROL)
    assert (table.content.shape, experiment(window).layers[0].attention.W_Q[0][1, 0]) == ((2, 2), 0.5)
    press(Key.Key_A, modifiers=CONTROL)
    press(Key.Key_Delete)
    assert not experiment(window).layers[0].attention.W_Q[0].any()
    press(Key.Key_Z, modifiers=CONTROL)
    assert experiment(window).layers[0].attention.W_Q[0][1, 0] == 0.5


def test_the_menu_of_a_matrix_opens_by_keys_and_fills_it(window: MainWindow) -> None:
    go_to_table(W_Q)
    press(Key.Key_F10, modifiers=SHIFT)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    fills = next(action for action in menu.actions() if action.text() == "Fill the matrix with")
    while menu.activeAction() is not fills:
        press(Key.Key_Down)
    press(Key.Key_Right)
    choose_entry("Ones")
    assert (experiment(window).layers[0].attention.W_Q[0] == 1.0).all()


def test_a_question_of_the_menu_of_a_matrix_is_answered_by_keys(window: MainWindow, qtbot: QtBot) -> None:
    before = experiment(window).layers[0].attention.W_Q[0]
    go_to_table(W_Q)
    press(Key.Key_F10, modifiers=SHIFT)

    def answer(dialog: QDialog) -> None:
        qtbot.waitUntil(dialog.isActiveWindow)
        press(Key.Key_A, modifiers=CONTROL)
        write("3")
        press(Key.Key_Return)

    with answering(answer):
        choose_entry("Multiply by…")
    assert (experiment(window).layers[0].attention.W_Q[0] == 3 * before).all()


def test_pairs_are_blocked_and_allowed_again_and_the_switch_turns(window: MainWindow) -> None:
    before = experiment(window)
    table = go_to_table(MASKED)
    press(Key.Key_Home, modifiers=CONTROL)
    press(Key.Key_Down, Key.Key_Down, Key.Key_Space)
    assert (2, 0) in {tuple(pair) for pair in mask(window).blocked}
    press(Key.Key_Space)
    assert identical(experiment(window), before)
    leave()
    switch = focused()
    assert switch.objectName() == "paint-mask"
    press(Key.Key_Space)
    assert not table.paints_pairs


def test_typing_into_a_stage_pins_it_and_the_tag_releases_it(window: MainWindow) -> None:
    go_to_table(SCORES)
    press(Key.Key_Home, modifiers=CONTROL)
    write("2.5")
    press(Key.Key_Return)
    settle(window)
    assert experiment(window).pins[SCORES][0, 0] == 2.5
    leave()
    tag = focused()
    assert isinstance(tag, QAbstractButton)
    assert tag.text() == "pinned ×"
    press(Key.Key_Space)
    assert SCORES not in experiment(window).pins


def test_the_scale_is_set_by_the_slider_and_by_its_field(window: MainWindow) -> None:
    go_to_name("scale-slider")
    press(Key.Key_End)
    assert experiment(window).layers[0].attention.scale_factor == 4.0
    press(Key.Key_Left, modifiers=CONTROL)
    assert experiment(window).layers[0].attention.scale_factor == 1.0
    press(Key.Key_Tab)
    assert focused().objectName() == "scale-field"
    press(Key.Key_A, modifiers=CONTROL)
    write("0.25")
    press(Key.Key_Return)
    assert experiment(window).layers[0].attention.scale_factor == 0.25


def shown(window: MainWindow) -> str:
    return window.document.comparison.shown


def test_a_state_is_kept_compared_with_and_left(window: MainWindow) -> None:
    press(Key.Key_K, modifiers=CONTROL | ALT)
    assert window.document.comparison.active
    go_to_table(W_Q)
    write("3")
    press(Key.Key_Return)
    press(Key.Key_D, modifiers=CONTROL | ALT)
    assert shown(window) == "B-A"
    go_to(lambda widget: widget.objectName() == "B-A")
    press(Key.Key_Left)
    assert shown(window) == "B"
    go_to_name("compare-leave")
    press(Key.Key_Space)
    assert not window.document.comparison.active


def test_the_wrong_ways_to_mask_are_opened_and_hidden(window: MainWindow) -> None:
    go_to_name("wrong-ways")
    press(Key.Key_Space)
    settle(window)
    hide = go_to(lambda widget: widget.accessibleName() == "Hide the wrong ways to mask")
    press(Key.Key_Space)
    assert not hide.isVisible()


def test_an_explanation_is_followed_to_the_numbers_it_is_made_of_and_copied(window: MainWindow, qtbot: QtBot) -> None:
    go_to_table(WEIGHTS)
    press(Key.Key_Home, modifiers=CONTROL)
    settle(window)
    assert window.document.cursor.selected == Cell(WEIGHTS, 0, 0)
    press(Key.Key_F6, modifiers=CONTROL)
    assert window.explain_dock.isAncestorOf(focused())
    steps = child(window, QWidget, "explain-steps")
    qtbot.waitUntil(steps.isVisible)
    go_to_name("explain-steps")
    press(Key.Key_Home, Key.Key_Return)
    assert window.document.cursor.selected not in (None, Cell(WEIGHTS, 0, 0))
    settle(window)
    go_to_name("copy-Text")
    press(Key.Key_Space)
    assert "1. " in QGuiApplication.clipboard().text()


def test_docks_and_themes_and_type_are_changed_by_the_letters_of_menus(window: MainWindow, windows: Windows) -> None:
    press(Key.Key_E, modifiers=CONTROL | SHIFT)
    assert not window.explain_dock.isVisible()
    choose_by_letters(window, "vr")
    assert window.explain_dock.isVisible()
    choose_by_letters(window, "vtd")
    assert windows.appearance.theme.name == "dark"
    press(Key.Key_Plus, modifiers=CONTROL)
    assert windows.appearance.text_scale == pytest.approx(1.1)
    press(Key.Key_0, modifiers=CONTROL)
    assert windows.appearance.text_scale == 1.0


def test_what_was_done_by_keys_is_undone_by_keys_to_the_last(window: MainWindow) -> None:
    before = experiment(window)
    go_to_table(W_Q)
    write("3")
    press(Key.Key_Return)
    go_to_name("causal", forward=False)
    press(Key.Key_Space)
    assert window.document.undo_stack.count() == 2
    press(Key.Key_Z, Key.Key_Z, modifiers=CONTROL)
    assert identical(experiment(window), before)
