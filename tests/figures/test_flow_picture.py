"""The flow: which lines there are, how much a threshold hides, and where lines and labels stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from attnexplorer.figures.flow import (
    End,
    Flow,
    FlowPicture,
    flow_layout,
    hidden_share,
    isolated_lines,
    line_opacity,
    line_width,
    lines_of,
    paint_flow,
    readable_threshold,
)
from attnexplorer.figures.labels import Labels
from attnexplorer.figures.theme import LIGHT, position_colour

WEIGHTS = np.array([[1.0, 0.0, 0.0], [0.25, 0.75, 0.0], [0.02, 0.08, 0.9]])


def picture(weights: np.ndarray = WEIGHTS, **settings: object) -> FlowPicture:
    queries = Labels(tuple(f"q{index}" for index in range(weights.shape[0])), coloured=True)
    keys = Labels(tuple(f"k{index}" for index in range(weights.shape[1])), coloured=True)
    return FlowPicture((Flow(weights, LIGHT.accent),), queries, keys, LIGHT, **settings)  # type: ignore[arg-type]


def painted(flow: FlowPicture, width: int = 400, height: int = 120) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.card))
    painter = QPainter(image)
    paint_flow(painter, flow, flow_layout(flow, width, height))
    painter.end()
    return image


def test_a_weight_of_zero_has_no_line() -> None:
    lines = lines_of(picture())
    assert set(zip(lines.query.tolist(), lines.key.tolist(), strict=True)) == {
        (0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2),
    }  # fmt: skip


def test_the_strongest_lines_are_painted_last() -> None:
    assert lines_of(picture()).weight.tolist() == sorted(WEIGHTS[WEIGHTS > 0].tolist())


def test_a_threshold_hides_what_is_below_it_and_says_how_much() -> None:
    flow = picture(threshold=0.1)
    assert lines_of(flow).weight.min() == 0.25
    assert hidden_share(flow) == pytest.approx(0.1 / 3)
    assert hidden_share(picture()) == 0.0
    assert hidden_share(picture(np.zeros((2, 2)), threshold=0.1)) == 0.0


def test_an_isolated_token_shows_all_its_lines_whatever_the_threshold() -> None:
    lines = isolated_lines(picture(threshold=0.5, isolated=End("query", 2)))
    assert lines.key.tolist() == [0, 1, 2]
    assert isolated_lines(picture(isolated=End("key", 0))).query.tolist() == [2, 1, 0]


def test_few_lines_are_all_shown_and_many_are_thinned_to_what_can_be_told_apart() -> None:
    assert readable_threshold((WEIGHTS,)) == 0.0
    many = np.full((64, 64), 1 / 64)
    many[:, 3] = 0.4
    threshold = readable_threshold((many,))
    assert 1 / 64 < threshold <= 0.4
    assert len(lines_of(picture(many, threshold=threshold)).weight) == 64


def test_lines_are_wider_and_stronger_the_larger_the_weight(qtbot: QtBot) -> None:
    layout = flow_layout(picture(), 400, 120)
    widths = [line_width(weight, layout) for weight in (0.0, 0.1, 0.5, 1.0)]
    assert widths == sorted(widths) and widths[-1] > 3 * widths[0]
    assert line_opacity(0.05) < line_opacity(0.5) < line_opacity(1.0) <= 1.0


def test_a_line_of_weight_one_leads_straight_to_its_key(qtbot: QtBot) -> None:
    flow = picture(isolated=End("query", 0))
    image, layout = painted(flow), flow_layout(flow, 400, 120)
    found = image.pixelColor(200, round(layout.point(End("query", 0)).y()))
    wanted = position_colour(0)
    assert abs(found.hueF() - wanted.hueF()) < 0.03 and found.saturationF() > 0.2


def test_the_other_tokens_fade_when_one_is_isolated(qtbot: QtBot) -> None:
    flow = picture()
    layout = flow_layout(flow, 400, 120)
    y = round(layout.point(End("query", 2)).y())
    plain = painted(flow).pixelColor(200, y)
    faded = painted(replace(flow, isolated=End("query", 0))).pixelColor(200, y)
    assert faded.lightness() > plain.lightness()


def test_the_token_at_a_place_is_found_on_both_sides(qtbot: QtBot) -> None:
    flow = picture()
    layout = flow_layout(flow, 400, 120)
    assert layout.end_at(flow, layout.point(End("query", 1))) == End("query", 1)
    assert layout.end_at(flow, layout.point(End("key", 2))) == End("key", 2)
    assert layout.end_at(flow, QPointF(200, 60)) is None
    assert layout.end_at(flow, QPointF(5, 119)) is None


def test_64_labels_keep_readable_type_and_do_not_overlap(qtbot: QtBot) -> None:
    flow = picture(np.eye(64))
    layout = flow_layout(flow, 500, 660)
    assert layout.font_pixels >= 9
    assert layout.query_pitch >= layout.font_pixels


def test_a_rectangular_flow_has_a_pitch_of_its_own_on_each_side(qtbot: QtBot) -> None:
    flow = picture(np.full((2, 20), 0.05))
    layout = flow_layout(flow, 400, 200)
    assert layout.query_pitch > layout.key_pitch
    assert layout.point(End("key", 19)).y() < 200
