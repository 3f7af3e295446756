"""Stacked bars: geometry, pixels, and which labels are written."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from pytestqt.qtbot import QtBot

from attnexplorer.figures.bars import (
    Bar,
    BarsLayout,
    BarsPicture,
    label_column,
    paint_bars,
    segment_at,
    segment_text,
    segments,
    text_on,
)
from attnexplorer.figures.colours import contrast
from attnexplorer.figures.fonts import font
from attnexplorer.figures.theme import DARK, LIGHT, Theme, position_colour

pytestmark = pytest.mark.usefixtures("qapp")
LAYOUT = BarsLayout(width=250, label_width=50)


def painted(picture: BarsPicture, layout: BarsLayout = LAYOUT) -> QImage:
    image = QImage(round(layout.width), round(layout.height(len(picture.bars))), QImage.Format.Format_RGB32)
    image.fill(QColor(picture.theme.card))
    painter = QPainter(image)
    paint_bars(painter, picture, layout)
    painter.end()
    return image


def test_segments_follow_each_other_and_fill_the_bar() -> None:
    found = segments(Bar("", (0.5, 0.0, 0.25, 0.25)), QRectF(50, 0, 200, 19))
    assert [(s.key, s.rect.left(), s.rect.right()) for s in found] == [(0, 50, 150), (2, 150, 200), (3, 200, 250)]


def test_shares_that_add_up_to_more_than_one_stay_inside_the_bar() -> None:
    found = segments(Bar("", (0.8, 0.8, -0.5)), QRectF(0, 0, 100, 10))
    assert [s.rect.right() for s in found] == [80, 100]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_pixel_of_a_bar_has_the_colour_of_its_position(theme: Theme) -> None:
    image = painted(BarsPicture((Bar("× 1", (0.5, 0.25, 0.25)),), ("a", "b", "c"), theme))
    top = 1
    assert {image.pixelColor(x, top).name() for x in range(50, 150)} == {position_colour(0).name()}
    assert {image.pixelColor(x, top).name() for x in range(151, 200)} == {position_colour(1).name()}
    assert image.pixelColor(200, top).name() == theme.card
    assert {image.pixelColor(x, top).name() for x in range(201, 250)} == {position_colour(2).name()}


def test_sixty_four_equal_segments_are_all_there() -> None:
    layout = BarsLayout(width=690, label_width=50)
    image = painted(BarsPicture((Bar("", (1 / 64,) * 64),), tuple("x" * 64), LIGHT), layout)
    middles = [image.pixelColor(int(50 + (k + 0.5) * 10), 1).name() for k in range(64)]
    assert middles == [position_colour(k).name() for k in range(64)]


def test_a_label_is_written_whole_or_shortened_to_the_share_or_not_at_all() -> None:
    metrics = QFontMetricsF(font("text", 11.5))
    assert segment_text("animal", 0.529, 200, metrics) == "animal 52.9%"
    assert segment_text("animal", 0.529, 60, metrics) == "52.9%"
    assert segment_text("animal", 0.529, 20, metrics) == ""
    assert segment_text("animal", 0.529, 200, metrics, ",") == "animal 52,9%"


def test_text_can_be_read_on_the_colour_of_every_position() -> None:
    worst = min(contrast(text_on(position_colour(k)), position_colour(k)) for k in range(64))
    assert worst >= 4.5


def test_the_segment_at_a_place_is_found_and_nothing_between_the_bars() -> None:
    picture = BarsPicture((Bar("", (0.5, 0.5)), Bar("", (0.25, 0.75))), ("a", "b"), LIGHT)
    found = segment_at(picture, LAYOUT, QPointF(120, LAYOUT.pitch + 3))
    assert found is not None
    assert (found[0], found[1].key) == (1, 1)
    assert segment_at(picture, LAYOUT, QPointF(120, LAYOUT.bar_height + 2)) is None
    assert segment_at(picture, LAYOUT, QPointF(10, 3)) is None


def test_a_bar_without_shares_is_hatched_and_has_no_segment(qtbot: QtBot) -> None:
    bar = Bar("× 1", None, instead="not a number")
    image = painted(BarsPicture((bar,), ("a",), LIGHT))
    colours = {image.pixelColor(x, 2).name() for x in range(50, 250)}
    assert LIGHT.hatch_ground in colours
    assert LIGHT.hatch_line in colours
    assert position_colour(0).name() not in colours
    assert segments(bar, LAYOUT.rect(0)) == ()


def test_the_column_of_labels_holds_the_widest_label_in_bold() -> None:
    width = QFontMetricsF(font("text", 11.5, bold=True)).horizontalAdvance("× 1/√dₖ")
    assert label_column(["× 1", "× 1/√dₖ"], 11.5) > width
