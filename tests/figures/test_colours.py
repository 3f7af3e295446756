"""Values and their colours."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter

from attnexplorer.figures.colour_bar import ColourBar
from attnexplorer.figures.colours import (
    WEIGHTS,
    ColourScale,
    argb,
    colour_of,
    contrast,
    diverging_for,
    image_of,
    needs_light_text,
)
from attnexplorer.figures.theme import DARK, LIGHT, Theme

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
SIGNED = ColourScale("diverging", -1.0, 1.0)
NOT_FINITE = (np.nan, np.inf, -np.inf)


def every_colour(scale: ColourScale, theme: Theme) -> list[QColor]:
    """All 257 colours of a scale."""
    values = np.linspace(scale.low, scale.high, 257)[None, :]
    colours = [QColor.fromRgba(int(value)) for value in argb(values, scale, theme)[0]]
    assert len({colour.rgba() for colour in colours}) > 200
    return colours


def distance(first: QColor, second: QColor) -> float:
    a, b = first.getRgb()[:3], second.getRgb()[:3]
    return float(np.linalg.norm(np.subtract(a, b)))


@THEMES
def test_zero_is_the_neutral_colour_and_the_ends_are_the_last_stops(theme: Theme) -> None:
    assert colour_of(0.0, SIGNED, theme) == QColor(theme.positive[0])
    assert colour_of(-0.0, SIGNED, theme) == QColor(theme.positive[0])
    assert colour_of(1.0, SIGNED, theme) == QColor(theme.positive[-1])
    assert colour_of(-1.0, SIGNED, theme) == QColor(theme.negative[-1])
    assert colour_of(0.0, WEIGHTS, theme) == QColor(theme.weight[0])
    assert colour_of(1.0, WEIGHTS, theme) == QColor(theme.weight[-1])


@THEMES
@pytest.mark.parametrize("scale", [SIGNED, WEIGHTS], ids=["diverging", "sequential"])
def test_text_can_be_read_on_every_colour_of_a_cell(scale: ColourScale, theme: Theme) -> None:
    others = [colour_of(value, scale, theme) for value in NOT_FINITE]
    for colour in [*every_colour(scale, theme), *others, QColor(theme.hatch_ground)]:
        light = bool(needs_light_text(np.array([[colour.rgba()]], dtype=np.uint32))[0, 0])
        chosen, other = theme.cell_light_text, theme.cell_dark_text
        if not light:
            chosen, other = other, chosen
        reached = contrast(QColor(chosen), colour)
        assert reached >= 4.5, f"{reached:.2f} on {colour.name()}"
        assert reached >= contrast(QColor(other), colour) - 0.05


@THEMES
def test_the_text_on_hatching_can_be_read_on_its_ground_and_on_its_lines(theme: Theme) -> None:
    ground = np.array([[QColor(theme.hatch_ground).rgba()]], dtype=np.uint32)
    text = QColor(theme.cell_light_text if needs_light_text(ground)[0, 0] else theme.cell_dark_text)
    assert contrast(text, QColor(theme.hatch_ground)) >= 4.5
    assert contrast(text, QColor(theme.hatch_soft)) >= 4.5
    assert contrast(text, QColor(theme.hatch_line)) >= 4.5
    assert contrast(QColor(theme.hatch_soft), QColor(theme.hatch_ground)) >= 1.6


@THEMES
@pytest.mark.parametrize("scale", [SIGNED, WEIGHTS], ids=["diverging", "sequential"])
def test_nan_and_the_infinities_look_like_no_value_and_not_like_each_other(scale: ColourScale, theme: Theme) -> None:
    others = [*(colour_of(value, scale, theme) for value in NOT_FINITE), QColor(theme.hatch_ground)]
    for index, colour in enumerate(others):
        assert all(distance(colour, other) > 60 for other in others[index + 1 :])
        if index < len(NOT_FINITE):
            assert min(distance(colour, value) for value in every_colour(scale, theme)) > 45, colour.name()


def test_one_infinity_does_not_change_the_colours_of_the_numbers() -> None:
    values = np.array([[1.0, -0.5, 0.25]])
    with_infinity = np.array([[1.0, -0.5, 0.25, -np.inf, np.nan, np.inf]])
    assert diverging_for(with_infinity) == diverging_for(values) == ColourScale("diverging", -1.0, 1.0)
    scale = diverging_for(values)
    assert argb(with_infinity, scale, LIGHT)[0, :3].tolist() == argb(values, scale, LIGHT)[0].tolist()


@pytest.mark.parametrize("value", [3.0, -3.0, 1e308, 5e-324, -1e-310, 1e-300])
def test_a_matrix_of_equal_numbers_has_the_colour_of_the_end_of_its_scale(value: float) -> None:
    values = np.full((2, 3), value)
    end = LIGHT.positive[-1] if value > 0 else LIGHT.negative[-1]
    assert np.unique(argb(values, diverging_for(values), LIGHT)).tolist() == [QColor(end).rgba()]


@pytest.mark.parametrize(
    "values", [np.zeros((2, 2)), np.full((2, 2), np.nan), np.zeros((0, 3)), np.full((1, 1), np.inf)]
)
def test_a_matrix_without_a_number_but_zero_has_a_scale_too(values: np.ndarray) -> None:
    scale = diverging_for(values)
    assert scale == ColourScale("diverging", -1.0, 1.0)
    assert argb(values, scale, LIGHT).shape == values.shape


@pytest.mark.parametrize("scale", [ColourScale("sequential", 0.5, 0.5), ColourScale("diverging", 0.0, 0.0)])
def test_a_scale_without_extent_still_gives_colours(scale: ColourScale) -> None:
    assert argb(np.array([[0.0, 0.5]]), scale, LIGHT).dtype == np.uint32


def test_values_beyond_the_ends_take_the_colour_of_the_end() -> None:
    assert colour_of(9.0, SIGNED, LIGHT) == colour_of(1.0, SIGNED, LIGHT)
    assert colour_of(-9.0, SIGNED, LIGHT) == colour_of(-1.0, SIGNED, LIGHT)
    assert colour_of(1.5, WEIGHTS, LIGHT) == colour_of(1.0, WEIGHTS, LIGHT)


def test_opposite_numbers_are_equally_far_from_the_middle() -> None:
    for value in (0.1, 0.25, 0.5, 0.9):
        above = argb(np.array([[value]]), SIGNED, LIGHT)[0, 0]
        table = argb(np.linspace(-1, 1, 257)[None], SIGNED, LIGHT)[0]
        below = argb(np.array([[-value]]), SIGNED, LIGHT)[0, 0]
        assert abs(int(np.argmax(table == above)) + int(np.argmax(table == below)) - 256) <= 1


def test_an_image_has_one_pixel_a_value_with_rows_from_the_top() -> None:
    values = np.arange(6.0).reshape(2, 3) / 5
    colours = argb(values, WEIGHTS, LIGHT)
    image = image_of(np.ascontiguousarray(colours))
    assert (image.width(), image.height()) == (3, 2)
    assert [[image.pixel(x, y) for x in range(3)] for y in range(2)] == colours.tolist()


def strip(limit: float) -> QImage:
    """Paint the bar of a scale and return it without its numbers."""
    image = QImage(120, 120, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    ColourBar(ColourScale("diverging", -limit, limit), LIGHT, 110.0).paint(painter)
    painter.end()
    return image.copy(0, 0, 12, 110)


def test_the_bar_of_the_most_enormous_numbers_looks_like_any_other(qapp: QGuiApplication) -> None:
    assert strip(1.7e308) == strip(1.0)
