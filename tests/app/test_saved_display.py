"""What a saved file brings back: what was shown, and how. Real windows, real clicks, real files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from real_windows import child, click, trigger

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.choice_kinds import Word, Words
from attnexplorer.document.cursor import Cell
from attnexplorer.document.display import CHOICES
from attnexplorer.document.storage import load_copy_of_example, load_file
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.fileformat import load
from attnexplorer.views.geometry.controls import AXES, COMPONENTS
from attnexplorer.views.geometry.vectors import KINDS
from attnexplorer.views.geometry.workspace import GeometryWorkspace
from attnexplorer.views.heads.choices import Choices
from attnexplorer.views.heads.flow_view import FlowChoices
from attnexplorer.views.heads.head_tools import LIMITS, SORTS, STAGES
from attnexplorer.views.heads.workspace import HeadsWorkspace
from attnexplorer.views.input.fields import ChoiceBox
from attnexplorer.views.scaling.workspace import ScalingWorkspace

W = TypeVar("W", bound=QWidget)
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(windows: Windows, tmp_path: Path) -> MainWindow:
    window = windows.show_new(load_copy_of_example("multi-head"))
    window.storage.save_as(tmp_path / "lesson.attn")
    return window


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    return tmp_path / "lesson.attn"


def settle(window: MainWindow) -> None:
    for _ in range(3):
        window.document.recomputation.finish()
        QApplication.processEvents()


def pick(box: ChoiceBox, value: str) -> None:
    """Choose as the keyboard does: from entry to entry."""
    box.setFocus()
    while box.currentData() != value:
        before = box.currentIndex()
        QTest.keyClick(box, Qt.Key.Key_Down if box.findData(value) > before else Qt.Key.Key_Up)
        assert box.currentIndex() != before


def part(window: MainWindow, kind: type[W]) -> W:
    """Return the only widget of a kind."""
    (found,) = window.findChildren(kind)
    return found


def heads_of(window: MainWindow) -> HeadsWorkspace:
    click(window, "tab_heads")
    settle(window)
    return part(window, HeadsWorkspace)


def test_the_heads_come_back_as_they_were_shown(windows: Windows, window: MainWindow, lesson: Path) -> None:
    heads = heads_of(window)
    QTest.mouseClick(heads.tools.stage.button("scaled"), LEFT)
    QTest.mouseClick(heads.tools.limits.button("own"), LEFT)
    pick(heads.tools.sort, "distance_back")
    click(heads, "heads-direction")
    QTest.mouseClick(heads.tools.mean, LEFT)
    pick(heads.canvas.flow.drawn, "all")
    pick(heads.canvas.flow.colours, "position")
    heads.canvas.flow.threshold.setFocus()
    for _ in range(3):
        QTest.keyClick(heads.canvas.flow.threshold, Qt.Key.Key_Right)
    settle(window)
    threshold, order = heads.canvas.flow.shown_threshold, heads.canvas.order
    assert threshold > 0
    trigger(window, "file_save")

    again = windows.show_new(load_file(lesson))
    assert again.workspace == "heads"
    settle(again)
    shown = part(again, HeadsWorkspace)
    assert shown.tools.choices == heads.tools.choices
    assert (shown.tools.choices.stage, shown.tools.choices.rising) == ("scaled", False)
    assert shown.tools.mean.isChecked() and shown.tools.sort.currentData() == "distance_back"
    assert len(shown.canvas.grid.grid.tiles) == len(order) + 1
    assert shown.canvas.map is not None and ".scaled." in shown.canvas.map.path
    assert shown.canvas.flow.choices == heads.canvas.flow.choices
    assert shown.canvas.flow.shown_threshold == threshold
    shown.canvas.numbers.finish()
    QApplication.processEvents()
    assert shown.canvas.order == order


def test_the_plane_comes_back_with_its_vectors_and_axes(windows: Windows, window: MainWindow, lesson: Path) -> None:
    click(window, "tab_geometry")
    settle(window)
    geometry = part(window, GeometryWorkspace)
    QTest.mouseClick(geometry.controls.kind_button("key"), LEFT)
    QTest.mouseClick(geometry.controls.kind_button("value"), LEFT)
    settle(window)
    if geometry.vectors and geometry._rows[0].width > 2:
        QTest.mouseClick(geometry.controls.view.button("axes"), LEFT)
        pick(geometry.controls.horizontal, "2")
    settle(window)
    trigger(window, "file_save")

    again = windows.show_new(load_file(lesson))
    settle(again)
    shown = part(again, GeometryWorkspace)
    assert shown.controls.kinds == {"query", "value"}
    assert shown.controls.axes == geometry.controls.axes
    assert shown.vectors == geometry.vectors


def test_the_scaling_workspace_comes_back_with_its_row(windows: Windows, window: MainWindow, lesson: Path) -> None:
    click(window, "tab_scaling")
    settle(window)
    scaling = part(window, ScalingWorkspace)
    pick(scaling.comparison.rows, "1")
    scaling.knobs.shift.setFocus()
    scaling.knobs.shift.selectAll()
    QTest.keyClicks(scaling.knobs.shift, "2.5")
    QTest.keyClick(scaling.knobs.shift, Qt.Key.Key_Return)
    scaling.laboratory.choose_width(256)
    settle(window)
    assert not window.storage.modified
    trigger(window, "file_save")

    again = windows.show_new(load_file(lesson))
    settle(again)
    shown = part(again, ScalingWorkspace)
    assert shown.comparison.rows.currentData() == "1"
    assert shown.knobs.shift.text() == "2.5"
    shown.laboratory.begin()
    assert shown.laboratory.chosen_width == 256


def test_display_choices_are_no_edits_and_change_no_number(window: MainWindow, lesson: Path) -> None:
    before = load(lesson)
    heads = heads_of(window)
    QTest.mouseClick(heads.tools.stage.button("masked"), LEFT)
    window.document.cursor.select(Cell("layers.0.weights.1", 1, 0))
    settle(window)
    assert not window.storage.modified and not window.document.undo_stack.canUndo()
    trigger(window, "file_save")
    after = load(lesson)
    assert after.view["heads_stage"] == "masked" and after.view["selected"] == ["layers.0.weights.1", 1, 0]
    assert np.array_equal(before.embedding.E, after.embedding.E)
    assert identical(window.document.experiment, before)


def test_reverting_brings_back_what_the_file_says_was_shown(window: MainWindow, lesson: Path) -> None:
    heads = heads_of(window)
    QTest.mouseClick(heads.tools.stage.button("masked"), LEFT)
    window.document.cursor.select(Cell("layers.0.weights.1", 1, 0))
    trigger(window, "file_save")
    QTest.mouseClick(heads.tools.stage.button("scores"), LEFT)
    window.document.cursor.select(Cell("layers.0.weights.1", 2, 2))
    window.storage.revert()
    settle(window)
    assert heads.tools.choices.stage == "masked"
    assert heads.tools.stage.value == "masked"
    assert window.document.cursor.selected == Cell("layers.0.weights.1", 1, 0)


WRONG: list[tuple[str, Any]] = [
    ("heads_stage", "output"),
    ("heads_rising", "yes"),
    ("heads_with_mean", 1),
    ("flow_threshold", 3),
    ("flow_threshold", True),
    ("geometry_kinds", ["query", "nonsense"]),
    ("geometry_axes", [1]),
    ("geometry_pair", [1]),
    ("geometry_pair", [0, -1]),
    ("geometry_pair", "first"),
    ("geometry_axes", [0, -1]),
    ("geometry_view", "upside down"),
    ("laboratory_width", 2.5),
    ("scaling_shift", "5"),
    ("selected", ["layers.0.weights.0", "1", 0]),
    ("selected", ["layers..", 0, 0]),
    ("selected", ["layers.99.weights.0", 0, 0]),
    ("selected", "everything"),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_choice_that_cannot_be_one_counts_as_its_default(
    windows: Windows, window: MainWindow, lesson: Path, name: str, value: Any
) -> None:
    content = json.loads(lesson.read_text())
    content["view"] = {name: value, "workspace": "heads", "of_a_newer_version": {"deep": [1, 2]}}
    lesson.write_text(json.dumps(content))
    again = windows.show_new(load_file(lesson))
    settle(again)
    if name != "selected":
        assert again.document.display[name] == window.document.display[name]
    assert again.document.cursor.selected is None
    trigger(again, "file_save")
    saved = load(lesson).view
    assert saved["of_a_newer_version"] == {"deep": [1, 2]} and saved["workspace"] == "heads"


def test_every_choice_of_a_control_is_one_that_a_file_may_name(window: MainWindow) -> None:
    def words(name: str) -> tuple[str, ...]:
        kind = CHOICES[name]
        assert isinstance(kind, (Word, Words))
        return kind.words

    flow = heads_of(window).canvas.flow
    assert words("heads_stage") == tuple(choice.value for choice in STAGES)
    assert words("heads_limits") == tuple(choice.value for choice in LIMITS)
    assert words("heads_sort") == tuple(value for value, _ in SORTS)
    assert words("flow_drawn") == tuple(flow.drawn.itemData(index) for index in range(flow.drawn.count()))
    assert words("flow_colours") == tuple(flow.colours.itemData(index) for index in range(flow.colours.count()))
    assert words("geometry_kinds") == KINDS
    assert words("geometry_view") == (AXES, COMPONENTS)
    assert Choices(**window.document.display.group("heads_")) == Choices()
    assert FlowChoices(**window.document.display.group("flow_")) == FlowChoices()
    assert child(window, QPushButton, "tab_heads").isVisible()


def test_a_solo_comes_back_lit_and_can_be_ended(windows: Windows, window: MainWindow, lesson: Path) -> None:
    heads = heads_of(window)
    heads.canvas.grid.solo_requested.emit(1)
    settle(window)
    trigger(window, "file_save")

    again = windows.show_new(load_file(lesson))
    settle(again)
    shown = part(again, HeadsWorkspace)
    assert [tile.soloed for tile in shown.canvas.grid.grid.tiles].index(True) == 1
    shown.canvas.grid.setFocus()
    shown.canvas.grid.solo_requested.emit(1)
    settle(again)
    assert not again.document.experiment.layers[0].attention.muted_heads
    assert again.document.undo_stack.count() == 1
    assert not any(tile.soloed for tile in shown.canvas.grid.grid.tiles)


def test_the_pair_of_the_plane_comes_back_also_while_only_an_arrow_is_selected(
    windows: Windows, window: MainWindow, lesson: Path
) -> None:
    click(window, "tab_geometry")
    settle(window)
    geometry = part(window, GeometryWorkspace)
    for vector in (("key", 2), ("query", 1)):
        geometry.view.arrow_chosen.emit(geometry.vectors.index(vector))
        settle(window)
    assert geometry.pair == (1, 2)
    trigger(window, "file_save")
    assert load(lesson).view["geometry_pair"] == [1, 2]

    again = windows.show_new(load_file(lesson))
    settle(again)
    assert part(again, GeometryWorkspace).pair == (1, 2)
