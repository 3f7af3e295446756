"""Many points of a plane at once: where they lie, and which squares of the picture they take."""

from __future__ import annotations

import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attnexplorer.figures.plane_labels import Squares
from attnexplorer.figures.plane_layout import PlaneLayout

NUMBERS = st.floats(-sys.float_info.max, sys.float_info.max)
POINTS = st.lists(st.tuples(NUMBERS | st.floats(-3, 3), NUMBERS | st.floats(-3, 3)), max_size=8)
PLACES = st.lists(st.tuples(st.floats(-300, 700), st.floats(-300, 700)), max_size=12)


@given(POINTS, st.floats(1e-303, 1e12), st.tuples(NUMBERS, NUMBERS) | st.just((0.0, 0.0)))
def test_many_points_lie_where_each_lies(
    points: list[tuple[float, float]], unit: float, centre: tuple[float, float]
) -> None:
    layout = PlaneLayout(640, 480, centre, unit)
    places = layout.places(points)
    assert places.shape == (len(points), 2) and np.isfinite(places).all()
    for point, place in zip(points, places.tolist(), strict=True):
        alone = layout.place(*point)
        np.testing.assert_allclose(place, (alone.x(), alone.y()), rtol=1e-12)


@given(PLACES, st.floats(0, 40), st.integers(20, 400), st.integers(20, 400))
def test_many_places_take_the_squares_of_each(
    places: list[tuple[float, float]], reach: float, width: int, height: int
) -> None:
    layout = PlaneLayout(width, height)
    at_once, one_by_one = Squares(layout), Squares(layout)
    at_once.take_around(np.reshape(np.array(places), (-1, 2)), reach)
    for x, y in places:
        one_by_one.take(x - reach, y - reach, x + reach, y + reach)
    assert at_once.rows == one_by_one.rows
