"""Two experiments compared in the tables of the Pipeline: A, B and B − A, read-only but for B."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QToolButton
from pytestqt.qtbot import QtBot
from views_of_matrices import (
    OpenPipeline,
    cell_centre,
    click_cell,
    complaint_of,
    editor_of,
    open_pipeline,
    press,
    turn_wheel,
    type_text,
)

from attnexplorer.document.comparison import Shown
from attnexplorer.experiment.edits.heads import duplicate_head
from attnexplorer.experiment.edits.layers import add_layer
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment, Mask
from attnexplorer.experiment.paths import replace as replaced
from attnexplorer.figures.colours import colour_of
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.compare_bar import CompareBar
from attnexplorer.views.matrix_menu import MatrixMenu

IT = 8
"""The row of *it*."""
MASK = "layers.0.attention.mask"


def compared(qtbot: QtBot, a: Experiment, b: Experiment, shown: Shown = "B-A", width: int = 1000) -> OpenPipeline:
    shown_pipeline = open_pipeline(qtbot, b, width)
    shown_pipeline.document.comparison.keep(a, "tired", shown)
    settle(shown_pipeline)
    return shown_pipeline


def settle(pipeline: OpenPipeline) -> None:
    for _ in range(2):
        pipeline.document.comparison.finish()
        pipeline.settle()


def show(pipeline: OpenPipeline, shown: Shown) -> None:
    pipeline.document.comparison.show(shown)
    settle(pipeline)


def values(pipeline: OpenPipeline, key: str) -> np.ndarray:
    return pipeline.table(key).content.picture.values


def without_mask(experiment: Experiment) -> Experiment:
    return replaced(experiment, MASK, Mask())


def test_under_the_causal_mask_the_row_of_it_differs_by_exactly_nothing(qtbot: QtBot) -> None:
    tired, flooded = load_example("tired"), load_example("flooded")
    assert tired.query_tokens[IT] == flooded.query_tokens[IT] == "it"
    assert tired.layers[0].attention.mask.causal
    assert flooded.layers[0].attention.mask.causal
    pipeline = compared(qtbot, tired, flooded)
    for key in ("weights", "head_output"):
        assert (values(pipeline, key)[IT] == 0.0).all(), key
        assert values(pipeline, key)[-1].any(), key


def test_without_the_mask_the_row_of_it_differs(qtbot: QtBot) -> None:
    pipeline = compared(qtbot, without_mask(load_example("tired")), without_mask(load_example("flooded")))
    for key in ("weights", "head_output"):
        assert values(pipeline, key)[IT].any(), key


def test_each_of_the_three_is_shown_on_a_scale_that_can_be_compared(qtbot: QtBot) -> None:
    tired, flooded = load_example("tired"), load_example("flooded")
    pipeline = compared(qtbot, tired, flooded)
    seen: dict[Shown, np.ndarray] = {}
    scales = set()
    for shown in ("A", "B", "B-A"):
        show(pipeline, shown)
        seen[shown] = values(pipeline, "query")
        scale = pipeline.table("query").content.picture.scale
        scales.add((scale.kind, -scale.low, scale.high))
    assert len(scales) == 1
    assert np.array_equal(seen["B-A"], seen["B"] - seen["A"])
    assert pipeline.table("weights").content.picture.scale.kind == "diverging"
    show(pipeline, "B")
    assert pipeline.table("weights").content.picture.scale.kind == "sequential"


def test_the_cells_have_the_colours_of_the_difference(qtbot: QtBot) -> None:
    pipeline = compared(qtbot, load_example("tired"), load_example("flooded"))
    table = pipeline.table("query")
    picture, image = table.content.picture, table.viewport().grab().toImage()
    for row, column in ((10, 0), (10, 1), (IT, 2)):
        place = cell_centre(table, row, column) - QPoint(int(table.cell_size.width) // 2 - 3, 9)
        wanted = colour_of(float(picture.values[row, column]), picture.scale, picture.theme)
        assert image.pixelColor(place) == wanted, (row, column)


def test_a_token_that_differs_is_named_twice_and_has_room(qtbot: QtBot) -> None:
    pipeline = compared(qtbot, load_example("tired"), load_example("flooded"), width=1300)
    table = pipeline.table("query")
    assert table.content.rows.texts[-1] == "tired → flooded"
    assert table.verticalHeader().width() == table.verticalHeader().breadth()
    assert table.viewport().x() >= table.verticalHeader().width()


def test_a_card_says_which_of_the_three_it_shows(qtbot: QtBot) -> None:
    pipeline = compared(qtbot, load_example("tired"), load_example("flooded"))
    tag = next(button for button in pipeline.card("weights").findChildren(QToolButton) if button.text() == "B − A")
    assert tag.isVisible()
    assert not tag.isEnabled()
    assert tag.toolTip().startswith("B − A, A = tired")
    show(pipeline, "B")
    assert not tag.isVisible()


def test_what_is_not_B_cannot_be_changed_by_any_way(qtbot: QtBot) -> None:
    pipeline = compared(qtbot, load_example("tired"), load_example("flooded"))
    for shown in ("A", "B-A"):
        show(pipeline, shown)
        table = pipeline.table("W_Q")
        click_cell(table, 1, 1)
        type_text("5")
        assert editor_of(table) is None
        assert "only B can be changed" in complaint_of(table)
        press(Qt.Key.Key_Delete)
        press(Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
        table.cut_selection()
        table.paste()
        turn_wheel(table, 1, 1, 2)
        masked = pipeline.table("masked")
        click_cell(masked, 5, 2)
        menu = MatrixMenu(pipeline.document, pipeline.appearance, table).build(masked)
        assert not {"Pin to these numbers", "Paste", "Clear"} & {action.text() for action in menu.actions()}
        menu.deleteLater()
    assert pipeline.document.undo_stack.count() == 0


def test_B_is_edited_as_ever_and_the_difference_follows(qtbot: QtBot) -> None:
    flooded = load_example("flooded")
    pipeline = compared(qtbot, flooded, flooded, "B")
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    type_text("9")
    press(Qt.Key.Key_Return)
    settle(pipeline)
    assert pipeline.document.undo_stack.count() == 1
    show(pipeline, "B-A")
    expected = np.zeros_like(values(pipeline, "W_Q"))
    expected[0, 0] = 9.0 - flooded.layers[0].attention.W_Q[0][0, 0]
    assert np.array_equal(values(pipeline, "W_Q"), expected)
    pipeline.document.undo_stack.undo()
    settle(pipeline)
    assert not values(pipeline, "W_Q").any()


def test_what_is_being_typed_goes_to_B_before_something_else_is_shown(qtbot: QtBot) -> None:
    pipeline = compared(qtbot, load_example("tired"), load_example("flooded"), "B")
    table = pipeline.table("W_Q")
    click_cell(table, 0, 0)
    type_text("9")
    show(pipeline, "B-A")
    assert pipeline.document.experiment.layers[0].attention.W_Q[0][0, 0] == 9.0
    assert editor_of(table) is None


def test_leaving_restores_what_was_shown(qtbot: QtBot) -> None:
    pipeline = open_pipeline(qtbot, load_example("flooded"))
    before = {key: card.table.content for key, card in pipeline.workspace.canvas.cards.items()}
    places = {key: card.geometry() for key, card in pipeline.workspace.canvas.cards.items()}
    pipeline.document.comparison.keep(load_example("tired"), "tired", "B-A")
    settle(pipeline)
    pipeline.document.comparison.leave()
    settle(pipeline)
    for key, card in pipeline.workspace.canvas.cards.items():
        after = card.table.content
        assert after.picture.values is before[key].picture.values, key
        assert after.picture.scale == before[key].picture.scale, key
        assert (after.rows, after.columns) == (before[key].rows, before[key].columns), key
        assert card.geometry() == places[key], key
        assert card.table.editable == card.table.may_be_edited


def test_where_shapes_differ_the_card_says_so_and_A_has_its_own_shape(qtbot: QtBot) -> None:
    pipeline = compared(qtbot, load_example("animal-street"), load_example("flooded"))
    card = pipeline.card("query")
    label = card.findChild(QLabel, "instead")
    assert label.isVisible()
    assert label.text() == "A is 4 × 2, B is 11 × 4: there is no difference to show."
    show(pipeline, "A")
    assert not label.isVisible()
    assert values(pipeline, "query").shape == (4, 2)
    assert pipeline.table("query").content.rows.texts == ("animal", "street", "because", "it")
    show(pipeline, "B")
    assert values(pipeline, "query").shape == (11, 4)


def test_a_cell_that_only_A_has_is_not_selected_in_B(qtbot: QtBot) -> None:
    pipeline = compared(qtbot, load_example("flooded"), load_example("animal-street"), "A")
    click_cell(pipeline.table("query"), 10, 3)
    assert pipeline.document.cursor.selected is None
    click_cell(pipeline.table("query"), 2, 1)
    selected = pipeline.document.cursor.selected
    assert selected is not None
    assert selected[1:] == (2, 1)


def test_a_head_that_A_has_not_is_said_to_be_missing(qtbot: QtBot) -> None:
    one = load_example("flooded")
    two = duplicate_head(one, 0, 0)
    pipeline = compared(qtbot, one, two)
    pipeline.document.display.choose("head", 1)
    settle(pipeline)
    label = pipeline.card("query").findChild(QLabel, "instead")
    assert label.isVisible()
    assert label.text() == "A has no such matrix."
    pipeline.document.display.choose("head", 0)
    settle(pipeline)
    assert not label.isVisible()
    assert not values(pipeline, "query").any()


def test_of_A_only_what_is_visible_is_evaluated(qtbot: QtBot) -> None:
    pipeline = compared(qtbot, load_example("multi-head"), load_example("multi-head"))
    base = pipeline.document.comparison.base
    assert base is not None
    assert {unit.head for unit in base.arrays} <= {0, None}
    pipeline.document.display.choose("head", 2)
    settle(pipeline)
    base = pipeline.document.comparison.base
    assert base is not None
    assert {unit.head for unit in base.arrays} <= {2, None}
    pipeline.workspace.hide()
    pipeline.document.comparison.request()
    pipeline.document.comparison.finish()
    base = pipeline.document.comparison.base
    assert base is not None
    assert not base.arrays


def test_a_difference_of_pinned_and_blocked_cells_is_no_NaN(qtbot: QtBot) -> None:
    tired = load_example("tired")
    pipeline = compared(qtbot, tired, replace(tired, pins={"layers.0.scores.0": np.full((11, 11), 0.5)}))
    for key in ("scores", "scaled", "masked", "weights"):
        assert not np.isnan(values(pipeline, key)).any(), key


@pytest.mark.parametrize("shown", ["A", "B", "B-A"])
def test_the_bar_shows_and_changes_which_is_seen(qtbot: QtBot, shown: Shown) -> None:
    pipeline = compared(qtbot, load_example("tired"), load_example("flooded"), "A" if shown != "A" else "B")
    bar = CompareBar(pipeline.document, Appearance())
    qtbot.addWidget(bar)
    bar.show()
    QTest.mouseClick(bar.choice.button(shown), Qt.MouseButton.LeftButton)
    assert pipeline.document.comparison.shown == shown
    assert bar.findChild(QLabel, "compare-text").text() == pipeline.document.comparison.text
    QTest.mouseClick(bar.findChild(QToolButton, "compare-leave"), Qt.MouseButton.LeftButton)
    assert not pipeline.document.comparison.active
    assert not bar.isVisible()


def test_a_layer_that_a_does_not_have_is_shown_as_bs_with_a_sentence(qtbot: QtBot) -> None:
    deep = add_layer(load_example("tired"), 1)
    pipeline = compared(qtbot, load_example("tired"), deep, "A")
    pipeline.document.display.choose("layer", 1)
    settle(pipeline)
    card = pipeline.workspace.canvas.cards["scaled"]
    assert any(label.text() == "A has no such matrix." for label in card.findChildren(QLabel))


def test_a_card_that_went_is_forgotten_by_the_comparison(qtbot: QtBot) -> None:
    block = load_example("block")
    pipeline = compared(qtbot, block, block, "A")
    gone = weakref.ref(pipeline.card("W_O"))
    pipeline.document.replace_experiment(load_example("tired"))
    settle(pipeline)
    qtbot.waitUntil(lambda: "W_O" not in pipeline.workspace.canvas.cards)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    assert gone() is None
