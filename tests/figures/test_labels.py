"""Labels of rows and columns: whole, apart, thinned where there is no room."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QTextLayout
from PySide6.QtWidgets import QApplication

from attnexplorer.figures.fonts import Face, font
from attnexplorer.figures.labels import Labels, every, longest, paint_column_label, paint_row_label
from attnexplorer.figures.theme import LIGHT

WHITE = 0xFFFFFFFF


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> None:
    """Fonts need a running application."""


def painted(labels: Labels, extent: float, room: float, *, rows: bool, upright: bool = False) -> np.ndarray:
    """Paint all labels of one side; return where there is ink."""
    whole = round(extent * len(labels.texts))
    size = (120, whole) if rows else (whole, 120 if upright else 30)
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(WHITE)
    painter = QPainter(image)
    painter.setFont(font("text", 12))
    bounds = QRectF(0, 0, *size)
    for index in range(len(labels.texts)):
        if rows:
            rect = QRectF(0, index * extent, size[0], extent)
            paint_row_label(painter, labels, index, rect, LIGHT, every(extent, room), bounds)
        else:
            rect = QRectF(index * extent, 0, extent, size[1])
            paint_column_label(painter, labels, index, rect, LIGHT, upright, every(extent, room), bounds)
    painter.end()
    pixels = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return pixels[:, : image.width()] != WHITE


def groups(ink: np.ndarray, axis: int) -> list[tuple[int, int]]:
    """Return from where to where there is ink along an axis."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], ink.any(axis=1 - axis).astype(int), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


@pytest.mark.parametrize(
    ("extent", "count"),
    [(extent, count) for extent in (3, 5, 8, 11, 14, 17, 26) for count in (1, 4, 16, 64) if extent * count >= 13],
)
def test_row_labels_are_whole_and_never_overlap(extent: int, count: int) -> None:
    step = every(extent, 13)
    shown = len(range(0, count, step))
    found = groups(painted(Labels(("H",) * count), extent, 13, rows=True), 0)
    assert len(found) == shown
    heights = {bottom - top for top, bottom in found}
    assert max(heights) - min(heights) <= 1, f"a label is cut: {heights}"
    assert all(after[0] - before[1] >= 2 for before, after in pairwise(found))


@pytest.mark.parametrize("upright", [False, True])
@pytest.mark.parametrize("extent", [3, 7, 12, 20, 40])
def test_column_labels_are_whole_and_never_overlap(extent: int, upright: bool) -> None:
    labels = Labels(("HHH",) * 32)
    room = 13 if upright else longest(labels, font("text", 12)) + 4
    found = groups(painted(labels, extent, room, rows=False, upright=upright), 1)
    words = [found[0]]
    for start, end in found[1:]:
        if start - words[-1][1] <= 1:  # the next letter of the same word
            words[-1] = (words[-1][0], end)
        else:
            words.append((start, end))
    assert len(words) == len(range(0, 32, every(extent, room)))
    widths = {end - start for start, end in words}
    assert max(widths) - min(widths) <= 1, f"a label is cut: {widths}"


def test_a_label_longer_than_its_room_ends_in_an_ellipsis_inside_it() -> None:
    ink = painted(Labels(("W" * 60, "short")), 26, 13, rows=True)
    assert ink[:26].any()
    assert not ink[:26, 115:].any()


def test_labels_of_positions_carry_their_bars_even_where_names_are_left_out() -> None:
    labels = Labels(tuple(f"token{index}" for index in range(16)), coloured=True)
    bars = painted(labels.without_names(), 5, 13, rows=True)
    assert len(groups(bars, 0)) == 16
    assert labels.without_names().texts == ("",) * 16
    assert Labels(("1", "2")).without_names() == Labels(())


@pytest.mark.parametrize("text", ["你好世界", "שלום", "مرحبا", "👩‍👩‍👧", "é", "␤", "Ġthe"])
def test_any_writing_leaves_ink(text: str) -> None:
    assert painted(Labels((text,)), 26, 13, rows=True).sum() > 3


@pytest.mark.parametrize("face", ["text", "number", "mathematics"])
@pytest.mark.parametrize("spelt", ["->", "=>", "!=", "3x4", "<2>", "===", "www"])
def test_letters_are_drawn_as_they_are_spelt(face: Face, spelt: str) -> None:
    layout = QTextLayout(spelt, font(face, 20))
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    (run,) = layout.glyphRuns()
    assert list(run.glyphIndexes()) == list(run.rawFont().glyphIndexesForString(spelt))
