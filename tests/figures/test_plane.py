"""Arrows in the plane: where they lie, what is painted, which labels have room."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from attnexplorer.figures.plane import (
    PlanePicture,
    arrow_at,
    arrow_labels,
    fitted_layout,
    plane_image,
    plane_svg,
)
from attnexplorer.figures.plane_arrows import Arrow, ArrowKind
from attnexplorer.figures.plane_grid import grid_step
from attnexplorer.figures.plane_layout import PlaneLayout
from attnexplorer.figures.theme import DARK, LIGHT, position_colour

pytestmark = pytest.mark.usefixtures("qapp")


def picture(*tips: tuple[float, float], kind: ArrowKind = "query") -> PlanePicture:
    arrows = tuple(Arrow(kind, index, x, y, "q", f"word{index}") for index, (x, y) in enumerate(tips))
    return PlanePicture(arrows, "axis 1", "axis 2", LIGHT)


def test_a_fitted_view_shows_the_origin_and_every_tip() -> None:
    for tips in ([(3.0, 4.0), (-1.0, 0.5)], [(1e-8, 0.0)], [(0.0, 0.0)], [], [(1e9, -1e9)]):
        layout = fitted_layout(picture(*tips), 500, 300)
        assert layout.shows([(0.0, 0.0), *tips])
        assert not layout.shows([(0.0, 0.0), (0.0, 1e12)])


def test_a_unit_is_as_long_upwards_as_across() -> None:
    layout = fitted_layout(picture((3.0, 1.0)), 500, 300)
    origin, right, up = (layout.place(*point) for point in ((0, 0), (1, 0), (0, 1)))
    assert right.x() - origin.x() == pytest.approx(origin.y() - up.y())


def test_zooming_leaves_what_is_under_the_pointer_where_it_is() -> None:
    layout, pointer = PlaneLayout(400, 300, (0.3, -2.0), 70.0), QPointF(31, 222)
    before, closer = layout.point(pointer), layout.zoomed(3.7, pointer)
    assert closer.point(pointer) == pytest.approx(before)
    assert closer.unit == pytest.approx(70.0 * 3.7)


def test_panning_moves_everything_with_the_pointer() -> None:
    layout = PlaneLayout(400, 300, (0.3, -2.0), 70.0)
    moved = layout.panned(QPointF(20, -10)).place(1.0, 1.0) - layout.place(1.0, 1.0)
    assert (moved.x(), moved.y()) == pytest.approx((20, -10))


def test_place_and_point_are_inverse() -> None:
    layout = PlaneLayout(400, 300, (0.3, -2.0), 70.0)
    assert layout.point(layout.place(0.125, -7.5)) == pytest.approx((0.125, -7.5))


@pytest.mark.parametrize("unit", [1e-6, 0.02, 1.0, 33.0, 640.0, 1e7])
def test_grid_lines_are_at_round_numbers_and_never_crowded(unit: float) -> None:
    step = grid_step(PlaneLayout(400, 300, unit=unit))
    mantissa = step / 10 ** math.floor(math.log10(step) + 1e-9)
    assert min(abs(mantissa - round_one) for round_one in (1, 2, 5, 10)) < 1e-6
    assert 64 <= step * unit * (1 + 1e-9) < 64 * 2.6


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_an_arrow_is_painted_in_the_colour_of_its_position(theme: object) -> None:
    for index in (0, 5, 40):
        shown = PlanePicture((Arrow("query", index, 2.0, 1.0, "q", "a"),), "1", "2", theme)  # type: ignore[arg-type]
        layout = fitted_layout(shown, 300, 200)
        middle = layout.place(1.0, 0.5)
        seen = plane_image(shown, layout, 1.0).pixelColor(round(middle.x()), round(middle.y()))
        wanted = position_colour(index)
        assert max(abs(a - b) for a, b in zip(seen.getRgb()[:3], wanted.getRgb()[:3], strict=True)) < 40


def test_every_kind_of_arrow_has_a_line_of_its_own() -> None:
    kinds: tuple[ArrowKind, ...] = ("query", "key", "value", "output", "input")
    rows = []
    for kind in kinds:
        shown = picture((2.0, 0.0), kind=kind)
        layout = PlaneLayout(300, 60, (1.0, 0.0), 120.0)
        image = plane_image(shown, layout, 4.0)
        colour = position_colour(0)
        rows.append(tuple(image.pixelColor(x, y) == colour for y in range(90, 150) for x in range(0, 1200, 2)))
    assert len(set(rows)) == len(kinds)
    assert all(sum(row) > 20 for row in rows)


def test_labels_never_overlap_and_stay_inside() -> None:
    rng = np.random.default_rng(4)
    shown = picture(*map(tuple, rng.normal(size=(64, 2)).tolist()))
    layout = fitted_layout(shown, 420, 320)
    labels = arrow_labels(shown, layout)
    assert len(labels) > 8
    assert all(layout.rect.contains(label.rect) for label in labels)
    assert not any(a.rect.intersects(b.rect) for a, b in combinations(labels, 2))


def test_few_labels_are_all_there_and_away_from_the_arrows() -> None:
    shown = picture((1.5, 1.0), (0.2, 0.8), (0.1, 0.1), (0.5, 0.5))
    layout = fitted_layout(shown, 460, 400)
    labels = arrow_labels(shown, layout)
    assert sorted(label.arrow for label in labels) == [0, 1, 2, 3]
    tips = [layout.place(*tip) for tip in shown.tips]
    assert not any(label.rect.contains(tip) for label in labels for tip in tips)


def test_the_chosen_arrow_has_its_label_before_any_other() -> None:
    crowd = [Arrow("key", index, 1.0, 1.0, "k", "same") for index in range(30)]
    crowd[17] = Arrow("key", 17, 1.0, 1.0, "k", "same", "chosen")
    shown = PlanePicture(tuple(crowd), "1", "2", LIGHT)
    assert arrow_labels(shown, fitted_layout(shown, 200, 200))[0].arrow == 17


def test_the_pointer_finds_the_nearest_tip_then_a_shaft_then_nothing() -> None:
    shown = picture((2.0, 0.0), (0.0, 2.0))
    layout = fitted_layout(shown, 400, 400)
    assert arrow_at(shown, layout, layout.place(2.0, 0.0) + QPointF(4, 3)) == 0
    assert arrow_at(shown, layout, layout.place(0.0, 1.0) + QPointF(3, 0)) == 1
    assert arrow_at(shown, layout, layout.place(1.5, 1.5)) is None


def test_a_vector_of_zeros_is_a_dot_at_the_origin() -> None:
    shown = picture((0.0, 0.0))
    layout = PlaneLayout(200, 200)
    assert plane_image(shown, layout, 1.0).pixelColor(100, 100) == position_colour(0)
    assert arrow_at(shown, layout, QPointF(101, 99)) == 0


def test_an_svg_has_real_text_and_a_name_for_each_kind() -> None:
    shown = PlanePicture(picture((1.0, 2.0)).arrows, "axis 1", "axis 2", LIGHT, legend=(("query", "queries"),))
    text = plane_svg(shown, fitted_layout(shown, 300, 200)).decode()
    assert all(word in text for word in ("<svg", "word0", "axis 1", "axis 2", "queries"))


def test_numbers_beside_the_axes_have_the_decimal_mark_of_the_reader() -> None:
    shown = PlanePicture(picture((0.7, 0.4)).arrows, "1", "2", LIGHT, decimal_point=",")
    text = plane_svg(shown, fitted_layout(shown, 400, 300)).decode()
    assert "0,2" in text
    assert "0.2<" not in text
