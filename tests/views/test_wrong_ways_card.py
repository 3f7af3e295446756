"""The wrong ways to mask as a comparison: switched on and off, its numbers and words, and that nothing is saved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hand_made import with_scores
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from views_of_matrices import OpenPipeline, click_cell, open_pipeline

from attnexplorer.document.document import Document
from attnexplorer.document.storage import present_experiment
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.fileformat.writing import dumps
from attnexplorer.experiment.model import Experiment, Mask
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.panel import InputPanel
from attnexplorer.views.matrix_menu import MatrixMenu
from attnexplorer.views.scaling.map_layout import Spot
from attnexplorer.views.wrong_ways import WrongWays
from attnexplorer.views.wrong_ways_card import WrongWaysCard

LEFT = Qt.MouseButton.LeftButton
SCORES = [[1.0, 2.0], [0.0, 1.0]]


def switched_on(qtbot: Any, experiment: Experiment) -> tuple[OpenPipeline, WrongWaysCard]:
    pipeline = open_pipeline(qtbot, experiment)
    assert pipeline.workspace.canvas.extras.cards == {}
    WrongWays.of(pipeline.document).show(True)
    pipeline.settle()
    QApplication.processEvents()
    card = pipeline.workspace.canvas.extras.cards["wrong ways"]
    assert isinstance(card, WrongWaysCard)
    return pipeline, card


def told(card: WrongWaysCard) -> list[str]:
    labels = [card.findChild(QLabel, name) for name in ("told-zeroed", "told-after")]
    return [label.text() for label in labels if label.isVisible()]


def test_the_three_ways_stand_side_by_side_with_sums_and_leaks(qtbot: Any) -> None:
    _, card = switched_on(qtbot, with_scores(SCORES, mask=Mask(causal=True)))
    right, zeroed, after = card.maps.maps
    assert [it.title for it in card.maps.maps] == [
        "right: −∞ before softmax",
        "wrong: 0 before softmax",
        "wrong: 0 after softmax",
    ]
    leak = 1.0 / (1.0 + np.e)
    for it, row in ((right, [1.0, 0.0]), (zeroed, [1.0 - leak, leak]), (after, [leak, 0.0])):
        np.testing.assert_allclose(it.content.picture.values[0], row, rtol=0, atol=1e-15)
    assert right.captions[0] == "marked row: sums to 1.00, 0.00 on blocked keys"
    assert told(card) == [
        "0 before softmax: e⁰ = 1, so blocked keys get real weight, 0.27 of the row of “t0” in all, "
        "and its other weights are too small.",
        "0 after softmax: what blocked keys had is missing, so rows no longer sum to 1: that of “t0” sums to 0.27.",
    ]


def test_a_picked_cell_is_the_selected_pair_whose_row_is_told(qtbot: Any) -> None:
    pipeline, card = switched_on(qtbot, with_scores(SCORES, mask=Mask(causal=True)))
    at = card.maps.cell_rect(Spot(1, 0, 1)).center().toPoint()
    QTest.mouseClick(card.maps, LEFT, pos=at)
    assert pipeline.document.cursor.selected == ("layers.0.weights.0", 0, 1)
    captions = [it.captions[0] for it in card.maps.maps]
    assert captions == [
        "marked row: sums to 1.00, 0.00 on blocked keys",
        "marked row: sums to 1.00, 0.27 on blocked keys",
        "marked row: sums to 0.27, 0.00 on blocked keys",
    ]


def test_the_comparison_follows_edits_of_mask_and_scores(qtbot: Any) -> None:
    pipeline, card = switched_on(qtbot, with_scores(SCORES))
    assert told(card) == [
        "This mask blocks no pair, so all three agree. Switch a rule on in Input, or click a cell of it."
    ]
    click_cell(pipeline.table("masked"), 1, 0)
    pipeline.settle()
    assert len(told(card)) == 2
    assert card.maps.maps[1].content.picture.values[1].tolist() == pytest.approx([1 / (1 + np.e), np.e / (1 + np.e)])


def test_the_card_is_marked_and_put_away_by_its_link(qtbot: Any) -> None:
    pipeline, card = switched_on(qtbot, load_example("animal-street"))
    mark = card.findChild(QLabel, "wrong-ways-mark")
    assert (mark.text(), mark.property("look")) == ("a comparison, never saved", "warning")
    assert card.geometry().top() > pipeline.card("weights").geometry().bottom()
    assert card.geometry().bottom() < pipeline.card("head_output").geometry().top()
    height = pipeline.workspace.canvas.height()
    QTest.mouseClick(card.hide_link, LEFT)
    assert not card.isVisible()
    assert pipeline.workspace.canvas.height() < height
    assert not WrongWays.of(pipeline.document).shown


def test_the_experiment_and_its_file_know_nothing_of_it(qtbot: Any) -> None:
    pipeline, _ = switched_on(qtbot, load_example("animal-street"))
    document, untouched = pipeline.document, load_example("animal-street")
    assert identical(document.experiment, untouched)
    assert document.undo_stack.count() == 0
    assert dumps(present_experiment(document)) == dumps(untouched)


def test_hidden_it_has_nothing_evaluated_and_out_of_sight_it_shows_nothing_new(qtbot: Any) -> None:
    pipeline, card = switched_on(qtbot, load_example("animal-street"))
    WrongWays.of(pipeline.document).show(False)
    before = card.maps.maps
    pipeline.document.set_cell("layers.0.attention.W_Q.0", 0, 0, 3.0)
    pipeline.settle()
    assert card.maps.maps is before
    WrongWays.of(pipeline.document).show(True)
    pipeline.settle()
    shown = card.maps.maps
    assert shown is not before
    pipeline.workspace.resize(1000, 200)
    pipeline.workspace.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: card.visibleRegion().isEmpty())
    pipeline.document.set_cell("layers.0.attention.W_Q.0", 0, 0, -3.0)
    pipeline.settle()
    assert card.maps.maps is shown
    pipeline.workspace.ensureWidgetVisible(card)
    qtbot.waitUntil(lambda: card.maps.maps is not shown)


def test_the_menu_of_the_mask_and_no_other_switches_it(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("animal-street"))
    menu = MatrixMenu(pipeline.document, pipeline.appearance, pipeline.workspace)
    texts = [action.text() for action in menu.build(pipeline.table("weights")).actions()]
    assert "Compare wrong ways to mask" not in texts
    entry = next(a for a in menu.build(pipeline.table("masked")).actions() if a.text() == "Compare wrong ways to mask")
    entry.trigger()
    assert WrongWays.of(pipeline.document).shown
    again = next(a for a in menu.build(pipeline.table("masked")).actions() if a.text() == "Compare wrong ways to mask")
    assert again.isChecked()


def test_the_dock_has_a_link_that_goes_to_the_pipeline(qtbot: Any) -> None:
    document, appearance = Document(load_example("animal-street")), Appearance()
    panel = InputPanel(document, appearance)
    qtbot.addWidget(panel, before_close_func=lambda _widget: document.close())
    panel.resize(260, 1100)
    panel.show()
    qtbot.waitExposed(panel)
    document.display.choose("workspace", "heads")
    link = panel.mask_section.wrong_ways
    assert link.text() == "Compare wrong ways to mask"
    QTest.mouseClick(link, LEFT)
    assert WrongWays.of(document).shown
    assert document.display["workspace"] == "pipeline"
    assert link.text() == "Hide the wrong ways"
    QTest.mouseClick(link, LEFT)
    assert not WrongWays.of(document).shown


def test_the_card_is_about_the_experiment_that_is_seen(qtbot: Any) -> None:
    pipeline, card = switched_on(qtbot, with_scores(SCORES, mask=Mask(causal=True)))
    mark = card.findChild(QLabel, "wrong-ways-mark")
    assert mark.text() == "a comparison, never saved"
    pipeline.document.comparison.keep(with_scores(SCORES), "kept", "A")
    pipeline.document.comparison.finish()
    pipeline.settle()
    assert mark.text() == "of A: a comparison, never saved"
    np.testing.assert_allclose(card.maps.maps[0].content.picture.values.sum(axis=1), 1.0, rtol=0, atol=1e-15)
    assert card.maps.maps[0].content.picture.hatched is None
