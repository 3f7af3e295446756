"""A figure has the size that was asked for, in every kind."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.examples import load_example
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Group
from attnexplorer.figures.kind_geometry import PlanePiece
from attnexplorer.figures.kinds import figure_names, kinds
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.matrix_figure import MatrixPanel
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.figures.svg import svg_bytes

pytestmark = pytest.mark.usefixtures("qapp")
CM = 72 / 2.54
KINDS = ("heads", "flow", "pipeline", "projections", "scaling", "explain", "geometry")


def test_every_matrix_and_every_kind_of_every_example_can_be_laid_out() -> None:
    for name in ("animal-street", "cross-attention", "grouped-query", "rope", "alibi", "block"):
        experiment = load_example(name)
        for layer in range(len(experiment.layers)):
            for what, words in figure_names(experiment, layer):
                figure = lay_out(FigureSpec(what, layer=layer), experiment, experiment)
                assert figure.width > 0, what
                assert figure.height > 0, what
                assert figure.title, what
                assert words, what


def test_the_kinds_are_known_by_name() -> None:
    assert {kind.name for kind in kinds()} == {*KINDS, "compare"}


@pytest.mark.parametrize("what", ["weights", *KINDS])
@pytest.mark.parametrize(("width", "height"), [(12.0, None), (None, 7.0), (25.4, 14.3)])
def test_a_wanted_size_is_the_size_of_the_whole_figure(what: str, width: float | None, height: float | None) -> None:
    figure = lay_out(FigureSpec(what, width_cm=width, height_cm=height), load_example("animal-street"))
    for wanted, points in zip((width, height), figure.points, strict=True):
        if wanted is not None:
            assert points == pytest.approx(wanted * CM)


@pytest.mark.parametrize("what", ["weights", "heads", "pipeline", "projections", "explain", "scaling", "geometry"])
def test_with_a_size_of_type_the_cells_take_the_room_that_is_left(what: str) -> None:
    figure = lay_out(FigureSpec(what, width_cm=18.0, font_size=10.0), load_example("animal-street"))
    assert figure.points[0] == pytest.approx(18.0 * CM)
    assert figure.points_per_pixel == pytest.approx(10.0 / 12.0)


def test_a_wider_figure_has_wider_cells_and_the_same_type() -> None:
    narrow, wide = (
        _panel(lay_out(FigureSpec("weights", width_cm=width, font_size=9), load_example("animal-street")).content)
        for width in (7.0, 14.0)
    )
    assert wide.cell.width > 1.5 * narrow.cell.width


def test_what_does_not_fit_is_refused_with_its_size() -> None:
    with pytest.raises(FigureError, match=r"weights does not fit 1\.5 cm with type of 40 pt"):
        lay_out(FigureSpec("weights", width_cm=1.5, font_size=40), load_example("animal-street"))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"width_cm": 3000.0}, "the width is 3000 cm, but 0.5 to 500 cm was expected"),
        ({"height_px": 100_000_000}, "the height is .* cm, but 0.5 to 500 cm was expected"),
        ({"dpi": float("nan")}, "the resolution is nan dpi"),
        ({"font_size": 0.0}, "the size of type is 0 pt"),
        ({"layer": 7}, "there is no layer 7; there is 1 layer, counted from 0"),
        ({"head": 3}, "there is no head 3; there is 1 head, counted from 0"),
        ({"what": "nonsense"}, "layer 0 has no 'nonsense'; it has embeddings, input"),
        ({"what": "layers.0.nonsense.0"}, "there is no matrix"),
        ({"what": "layers.9.weights.0"}, "there is no matrix"),
        ({"what": "heads", "stage": "output"}, "output has no heads"),
        ({"what": "compare"}, "a comparison needs a second experiment"),
        ({"what": "explain", "row": 40}, "there is no row 40, column 0: weights is 4 × 4"),
        ({"what": "geometry", "axes": (0, 9)}, "the axes are 0 and 9, but there are 2 columns"),
        (
            {"what": "geometry", "vectors": ("query", "keys")},
            "there are no vectors 'keys'; there are query, key,",
        ),
        ({"rows_shown": -1}, "-1 rows cannot be shown; 0 or more were expected"),
        ({"what": "heads", "heads": (0, 0)}, "head 0 is named twice"),
        ({"highlight": (4, 0)}, "there is no row 4 to highlight: the matrix is 4 × 4"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(FigureError, match=sentence):
        lay_out(replace(FigureSpec(), **changes), load_example("animal-street"))  # type: ignore[arg-type]


def test_a_comparison_of_other_shapes_says_both() -> None:
    with pytest.raises(FigureError, match="weights is 4 × 4 in A, but 3 × 3 in B"):
        lay_out(FigureSpec("compare"), load_example("given-scores"), load_example("animal-street"))


def test_a_comparison_shows_b_minus_a_centred_at_zero() -> None:
    experiment = load_example("animal-street")
    other = replace(experiment, pins={})
    panels = _panels(lay_out(FigureSpec("compare", stage="key"), experiment, other).content)
    a, b, difference = (panel.content.picture for panel in panels)
    assert (difference.values == b.values - a.values).all()
    assert a.scale == b.scale
    assert difference.scale.low == -difference.scale.high


def test_the_heads_share_their_colours() -> None:
    panels = _panels(lay_out(FigureSpec("heads", stage="scores"), load_example("multi-head")).content)
    assert len(panels) == 12
    assert len({panel.content.picture.scale for panel in panels}) == 1


def test_the_caption_and_the_title_are_said_by_the_data_unless_given(qtbot: QtBot) -> None:
    experiment = load_example("multi-head")
    figure = lay_out(FigureSpec("weights", head=2), experiment)
    assert figure.title == "A: attention weights, head 3"
    assert "12 tokens, 12 heads, dₖ = 4, scale 1/√dₖ, causal" in figure.description
    assert lay_out(FigureSpec("weights", title="Mine {_{x}"), experiment).title == "Mine {_{x}"


def _panel(group: Group) -> MatrixPanel:
    return _panels(group)[0]


def _panels(group: Group) -> list[MatrixPanel]:
    found: list[MatrixPanel] = []
    for placed in group.placed:
        if isinstance(placed.piece, MatrixPanel):
            found.append(placed.piece)
        elif isinstance(placed.piece, Group):
            found += _panels(placed.piece)
    return found


@pytest.mark.parametrize(("what", "example"), [("explain", "animal-street"), ("heads", "multi-head")])
def test_in_a_wide_place_the_parts_stand_beside_one_another_and_are_larger(what: str, example: str) -> None:
    # With numbers the maps are so wide that a block of them is as wide as a slide anyway.
    experiment, spec = load_example(example), FigureSpec(what, numbers=what != "heads")
    natural, wide = lay_out(spec, experiment), lay_out(spec, experiment, aspect=16 / 7)
    assert wide.width / wide.height > natural.width / natural.height
    assert min(16 / wide.width, 7 / wide.height) > 1.05 * min(16 / natural.width, 7 / natural.height)


def test_a_narrow_place_keeps_the_steps_of_an_explanation_below_one_another() -> None:
    experiment, spec = load_example("animal-street"), FigureSpec("explain")
    assert lay_out(spec, experiment, aspect=0.8).points == lay_out(spec, experiment).points


@pytest.mark.parametrize(("tokens", "left_out"), [(11, False), (16, False), (17, True)])
def test_a_pipeline_says_when_its_numbers_do_not_fit(tokens: int, left_out: bool) -> None:
    experiment = new_experiment([f"word{index}" for index in range(tokens)], 8, 4, 4, 1, seed=1)
    figure = lay_out(FigureSpec("pipeline"), experiment)
    assert figure.numbers_left_out is left_out
    written = re.search(rb"\d\.\d\d", _texts(svg_bytes(figure))) is not None
    assert written is not left_out
    assert not lay_out(FigureSpec("pipeline", numbers=False), experiment).numbers_left_out


@pytest.mark.parametrize("what", ["weights", "pipeline", "compare"])
def test_numbers_that_nobody_could_read_are_left_out_and_that_is_said(what: str) -> None:
    experiment = load_example("tired")
    assert not lay_out(FigureSpec(what), experiment, experiment).numbers_left_out
    assert lay_out(FigureSpec(what, width_cm=3.0), experiment, experiment).numbers_left_out


def test_hatching_is_soft_below_numbers_and_strong_without() -> None:
    for numbers in (True, False):
        spec = FigureSpec("weights", numbers=numbers)
        drawing = svg_bytes(lay_out(spec, load_example("animal-street"))).lower()
        assert (spec.colours.hatch_soft.encode() in drawing) is numbers
        assert (spec.colours.hatch_line.encode() in drawing) is not numbers


@pytest.mark.parametrize(
    ("vectors", "planes"),
    [
        ((), [["query", "key"], ["output", "value"]]),
        (("key",), [["key"]]),
        (("input", "query"), [["query"], ["input"]]),
        (("value", "key", "query", "output"), [["query", "key", "value", "output"]]),
    ],
)
def test_the_geometry_draws_the_vectors_that_are_asked_for(vectors: tuple[str, ...], planes: list[list[str]]) -> None:
    experiment = new_experiment(["a", "b", "c"], 8, 4, 4, 1, seed=1)
    content = lay_out(FigureSpec("geometry", vectors=vectors), experiment).content
    found = _planes_of(content)
    assert [list(dict.fromkeys(arrow.kind for arrow in it.picture.arrows)) for it in found] == planes
    assert [len(it.picture.arrows) for it in found] == [3 * len(kinds) for kinds in planes]


def _planes_of(group: Group) -> list[PlanePiece]:
    found: list[PlanePiece] = []
    for _, _, piece in group.placed:
        if isinstance(piece, Group):
            found += _planes_of(piece)
        elif isinstance(piece, PlanePiece):
            found.append(piece)
    return found


def _texts(drawing: bytes) -> bytes:
    return b" ".join(re.findall(rb">([^<>]*)</text>", drawing))
