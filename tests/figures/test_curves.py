"""Plots: axes, ticks, where points lie, pixels, and exported pictures."""

from __future__ import annotations

import dataclasses
import math
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage

from attnexplorer.figures.axes import WHOLE, Axis, Tick, linear_axis, log_axis, part_of, rounded_up
from attnexplorer.figures.curves import (
    Marker,
    Plot,
    PlotLayout,
    part_of_plot,
    place_on,
    plot_area,
    plot_image,
    plot_png,
    plot_svg,
    tick_labels,
)
from attnexplorer.figures.series import Bins, Line, Points
from attnexplorer.figures.theme import DARK, LIGHT, Theme

pytestmark = pytest.mark.usefixtures("qapp")
LAYOUT = PlotLayout(300, 200)
ZERO_TO_ONE = linear_axis(0.0, 1.0, 2)


def plot(*series: Line | Points | Bins, theme: Theme = LIGHT, **settings: object) -> Plot:
    whole = Plot("Entropy", ZERO_TO_ONE, ZERO_TO_ONE, series, theme)
    return dataclasses.replace(whole, **settings)


def colour_at(image: QImage, place: QPointF) -> QColor:
    return image.pixelColor(int(place.x()), int(place.y()))


def alike(one: QColor, other: QColor) -> bool:
    """Whether two colours are the same but for the smoothing of edges."""
    pairs = zip(one.getRgb(), other.getRgb(), strict=True)
    return all(abs(int(a) - int(b)) < 16 for a, b in pairs)


def test_a_logarithmic_axis_has_0_at_its_left_end_and_equal_ratios_behind_the_foot() -> None:
    axis = Axis(0.125, 4.0, "log", 0.06)
    assert axis.fraction(0.0) == 0.0
    assert axis.fraction(0.0625) == pytest.approx(0.03)
    assert axis.fraction(0.125) == pytest.approx(0.06)
    steps = np.diff(axis.fractions([0.125, 0.25, 0.5, 1.0, 2.0, 4.0]))
    assert steps == pytest.approx([0.94 / 5] * 5)


@pytest.mark.parametrize("axis", [linear_axis(-2.0, 3.0), Axis(0.1, 4.0, "log", 0.05), log_axis(0.5, 8192.0, (1, 16))])
def test_values_beyond_an_axis_lie_at_its_ends(axis: Axis) -> None:
    assert axis.fraction(-1e9) == 0.0
    assert axis.fraction(1e9) == 1.0
    assert math.isnan(axis.fraction(math.nan))


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(1, 6))
def test_ticks_of_a_linear_axis_are_inside_and_not_too_many(low: float, extent: float, marks: int) -> None:
    axis = linear_axis(low, low + extent, marks)
    assert all(axis.low - 1e-6 * extent <= tick.value <= axis.high + 1e-6 * extent for tick in axis.ticks)
    assert len(axis.ticks) <= marks + 1


def test_ticks_say_their_values_in_the_locale_s_way() -> None:
    assert [tick.texts[0] for tick in linear_axis(0.0, 1.0, 2, ",").ticks] == ["0,0", "0,5", "1,0"]
    assert [tick.texts[0] for tick in linear_axis(-1.0, 1.0, 2).ticks] == ["−1", "0", "1"]
    assert [tick.texts[0] for tick in log_axis(0.5, 8192.0, (1, 4096)).ticks] == ["1", "4,096"]


@pytest.mark.parametrize(("value", "rounded"), [(0.408, 0.5), (1.0, 1.0), (7.1, 8.0), (0.0, 1.0), (math.nan, 1.0)])
def test_a_limit_is_rounded_up(value: float, rounded: float) -> None:
    assert rounded_up(value) == pytest.approx(rounded)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_curve_is_drawn_where_its_points_lie(theme: Theme) -> None:
    whole = plot(Line((0.0, 0.5, 1.0), (0.0, 0.5, 1.0)), theme=theme)
    image = plot_image(whole, LAYOUT, 1.0)
    for at in (0.25, 0.5, 0.75):
        assert alike(colour_at(image, place_on(whole, LAYOUT, at, at)), QColor(theme.accent))
    assert colour_at(image, place_on(whole, LAYOUT, 0.25, 0.75)) == QColor(theme.card)


def test_a_curve_is_broken_where_it_is_not_a_number() -> None:
    whole = plot(Line((0.0, 0.3, 0.5, 0.7, 1.0), (0.5, 0.5, math.nan, 0.5, 0.5)))
    image = plot_image(whole, LAYOUT, 1.0)
    assert colour_at(image, place_on(whole, LAYOUT, 0.15, 0.5)) == QColor(LIGHT.accent)
    assert colour_at(image, place_on(whole, LAYOUT, 0.5, 0.5)) == QColor(LIGHT.card)
    assert colour_at(image, place_on(whole, LAYOUT, 0.85, 0.5)) == QColor(LIGHT.accent)


def test_bins_stand_on_the_axis_as_high_as_they_are() -> None:
    whole = plot(Bins((0.0, 0.5, 1.0), (0.8, 0.2), "bad"))
    image = plot_image(whole, LAYOUT, 1.0)
    ground = QColor(LIGHT.card)
    inside = [place_on(whole, LAYOUT, 0.25, 0.7), place_on(whole, LAYOUT, 0.75, 0.1)]
    outside = [place_on(whole, LAYOUT, 0.25, 0.9), place_on(whole, LAYOUT, 0.75, 0.3)]
    assert all(colour_at(image, place).red() > colour_at(image, place).blue() for place in inside)
    assert all(colour_at(image, place) == ground for place in outside)


def test_points_are_circles_and_squares_and_the_chosen_one_is_larger() -> None:
    whole = plot(Points((0.25, 0.75), (0.5, 0.5), "bad", "square", chosen=0.75))
    image = plot_image(whole, LAYOUT, 1.0)
    assert colour_at(image, place_on(whole, LAYOUT, 0.25, 0.5)) == QColor(LIGHT.bad)
    plain, chosen = (place_on(whole, LAYOUT, x, 0.5) + QPointF(4.9, 0) for x in (0.25, 0.75))
    assert colour_at(image, plain) == QColor(LIGHT.card)
    assert colour_at(image, chosen) != QColor(LIGHT.card)


def test_the_marker_is_an_upright_line_with_a_dot() -> None:
    whole = plot(Line((0.0, 1.0), (0.5, 0.5)), marker=Marker(0.3, 0.5), value="1.723")
    image = plot_image(whole, LAYOUT, 1.0)
    assert colour_at(image, place_on(whole, LAYOUT, 0.3, 0.5)) == QColor(LIGHT.accent)
    upright = place_on(whole, LAYOUT, 0.3, 0.9)
    darkest = min(colour_at(image, upright + QPointF(d, 0)).lightness() for d in (-1, 0, 1))
    assert darkest < 128


def test_labels_below_never_touch_and_the_most_telling_ones_stay() -> None:
    ticks = tuple(Tick(value, (f"a long label {value}", f"{value}")) for value in (0.5, 0.45, 0.55, 0.0, 1.0))
    whole = plot(x=Axis(0.0, 1.0, ticks=ticks))
    for width in (80, 160, 300, 600):
        layout = PlotLayout(width, 200)
        placed = tick_labels(whole, layout)
        assert placed[0][0].value == 0.5
        rects = [rect for _, _, rect in placed]
        assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[i + 1 :])
        assert all(rect.left() >= -0.5 and rect.right() <= width + 0.5 for rect in rects)


def test_the_area_leaves_room_for_names_only_where_there_are_some() -> None:
    plain, named = plot(Line((0.0, 1.0), (0.0, 1.0))), plot(Line((0.0, 1.0), (0.0, 1.0), name="q·k"))
    assert plot_area(named, LAYOUT).top() > plot_area(plain, LAYOUT).top()
    assert plot_area(plain, PlotLayout(1, 1)).width() >= 1


def test_the_svg_has_the_size_asked_for_and_real_text_and_no_rgba() -> None:
    text = plot_svg(plot(Line((0.0, 1.0), (0.0, 1.0)), Bins((0.0, 1.0), (0.5,)), caption="bits"), LAYOUT).decode()
    root = ET.fromstring(text)
    assert root.get("viewBox") == "0 0 300 200"
    assert "rgba(" not in text
    assert re.search(r"<text[^>]*>Entropy</text>", text)


def test_the_png_has_twice_the_pixels_each_way() -> None:
    image = QImage.fromData(plot_png(plot(Line((0.0, 1.0), (0.0, 1.0))), LAYOUT))
    assert (image.width(), image.height()) == (600, 400)


@pytest.mark.parametrize("axis", [linear_axis(-2.0, 3.0), Axis(0.1, 4.0, "log", 0.05), log_axis(0.5, 8192.0, (1, 16))])
@given(ends=st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), at=st.floats(0.0, 1.0))
def test_a_part_of_an_axis_reaches_from_end_to_end_of_what_is_looked_at(
    axis: Axis, ends: tuple[float, float], at: float
) -> None:
    low, high = min(ends), max(ends)
    if high - low < 1e-3:
        return
    part = part_of(axis, (low, high))
    assert part.value(at) == pytest.approx(axis.value(low + at * (high - low)))
    assert part.fraction(part.value(at)) == pytest.approx(at, abs=1e-9)
    assert all(-1e-9 <= part.fraction(tick.value) <= 1 + 1e-9 for tick in part.ticks)
    assert part_of(part, WHOLE).window == WHOLE


def test_a_part_has_ticks_of_its_own_and_a_logarithmic_one_keeps_those_with_names() -> None:
    linear = part_of(linear_axis(0.0, 1.0, 2), (0.5, 0.6))
    assert [tick.texts[0] for tick in linear.ticks] == ["0.50", "0.55", "0.60"]
    named = (Tick(0.5, ("half",)), Tick(1.0, ("1 (no scaling)", "1")))
    scale = Axis(0.0625, 4.0, "log", 0.06, named, marks=3, decimal_point=",")
    texts = [tick.texts[0] for tick in part_of(scale, (scale.fraction(0.9), scale.fraction(1.6))).ticks]
    assert texts == ["1 (no scaling)", "1,25", "1,50"]
    widths = log_axis(0.8, 5120.0, (1, 4096), (1, 2, 4, 8, 16))
    assert [tick.texts[0] for tick in part_of(widths, (widths.fraction(3), widths.fraction(20))).ticks] == [
        "4",
        "8",
        "16",
    ]


def test_of_a_part_nothing_is_drawn_beyond_the_axes() -> None:
    bins = Bins((0.0, 0.5, 1.0), (0.9, 0.9), "bad")
    whole = plot(bins, Line((0.0, 1.0), (0.0, 1.0)), marker=Marker(0.45, 0.45), x=Axis(0.0, 1.0))
    part = part_of_plot(whole, (0.4, 0.6), (0.4, 0.5))
    area, ground = plot_area(part, LAYOUT), QColor(LIGHT.card)
    image = plot_image(part, LAYOUT, 1.0)
    bars = colour_at(image, place_on(part, LAYOUT, 0.55, 0.42))
    assert bars.red() > bars.blue()
    for edge in (round(area.top()) - 4, round(area.bottom()) + 3):
        assert all(image.pixelColor(x, edge) == ground for x in range(round(area.left()) + 9, image.width()))
    assert all(image.pixelColor(image.width() - 3, y) == ground for y in range(image.height()))
    assert b"clip" in plot_svg(part, LAYOUT)
    assert b"clip" not in plot_svg(whole, LAYOUT)
