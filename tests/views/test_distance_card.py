"""The card on distance: RoPE's score at every distance, ALiBi's slope and penalty."""

from __future__ import annotations

from typing import Any

import numpy as np
from hand_made import one_layer
from PySide6.QtWidgets import QApplication, QLabel
from views_of_matrices import OpenPipeline, click_cell, open_pipeline

from attnexplorer.compute.numbers import significant_text
from attnexplorer.compute.positions import alibi_slopes
from attnexplorer.experiment.edits.positions import set_position_kind
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment, Position
from attnexplorer.figures.series import Line
from attnexplorer.views.distance_card import DistanceCard


def random_experiment(kind: str, tokens: int = 5, **settings: Any) -> Experiment:
    X = np.random.default_rng(1).normal(size=(tokens, 4))
    return one_layer(X, position=Position(kind, **settings.pop("position", {})), **settings)


def card_of(pipeline: OpenPipeline) -> DistanceCard:
    QApplication.processEvents()
    card = pipeline.workspace.canvas.extras.cards["distance"]
    assert isinstance(card, DistanceCard)
    pipeline.workspace.ensureWidgetVisible(card)
    QApplication.processEvents()
    return card


def told(card: DistanceCard) -> str:
    return card.findChild(QLabel, "distance-told").text()


def test_the_marked_score_is_that_of_the_selected_pair(qtbot: Any) -> None:
    for interleaved in (False, True):
        pipeline = open_pipeline(qtbot, random_experiment("rope", position={"interleaved": interleaved, "offset": 3}))
        card = card_of(pipeline)
        scores = pipeline.document.matrix("layers.0.scores.0")
        for query, key in ((4, 1), (0, 3), (2, 2)):
            click_cell(pipeline.table("scores"), query, key)
            card_of(pipeline)
            marker = card.plot.plot.marker
            assert marker.x == query - key
            assert abs(marker.y - scores[query, key]) < 1e-12


def test_the_curve_goes_through_the_scores_of_all_distances(qtbot: Any) -> None:
    q, k = np.random.default_rng(2).normal(size=(2, 4))
    pins = {"layers.0.query.0": np.tile(q, (5, 1)), "layers.0.key.0": np.tile(k, (5, 1))}
    pipeline = open_pipeline(qtbot, random_experiment("rope", pins=pins))
    card = card_of(pipeline)
    scores = pipeline.document.matrix("layers.0.scores.0")
    curve = dict(zip(*card.plot.table.columns, strict=True))
    for i in range(5):
        for j in range(5):
            assert abs(curve[float(i - j)] - scores[i, j]) < 1e-12
    assert min(curve) == -16.0
    assert max(curve) == 16.0


def test_the_words_tell_tokens_distance_and_score(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, set_position_kind(load_example("animal-street"), "rope"))
    click_cell(pipeline.table("weights"), 1, 2)
    card = card_of(pipeline)
    score = significant_text(float(pipeline.document.matrix("layers.0.scores.0")[1, 2]))
    assert told(card).startswith(f"“street” stands 1 place before “because”: q′·k′ = {score}")
    assert "pinned" not in told(card)
    pipeline.document.pin_as_shown("layers.0.scores.0")
    pipeline.settle()
    assert told(card).endswith(" Cells of QKᵀ are pinned; the curve is without those pins.")


def test_alibi_tells_the_slope_of_the_head_and_the_penalty_of_the_pair(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, random_experiment("alibi", heads=2))
    pipeline.document.display.choose("head", 0)
    click_cell(pipeline.table("weights"), 4, 1)
    card = card_of(pipeline)
    slope = alibi_slopes(2)[0]
    assert slope == 0.0625
    assert card.findChild(QLabel, "distance-caption").text() == "head 1 of 2: slope 0.0625; other heads in grey"
    assert told(card) == "“t4” and “t1” are 3 apart: 3 × 0.0625 = 0.1875 is taken off their scaled score."
    scaled, masked = (pipeline.document.matrix(f"layers.0.{stage}.0")[4, 1] for stage in ("scaled", "masked"))
    assert abs(scaled - masked - card.plot.plot.marker.y) < 1e-12
    assert sum(isinstance(it, Line) for it in card.plot.plot.series) == 3
    pipeline.document.display.choose("head", 1)
    pipeline.settle()
    assert "slope 0.00390625" in card.findChild(QLabel, "distance-caption").text()


def test_the_card_comes_and_goes_with_the_kind_of_position(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("animal-street"))
    extras, canvas = pipeline.workspace.canvas.extras, pipeline.workspace.canvas
    assert extras.cards == {}
    height = canvas.height()
    for kind, shown in (("alibi", True), ("none", False), ("rope", True), ("sinusoidal", False)):
        pipeline.document.apply(kind, lambda e, kind=kind: set_position_kind(e, kind))
        pipeline.settle()
        assert extras.cards["distance"].isHidden() != shown
        if kind == "alibi":
            assert canvas.height() > height
        if kind == "none":
            assert canvas.height() == height


def test_many_tokens_make_a_curve_without_dots_that_reaches_from_end_to_end(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, random_experiment("rope", tokens=64))
    card = card_of(pipeline)
    assert [type(it) for it in card.plot.plot.series] == [Line]
    assert card.plot.plot.x.high == 64.0


def test_the_card_is_about_the_experiment_that_is_seen_or_about_B_where_A_has_nothing_of_it(qtbot: Any) -> None:
    a, b = (random_experiment("rope", scale=scale) for scale in (0.5, 2.0))
    a = set_position_kind(a, "alibi")
    pipeline = open_pipeline(qtbot, b)
    card = card_of(pipeline)
    caption = card.findChild(QLabel, "distance-caption")
    assert caption.text().startswith("the score of")
    for kept, shown, begins in ((a, "A", "of A: slope"), (b, "B-A", "of B: the score")):
        pipeline.document.comparison.keep(kept, "kept", shown)
        pipeline.document.comparison.finish()
        pipeline.settle()
        card_of(pipeline)
        assert caption.text().startswith(begins)
    pipeline.document.comparison.keep(set_position_kind(b, "none"), "kept", "A")
    pipeline.document.comparison.finish()
    pipeline.settle()
    card_of(pipeline)
    assert caption.text().startswith("of B: the score")
