"""Where the cards of the Heads workspace stand: a pure function of the room and of what they want."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QRect

from attnexplorer.figures.head_grid import GridLayout, fit_grid

EDGE, GAP = 12, 10
_MIDDLE = 720
_GRID_SHARE = 0.52


@dataclass(frozen=True, slots=True)
class Wishes:
    """What decides the places. `height_of(card, width)` is the height that a card wants at a width."""

    tiles: int
    shape: tuple[int, int]
    metrics: int
    scale: float
    cards: tuple[str, ...]
    height_of: Callable[[str, int], int]


@dataclass(frozen=True, slots=True)
class Placing:
    """The layout of the grid, the rectangles of grid and cards, and the height of it all."""

    grid: GridLayout
    places: dict[str, QRect]
    height: int


def place(width: int, height: int, wishes: Wishes) -> Placing:
    """Place grid and cards into a width; the height is that of the window, beyond which it scrolls."""
    inner = width - 2 * EDGE
    if inner >= _MIDDLE * wishes.scale:
        beside = _fit(round(inner * _GRID_SHARE), height - 2 * EDGE, wishes)
        if beside.height <= height - 2 * EDGE or wishes.tiles <= 4:
            return _place_beside(inner, beside, wishes)
    share = 0.62 if inner >= _MIDDLE * wishes.scale else 1.0
    return _place_below(inner, _fit(inner, round(height * share) - EDGE, wishes, fill=True), wishes)


def _fit(width: int, height: int, wishes: Wishes, *, fill: bool = False) -> GridLayout:
    return fit_grid(width, height, wishes.tiles, wishes.shape, wishes.metrics, wishes.scale, fill=fill)


def _place_beside(inner: int, grid: GridLayout, wishes: Wishes) -> Placing:
    """Grid on the left with what fits below it, the others on the right, in two columns where it is wide."""
    places = {"grid": QRect(EDGE, EDGE, grid.width, grid.height)}
    left = _Column(EDGE, max(grid.width, round(inner * 0.34)), EDGE + grid.height + GAP)
    right = _Column(left.x + left.width + GAP, inner - left.width - GAP, EDGE)
    right.put("map", wishes, places)
    columns = [left, *_split(right, wishes)]
    for card in wishes.cards:
        if card == "flow":
            columns[1].put(card, wishes, places)
        elif card != "map":
            min(columns, key=lambda column: column.bottom).put(card, wishes, places)
    return Placing(grid, places, max(column.bottom for column in columns) - GAP + EDGE)


def _split(column: _Column, wishes: Wishes) -> list[_Column]:
    if column.width < _MIDDLE * wishes.scale:
        return [column]
    first = round((column.width - GAP) * 0.54)
    second = column.width - GAP - first
    return [_Column(column.x, first, column.bottom), _Column(column.x + first + GAP, second, column.bottom)]


def _place_below(inner: int, grid: GridLayout, wishes: Wishes) -> Placing:
    """Grid on top, the others below it in as many columns as there is room for."""
    places = {"grid": QRect(EDGE, EDGE, grid.width, grid.height)}
    top = EDGE + grid.height + GAP
    count = 2 if inner >= _MIDDLE * wishes.scale else 1
    width = (inner - GAP * (count - 1)) // count
    columns = [_Column(EDGE + index * (width + GAP), width, top) for index in range(count)]
    for card in wishes.cards:
        min(columns, key=lambda column: column.bottom).put(card, wishes, places)
    return Placing(grid, places, max(column.bottom for column in columns) - GAP + EDGE)


class _Column:
    """A column that is filled from the top."""

    def __init__(self, x: int, width: int, bottom: int) -> None:
        self.x, self.width, self.bottom = x, width, bottom

    def put(self, card: str, wishes: Wishes, places: dict[str, QRect]) -> None:
        height = wishes.height_of(card, self.width)
        places[card] = QRect(self.x, self.bottom, self.width, height)
        self.bottom += height + GAP
