"""The one routine that paints a matrix: a colour, a number and the marks of each cell, on screen and on paper."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from attnexplorer.compute.numbers import cell_texts
from attnexplorer.figures.colours import ColourScale, argb, faded, image_of, needs_light_text
from attnexplorer.figures.fonts import font
from attnexplorer.figures.number_images import image_ratio, number_images
from attnexplorer.figures.theme import Theme

Flags = NDArray[np.bool_]
_T = TypeVar("_T")
_GAP_FROM = 5.0
"""Cells at least this many pixels wide and high are separated by a line."""
_PIN_FROM = 10.0
_GLYPH_FROM = 5.0


@dataclass(frozen=True, slots=True)
class Block:
    """Rows and columns of a matrix: what is visible, or selected."""

    top: int
    left: int
    bottom: int
    right: int

    @classmethod
    def of(cls, row: int, column: int) -> Block:
        """Return the block of one cell."""
        return cls(row, column, row + 1, column + 1)

    def has(self, row: int, column: int) -> bool:
        """Tell whether a cell belongs to it."""
        return self.top <= row < self.bottom and self.left <= column < self.right

    @property
    def slices(self) -> tuple[slice, slice]:
        """The block as indices of an array; the ends are exclusive."""
        return slice(self.top, self.bottom), slice(self.left, self.right)


@dataclass(frozen=True, slots=True)
class MatrixPicture:
    """A matrix with all that its picture depends on.

    Parameters
    ----------
    values
        [rows, columns].
    hatched
        Pairs that a mask blocks, or None.
    empty_where_hatched
        Whether a hatched cell has a colour of its own (scores have; the weight of a blocked pair has not).
    pinned
        Cells that are pinned, or None.
    """

    values: NDArray[np.floating]
    scale: ColourScale
    theme: Theme
    decimals: int = 2
    decimal_point: str = "."
    type_scale: float = 1.0
    strength: float = 1.0
    hatched: Flags | None = None
    empty_where_hatched: bool = False
    pinned: Flags | None = None
    _memo: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def colours(self, block: Block) -> NDArray[np.uint32]:
        """Return the colours of a block as 0xAARRGGBB."""
        return self._remembered("colours", block, self._colours)

    def texts(self, block: Block, decimals: int, narrow: bool) -> list[list[str]]:
        """Return the numbers of a block as text."""
        return self._remembered(("texts", decimals, narrow), block, lambda b: self._texts(b, decimals, narrow))

    def longest_text(self, block: Block, decimals: int, narrow: bool) -> int:
        """Return how many characters the longest number of a block has."""
        return self._remembered(("longest", decimals, narrow), block, lambda b: self._longest(b, decimals, narrow))

    def light_texts(self, block: Block) -> list[list[bool]]:
        """Return where a block's numbers are written in the light text colour."""
        return self._remembered("light", block, lambda b: needs_light_text(self.colours(b)).tolist())

    def not_finite(self, block: Block) -> list[tuple[int, int]]:
        """Return the cells of a block that hold NaN or an infinity which does not just say that the pair is blocked."""
        return self._remembered("not finite", block, self._not_finite)

    def hatched_runs(self, block: Block) -> list[tuple[int, int, int]]:
        """Return the hatched cells of a block as runs: row, first column, column after the last."""
        return self._remembered("runs", block, self._hatched_runs)

    def _remembered(self, name: Hashable, block: Block, make: Callable[[Block], _T]) -> _T:
        # Hovering repaints the same block many times; only the last block of each kind is kept.
        known = self._memo.get(name)
        if known is None or known[0] != block:
            known = self._memo[name] = (block, make(block))
        remembered: _T = known[1]
        return remembered

    def _colours(self, block: Block) -> NDArray[np.uint32]:
        colours = np.ascontiguousarray(argb(self.values[block.slices], self.scale, self.theme))
        if self.strength < 1.0:
            colours = faded(colours, self.theme.card, self.strength)
        if self.hatched is not None:
            values = self.values[block.slices]
            # A weight that was pinned to more than 0 counts although the pair is blocked: it keeps its colour.
            empty = values == 0 if self.empty_where_hatched else np.isneginf(values)
            colours[self.hatched[block.slices] & empty] = QColor(self.theme.hatch_ground).rgba()
        return colours

    def _not_finite(self, block: Block) -> list[tuple[int, int]]:
        values = self.values[block.slices]
        marked = ~np.isfinite(values)
        if self.hatched is not None:
            marked &= ~(self.hatched[block.slices] & np.isneginf(values))
        return [(int(row) + block.top, int(column) + block.left) for row, column in np.argwhere(marked)]

    def _texts(self, block: Block, decimals: int, narrow: bool) -> list[list[str]]:
        return cell_texts(self.values[block.slices], decimals, narrow, self.decimal_point)

    def _longest(self, block: Block, decimals: int, narrow: bool) -> int:
        return max((len(text) for row in self.texts(block, decimals, narrow) for text in row), default=0)

    def _hatched_runs(self, block: Block) -> list[tuple[int, int, int]]:
        if self.hatched is None:
            return []
        cells = self.hatched[block.slices]
        edges = np.zeros((cells.shape[0], cells.shape[1] + 2), dtype=np.int8)
        edges[:, 1:-1] = cells
        steps = np.diff(edges, axis=1)
        rows, starts = np.nonzero(steps == 1)
        ends = np.nonzero(steps == -1)[1]
        return [
            (int(r) + block.top, int(s) + block.left, int(e) + block.left)
            for r, s, e in zip(rows, starts, ends, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class CellSize:
    """The size of every cell in pixels."""

    width: float
    height: float

    def rect(self, row: int, column: int, rows: int = 1, columns: int = 1) -> QRectF:
        """Return the rectangle of a cell, or of several."""
        return QRectF(column * self.width, row * self.height, columns * self.width, rows * self.height)


class NumberLook(NamedTuple):
    """The font of a matrix's numbers, their decimals, and whether the zero before the mark is left out."""

    font: QFont
    decimals: int
    narrow: bool


_FONT_SIZES = (12, 11, 10, 9)
_LEAST_CHARACTERS = 2
_LARGE = 4096


def number_look(picture: MatrixPicture, cell: CellSize, block: Block) -> NumberLook | None:
    """Return the look in which every number of a matrix fits its cell, or None: then none of them is written.

    Only large numbers lose decimals: a weight of 0.4 that reads "0" would be worse than none.
    """
    sizes = [pixels * picture.type_scale for pixels in _FONT_SIZES]
    fonts = [font("number", pixels) for pixels in dict.fromkeys([*sizes, *_FONT_SIZES]) if cell.height >= pixels + 3]
    fonts = [made for made in fonts if _LEAST_CHARACTERS * character_width(made) + 2 <= cell.width]
    if not fonts:
        return None
    looked_at = block if picture.values.size > _LARGE else Block(0, 0, *picture.values.shape)
    for decimals in range(picture.decimals, picture.decimals - _spare_decimals(picture, looked_at) - 1, -1):
        for made in fonts:
            for narrow in (False, True):
                room = (cell.width - (2 if narrow else 4)) / character_width(made)
                if picture.longest_text(looked_at, decimals, narrow) <= room:
                    return NumberLook(made, decimals, narrow)
    return None


def _spare_decimals(picture: MatrixPicture, block: Block) -> int:
    values = picture.values[block.slices]
    largest = float(np.max(np.abs(values), initial=0.0, where=np.isfinite(values)))
    if picture.scale.kind == "sequential" or largest < 0.995:
        return 0
    return max(0, min(picture.decimals, 1 if largest < 99.95 else 2))


_character_widths: dict[str, float] = {}


def character_width(number_font: QFont) -> float:
    """Return the width of every character of a monospaced font, in pixels."""
    key = number_font.key()
    if key not in _character_widths:
        _character_widths[key] = QFontMetricsF(number_font).horizontalAdvance("0")
    return _character_widths[key]


def paint_cells(painter: QPainter, picture: MatrixPicture, cell: CellSize, block: Block) -> None:
    """Paint the cells of a block, with cell (0, 0) of the matrix at the painter's origin."""
    if block.bottom <= block.top or block.right <= block.left:
        return
    area = cell.rect(block.top, block.left, block.bottom - block.top, block.right - block.left)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
    painter.drawImage(area, image_of(picture.colours(block)))
    look = number_look(picture, cell, block)
    _paint_hatching(painter, picture, cell, block, below_numbers=look is not None)
    if min(cell.width, cell.height) >= _GAP_FROM:
        _paint_gaps(painter, picture.theme, cell, block)
    if look is not None:
        _paint_number_images(painter, picture, cell, block, look)
    elif min(cell.width, cell.height) >= _GLYPH_FROM:
        paint_glyphs(painter, picture, cell, block)
    if picture.pinned is not None and min(cell.width, cell.height) >= _PIN_FROM:
        paint_pins(painter, picture, cell, block)


def _paint_hatching(
    painter: QPainter, picture: MatrixPicture, cell: CellSize, block: Block, *, below_numbers: bool
) -> None:
    runs = picture.hatched_runs(block)
    if not runs:
        return
    # Strong lines would make the numbers above them hard to read.
    line = picture.theme.hatch_soft if below_numbers else picture.theme.hatch_line
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(QColor(line), Qt.BrushStyle.BDiagPattern))
    painter.drawRects([cell.rect(row, start, 1, end - start) for row, start, end in runs])


def _paint_gaps(painter: QPainter, theme: Theme, cell: CellSize, block: Block) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.card))
    painter.drawRects(_gaps(cell, block))


@lru_cache(maxsize=64)
def _gaps(cell: CellSize, block: Block) -> list[QRectF]:
    """Return the last line of pixels of every row and column; narrow rectangles are painted faster than lines."""
    area = cell.rect(block.top, block.left, block.bottom - block.top, block.right - block.left)
    across = [
        QRectF(area.left(), row * cell.height - 1, area.width(), 1) for row in range(block.top + 1, block.bottom + 1)
    ]
    down = [
        QRectF(column * cell.width - 1, area.top(), 1, area.height())
        for column in range(block.left + 1, block.right + 1)
    ]
    return across + down


def _paint_number_images(
    painter: QPainter, picture: MatrixPicture, cell: CellSize, block: Block, look: NumberLook
) -> None:
    """Write the numbers of a block as images of text where the painter takes them, at whole pixels."""
    ratio = image_ratio(painter)
    if ratio is None:
        paint_numbers(painter, picture, cell, block, look)
        return
    theme, half = picture.theme, character_width(look.font) / 2
    dark, light = (number_images(look.font, colour, ratio) for colour in (theme.cell_dark_text, theme.cell_light_text))
    middles = [(column + 0.5) * cell.width - dark.left for column in range(block.left, block.right)]
    baseline = (cell.height + look.font.pixelSize() * 0.72) / 2
    texts, lights = picture.texts(block, look.decimals, look.narrow), picture.light_texts(block)
    for row, (row_texts, row_lights) in enumerate(zip(texts, lights, strict=True), start=block.top):
        y = round(row * cell.height + baseline) - dark.above
        for text, is_light, middle in zip(row_texts, row_lights, middles, strict=True):
            image = light[text] if is_light else dark[text]
            painter.drawImage(QPoint(round(middle - len(text) * half), y), image)


def paint_numbers(painter: QPainter, picture: MatrixPicture, cell: CellSize, block: Block, look: NumberLook) -> None:
    """Write the number of every cell of a block."""
    texts = picture.texts(block, look.decimals, look.narrow)
    light = picture.light_texts(block)
    digit = character_width(look.font)
    painter.setFont(look.font)
    baseline = (cell.height + look.font.pixelSize() * 0.72) / 2
    dark_pen, light_pen = QColor(picture.theme.cell_dark_text), QColor(picture.theme.cell_light_text)
    # One pass for each of the two colours: changing the pen costs more than drawing the text.
    for wanted, pen in ((False, dark_pen), (True, light_pen)):
        painter.setPen(pen)
        for row, (row_texts, row_light) in enumerate(zip(texts, light, strict=True), start=block.top):
            y = row * cell.height + baseline
            for column, (text, is_light) in enumerate(zip(row_texts, row_light, strict=True), start=block.left):
                if is_light is wanted:
                    painter.drawText(QPointF((column + 0.5) * cell.width - len(text) * digit / 2, y), text)


def paint_glyphs(painter: QPainter, picture: MatrixPicture, cell: CellSize, block: Block) -> None:
    """Mark what is no finite number where no text fits: a cross for NaN, a triangle up or down for the infinities."""
    light, theme = picture.light_texts(block), picture.theme
    reach = min(cell.width, cell.height, 12.0) / 2 - 1.5
    for row, column in picture.not_finite(block):
        is_light = light[row - block.top][column - block.left]
        colour = QColor(theme.cell_light_text if is_light else theme.cell_dark_text)
        painter.setPen(QPen(colour, 1.0))
        painter.setBrush(colour)
        centre = cell.rect(row, column).center() - QPointF(0.5, 0.5)
        _paint_glyph(painter, float(picture.values[row, column]), centre, reach)


def _paint_glyph(painter: QPainter, value: float, centre: QPointF, reach: float) -> None:
    if np.isnan(value):
        for rise in (reach, -reach):
            painter.drawLine(centre + QPointF(-reach, rise), centre + QPointF(reach, -rise))
    else:
        tip = -reach if value > 0 else reach
        corners = (QPointF(0, tip), QPointF(-reach, -tip), QPointF(reach, -tip))
        painter.drawPolygon(QPolygonF([centre + corner for corner in corners]))


def paint_pins(painter: QPainter, picture: MatrixPicture, cell: CellSize, block: Block) -> None:
    """Mark a pinned cell with a filled corner, set off from colours that are like its own."""
    assert picture.pinned is not None
    side = min(7.0, cell.width / 3)
    painter.setPen(QPen(QColor(picture.theme.card), 1.0))
    painter.setBrush(QColor(picture.theme.warning))
    for row, column in np.argwhere(picture.pinned[block.slices]):
        right, top = (block.left + column + 1) * cell.width - 1, (block.top + row) * cell.height
        corner = [QPointF(right, top), QPointF(right - side, top), QPointF(right, top + side)]
        painter.drawPolygon(QPolygonF(corner))
