"""Arrows in the plane whose numbers are the largest and the smallest that there are, near and far."""

from __future__ import annotations

import math
import sys

import pytest
from PySide6.QtCore import QPointF

from attnexplorer.figures.plane import PlanePicture, arrow_at, fitted_layout, plane_image, plane_svg
from attnexplorer.figures.plane_arrows import LOOKS, Arrow
from attnexplorer.figures.plane_layout import PlaneLayout
from attnexplorer.figures.theme import LIGHT

pytestmark = pytest.mark.usefixtures("qapp")
MOST = sys.float_info.max
SIZES = (5e-324, 1e-100, 1e-9, 1e15, 1e100, 1e305, MOST)


def picture(size: float) -> PlanePicture:
    """Two arrows of each kind, all ways."""
    ways = [(size * math.cos(turn), size * math.sin(turn)) for turn in range(2 * len(LOOKS))]
    kinds = [*LOOKS, *LOOKS]
    arrows = [Arrow(kinds[i], i, x, y, "q", "word", "chosen" if i == 0 else "plain") for i, (x, y) in enumerate(ways)]
    return PlanePicture(tuple(arrows), "axis 1", "axis 2", LIGHT)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("unit", [None, 1e-303, 1e-9, 100.0, 1e12])
def test_arrows_of_any_size_are_painted_at_any_zoom(size: float, unit: float | None) -> None:
    shown = picture(size)
    layout = fitted_layout(shown, 300, 200) if unit is None else PlaneLayout(300, 200, unit=unit)
    assert not plane_image(shown, layout).isNull()
    assert plane_svg(shown, layout).startswith(b"<?xml")
    assert arrow_at(shown, layout, layout.place(0.0, 0.0)) is not None
    moved = layout.zoomed(1.5, QPointF(3, 4)).panned(QPointF(50, -20)).resized(400, 300)
    assert all(map(math.isfinite, (*moved.centre, *moved.point(QPointF(400, 300)))))


@pytest.mark.parametrize("size", [1e15, 1e100, 1e304])
def test_a_fitted_view_shows_tips_however_far_away(size: float) -> None:
    layout = fitted_layout(picture(size), 500, 300)
    assert layout.shows(picture(size).tips)


@pytest.mark.parametrize("size", [1e306, MOST])
def test_a_fitted_view_shows_the_origin_where_tips_are_too_far_away(size: float) -> None:
    arrows = (Arrow("query", 0, size, 0.0, "q", "word"), Arrow("key", 1, 1.0, 1.0, "k", "word"))
    shown = PlanePicture(arrows, "axis 1", "axis 2", LIGHT)
    layout = fitted_layout(shown, 500, 300)
    assert layout.shows([(0.0, 0.0), (1.0, 1.0)])
    assert layout.place(size, 0.0).x() > 500


@pytest.mark.parametrize("size", [1e5, 1e20, 1e300])
def test_what_is_far_beyond_the_picture_is_seen_in_its_direction(size: float) -> None:
    layout = PlaneLayout(200, 200, unit=1e12)
    place = layout.place(size, 2 * size) - layout.place(0.0, 0.0)
    assert math.isfinite(place.x())
    assert -place.y() / place.x() == pytest.approx(2.0)
