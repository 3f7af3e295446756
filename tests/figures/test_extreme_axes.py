"""Axes and plots of the largest and the smallest numbers."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnexplorer.figures.axes import Axis, linear_axis, log_axis, part_of, rounded_up
from attnexplorer.figures.curves import Plot, PlotLayout, plot_image
from attnexplorer.figures.series import Line, Points
from attnexplorer.figures.theme import LIGHT

MOST = sys.float_info.max
ENDS = [
    *((-MOST, MOST), (0.0, MOST), (-MOST, 0.0), (MOST, MOST), (1e308, 1.2e308), (0.0, 0.0), (0.0, 5e-324)),
    *((1e16, 1e16), (-1e-310, 1e-310), (1.0, 1.0 + 2e-16), (0.0, 1e-200), (-3.0, 4.0)),
]


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_an_axis_of_any_numbers_has_an_extent_and_short_marks_within(low: float, high: float) -> None:
    axis = linear_axis(low, high)
    assert axis.low < axis.high
    assert axis.fraction(axis.low) == 0.0
    assert axis.fraction(axis.high) == 1.0
    assert axis.fraction(low) in (0.0, 1.0)
    assert 1 <= len(axis.ticks) <= 12
    for tick in axis.ticks:
        assert math.isfinite(tick.value)
        assert len(tick.texts[0]) <= 12
    assert axis.value(0.5) == pytest.approx(axis.low / 2 + axis.high / 2)


@pytest.mark.parametrize(("low", "high"), ENDS)
@pytest.mark.parametrize("window", [(0.0, 0.5), (0.3987, 0.4087), (0.99, 1.0)])
def test_a_part_of_an_axis_of_any_numbers_has_marks_within_it(
    low: float, high: float, window: tuple[float, float]
) -> None:
    part = part_of(linear_axis(low, high), window)
    assert len(part.ticks) <= 12
    assert all(-0.01 <= part.fraction(tick.value) <= 1.01 for tick in part.ticks)


@pytest.mark.parametrize("low", [1e-3, 0.5, 2.0])
def test_a_logarithmic_axis_holds_what_is_far_beyond_its_ends_there(low: float) -> None:
    axis = Axis(low, 100.0, "log", foot=0.1)
    values = [-math.inf, -MOST, 0.0, 5e-324, low, 100.0, MOST, math.inf]
    assert axis.fractions(values).tolist() == pytest.approx([0.0, 0.0, 0.0, 0.0, 0.1, 1.0, 1.0, 1.0])
    assert math.isnan(axis.fraction(math.nan))


def test_marks_of_ordinary_numbers_are_written_out() -> None:
    assert [tick.texts[0] for tick in linear_axis(0.0, 12_000.0).ticks] == ["0", "5000", "10000"]
    assert [tick.texts[0] for tick in linear_axis(0.0, 3e12).ticks] == ["0", "1e+12", "2e+12", "3e+12"]


def test_the_largest_number_is_rounded_up_to_itself() -> None:
    assert rounded_up(MOST) == MOST
    assert rounded_up(1.2) == 1.5


def test_points_that_are_no_numbers_are_left_out_of_a_plot(qapp: object) -> None:
    xs = (0.0, 1.0, 2.0, 3.0)
    ys = (math.nan, MOST, -MOST, math.inf)
    plot = Plot("p", linear_axis(0.0, 3.0), linear_axis(-MOST, MOST), (Line(xs, ys), Points(xs, ys)), LIGHT)
    image = plot_image(plot, PlotLayout(200, 150))
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert LIGHT.accent.lower() in colours


@pytest.mark.parametrize(
    "axis",
    [
        *(linear_axis(low, high) for low, high in ENDS),
        *(part_of(log_axis(0.1, 100.0, (1, 10)), window) for window in ((0.0, 1.0), (0.3, 0.4))),
        Axis(0.01, 4.0, "log", foot=0.2),
    ],
)
@given(st.floats(width=64))
def test_one_value_lies_where_it_lies_among_many(axis: Axis, value: float) -> None:
    alone, among = axis.fraction(value), axis.fractions([value])[0]
    assert alone == pytest.approx(among, rel=1e-9, abs=1e-12, nan_ok=True)
