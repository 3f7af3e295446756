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


def test_only_the_rows_of_queries_are_covered() -> None:
    lines = equations(lay_out(FigureSpec("projections", rows_shown=2), load_example("animal-street")))
    shown = [[panel.rows_shown for panel in panels] for panels, _ in lines]
    assert shown == [[2, None, 2], [None] * 3, [None] * 3]


@pytest.mark.parametrize(("tokens", "d_model", "left_out"), [(16, 16, False), (17, 8, True), (8, 64, True)])
def test_it_says_when_its_numbers_do_not_fit(tokens: int, d_model: int, left_out: bool) -> None:
    experiment = new_experiment([f"w{i}" for i in range(tokens)], d_model, 4, 4, 1, seed=0)
    figure = lay_out(FigureSpec("projections"), experiment)
    assert figure.numbers_left_out is left_out
    assert not lay_out(FigureSpec("projections", numbers=False), experiment).numbers_left_out
    assert max(figure.width, figure.height) < 1600


@pytest.mark.parametrize(("aspect", "beside_each_other"), [(0.5, 1), (2.3, 2), (9.0, 3)])
def test_in_a_wide_place_the_equations_stand_beside_each_other(aspect: float, beside_each_other: int) -> None:
    figure = lay_out(FigureSpec("projections"), load_example("tired"), aspect=aspect)
    found, lines = equations(figure), []
    waiting = [figure.content]
    while waiting:
        piece = waiting.pop(0)
        inside = [it.piece for it in piece.placed if isinstance(it.piece, Group)]
        if inside and all(any(isinstance(it.piece, MatrixPanel) for it in group.placed) for group in inside):
            lines.append(len(inside))
        else:
            waiting += inside
    assert sum(lines) == len(found) == 3
    assert lines[0] == beside_each_other


def test_what_is_pinned_is_not_said_to_be_the_product() -> None:
    experiment = load_example("animal-street")
    (_, queries), (keys, set_to), _ = equations(lay_out(FigureSpec("projections"), experiment))
    assert (queries, set_to) == (["×", "="], ["×", "pinned"])
    assert "layers.0.key.0" in experiment.pins
    assert np.array_equal(keys[-1].content.picture.values, experiment.pins["layers.0.key.0"])
    partly = np.full((4, 2), np.nan)
    partly[0, 0] = 5.0
    partly_pinned = replace(experiment, "pins", {"layers.0.query.0": partly})
    (panels, symbols), *_ = equations(lay_out(FigureSpec("projections"), partly_pinned))
    assert symbols == ["×", "="]
    heading = panels[-1].heading
    assert heading is not None
    assert "partly pinned" in "".join(run.text for run in heading.runs)
