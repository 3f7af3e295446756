"""The grid of heads: what fits, what is under the pointer, and the pixels of its tiles."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QColor, QImage, QPainter, QRegion
from pytestqt.qtbot import QtBot

from attnexplorer.figures.colours import WEIGHTS, colour_of, diverging_for
from attnexplorer.figures.head_grid import (
    Grid,
    GridLayout,
    Hit,
    Metric,
    Tile,
    fit_grid,
    metric_texts,
    pooled,
    pooled_flags,
)
from attnexplorer.figures.head_grid_painting import paint_grid
from attnexplorer.figures.matrix import MatrixPicture
from attnexplorer.figures.theme import DARK, LIGHT, Theme

METRICS = (Metric("H", "1.12"), Metric("back", "12.3"), Metric("self", "0.25"), Metric("first", "0.50"))


def tiles(count: int, side: int, theme: Theme = LIGHT) -> tuple[Tile, ...]:
    weights = np.eye(side)
    return tuple(
        Tile(str(head + 1), MatrixPicture(weights, WEIGHTS, theme), METRICS, chosen=head == 0) for head in range(count)
    )


def painted(grid: Grid, layout: GridLayout) -> QImage:
    image = QImage(layout.width, layout.height, QImage.Format.Format_RGB32)
    image.fill(QColor("magenta"))
    painter = QPainter(image)
    paint_grid(painter, grid, layout, QRegion(image.rect()))
    painter.end()
    return image


@pytest.mark.parametrize("side", [1, 4, 12, 32, 64, 512])
@pytest.mark.parametrize("heads", [1, 2, 12, 16])
@pytest.mark.parametrize("width", [300, 460, 860])
def test_tiles_stay_within_the_width_and_never_overlap(qtbot: QtBot, width: int, heads: int, side: int) -> None:
    layout = fit_grid(width, 700, heads, (side, side))
    places = [layout.tile_rect(tile) for tile in range(heads)]
    assert all(place.right() < width and place.left() >= 0 for place in places)
    assert not any(a.intersects(b) for index, a in enumerate(places) for b in places[index + 1 :])
    for tile, place in enumerate(places):
        assert place.contains(layout.map_rect(tile))
        assert layout.map_rect(tile).height() == layout.rows * layout.cell
        assert not layout.map_rect(tile).intersects(layout.button_rect(tile, "mute"))


def test_twelve_heads_of_32_tokens_fit_beside_an_enlarged_one_with_three_pixels_a_cell(qtbot: QtBot) -> None:
    layout = fit_grid(460, 720, 12, (32, 32))
    assert layout.height <= 720
    assert layout.cell >= 3 and layout.pool == 1


def test_where_little_room_is_left_twelve_heads_fit_with_one_metric_each(qtbot: QtBot) -> None:
    layout = fit_grid(456, 490, 12, (32, 32), fill=True)
    assert layout.height <= 490 and layout.cell >= 3 and layout.pool == 1
    assert layout.metric_columns * layout.metric_lines == 1
    wide = fit_grid(456, 900, 12, (32, 32), fill=True)
    assert wide.metric_columns * wide.metric_lines == 4


def test_cells_are_whole_pixels_and_large_matrices_are_pooled(qtbot: QtBot) -> None:
    layout = fit_grid(460, 720, 12, (512, 512))
    assert layout.cell >= 1
    assert layout.pool * layout.columns >= 512 > layout.pool * (layout.columns - 1)


def test_a_strong_column_survives_pooling() -> None:
    weights = np.zeros((9, 9))
    weights[:, 5] = 0.7
    assert pooled(weights, 4)[:, 1].tolist() == [0.7, 0.7, 0.7]
    assert pooled(weights, 4).shape == (3, 3)


def test_of_a_pooled_block_the_number_of_the_largest_size_is_shown_with_its_sign() -> None:
    scores = np.array([[1.0, -3.0], [2.0, -np.inf]])
    assert pooled(scores, 2).tolist() == [[-3.0]]
    assert pooled(np.full((2, 2), -np.inf), 2).tolist() == [[-np.inf]]
    assert pooled_flags(np.array([[True, True], [True, False]]), 2).tolist() == [[False]]


def test_what_is_under_the_pointer_is_a_cell_a_button_or_the_tile(qtbot: QtBot) -> None:
    grid = Grid(tiles(3, 4), LIGHT)
    layout = fit_grid(460, 400, 3, (4, 4))
    cell = layout.cell_rect(2, 3, 1).center()
    assert layout.hit(grid, QPointF(cell)) == Hit(2, "map", 3, 1)
    assert layout.hit(grid, QPointF(layout.button_rect(1, "mute").center())) == Hit(1, "mute")
    assert layout.hit(grid, QPointF(layout.button_rect(1, "solo").center())) == Hit(1, "solo")
    assert layout.hit(grid, QPointF(layout.tile_rect(0).topLeft()) + QPointF(3, 3)) == Hit(0, "tile")
    assert layout.hit(grid, QPointF(-3, 3)) is None


def test_the_top_right_cell_is_the_first_query_and_the_last_key(qtbot: QtBot) -> None:
    weights = np.zeros((2, 5))
    weights[0, 4] = 1.0
    grid = Grid((Tile("1", MatrixPicture(weights, WEIGHTS, LIGHT)),), LIGHT)
    layout = fit_grid(300, 300, 1, (2, 5), metrics=0)
    image = painted(grid, layout)
    place = layout.cell_rect(0, 0, 4).topLeft()
    assert image.pixelColor(place.x() + 1, place.y() + 1) == colour_of(1.0, WEIGHTS, LIGHT)
    assert layout.hit(grid, QPointF(layout.map_rect(0).topRight())) == Hit(0, "map", 0, 4)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_cell_has_the_colour_of_its_number_and_a_muted_one_is_faded(qtbot: QtBot, theme: Theme) -> None:
    loud, muted = tiles(2, 3, theme)
    grid = Grid((loud, Tile("2", muted.picture, muted=True)), theme)
    layout = fit_grid(460, 400, 2, (3, 3))
    image = painted(grid, layout)
    full, faded = (layout.cell_rect(tile, 0, 0) for tile in (0, 1))
    assert image.pixelColor(full.x() + 2, full.y() + 2) == colour_of(1.0, WEIGHTS, theme)
    assert image.pixelColor(faded.x() + 2, faded.y() + 2) != colour_of(1.0, WEIGHTS, theme)


def test_a_chosen_tile_has_a_frame_in_the_accent(qtbot: QtBot) -> None:
    grid, layout = Grid(tiles(2, 4), LIGHT), fit_grid(460, 400, 2, (4, 4))
    image = painted(grid, layout)
    middle = layout.tile_rect(0).center().x()
    assert image.pixelColor(middle, 0) == QColor(LIGHT.accent)
    other = layout.tile_rect(1)
    assert image.pixelColor(other.center().x(), 0) == QColor(LIGHT.border)


def test_where_only_numbers_changed_the_rest_of_the_tile_is_left_as_it_is(qtbot: QtBot) -> None:
    grid, layout = Grid(tiles(1, 4), LIGHT), fit_grid(300, 400, 1, (4, 4))
    image = QImage(layout.width, layout.height, QImage.Format.Format_RGB32)
    image.fill(QColor("magenta"))
    painter = QPainter(image)
    paint_grid(painter, grid, layout, QRegion(layout.numbers_rect(0)))
    painter.end()
    assert image.pixelColor(layout.button_rect(0, "mute").center()) == QColor("magenta")


def test_the_frame_of_a_tile_is_painted_where_only_its_lower_part_is_exposed(qtbot: QtBot) -> None:
    grid, layout = Grid(tiles(1, 4), LIGHT), fit_grid(300, 400, 1, (4, 4))
    image = QImage(layout.width, layout.height, QImage.Format.Format_RGB32)
    image.fill(QColor("magenta"))
    painter = QPainter(image)
    paint_grid(painter, grid, layout, QRegion(0, layout.height - 20, layout.width, 20))
    painter.end()
    assert image.pixelColor(layout.width // 2, layout.height - 1) == QColor(LIGHT.accent)


@pytest.mark.parametrize("width", [124, 150, 200, 300])
def test_metrics_never_collide(qtbot: QtBot, width: int) -> None:
    layout = fit_grid(width, 500, 1, (32, 32))
    shown = metric_texts(tiles(1, 4)[0], layout, leading=1)
    assert len(shown) in (1, 4)
    if len(shown) == 1:
        assert shown[0].label == "back"
    else:
        assert layout.metric_columns * layout.metric_lines >= 4
    image = painted(Grid(tiles(1, 32), LIGHT), layout)
    inner = QRect(0, 0, layout.width, layout.height)
    assert inner.contains(layout.numbers_rect(0))
    assert image.pixelColor(layout.width - 4, layout.height - 8) == QColor(LIGHT.card)


def test_signed_numbers_are_white_at_zero(qtbot: QtBot) -> None:
    values = np.array([[0.0, 2.0], [-2.0, 0.0]])
    picture = MatrixPicture(values, diverging_for(values), LIGHT)
    layout = fit_grid(200, 300, 1, (2, 2), metrics=0)
    image = painted(Grid((Tile("1", picture),), LIGHT), layout)
    place = layout.cell_rect(0, 0, 0)
    assert image.pixelColor(place.x() + 1, place.y() + 1) == QColor("#ffffff")
