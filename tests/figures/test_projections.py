"""The figure of where queries, keys and values come from: its equations hold."""

from __future__ import annotations

import numpy as np
import pytest

from attnexplorer.experiment.edits.blocks import create_bias
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.paths import replace
from attnexplorer.figures.arrows import Operator
from attnexplorer.figures.figure import Figure, Group
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.matrix_figure import MatrixPanel
from attnexplorer.figures.spec import FigureSpec

pytestmark = pytest.mark.usefixtures("qapp")
Equation = tuple[list[MatrixPanel], list[str]]


def equations(figure: Figure) -> list[Equation]:
    """The matrices of each line, and what is done between them."""
    found: list[Equation] = []
    waiting = [figure.content]
    while waiting:
        piece = waiting.pop(0)
        if not isinstance(piece, Group):
            continue
        inside = [placed.piece for placed in piece.placed]
        panels = [it for it in inside if isinstance(it, MatrixPanel)]
        if panels:
            found.append((panels, [it.markup for it in inside if isinstance(it, Operator)]))
        else:
            waiting += inside
    return found


def words_of(panel: MatrixPanel) -> str:
    assert panel.heading is not None
    return "".join(run.text for run in panel.heading.runs)


@pytest.mark.parametrize(
    ("name", "head", "sources"),
    [
        ("sky-is-blue", 0, ("layers.0.input",) * 3),
        ("cross-attention", 0, ("layers.0.input", "source_input", "source_input")),
        ("grouped-query", 3, ("layers.0.input",) * 3),
        ("block", 1, ("layers.0.attention_input",) * 3),
    ],
)
def test_each_line_is_what_is_projected_times_the_parameters(name: str, head: int, sources: tuple[str, ...]) -> None:
    lines = equations(lay_out(FigureSpec("projections", head=head), load_example(name)))
    assert tuple(panels[0].content.path for panels, _ in lines) == sources
    for panels, symbols in lines:
        assert symbols == ["×", "="]
        x, w, made = (panel.content.picture.values for panel in panels)
        assert np.allclose(x @ w, made, rtol=1e-12, atol=1e-12)


def test_a_bias_is_added_and_rope_stands_on_an_arrow_before_what_is_compared() -> None:
    experiment = load_example("rope")
    experiment = replace(
        create_bias(experiment, 0, "b_Q"), "layers.0.attention.b_Q.0", np.array([0.0, 0.25, 0.0, -1.0])
    )
    queries, keys, values = equations(lay_out(FigureSpec("projections"), experiment))
    assert (queries[1], keys[1], values[1]) == (["×", "+", "=", "RoPE"], ["×", "=", "RoPE"], ["×", "="])
    x, w, b, made, rotated = (panel.content.picture.values for panel in queries[0])
    assert np.allclose(x @ w + b, made)
    assert np.allclose(np.linalg.norm(rotated, axis=1), np.linalg.norm(made, axis=1))
    assert queries[0][-1].content.path == "layers.0.query_rotated.0"


def test_only_the_rows_of_the_result_are_covered() -> None:
    lines = equations(lay_out(FigureSpec("projections", rows_shown=2), load_example("animal-street")))
    shown = [[panel.rows_shown for panel in panels] for panels, _ in lines]
    assert shown == [[None, None, 2], [None], [None]]


@pytest.mark.parametrize(("tokens", "d_model", "left_out"), [(16, 16, False), (17, 8, True), (8, 64, False)])
def test_the_numbers_of_results_are_shown_as_far_as_they_fit(tokens: int, d_model: int, left_out: bool) -> None:
    experiment = new_experiment([f"w{i}" for i in range(tokens)], d_model, 4, 4, 1, seed=0)
    figure = lay_out(FigureSpec("projections"), experiment)
    assert figure.numbers_left_out is left_out
    assert not lay_out(FigureSpec("projections", numbers=False), experiment).numbers_left_out
    assert max(figure.width, figure.height) < 1800
    (panels, _), *_ = equations(figure)
    assert [panel.style.numbers for panel in panels] == [
        not left_out and max(panel.content.shape) <= 16 for panel in panels
    ]
    input_panel, _, queries = panels
    assert input_panel.cell.height == queries.cell.height


@pytest.mark.parametrize(("aspect", "beside_each_other"), [(0.5, False), (2.3, False), (9.0, True)])
def test_in_a_wide_place_the_equations_stand_beside_each_other(aspect: float, beside_each_other: bool) -> None:
    figure = lay_out(FigureSpec("projections"), load_example("tired"), aspect=aspect)
    waiting, found = [figure.content], []
    while waiting:
        placed = waiting.pop(0).placed
        groups = [it for it in placed if isinstance(it.piece, Group)]
        if groups and all(any(isinstance(it.piece, MatrixPanel) for it in each.piece.placed) for each in groups):
            found = groups
        waiting += [it.piece for it in groups]
    assert len(found) == 3
    assert (len({it.y for it in found}) == 1) is beside_each_other
    assert (len({it.x for it in found}) == 1) is not beside_each_other


def test_what_is_pinned_is_not_said_to_be_the_product() -> None:
    experiment = load_example("animal-street")
    (_, queries), (keys, set_to), _ = equations(lay_out(FigureSpec("projections"), experiment))
    assert (queries, set_to, len(keys)) == (["×", "="], [], 1)
    assert np.array_equal(keys[0].content.picture.values, experiment.pins["layers.0.key.0"])
    assert "keys, pinned" in words_of(keys[0])
    partly = np.full((4, 2), np.nan)
    partly[0, 0] = 5.0
    partly_pinned = replace(experiment, "pins", {"layers.0.query.0": partly})
    (panels, symbols), *_ = equations(lay_out(FigureSpec("projections"), partly_pinned))
    assert symbols == ["×", "="]
    assert "queries, partly pinned" in words_of(panels[-1])


def test_parameters_that_heads_share_are_named() -> None:
    experiment = load_example("grouped-query")
    lines = equations(lay_out(FigureSpec("projections", head=3), experiment))
    named = [words_of(panels[1]) for panels, _ in lines]
    assert ["KV head 1" in words for words in named] == [False, True, True]
