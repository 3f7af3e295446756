"""What screen readers are told of cells, maps, sliders and pictures, asked for as they ask for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from keys import Key
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot
from real_windows import child, in_front

from attnexplorer.app.focus_order import give_focus
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.compute.numbers import exact_text
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.views.heads.flow_view import FlowView
from attnexplorer.views.heads.head_grid import HeadGridView
from attnexplorer.views.heads.output_card import HeadBarsView
from attnexplorer.views.heads.sharing_view import SharingView
from attnexplorer.views.heads.similarity_view import SimilarityView
from attnexplorer.views.heads.strip import MatrixStrip
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.scale_slider import ScaleSlider
from attnexplorer.views.scaling.curve_view import CurveView
from attnexplorer.views.scaling.map_grid import MapGrid

Text, Role = QAccessible.Text, QAccessible.Role
WEIGHTS = Unit("weights", 0, 0).path


@pytest.fixture
def window(windows: Windows, qtbot: QtBot) -> MainWindow:
    return in_front(windows, "multi-head", qtbot)


def show(window: MainWindow, qtbot: QtBot, workspace: str) -> None:
    window.show_workspace(workspace)
    window.document.recomputation.finish()
    qtbot.wait(150)


def told(widget: QWidget) -> QAccessibleInterface:
    interface = QAccessible.queryAccessibleInterface(widget)
    assert interface is not None
    return interface


def press(widget: QWidget, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(widget, key)
        QApplication.processEvents()


@pytest.mark.parametrize("workspace", ["pipeline", "heads", "scaling", "geometry"])
def test_every_control_has_a_name_and_says_what_it_is_for(window: MainWindow, qtbot: QtBot, workspace: str) -> None:
    show(window, qtbot, workspace)
    without = []
    for stop in window.parts.stops():
        # Linux has readers ask for a box's label by another way, where it stands beside the box.
        name = stop.accessibleName() if isinstance(stop, QComboBox) else told(stop).text(Text.Name)
        if not name.strip():
            without.append(f"{type(stop).__name__} {stop.objectName()}")
        clear = isinstance(stop, MatrixTable | QScrollArea | QLineEdit | QAbstractSpinBox)
        if not clear and not told(stop).text(Text.Description) and not stop.toolTip() and not stop.accessibleName():
            without.append(f"{type(stop).__name__} {stop.objectName()}: no description")
    assert without == []


def test_a_cell_says_its_row_its_column_and_its_number(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, "pipeline")
    table = next(it for it in window.findChildren(MatrixTable) if it.path == WEIGHTS)
    interface = told(table)
    assert interface.role() == Role.Table
    assert interface.text(Text.Name) == "weights A, head 1, 12 × 12"
    rows, columns = table.content.rows.texts, table.content.columns.texts
    for row, column in ((0, 0), (11, 3), (5, 9)):
        value = exact_text(float(table.content.picture.values[row, column]))
        blocked = " (blocked: causal)" if column > row else ""
        cell = cell_of(table, row, column)
        assert cell.text(Text.Name) == f"{rows[row]}, {columns[column]}: {value}{blocked}"


def cell_of(table: MatrixTable, row: int, column: int) -> QAccessibleInterface:
    """Return a cell as a reader finds it: by the place where it is drawn."""
    table.scrollTo(table.model().index(row, column))
    rect = table.visualRect(table.model().index(row, column))
    place = table.viewport().mapToGlobal(rect.center())
    cell = told(table).childAt(place.x(), place.y())
    assert cell is not None
    return cell


def test_a_number_that_is_typed_is_what_its_cell_says_then(windows: Windows, qtbot: QtBot) -> None:
    window = in_front(windows, "animal-street", qtbot)
    show(window, qtbot, "pipeline")
    table = next(it for it in window.findChildren(MatrixTable) if it.path == "layers.0.attention.W_Q.0")
    window.document.set_cell(table.path, 0, 1, -2.75)
    window.document.recomputation.finish()
    QApplication.processEvents()
    assert cell_of(table, 0, 1).text(Text.Name) == "1, 2: −2.75"


def test_the_slider_of_the_scale_is_a_slider_with_its_factor_and_the_name_of_its_mark(
    windows: Windows, qtbot: QtBot
) -> None:
    window = in_front(windows, "animal-street", qtbot)
    show(window, qtbot, "pipeline")
    slider = child(window, ScaleSlider, "scale-slider")
    interface = told(slider)
    value = interface.valueInterface()
    assert interface.role() == Role.Slider
    assert interface.text(Text.Name) == "Scale"
    assert interface.text(Text.Value) == "0.7071, 1/√dₖ"
    assert (value.currentValue(), value.minimumValue(), value.maximumValue()) == (pytest.approx(2**-0.5), 0.0, 4.0)
    slider.setFocus()
    press(slider, Key.Key_End)
    window.document.recomputation.finish()
    QApplication.processEvents()
    assert value.currentValue() == 4.0
    assert interface.text(Text.Value).startswith("4")


def test_the_threshold_of_the_flow_says_a_weight(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, "heads")
    slider = child(window, QWidget, "flow-threshold")
    press(slider, Key.Key_Home, Key.Key_Right, Key.Key_Right)
    interface = told(slider)
    assert interface.role() == Role.Slider
    assert interface.text(Text.Value) == "0.01"
    assert interface.valueInterface().currentValue() == pytest.approx(0.01)
    assert interface.valueInterface().maximumValue() == 0.5


def test_the_grid_of_heads_says_the_chosen_head_and_its_numbers(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, "heads")
    grid = child(window, HeadGridView, "head-grid")
    qtbot.waitUntil(lambda: "H " in told(grid).text(Text.Value))
    assert told(grid).text(Text.Name) == "Heads"
    assert told(grid).text(Text.Value).startswith("head 1, H 0.59, back 1.15")
    press(grid, Key.Key_Right, Key.Key_M)
    window.document.recomputation.finish()
    qtbot.waitUntil(lambda: told(grid).text(Text.Value).startswith("head 2, muted"))


def test_the_flow_says_what_the_token_that_stands_out_is_tied_to(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, "heads")
    flow = child(window, FlowView, "flow")
    flow.setFocus()
    press(flow, Key.Key_Left, Key.Key_End)
    assert told(flow).text(Text.Value) == "“run” draws 0.75 from “cat (11)”"
    press(flow, Key.Key_Right)
    assert told(flow).text(Text.Value).startswith("“run” gives most to “run”")


def test_the_maps_of_heads_beside_the_grid_say_the_pair_that_is_chosen(windows: Windows, qtbot: QtBot) -> None:
    window = in_front(windows, "grouped-query", qtbot)
    show(window, qtbot, "heads")
    sharing, likeness = child(window, SharingView, "sharing"), child(window, SimilarityView, "similarity")
    bars = child(window, HeadBarsView, "head-bars")
    press(sharing, Key.Key_Right)
    window.document.recomputation.finish()
    qtbot.waitUntil(lambda: "query head 2 uses KV head 1" in told(sharing).text(Text.Value))
    qtbot.waitUntil(lambda: told(bars).text(Text.Value).startswith("Head 2: mean length"))
    give_focus(likeness, Qt.FocusReason.TabFocusReason)
    press(likeness, Key.Key_Right, Key.Key_Right)
    qtbot.waitUntil(lambda: told(likeness).text(Text.Value).startswith("Heads 2 and 3: 0"))


def test_the_strip_of_w_o_says_the_cell_that_arrow_keys_choose(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, "heads")
    strip = child(window, MatrixStrip, "output-rows")
    strip.setFocus()
    press(strip, Key.Key_Down, Key.Key_Down, Key.Key_Right)
    qtbot.waitUntil(lambda: bool(told(strip).text(Text.Value)))
    selected = window.document.cursor.selected
    assert selected == Cell("layers.0.attention.W_O", 1, 1)
    number = exact_text(float(window.document.experiment.layers[0].attention.W_O[1, 1]))  # type: ignore[index]
    assert told(strip).text(Text.Value) == f"row 2, column 2: {number}"


def test_a_map_of_the_scaling_workspace_says_the_cell_that_is_marked(windows: Windows, qtbot: QtBot) -> None:
    window = in_front(windows, "animal-street", qtbot)
    show(window, qtbot, "scaling")
    maps = child(window, MapGrid, "comparison-maps")
    qtbot.waitUntil(lambda: bool(maps.maps))
    press(maps, Key.Key_Up)
    qtbot.waitUntil(lambda: "because" in told(maps).text(Text.Value))
    row = window.document.cursor.selected
    assert row is not None
    content = next(it for it in maps.maps if it.marks_row).content
    value = exact_text(float(content.picture.values[row.row, row.column]))
    assert f": {value}" in told(maps).text(Text.Value)


def test_an_explanation_is_read_out_whole_or_by_the_number_that_is_lit(windows: Windows, qtbot: QtBot) -> None:
    window = in_front(windows, "animal-street", qtbot)
    show(window, qtbot, "pipeline")
    window.document.cursor.select(Cell(WEIGHTS, 3, 1))
    steps = child(window, QWidget, "explain-steps")
    qtbot.waitUntil(steps.isVisible)
    whole = told(steps).text(Text.Value)
    assert "compare q_it · k_street" in whole
    assert "exponentiate" in whole
    press(steps, Key.Key_Home)
    assert told(steps).text(Text.Value) != whole
    assert float(told(steps).text(Text.Value)) == pytest.approx(0.5)


def test_an_arrow_says_where_it_points(windows: Windows, qtbot: QtBot) -> None:
    window = in_front(windows, "animal-street", qtbot)
    show(window, qtbot, "geometry")
    plane = child(window, QWidget, "plane")
    plane.setFocus()
    for _ in range(12):
        press(plane, Key.Key_Tab)
        if told(plane).text(Text.Value).startswith("k of “animal”"):
            break
    before = told(plane).text(Text.Value)
    press(plane, Key.Key_Up)
    window.document.recomputation.finish()
    qtbot.waitUntil(lambda: told(plane).text(Text.Value) not in ("", before))
    assert before.endswith("selected")


def test_a_reader_goes_through_the_whole_window_and_out_of_it_without_harm(window: MainWindow, qtbot: QtBot) -> None:
    QAccessible.setActive(True)
    try:
        for workspace in window.workspaces:
            show(window, qtbot, workspace)
            for stop in window.parts.stops():
                stop.setFocus()
                QTest.keyClick(stop, Key.Key_Right)
            names = list(names_below(told(window), 16))
            assert {"Input", "Explain", "Scale", "Heads"} & set(names)
            assert len(names) > 100
    finally:
        QAccessible.setActive(False)


def names_below(interface: QAccessibleInterface, levels: int) -> Iterator[str]:
    """Yield the name of everything below, asking for all that a reader asks for; of many cells the first."""
    yield interface.text(Text.Name)
    for kind in (Text.Value, Text.Description):
        interface.text(kind)
    value = interface.valueInterface()
    if value is not None:
        value.currentValue()
    for index in range(min(interface.childCount(), 30) if levels else 0):
        child = interface.child(index)
        if child is not None:
            yield from names_below(child, levels - 1)


def test_buttons_of_choice_say_which_of_them_is_chosen(window: MainWindow, qtbot: QtBot) -> None:
    show(window, qtbot, "heads")
    buttons = {it.text(): told(it) for it in child(window, QWidget, "heads-stage").findChildren(QAbstractButton)}
    assert [text for text, button in buttons.items() if button.state().checked] == ["weights"]
    assert buttons["QKᵀ"].text(Text.Name) == "Stage: QKᵀ"


def test_a_curve_says_the_number_at_its_cursor_and_where_the_cursor_stands(windows: Windows, qtbot: QtBot) -> None:
    window = in_front(windows, "animal-street", qtbot)
    show(window, qtbot, "scaling")
    curve = child(window, CurveView, "curve-entropy_bits")
    qtbot.waitUntil(lambda: bool(told(curve).text(Text.Value)))
    before = told(curve).text(Text.Value)
    assert told(curve).role() == Role.Chart
    assert told(curve).valueInterface().currentValue() == pytest.approx(2**-0.5)
    press(curve, Key.Key_End)
    window.document.recomputation.finish()
    qtbot.waitUntil(lambda: told(curve).text(Text.Value) != before)
    assert told(curve).valueInterface().currentValue() == 4.0
