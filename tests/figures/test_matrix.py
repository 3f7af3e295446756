"""The painting of a matrix, checked pixel by pixel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from attnexplorer.figures.colours import WEIGHTS, ColourScale, argb, colour_of, diverging_for
from attnexplorer.figures.matrix import Block, CellSize, MatrixPicture, number_look, paint_cells
from attnexplorer.figures.theme import DARK, LIGHT, Theme

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> None:
    """Fonts need a running application."""


def picture(values: Any, theme: Theme = LIGHT, scale: ColourScale | None = None, **more: Any) -> MatrixPicture:
    table = np.array(values, dtype=float)
    return MatrixPicture(table, scale or diverging_for(table), theme, **more)


def painted(of: MatrixPicture, width: int, height: int, block: Block | None = None) -> np.ndarray:
    """Return the pixels, as 0xAARRGGBB, of a matrix with cells of a size."""
    rows, columns = of.values.shape
    image = QImage(columns * width, rows * height, QImage.Format.Format_RGB32)
    image.fill(QColor("#ff00ff"))
    painter = QPainter(image)
    paint_cells(painter, of, CellSize(width, height), block or Block(0, 0, rows, columns))
    painter.end()
    pixels = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return pixels[:, : image.width()].copy()


def cells(pixels: np.ndarray, width: int, height: int) -> np.ndarray:
    """Return the pixels by cell: [row, column, y, x]."""
    rows, columns = pixels.shape[0] // height, pixels.shape[1] // width
    return pixels.reshape(rows, height, columns, width).swapaxes(1, 2)


def has_ink(cell: np.ndarray, ground: int) -> bool:
    """Tell whether there is anything but the ground inside a cell, away from the lines between cells."""
    return bool((cell[1:-2, 1:-2] != ground).any())


@THEMES
@pytest.mark.parametrize("size", [(1, 1), (3, 3), (4, 9), (7, 6), (12, 9)])
def test_the_middle_of_a_cell_has_the_colour_of_its_value(theme: Theme, size: tuple[int, int]) -> None:
    values = np.random.default_rng(3).normal(size=(9, 7))
    found = cells(painted(picture(values, theme), *size), *size)
    middle = found[:, :, size[1] // 2, size[0] // 2]
    assert middle.tolist() == argb(values, diverging_for(values), theme).tolist()


@THEMES
def test_beside_its_number_a_cell_has_the_colour_of_its_value(theme: Theme) -> None:
    values = np.random.default_rng(4).normal(size=(3, 5))
    found = cells(painted(picture(values, theme), 46, 26), 46, 26)
    assert found[:, :, 2, 2].tolist() == argb(values, diverging_for(values), theme).tolist()
    for row, column in np.ndindex(values.shape):
        assert has_ink(found[row, column], int(found[row, column, 2, 2]))


def test_rows_run_from_the_top_and_columns_from_the_left() -> None:
    found = cells(painted(picture([[0, 0, 0, 0, 1], [0, 0, 0, 0, 0]], scale=WEIGHTS), 4, 4), 4, 4)
    dark = np.argwhere(found[:, :, 2, 2] == colour_of(1, WEIGHTS, LIGHT).rgba())
    assert dark.tolist() == [[0, 4]]


def test_a_part_is_painted_as_it_is_in_the_whole() -> None:
    of = picture(np.random.default_rng(5).normal(size=(6, 6)))
    whole = painted(of, 46, 26)
    part = painted(of, 46, 26, Block(2, 3, 5, 6))
    inside = (slice(2 * 26, 5 * 26 - 1), slice(3 * 46, 6 * 46 - 1))
    assert np.array_equal(part[inside], whole[inside])
    assert (part[:51] == 0xFFFF00FF).all()


@pytest.mark.parametrize("values", [np.zeros((2, 3)), np.full((2, 3), 7.0), np.full((2, 3), -1e-320), np.ones((1, 1))])
def test_a_matrix_of_equal_numbers_is_of_one_colour(values: np.ndarray) -> None:
    found = cells(painted(picture(values), 4, 4), 4, 4)
    assert np.unique(found[:, :, 2, 2]).tolist() == np.unique(argb(values, diverging_for(values), LIGHT)).tolist()


@THEMES
@pytest.mark.parametrize("size", [(3, 3), (6, 6), (9, 12), (46, 26)])
def test_nan_the_infinities_and_blocked_pairs_look_different_at_every_size(theme: Theme, size: tuple[int, int]) -> None:
    values = [[0.5, np.nan, np.inf, -np.inf, -np.inf]]
    hatched = np.array([[False, False, False, False, True]])
    of = picture(values, theme, hatched=hatched)
    found = cells(painted(of, *size), *size)[0]
    looks = {cell[1:-2, 1:-2].tobytes() if size[0] > 3 else cell.tobytes() for cell in found}
    assert len(looks) == 5
    ground = [int(cell[0, 0]) for cell in found[:4]]
    assert ground == [int(colour) for colour in argb(np.array(values)[:, :4], of.scale, theme)[0]]
    assert set(np.unique(found[4][:-1, :-1])) & {QColor(theme.hatch_ground).rgba()}
    if size[0] >= 6:
        assert all(has_ink(cell, colour) for cell, colour in zip(found[1:4], ground[1:], strict=True))


@THEMES
def test_a_blocked_pair_is_hatched_and_its_weight_has_no_colour(theme: Theme) -> None:
    hatched = np.array([[False, True]])
    weights = picture([[1.0, 0.0]], theme, WEIGHTS, hatched=hatched, empty_where_hatched=True)
    found = cells(painted(weights, 20, 11), 20, 11)[0]
    assert np.unique(found[0][:-1, :-1]).tolist() == [colour_of(1.0, WEIGHTS, theme).rgba()]
    assert set(np.unique(found[1][:-1, :-1])) == {QColor(theme.hatch_ground).rgba(), QColor(theme.hatch_line).rgba()}


def test_a_blocked_score_keeps_its_colour_under_the_hatching() -> None:
    scores = picture([[1.0, -0.5]], hatched=np.array([[False, True]]))
    found = cells(painted(scores, 20, 11), 20, 11)[0]
    assert set(np.unique(found[1][:-1, :-1])) == {
        colour_of(-0.5, scores.scale, LIGHT).rgba(),
        QColor(LIGHT.hatch_line).rgba(),
    }


def test_a_weight_that_is_pinned_on_a_blocked_pair_keeps_its_colour() -> None:
    hatched = np.array([[True, True]])
    weights = picture([[0.5, 0.0]], scale=WEIGHTS, hatched=hatched, empty_where_hatched=True)
    found = cells(painted(weights, 20, 11), 20, 11)[0]
    assert colour_of(0.5, WEIGHTS, LIGHT).rgba() in np.unique(found[0])
    assert QColor(LIGHT.hatch_ground).rgba() in np.unique(found[1])


def test_pinned_cells_are_marked_in_their_corner() -> None:
    pinned = np.array([[False, True]])
    found = cells(painted(picture([[0.0, 0.0]], pinned=pinned), 46, 26), 46, 26)[0]
    mark = QColor(LIGHT.warning).rgba()
    assert mark not in np.unique(found[0])
    assert (found[1][:8, -9:] == mark).any()
    assert not (found[1][8:] == mark).any()


@pytest.mark.parametrize(
    "values", [[[0.15, 0.2]], [[-12.5, 0.0]], [[1e6, -1e6]], [[123456.0, 0.1]], [[np.nan, -np.inf]]]
)
@pytest.mark.parametrize("width", range(4, 60, 3))
def test_numbers_stand_in_all_cells_or_in_none_and_inside_their_cells(values: Any, width: int) -> None:
    of = picture(values)
    without = MatrixPicture(of.values, of.scale, of.theme)
    height = 26
    found = cells(painted(of, width, height), width, height)[0]
    look = number_look(of, CellSize(width, height), Block(0, 0, 1, 2))
    grounds = argb(without.values, of.scale, LIGHT)[0]
    inked = [has_ink(cell, int(ground)) for cell, ground in zip(found, grounds, strict=True)]
    if look is not None:
        assert inked == [True, True]
        texts = of.texts(Block(0, 0, 1, 2), look.decimals, look.narrow)[0]
        assert "…" not in "".join(texts)
        # The first and the last column of pixels of a cell are free of ink.
        assert all((cell[1:-2, 0] == ground).all() for cell, ground in zip(found, grounds, strict=True))
    elif np.isfinite(of.values).all():
        assert inked == [False, False]


@pytest.mark.parametrize(
    ("width", "value", "text"), [(46, 0.15, "0.15"), (30, 0.15, ".15"), (46, -0.15, "−0.15"), (26, 12.345, "12.3")]
)
def test_numbers_are_written_as_fits(width: int, value: float, text: str) -> None:
    of = picture([[value]])
    look = number_look(of, CellSize(width, 26), Block(0, 0, 1, 1))
    assert look is not None
    assert of.texts(Block(0, 0, 1, 1), look.decimals, look.narrow) == [[text]]


def test_a_weight_never_loses_the_digits_that_tell_it_from_zero_or_one() -> None:
    for width in range(8, 40):
        of = picture([[0.47, 0.53]], scale=WEIGHTS)
        look = number_look(of, CellSize(width, 26), Block(0, 0, 1, 2))
        assert look is None or look.decimals == 2


def test_the_decimal_mark_is_the_readers() -> None:
    of = picture([[0.5]], decimal_point=",")
    assert of.texts(Block(0, 0, 1, 1), 2, False) == [["0,50"]]


def test_cells_have_hard_edges_and_lines_between_them() -> None:
    found = painted(picture([[1.0, -1.0]]), 20, 11)
    line = QColor(LIGHT.card).rgba()
    assert (found[:, 19] == line).all()
    assert set(np.unique(found[:-1, :19])) == {colour_of(1.0, ColourScale("diverging", -1, 1), LIGHT).rgba()}


def test_an_empty_block_paints_nothing() -> None:
    assert (painted(picture(np.zeros((2, 2))), 5, 5, Block(1, 1, 1, 2)) == 0xFFFF00FF).all()
