"""All heads of a layer as small heatmaps: what the tiles show, where they stand, what is under the pointer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QFontMetricsF

from attnexplorer.figures.fonts import font
from attnexplorer.figures.matrix import Flags, MatrixPicture
from attnexplorer.figures.theme import Theme

Part = Literal["map", "mute", "solo", "tile"]
PADDING = 6
GAP = 8
_HEADER = 22
METRIC_LINE = 14
BELOW_MAP = 4
_BUTTON = (17, 16)
_BUTTONS: tuple[Part, ...] = ("mute", "solo")
_LARGEST_CELL = 40
_LARGEST_MAP = 300
_LEAST_TILE, _NARROW_TILE = 124, 106
_LEGIBLE_CELL, _LEGIBLE_MAP = 12, 84
_WIDENING = 1.25


class Metric(NamedTuple):
    """A number of a head: what it is called, and its text."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Tile:
    """One head. `tag` names its KV head, `tag_position` gives it a colour; a tile without `mixing` is no head, but a
    mean; `fixed` heads cannot be muted; `dot` is the colour of the head where lines are drawn in it.
    """

    title: str
    picture: MatrixPicture | None
    metrics: tuple[Metric, ...] = ()
    tag: str = ""
    tag_position: int = 0
    muted: bool = False
    soloed: bool = False
    chosen: bool = False
    mixing: bool = True
    fixed: bool = False
    dot: str = ""

    @property
    def has_buttons(self) -> bool:
        """Whether there are an M and an S."""
        return self.mixing and not self.fixed


@dataclass(frozen=True, slots=True)
class Grid:
    """Tiles with all that their picture depends on; `leading` is the metric shown where there is room for one."""

    tiles: tuple[Tile, ...]
    theme: Theme
    leading: int = 0
    focused: bool = False


class Hit(NamedTuple):
    """What is under the pointer: a tile, which part of it, and for its map the cell as drawn."""

    tile: int
    part: Part
    row: int = -1
    column: int = -1


@dataclass(frozen=True)
class GridLayout:
    """Sizes in pixels. `pool` is how many rows and columns of a matrix one drawn cell stands for; `rows` and `columns`
    count drawn cells, `across` the tiles beside each other.
    """

    tiles: int
    across: int
    tile_width: int
    cell: int
    rows: int
    columns: int
    pool: int = 1
    metric_columns: int = 1
    metric_lines: int = 1
    scale: float = 1.0

    @cached_property
    def header(self) -> int:
        """The height of a tile's title line."""
        return round(_HEADER * self.scale)

    @cached_property
    def tile_height(self) -> int:
        """The height of a tile."""
        metrics = round(METRIC_LINE * self.scale) * self.metric_lines
        return PADDING + self.header + self.rows * self.cell + BELOW_MAP + metrics + PADDING - 2

    @property
    def width(self) -> int:
        """The width of the whole grid."""
        return self.across * (self.tile_width + GAP) - GAP

    @property
    def height(self) -> int:
        """The height of the whole grid."""
        return -(-self.tiles // self.across) * (self.tile_height + GAP) - GAP

    def tile_rect(self, tile: int) -> QRect:
        """Return the place of a tile."""
        down, right = divmod(tile, self.across)
        left, top = right * (self.tile_width + GAP), down * (self.tile_height + GAP)
        return QRect(left, top, self.tile_width, self.tile_height)

    def map_rect(self, tile: int) -> QRect:
        """Return the place of a tile's heatmap."""
        rect, width = self.tile_rect(tile), self.columns * self.cell
        left = rect.left() + (rect.width() - width) // 2
        return QRect(left, rect.top() + PADDING + self.header, width, self.rows * self.cell)

    def numbers_rect(self, tile: int) -> QRect:
        """Return the place of what changes with every number: the map and the metrics below it."""
        rect, inner = self.tile_rect(tile), self.map_rect(tile)
        height = rect.bottom() - 4 - inner.top()
        return QRect(rect.left() + PADDING - 1, inner.top(), rect.width() - 2 * PADDING + 2, height)

    def button_rect(self, tile: int, part: Part) -> QRect:
        """Return the place of a tile's M ("mute") or S ("solo")."""
        rect = self.tile_rect(tile)
        width, height = round(_BUTTON[0] * self.scale), round(_BUTTON[1] * self.scale)
        left = rect.right() + 1 - PADDING - width - (0 if part == "solo" else width + 3)
        return QRect(left, rect.top() + PADDING - 1, width, height)

    def cell_rect(self, tile: int, row: int, column: int) -> QRect:
        """Return the place of a drawn cell."""
        corner = self.map_rect(tile).topLeft()
        return QRect(corner.x() + column * self.cell, corner.y() + row * self.cell, self.cell, self.cell)

    def hit(self, grid: Grid, place: QPointF) -> Hit | None:
        """Return what is at a place, or None between the tiles."""
        point = place.toPoint()
        for tile in range(len(grid.tiles)):
            if not self.tile_rect(tile).contains(point):
                continue
            for part in _BUTTONS:
                if grid.tiles[tile].has_buttons and self.button_rect(tile, part).contains(point):
                    return Hit(tile, part)
            inner = self.map_rect(tile)
            if inner.contains(point):
                offset = point - inner.topLeft()
                return Hit(tile, "map", offset.y() // self.cell, offset.x() // self.cell)
            return Hit(tile, "tile")
        return None


def fit_grid(
    width: int,
    height: int,
    tiles: int,
    shape: tuple[int, int],
    metrics: int = 4,
    scale: float = 1.0,
    *,
    fill: bool = False,
) -> GridLayout:
    """Return the layout with the largest legible maps that fits into `width` × `height`, or else only into `width`.

    With `fill` tiles become somewhat wider than their maps need, so that a full row takes the whole width.
    """
    best = _best(width, height, tiles, shape, metrics, scale, round(_LEAST_TILE * scale))
    if best.height > height:
        # Narrower tiles show one metric instead of all, but may bring all heads into view.
        narrow = _best(width, height, tiles, shape, metrics, scale, round(_NARROW_TILE * scale))
        best = narrow if narrow.height <= height else best
    widest = min((width + GAP) // best.across - GAP, round(best.tile_width * _WIDENING))
    return replace(best, tile_width=max(best.tile_width, widest)) if fill and best.across > 1 else best


def pooled(values: NDArray[np.floating], pool: int) -> NDArray[np.floating]:
    """Return the number of largest size of each block of `pool` × `pool`. Shape: [n, m] → [⌈n / pool⌉, ⌈m / pool⌉].

    Taking every k-th row and column would let a single strong column vanish. Blocked pairs (−∞) lose to any number.
    """
    if pool == 1:
        return values
    highest = _reduced(values, pool, np.maximum)
    # Asking what is finite takes three times as long, and weights are never negative.
    if values.min(initial=0.0) >= 0.0 or values.min(initial=0.0, where=np.isfinite(values)) >= 0.0:
        return highest
    lowest = _reduced(np.where(np.isneginf(values), np.inf, values), pool, np.minimum)
    return np.where((-lowest > highest) & np.isfinite(lowest), lowest, highest)


def pooled_flags(flags: Flags, pool: int) -> Flags:
    """Return which blocks consist of flagged cells only."""
    return np.asarray(_reduced(flags, pool, np.logical_and)) if pool > 1 else flags


def metric_texts(tile: Tile, layout: GridLayout, leading: int) -> tuple[Metric, ...]:
    """Return the metrics that a tile has room for."""
    if layout.metric_columns * layout.metric_lines >= len(tile.metrics):
        return tile.metrics
    return tile.metrics[leading : leading + 1]


def _best(
    width: int, height: int, tiles: int, shape: tuple[int, int], metrics: int, scale: float, least: int
) -> GridLayout:
    most = max(1, min(tiles, (width + GAP) // (least + GAP)))
    candidates = []
    for across in range(1, most + 1):
        layout = _layout(width, across, tiles, shape, metrics, scale, least)
        candidates += [layout, _lowered(layout, height, least)]
    return max(candidates, key=lambda layout: _worth(layout, height))


def _layout(
    width: int, across: int, tiles: int, shape: tuple[int, int], metrics: int, scale: float, least: int
) -> GridLayout:
    rows, columns = max(shape[0], 1), max(shape[1], 1)
    room = min(max((width + GAP) // across - GAP - 2 * PADDING, 8), round(_LARGEST_MAP * scale))
    tall = max(round(room * 1.2), 8)
    pool = max(1, -(-columns // room), -(-rows // tall))
    rows, columns = -(-rows // pool), -(-columns // pool)
    cell = max(1, min(room // columns, tall // rows, round(_LARGEST_CELL * scale)))
    tile_width = max(columns * cell + 2 * PADDING, min(least, (width + GAP) // across - GAP))
    metric_columns, metric_lines = _metric_places(tile_width - 2 * PADDING, metrics, scale)
    return GridLayout(tiles, across, tile_width, cell, rows, columns, pool, metric_columns, metric_lines, scale)


def _lowered(layout: GridLayout, height: int, least: int) -> GridLayout:
    """Return the layout with cells small enough for all tiles to fit into a height, where there are such."""
    down = -(-layout.tiles // layout.across)
    room = (height + GAP) // down - GAP - (layout.tile_height - layout.rows * layout.cell)
    cell = min(layout.cell, room // layout.rows)
    if cell < 1 or cell == layout.cell:
        return layout
    tile_width = max(layout.columns * cell + 2 * PADDING, min(least, layout.tile_width))
    columns, lines = _metric_places(tile_width - 2 * PADDING, layout.metric_columns * layout.metric_lines, layout.scale)
    return replace(layout, cell=cell, tile_width=tile_width, metric_columns=columns, metric_lines=lines)


def _worth(layout: GridLayout, height: int) -> tuple[bool, bool, int, int]:
    size = layout.columns * layout.cell
    legible = size >= _LEGIBLE_MAP * layout.scale or layout.cell >= _LEGIBLE_CELL
    fits = layout.height <= height
    return legible, fits, size * 100 // layout.pool if fits else -layout.height, -layout.height


def _metric_places(room: int, metrics: int, scale: float) -> tuple[int, int]:
    widest = QFontMetricsF(font("text", 10 * scale)).horizontalAdvance("back ") + QFontMetricsF(
        font("number", 10 * scale)
    ).horizontalAdvance("00.0")
    for columns in (metrics, -(-metrics // 2)):
        if columns and columns * widest + (columns - 1) * 8 <= room:
            return columns, -(-metrics // columns)
    return 1, min(metrics, 1)


def _reduced(values: NDArray[Any], pool: int, reduce: np.ufunc) -> NDArray[Any]:
    """Reduce each block of `pool` × `pool`; blocks at the lower and right edges may be smaller."""
    rows, columns = values.shape
    whole = rows // pool
    # Whole rows first: reducing along the last axis is many times slower than adding up contiguous rows.
    flat = np.empty((-(-rows // pool), columns), dtype=values.dtype)
    reduce.reduce(values[: whole * pool].reshape(whole, pool, columns), axis=1, out=flat[:whole])
    if whole < len(flat):
        reduce.reduce(values[whole * pool :], axis=0, out=flat[whole])
    result: NDArray[Any] = flat[:, ::pool].copy()
    for k in range(1, pool):
        part = flat[:, k::pool]
        reduce(result[:, : part.shape[1]], part, out=result[:, : part.shape[1]])
    return result
