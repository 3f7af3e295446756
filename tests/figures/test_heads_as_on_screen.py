"""A grid of heads as the screen shows it: order, muted heads, B − A, and numbers where they can be read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import replace as replace_at
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Faded
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.matrix_figure import MatrixPanel
from attnexplorer.figures.spec import FigureSpec

HEADS = FigureSpec("heads")


def pieces(piece: Any) -> list[Any]:
    if isinstance(piece, (MatrixPanel, Faded)):
        return [piece]
    return [found for placed in getattr(piece, "placed", ()) for found in pieces(placed.piece)]


def shown_in(spec: FigureSpec, experiment: Experiment, other: Experiment | None = None) -> list[Any]:
    return pieces(lay_out(spec, experiment, other).content)


def muted(experiment: Experiment, *heads: int) -> Experiment:
    (layer, *rest) = experiment.layers
    layer = replace(layer, attention=replace(layer.attention, muted_heads=heads))
    return replace(experiment, layers=(layer, *rest))


def test_heads_stand_in_the_order_that_is_asked_for(qapp: Any) -> None:
    panels = shown_in(replace(HEADS, heads=(3, 0, 1)), load_example("multi-head"))
    assert [panel.content.path for panel in panels] == [f"layers.0.weights.{head}" for head in (3, 0, 1)]


def test_a_head_that_is_not_there_is_refused(qapp: Any) -> None:
    with pytest.raises(FigureError, match="there is no head 12; there are 12, counted from 0"):
        lay_out(replace(HEADS, heads=(12,)), load_example("multi-head"))


def test_muted_heads_are_faint(qapp: Any) -> None:
    faint = [isinstance(piece, Faded) for piece in shown_in(HEADS, muted(load_example("multi-head"), 1, 4))]
    assert [head for head, is_faint in enumerate(faint) if is_faint] == [1, 4]


@pytest.mark.parametrize("order", [(), (5, 2)])
def test_heads_show_what_changed_between_two_experiments(qapp: Any, order: tuple[int, ...]) -> None:
    a = load_example("multi-head")
    b = replace_at(a, "layers.0.attention.scale", 1.0)
    before, after, change = (shown_in(replace(HEADS, heads=order, shown=shown), b, a) for shown in ("A", "B", "B-A"))
    for one, two, three in zip(before, after, change, strict=True):
        difference = two.content.picture.values - one.content.picture.values
        np.testing.assert_array_equal(three.content.picture.values, difference)
        assert three.content.picture.scale.low == -three.content.picture.scale.high
    assert lay_out(replace(HEADS, shown="B-A"), b, a).title.endswith(", B − A")


def test_a_difference_needs_a_second_experiment(qapp: Any) -> None:
    with pytest.raises(FigureError, match="a comparison needs a second experiment"):
        lay_out(replace(HEADS, shown="B-A"), load_example("multi-head"))


@pytest.mark.parametrize(("width", "numbers"), [(None, True), (60.0, True), (8.0, False)])
def test_numbers_are_written_where_they_can_be_read(qapp: Any, width: float | None, numbers: bool) -> None:
    figure = lay_out(replace(HEADS, width_cm=width), load_example("multi-head"))
    assert figure.numbers_left_out is not numbers
    assert all(panel.style.numbers is numbers for panel in pieces(figure.content))


def test_without_numbers_none_are_missed(qapp: Any) -> None:
    assert not lay_out(replace(HEADS, width_cm=8.0, numbers=False), load_example("multi-head")).numbers_left_out
