"""A, B and B − A of one matrix: colours that can be compared, blocked pairs, labels of both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.paths import replace
from attnexplorer.figures.colours import WEIGHTS, diverging_for
from attnexplorer.figures.comparison import compared
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.labels import Labels
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.matrix import MatrixPicture
from attnexplorer.figures.matrix_figure import MatrixPanel
from attnexplorer.figures.request import Request
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.figures.theme import LIGHT

pytestmark = pytest.mark.usefixtures("qapp")


def content(values: ArrayLike, *, weights: bool = False, names: tuple[str, ...] = ()) -> MatrixContent:
    table = np.array(values, dtype=np.float64)
    blocked = np.isneginf(table)
    scale = WEIGHTS if weights else diverging_for(table)
    picture = MatrixPicture(table, scale, LIGHT, hatched=blocked if blocked.any() else None)
    labels = Labels(names or tuple(str(row + 1) for row in range(len(table))), coloured=bool(names))
    return MatrixContent("layers.0.query.0", picture, labels, Labels(("1", "2")))


def test_signed_matrices_share_one_scale_that_holds_all_three() -> None:
    a, b = content([[1.0, -2.0]]), content([[-3.0, 0.5]])
    scales = [compared(a, b, which).picture.scale for which in ("A", "B", "B-A")]
    assert {(scale.kind, scale.low, scale.high) for scale in scales} == {("diverging", -4.0, 4.0)}


def test_the_difference_is_B_minus_A_to_the_last_bit() -> None:
    a, b = content([[0.1, 0.2]]), content([[0.3, 0.2]])
    assert compared(a, b, "B-A").picture.values.tolist() == [[0.3 - 0.1, 0.0]]


def test_weights_keep_their_scale_and_their_difference_is_centred_at_zero() -> None:
    a, b = content([[0.25, 0.75]], weights=True), content([[0.5, 0.5]], weights=True)
    assert compared(a, b, "A").picture.scale == compared(a, b, "B").picture.scale == WEIGHTS
    difference = compared(a, b, "B-A").picture
    assert (difference.scale.kind, difference.scale.low, difference.scale.high) == ("diverging", -0.25, 0.25)


def test_what_is_blocked_in_both_has_no_difference_and_stays_hatched() -> None:
    a, b = content([[1.0, -np.inf], [-np.inf, 0.0]]), content([[1.5, -np.inf], [2.0, 0.0]])
    picture = compared(a, b, "B-A").picture
    assert picture.values.tolist() == [[0.5, 0.0], [np.inf, 0.0]]
    assert picture.hatched is not None
    assert picture.hatched.tolist() == [[False, True], [False, False]]


def test_a_label_that_differs_names_both() -> None:
    a, b = content([[1.0, 2.0]], names=("tired",)), content([[1.0, 2.0]], names=("flooded",))
    shown = compared(a, b, "B-A")
    assert shown.rows.texts == ("tired → flooded",)
    assert shown.rows.coloured
    assert compared(a, b, "A").rows.texts == ("tired",)


def test_matrices_of_two_shapes_still_share_their_scale() -> None:
    a, b = content([[1.0, 5.0]]), content([[1.0, -2.0], [3.0, 0.0]])
    assert compared(a, b, "A").picture.scale == compared(a, b, "B").picture.scale
    assert compared(a, b, "A").picture.scale.high == 5.0


def test_equal_matrices_differ_by_white_zeros() -> None:
    picture = compared(content([[1.0, 2.0]]), content([[1.0, 2.0]]), "B-A").picture
    assert not picture.values.any()


def panels_of(piece: Any) -> list[MatrixPanel]:
    """Return the matrices of a figure, from left to right."""
    if isinstance(piece, MatrixPanel):
        return [piece]
    return [panel for placed in getattr(piece, "placed", ()) for panel in panels_of(placed.piece)]


@pytest.mark.parametrize("stage", ["weights", "masked"])
def test_a_figure_of_a_comparison_shows_what_the_screen_shows(qapp: Any, stage: str) -> None:
    first = load_example("animal-street")
    second = replace(first, "layers.0.attention.scale", 3.0)
    a, b = (Request(FigureSpec(), it).content(f"layers.0.{stage}.0") for it in (first, second))
    figure = lay_out(FigureSpec("compare", stage=stage), second, first)
    shown = [panel.content for panel in panels_of(figure.content)]
    assert len(shown) == 3
    for content, which in zip(shown, ("A", "B", "B-A"), strict=True):
        wanted = compared(a, b, which)  # type: ignore[arg-type]
        assert np.array_equal(content.picture.values, wanted.picture.values)
        assert content.picture.scale == wanted.picture.scale
        assert (content.rows, content.columns) == (wanted.rows, wanted.columns)
