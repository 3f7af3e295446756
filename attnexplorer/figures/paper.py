"""Cells on paper: a rectangle a cell with real gaps and drawn hatching, so that vector files hold no screen pixels.

Colours, numbers and marks are those of `matrix`, which paints the screen; only what a screen repaints sixty times a
second (one image for all colours, a pattern for the hatching) is drawn out here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from attnexplorer.figures.colours import Argb, image_of
from attnexplorer.figures.matrix import (
    Block,
    CellSize,
    MatrixPicture,
    number_look,
    paint_glyphs,
    paint_numbers,
    paint_pins,
)

MOST_CELLS = 4096
"""A figure with more cells than this paints each matrix as one image with hard edges."""

_HATCH = 5.0
_GAP_FROM = 4.0
_PIN_FROM = 10.0
_IMAGE_SIDE = 2048
_LARGEST_STEP = 8


@dataclass(frozen=True, slots=True)
class CellStyle:
    """How cells are set: the gap between them, whether numbers are in them, whether each is a shape of its own."""

    gap: float = 1.0
    numbers: bool = True
    drawn: bool = True


def paint_paper_cells(
    painter: QPainter, picture: MatrixPicture, cell: CellSize, block: Block, style: CellStyle
) -> None:
    """Paint the cells of a block, with cell (0, 0) of the matrix at the painter's origin."""
    if block.bottom <= block.top or block.right <= block.left:
        return
    gap = style.gap if min(cell.width, cell.height) >= _GAP_FROM + style.gap else 0.0
    colours = picture.colours(block)
    if style.drawn:
        _paint_rectangles(painter, colours, cell, block, gap)
    else:
        _paint_image(painter, colours, cell, block)
    look = number_look(picture, cell, block) if style.numbers else None
    if look is None:
        _paint_outline(painter, QColor(picture.theme.border), cell, block, gap)
    # Strong lines would make the numbers above them hard to read.
    line = picture.theme.hatch_line if look is None else picture.theme.hatch_soft
    _paint_hatching(painter, picture, cell, block, gap, QColor(line))
    if not style.drawn and gap:
        _paint_gaps(painter, QColor(picture.theme.card), cell, block, gap)
    if look is not None:
        paint_numbers(painter, picture, cell, block, look)
    elif min(cell.width, cell.height) >= _GAP_FROM:
        paint_glyphs(painter, picture, cell, block)
    if picture.pinned is not None and min(cell.width, cell.height) >= _PIN_FROM:
        paint_pins(painter, picture, cell, block)


def _paint_outline(painter: QPainter, colour: QColor, cell: CellSize, block: Block, gap: float) -> None:
    """Paint how far a matrix reaches: zeros are as white as the paper, and no number tells where they are."""
    area = cell.rect(block.top, block.left, block.bottom - block.top, block.right - block.left)
    whole = area.adjusted(-1, -1, 1 - gap, 1 - gap)
    for edge in (
        QRectF(whole.left(), whole.top(), whole.width(), 1),
        QRectF(whole.left(), whole.bottom() - 1, whole.width(), 1),
        QRectF(whole.left(), whole.top(), 1, whole.height()),
        QRectF(whole.right() - 1, whole.top(), 1, whole.height()),
    ):
        painter.fillRect(edge, colour)


def _paint_rectangles(painter: QPainter, colours: Argb, cell: CellSize, block: Block, gap: float) -> None:
    width, height = cell.width - gap, cell.height - gap
    known: dict[int, QColor] = {}
    for row, line in enumerate(colours.tolist(), start=block.top):
        y = row * cell.height
        for column, value in enumerate(line, start=block.left):
            colour = known.get(value)
            if colour is None:
                colour = known[value] = QColor.fromRgba(value)
            painter.fillRect(QRectF(column * cell.width, y, width, height), colour)


def _paint_image(painter: QPainter, colours: Argb, cell: CellSize, block: Block) -> None:
    """Paint one image with several pixels a cell: a viewer that smooths images then blurs only the edges."""
    rows, columns = colours.shape
    step = max(1, min(_LARGEST_STEP, _IMAGE_SIDE // max(rows, columns)))
    enlarged = np.ascontiguousarray(np.repeat(np.repeat(colours, step, axis=0), step, axis=1))
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(cell.rect(block.top, block.left, rows, columns), image_of(enlarged))


def _paint_hatching(
    painter: QPainter, picture: MatrixPicture, cell: CellSize, block: Block, gap: float, line: QColor
) -> None:
    if min(cell.width, cell.height) < _GAP_FROM:
        return
    painter.setPen(QPen(line, 1.0))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    for row, start, end in picture.hatched_runs(block):
        run = cell.rect(row, start, 1, end - start)
        lines = hatch_lines(run.adjusted(0, 0, -gap, -gap), _HATCH)
        if lines:
            painter.drawLines(lines)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def hatch_lines(rect: QRectF, pitch: float) -> list[QLineF]:
    """Return rising diagonals within a rectangle; those of neighbouring rectangles line up."""
    lines = []
    first = int(np.ceil((rect.left() + rect.top()) / pitch))
    last = int(np.floor((rect.right() + rect.bottom()) / pitch))
    for step in range(first, last + 1):
        total = step * pitch
        left = max(rect.left(), total - rect.bottom())
        right = min(rect.right(), total - rect.top())
        if right - left > 0.5:
            lines.append(QLineF(left, total - left, right, total - right))
    return lines


def _paint_gaps(painter: QPainter, colour: QColor, cell: CellSize, block: Block, gap: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    width, height = (block.right - block.left) * cell.width, (block.bottom - block.top) * cell.height
    left, top = block.left * cell.width, block.top * cell.height
    for row in range(block.top + 1, block.bottom + 1):
        painter.fillRect(QRectF(left, row * cell.height - gap, width, gap), colour)
    for column in range(block.left + 1, block.right + 1):
        painter.fillRect(QRectF(column * cell.width - gap, top, gap, height), colour)
