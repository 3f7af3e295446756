"""The Pipeline: which matrices it shows, how they keep up, and what costs nothing while hidden."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hand_made import one_layer, with_scores
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from views_of_matrices import OpenPipeline, open_pipeline

from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.edits import blocks, heads, layers, masks, positions, source, tokens, widths
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.examples import example_names, load_example
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.colours import argb
from attnexplorer.figures.titles import card_title
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.matrix_card import MatrixCard
from attnexplorer.views.pipeline import PipelineCanvas, PipelineWorkspace
from attnexplorer.views.pipeline_plan import paths_of, pipeline_plan
from attnexplorer.views.table_context import TableContext

FOUR = ("scores", "scaled", "masked", "weights")


@pytest.fixture
def pipeline(qtbot: Any) -> OpenPipeline:
    return open_pipeline(qtbot, load_example("animal-street"))


def check_shown(pipeline: OpenPipeline) -> None:
    """Every card shows the numbers of the present experiment."""
    for card in pipeline.workspace.canvas.cards.values():
        values = pipeline.document.matrix(card.path)
        assert values is not None, card.path
        assert np.array_equal(card.table.content.picture.values, np.atleast_2d(values), equal_nan=True), card.path


def card_texts(card: MatrixCard) -> set[str]:
    return {label.text() for label in card.findChildren(QLabel) if label.isVisible()}


@pytest.mark.parametrize("name", example_names())
def test_every_example_is_shown_from_X_to_the_output(qtbot: Any, name: str) -> None:
    pipeline = open_pipeline(qtbot, load_example(name))
    cards = pipeline.workspace.canvas.cards
    assert {"input", "W_Q", "W_K", "W_V", "query", "key", "value", *FOUR, "head_output"} <= set(cards)
    check_shown(pipeline)
    canvas = pipeline.workspace.canvas.rect()
    for card in cards.values():
        assert canvas.contains(card.geometry()), card.objectName()
    rects = [card.geometry() for card in cards.values()]
    assert not any(a.intersects(b) for index, a in enumerate(rects) for b in rects[index + 1 :])


def test_cards_follow_edits_and_only_those_that_changed_get_new_content(pipeline: OpenPipeline) -> None:
    before = {key: card.table.content for key, card in pipeline.workspace.canvas.cards.items()}
    pipeline.document.set_cell("layers.0.attention.W_Q.0", 0, 0, 3.0)
    pipeline.settle()
    check_shown(pipeline)
    changed = {key for key, card in pipeline.workspace.canvas.cards.items() if card.table.content is not before[key]}
    assert changed >= {"W_Q", "query", *FOUR, "head_output"}
    assert not changed & {"W_K", "W_V", "key", "value", "input"}


def test_the_whole_screen_follows_structural_edits_and_their_undoing(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, new_experiment(["a", "b", "c"], 4, 2, 2, 1, 1))
    edits: list[Any] = [
        lambda e: tokens.add_token(e, "sequence", 1, "new"),
        lambda e: widths.set_d_k(e, 0, 6),
        lambda e: heads.set_heads(e, 0, 4),
        lambda e: heads.set_kv_heads(e, 0, 2, "mean"),
        lambda e: blocks.create_W_O(e, 0),
        lambda e: blocks.create_bias(e, 0, "b_Q"),
        lambda e: positions.set_position_kind(e, "rope"),
        lambda e: positions.set_position_kind(e, "learned"),
        lambda e: blocks.set_norm(e, 0, "layernorm", "pre"),
        lambda e: blocks.create_ffn(e, 0, "gelu", 5),
        lambda e: blocks.set_unembedding(e, "own"),
        lambda e: source.make_cross_attention(e, ["x", "y"]),
        lambda e: layers.add_layer(e, 1),
    ]
    for number, edit in enumerate(edits):
        pipeline.document.apply(f"edit {number}", edit)
        pipeline.settle()
        check_shown(pipeline)
    for choice in (("layer", 1), ("head", 0), ("layer", 0), ("head", 3)):
        pipeline.document.display.choose(*choice)
        pipeline.settle()
        check_shown(pipeline)
    while pipeline.document.undo_stack.canUndo():
        pipeline.document.undo_stack.undo()
        pipeline.settle()
        check_shown(pipeline)
    assert "W_O" not in pipeline.workspace.canvas.cards


def test_a_hidden_pipeline_is_not_evaluated_and_catches_up_when_shown(pipeline: OpenPipeline) -> None:
    pipeline.workspace.hide()
    pipeline.document.set_cell("layers.0.attention.W_Q.0", 0, 0, 3.0)
    pipeline.settle()
    assert pipeline.document.matrix("layers.0.scores.0") is None
    pipeline.workspace.show()
    pipeline.settle()
    check_shown(pipeline)
    assert pipeline.table("W_Q").content.picture.values[0, 0] == 3.0


def test_the_screen_shows_the_colours_of_the_numbers(pipeline: OpenPipeline) -> None:
    for key in ("input", "W_Q", "query", "key", *FOUR, "head_output"):
        table = pipeline.table(key)
        image = table.viewport().grab().toImage()
        picture, size = table.content.picture, table.cell_size
        expected = argb(picture.values, picture.scale, picture.theme)
        for row, column in np.ndindex(picture.values.shape):
            if picture.hatched is not None and picture.hatched[row, column]:
                continue
            at = (int(column * size.width) + 3, int(row * size.height) + 3)
            assert image.pixel(*at) == expected[row, column], (key, row, column)


def test_scores_that_no_number_can_hold_are_marked_on_screen(qtbot: Any) -> None:
    huge = np.array([[1e200, 0], [0, -1e200]])
    pipeline = open_pipeline(qtbot, one_layer([[1e200, 1e200], [1.0, -1.0]], W_K=(huge,)))
    values = pipeline.table("scores").content.picture.values
    assert not np.isfinite(values).all()
    table = pipeline.table("scores")
    texts = {table.model().data(table.model().index(*cell)) for cell in np.argwhere(~np.isfinite(values)).tolist()}
    assert texts <= {"NaN", "+∞", "−∞"}
    image = table.viewport().grab().toImage()
    size, picture = table.cell_size, table.content.picture
    range_of_values = np.linspace(picture.scale.low, picture.scale.high, 257)[None]
    colours_of_numbers = set(argb(range_of_values, picture.scale, picture.theme)[0].tolist())
    for row, column in np.argwhere(~np.isfinite(values)).tolist():
        at = (int(column * size.width) + 3, int(row * size.height) + 3)
        assert image.pixel(*at) not in colours_of_numbers


def test_scores_of_a_million_are_written_whole(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, with_scores([[1e6, -1e6], [0.5, 0.25]]))
    table = pipeline.table("scores")
    assert [table.model().data(table.model().index(0, column)) for column in (0, 1)] == ["1.0e6", "−1.0e6"]
    weights = pipeline.document.matrix("layers.0.weights.0")
    assert weights[0].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("count", [1, 2, 64])
def test_any_number_of_tokens_has_its_place(qtbot: Any, count: int) -> None:
    pipeline = open_pipeline(qtbot, new_experiment([f"t{i}" for i in range(count)], 4, 2, 2, 1, 1))
    check_shown(pipeline)
    for key in FOUR:
        assert pipeline.table(key).content.shape == (count, count)
        assert pipeline.table(key).cell_size.width >= 1


def test_one_column_of_queries_and_keys_is_shown(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, load_example("animal-street"))
    pipeline.document.apply("Set d_k", lambda experiment: widths.set_d_k(experiment, 0, 1))
    pipeline.settle()
    assert pipeline.table("query").content.shape == (4, 1)
    check_shown(pipeline)


def test_all_tokens_padded_gives_weights_of_zero(qtbot: Any) -> None:
    pipeline = open_pipeline(qtbot, one_layer(np.eye(3), padding=(True,) * 3))
    assert not pipeline.document.matrix("layers.0.weights.0").any()
    assert pipeline.table("weights").content.picture.hatched.all()


def test_titles_follow_the_scale_and_the_mask(pipeline: OpenPipeline) -> None:
    assert "÷ √d<sub>k</sub>" in card_texts(pipeline.card("scaled"))
    assert "causal" in card_texts(pipeline.card("masked"))
    pipeline.document.set_value("layers.0.attention.scale", 0.25, "Set the scale")
    pipeline.document.apply("Window", lambda experiment: masks.set_window(experiment, 0, 2))
    pipeline.settle()
    assert "× 0.25" in card_texts(pipeline.card("scaled"))
    assert "causal + window" in card_texts(pipeline.card("masked"))
    pipeline.document.apply("Position", lambda experiment: positions.set_position_kind(experiment, "alibi"))
    pipeline.settle()
    assert "causal + window + ALiBi" in card_texts(pipeline.card("masked"))


def test_both_themes_are_taken_over_at_once(pipeline: OpenPipeline) -> None:
    table = pipeline.table("W_Q")
    light = table.viewport().grab().toImage()
    pipeline.appearance.choose_theme("dark")
    pipeline.settle()
    dark = table.viewport().grab().toImage()
    assert light != dark
    picture = table.content.picture
    assert dark.pixel(3, 3) == argb(picture.values, picture.scale, pipeline.appearance.theme)[0, 0]


def test_removed_cards_are_gone_and_new_ones_can_be_reached(pipeline: OpenPipeline) -> None:
    pipeline.document.apply("Position", lambda experiment: positions.set_position_kind(experiment, "rope"))
    pipeline.settle()
    assert pipeline.card("query_rotated").isVisible()
    pipeline.document.undo_stack.undo()
    pipeline.settle()
    assert "query_rotated" not in pipeline.workspace.canvas.cards


def every_plan(experiment: Experiment) -> list[Any]:
    return [
        pipeline_plan(experiment, layer, head)
        for layer, it in enumerate(experiment.layers)
        for head in range(it.attention.heads)
    ]


def test_a_plan_names_each_matrix_once_and_every_matrix_has_a_title() -> None:
    experiment = new_experiment(["a", "b"], 4, 2, 2, 2, 1)
    for edit in (
        lambda e: positions.set_position_kind(e, "rope"),
        lambda e: blocks.set_norm(e, 0, "layernorm", "post"),
        lambda e: blocks.create_ffn(e, 0, "silu", 3),
        lambda e: blocks.set_gated(e, 0, True),
        lambda e: blocks.set_final_norm(e, "rmsnorm"),
        lambda e: blocks.set_unembedding(e, "tied"),
        lambda e: layers.add_layer(e, 1),
    ):
        experiment = edit(experiment)
        for plan in every_plan(experiment):
            paths = paths_of(plan)
            assert len(set(paths)) == len(paths)
            keys = [item.key for row in plan for slot in row.slots for item in slot.items]
            assert len(set(keys)) == len(keys)
            assert all(card_title(experiment, path)[0] for path in paths)
            assert [len(row.slots) for row in plan if row.pairs] == [4]


@pytest.mark.parametrize("count", [40, 200, 512])
def test_no_map_of_many_tokens_reaches_beyond_the_canvas(qtbot: Any, count: int) -> None:
    experiment = new_experiment([f"w{index}" for index in range(count)], 4, 2, 2, 1, 0)
    pipeline = open_pipeline(qtbot, experiment)
    canvas = pipeline.workspace.canvas.rect()
    for key in FOUR:
        card = pipeline.workspace.canvas.cards[key]
        assert canvas.contains(card.geometry()), key
        assert card.rect().contains(card.table.geometry()), key


def test_what_stands_before_a_whole_pin_is_faint_until_it_is_released(pipeline: OpenPipeline) -> None:
    cards = pipeline.workspace.canvas.cards
    faint = {key for key, card in cards.items() if card.table.strength < 1}
    assert faint == {"W_K", "W_V"}
    pipeline.document.release("layers.0.key.0")
    pipeline.settle()
    assert {key for key, card in cards.items() if card.table.strength < 1} == {"W_V"}


def test_larger_type_makes_cells_and_numbers_larger_and_back_again(pipeline: OpenPipeline) -> None:
    table, appearance = pipeline.workspace.canvas.cards["W_Q"].table, pipeline.workspace.canvas.scaling._appearance
    before, size = table.cell_size, table.size()
    appearance.set_text_scale(1.6)
    pipeline.settle()
    assert table.cell_size.height > before.height
    assert table.content.picture.type_scale == 1.6
    appearance.set_text_scale(1.0)
    pipeline.settle()
    assert table.cell_size == before
    for card in pipeline.workspace.canvas.cards.values():
        bars = (card.table.horizontalScrollBar(), card.table.verticalScrollBar())
        assert not any(bar.isVisible() for bar in bars), card.objectName()
    assert table.size() == size


@pytest.mark.parametrize("width", [560, 760, 1300])
def test_the_first_picture_is_whole(qtbot: Any, width: int) -> None:
    document, appearance = Document(load_example("animal-street")), Appearance()
    workspace = PipelineWorkspace(TableContext(document, appearance, Lights(document)))
    qtbot.addWidget(workspace, before_close_func=lambda _widget: document.close())
    workspace.resize(width, 1600)
    workspace.show()
    document.recomputation.flush()
    at_once = _arranged(workspace.canvas)
    assert at_once["bars"]
    with qtbot.waitExposed(workspace):
        QTest.qWait(50)
    assert at_once == _arranged(workspace.canvas)


def _arranged(canvas: PipelineCanvas) -> dict[str, Any]:
    """Return how far each table scrolls, and where each card stands."""
    bars = {
        key: (card.table.horizontalScrollBar().maximum(), card.table.verticalScrollBar().maximum())
        for key, card in canvas.cards.items()
    }
    return {"bars": bars, "places": {key: card.geometry() for key, card in canvas.cards.items()}}


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("tokens", [1, 2, 4, 9])
def test_no_card_stands_beyond_the_right_edge(qtbot: Any, tokens: int, scale: float) -> None:
    experiment = new_experiment([f"token{index + 1}" for index in range(tokens)], 2, 1, 1, 1, seed=1)
    pipeline = open_pipeline(qtbot, experiment, 480)
    pipeline.appearance.set_text_scale(scale)
    pipeline.settle()
    canvas = pipeline.workspace.canvas
    for key, card in canvas.cards.items():
        assert card.geometry().right() < canvas.width(), f"{key} is cut off"
    if scale == 1.0 and tokens < 9:
        assert not any(any(bars) for bars in _arranged(canvas)["bars"].values()), "a small table scrolls"
