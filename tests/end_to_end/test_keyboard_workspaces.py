"""Heads, Scaling and Geometry by keys alone, in the real window."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from keys import (
    ALT,
    CONTROL,
    SHIFT,
    Key,
    choose_entry,
    confirm,
    focused,
    go_to,
    go_to_choice,
    go_to_name,
    in_the_menu,
    leave,
    press,
    write,
)
from PySide6.QtWidgets import QApplication, QComboBox, QSlider, QWidget
from pytestqt.qtbot import QtBot
from real_windows import child

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.cursor import Cell
from attnexplorer.document.storage import load_copy_of_example
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.model import Attention
from attnexplorer.views.heads.flow_view import FlowView
from attnexplorer.views.heads.head_grid import HeadGridView

Open = Callable[[str, str], MainWindow]
KEYS = {"heads": Key.Key_2, "scaling": Key.Key_3, "geometry": Key.Key_4}
K = "layers.0.key.0"


@pytest.fixture
def open_window(windows: Windows, qtbot: QtBot) -> Open:
    def opened(example: str, workspace: str) -> MainWindow:
        window = windows.show_new(load_copy_of_example(example))
        window.resize(1440, 900)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        press(KEYS[workspace], modifiers=ALT)
        settle(window, qtbot)
        child(window, QWidget, f"tab_{workspace}").setFocus()
        return window

    return opened


def settle(window: MainWindow, qtbot: QtBot) -> None:
    window.document.recomputation.finish()
    qtbot.wait(100)


def attention(window: MainWindow) -> Attention:
    return window.document.experiment.layers[0].attention


def test_arrow_keys_on_the_tabs_go_from_workspace_to_workspace(open_window: Open) -> None:
    window = open_window("multi-head", "heads")
    press(Key.Key_Right)
    assert window.workspace == "scaling"
    press(Key.Key_Left, Key.Key_Left)
    assert window.workspace == "pipeline"


def test_heads_are_chosen_muted_soloed_and_opened_in_the_grid(open_window: Open, qtbot: QtBot) -> None:
    window = open_window("multi-head", "heads")
    grid = go_to_name("head-grid")
    assert isinstance(grid, HeadGridView)
    press(Key.Key_Right, Key.Key_Right)
    assert window.document.display["head"] == 2
    press(Key.Key_M)
    assert attention(window).muted_heads == (2,)
    press(Key.Key_M)
    assert attention(window).muted_heads == ()
    press(Key.Key_S)
    assert len(attention(window).muted_heads) == 11
    press(Key.Key_S)
    press(Key.Key_End)
    assert window.document.display["head"] == 11
    press(Key.Key_Return)
    assert window.workspace == "pipeline"


def test_stage_limits_order_and_mean_are_chosen(open_window: Open, qtbot: QtBot) -> None:
    window = open_window("multi-head", "heads")
    grid = child(window, HeadGridView, "head-grid")
    assert go_to_choice("heads-stage").objectName() == "weights", "Tab comes to the choice that is made"
    press(Key.Key_Left)
    assert focused().objectName() == "masked"
    press(Key.Key_Right)
    box = go_to_name("heads-sort")
    assert isinstance(box, QComboBox)
    press(Key.Key_Down)
    assert box.currentData() == "entropy"
    qtbot.waitUntil(lambda: [tile.title for tile in grid.grid.tiles][:2] == ["4", "3"])
    go_to_name("heads-mean")
    press(Key.Key_Space)
    settle(window, qtbot)
    assert grid.grid.tiles[-1].title == "mean of 12"


def test_heads_are_duplicated_moved_removed_by_the_menu_of_edits(open_window: Open, qtbot: QtBot) -> None:
    window = open_window("multi-head", "heads")
    before = window.document.experiment
    heads = attention(window).heads
    for entry, left in (("Duplicate head 1", heads + 1), ("Move head 2 to the left", heads + 1)):
        go_to_name("heads-edit")
        with in_the_menu(lambda entry=entry: choose_entry(entry)):  # type: ignore[misc]
            press(Key.Key_Space)
        confirm(window)
        settle(window, qtbot)
        assert attention(window).heads == left, entry
    go_to_name("heads-edit")
    with in_the_menu(lambda: choose_entry("Remove head 1")):
        press(Key.Key_Space)
    confirm(window)
    assert attention(window).heads == heads
    while window.document.undo_stack.canUndo():
        press(Key.Key_Z, modifiers=CONTROL)
    assert identical(window.document.experiment, before)


def test_the_flow_hides_weak_lines_and_has_a_token_stand_out(open_window: Open, qtbot: QtBot) -> None:
    window = open_window("multi-head", "heads")
    flow = go_to_name("flow")
    assert isinstance(flow, FlowView)
    press(Key.Key_Left, Key.Key_Down, Key.Key_Down)
    isolated = flow.picture.isolated
    assert isolated is not None
    assert (isolated.side, isolated.token) == ("query", 2)
    press(Key.Key_Return)
    assert window.document.cursor.selected == Cell("layers.0.weights.0", 2, 1)
    press(Key.Key_Right, Key.Key_Home)
    isolated = flow.picture.isolated
    assert isolated is not None
    assert (isolated.side, isolated.token) == ("key", 0)
    go_to_name("flow-drawn")
    press(Key.Key_Down)
    settle(window, qtbot)
    assert len(flow.picture.flows) == 12
    slider = go_to_name("flow-threshold")
    assert isinstance(slider, QSlider)
    press(Key.Key_Home, Key.Key_PageUp)
    assert flow.picture.threshold == pytest.approx(0.05)
    leave()
    assert focused().objectName() == "flow-auto"
    press(Key.Key_Space)
    assert flow.picture.threshold != pytest.approx(0.05)


def test_sharing_likeness_and_bars_choose_heads(open_window: Open, qtbot: QtBot) -> None:
    window = open_window("grouped-query", "heads")
    for name, key in (("head-bars", Key.Key_Right), ("sharing", Key.Key_Right), ("similarity", Key.Key_Down)):
        before = window.document.display["head"]
        go_to_name(name)
        settle(window, qtbot)
        press(key)
        assert window.document.display["head"] == before + 1, name
        settle(window, qtbot)


def test_kv_heads_are_set_and_a_cell_of_w_o_is_chosen(open_window: Open, qtbot: QtBot) -> None:
    window = open_window("multi-head", "heads")
    go_to_name("output-rows")
    press(Key.Key_Down)
    assert window.document.cursor.selected == Cell("layers.0.attention.W_O", 0, 0)
    press(Key.Key_Down, Key.Key_Right)
    assert window.document.cursor.selected == Cell("layers.0.attention.W_O", 1, 1)
    go_to_name("heads-kv")
    press(Key.Key_A, modifiers=CONTROL)
    write("6")
    press(Key.Key_Return)
    confirm(window)
    assert attention(window).kv_heads == 6


def test_the_cursor_of_a_curve_sets_the_scale_and_its_menu_opens(open_window: Open, qtbot: QtBot) -> None:
    window = open_window("animal-street", "scaling")
    go_to_name("curve-entropy_bits")
    press(Key.Key_End)
    assert attention(window).scale_factor == 4.0
    press(Key.Key_Left)
    assert 0 < attention(window).scale_factor < 4.0
    press(Key.Key_F10, modifiers=SHIFT)
    choose_entry("Copy data")
    assert "\t" in QApplication.clipboard().text()


def test_knobs_and_the_row_of_the_scaling_workspace_are_set(open_window: Open, qtbot: QtBot) -> None:
    window = open_window("animal-street", "scaling")
    go_to_name("workspace-scale-slider")
    press(Key.Key_Home)
    assert attention(window).scale_factor == 0.0
    settle(window, qtbot)
    go_to_name("scaling-temperature")
    press(Key.Key_A, modifiers=CONTROL)
    write("2")
    press(Key.Key_Return)
    assert attention(window).temperature == 2.0
    go_to_name("scaling-row")
    press(Key.Key_Up)
    settle(window, qtbot)
    selected = window.document.cursor.selected
    assert selected is not None
    assert selected.row == 2
    go_to_name("comparison-maps")
    press(Key.Key_Up)
    selected = window.document.cursor.selected
    assert selected is not None
    assert selected.row == 1


def test_the_laboratory_draws_other_vectors(open_window: Open, qtbot: QtBot) -> None:
    open_window("animal-street", "scaling")
    seed = go_to_name("laboratory-seed")
    before = seed.property("value")
    press(Key.Key_Up)
    assert seed.property("value") == before + 1
    go_to_name("laboratory-new-seed")
    press(Key.Key_Space)
    assert seed.property("value") not in (before, before + 1)


def test_an_arrow_is_chosen_moved_and_the_view_zoomed_and_left(open_window: Open, qtbot: QtBot) -> None:
    window = open_window("animal-street", "geometry")
    plane = go_to_name("plane")
    for _ in range(20):
        selected = window.document.cursor.selected
        if selected is not None and selected.path == K:
            break
        press(Key.Key_Tab)
    row = selected.row if selected is not None else -1
    before = window.document.experiment.pins[K][row].tolist()
    press(Key.Key_Right)
    press(Key.Key_Up, modifiers=SHIFT)
    after = window.document.experiment.pins[K][row].tolist()
    assert after == pytest.approx([before[0] + 0.1, before[1] + 0.01])
    press(Key.Key_Plus)
    press(Key.Key_F)
    assert focused() is plane
    press(Key.Key_F6)
    assert focused() is not plane
    go_to_name("key-double")
    press(Key.Key_Space)
    assert window.document.experiment.pins[K][row].tolist() == pytest.approx([2 * number for number in after])


def test_kinds_of_arrows_axes_and_the_pair_are_chosen(open_window: Open, qtbot: QtBot) -> None:
    window = open_window("multi-head", "geometry")
    go_to_name("kind-value")
    press(Key.Key_Space)
    assert child(window, QWidget, "kind-value").property("checked") is True
    go_to(lambda widget: widget.objectName() in ("axes", "components"))
    press(Key.Key_Left)
    settle(window, qtbot)
    go_to_name("pair-query")
    press(Key.Key_Up)
    settle(window, qtbot)
    selected = window.document.cursor.selected
    assert selected is not None
    assert selected.path.startswith("layers.0.scores")
