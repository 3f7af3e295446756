"""A figure: pieces of known size at known places, and the routine that paints them all.

Sizes and places are in pixels of the layout, of which 12 are the size of a label; what a pixel measures on paper is
`Figure.points_per_pixel`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from attnexplorer.figures.theme import Theme

Alignment = Literal["start", "middle", "end"]
_SHARE: dict[Alignment, float] = {"start": 0.0, "middle": 0.5, "end": 1.0}


class Piece(Protocol):
    """Something that knows its size and can be painted with its top left corner at the painter's origin."""

    @property
    def width(self) -> float: ...
    @property
    def height(self) -> float: ...
    def paint(self, painter: QPainter) -> None: ...


class Placed(NamedTuple):
    """A piece and where its top left corner is."""

    x: float
    y: float
    piece: Piece


@dataclass(frozen=True, slots=True)
class Group:
    """Pieces that are one piece."""

    width: float
    height: float
    placed: tuple[Placed, ...]

    def paint(self, painter: QPainter) -> None:
        """Paint every piece."""
        for x, y, piece in self.placed:
            painter.save()
            painter.translate(x, y)
            piece.paint(painter)
            painter.restore()


@dataclass(frozen=True, slots=True)
class Faded:
    """A piece that is painted faintly."""

    piece: Piece
    opacity: float

    @property
    def width(self) -> float:
        """The width of the piece."""
        return self.piece.width

    @property
    def height(self) -> float:
        """The height of the piece."""
        return self.piece.height

    def paint(self, painter: QPainter) -> None:
        """Paint the piece."""
        painter.save()
        painter.setOpacity(painter.opacity() * self.opacity)
        self.piece.paint(painter)
        painter.restore()


@dataclass(frozen=True, slots=True)
class Space:
    """Nothing, of a size."""

    width: float
    height: float

    def paint(self, painter: QPainter) -> None:
        """Paint nothing."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that is laid out: all that is left is to paint it.

    Parameters
    ----------
    ground
        Whether the theme's colour is painted under it.
    title, description
        What it shows, as plain text: for screen readers, file properties and notes.
    numbers_left_out
        Whether the numbers that are asked for are not written because the cells are too small for them.
    """

    width: float
    height: float
    content: Group
    theme: Theme
    points_per_pixel: float
    ground: bool = True
    title: str = ""
    description: str = ""
    numbers_left_out: bool = False

    @property
    def points(self) -> tuple[float, float]:
        """Width and height in points, as printed."""
        return self.width * self.points_per_pixel, self.height * self.points_per_pixel


def paint_figure(painter: QPainter, figure: Figure) -> None:
    """Paint a figure with its top left corner at the painter's origin, a pixel of the layout a unit."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    if figure.ground:
        painter.fillRect(QRectF(0, 0, figure.width, figure.height), QColor(figure.theme.card))
    figure.content.paint(painter)


def beside(pieces: Sequence[Piece], gap: float = 0.0, align: Alignment = "start") -> Group:
    """Put pieces beside one another."""
    height = max((piece.height for piece in pieces), default=0.0)
    placed, x = [], 0.0
    for piece in pieces:
        placed.append(Placed(x, (height - piece.height) * _SHARE[align], piece))
        x += piece.width + gap
    return Group(max(0.0, x - gap), height, tuple(placed))


def stacked(pieces: Iterable[Piece], gap: float = 0.0, align: Alignment = "start") -> Group:
    """Put pieces below one another."""
    kept = list(pieces)
    width = max((piece.width for piece in kept), default=0.0)
    placed, y = [], 0.0
    for piece in kept:
        placed.append(Placed((width - piece.width) * _SHARE[align], y, piece))
        y += piece.height + gap
    return Group(width, max(0.0, y - gap), tuple(placed))


def grid(pieces: Sequence[Piece], columns: int, gap: float) -> Group:
    """Put pieces in rows of so many columns; every column is as wide as its widest piece. Right edges line up."""
    widths = [max(piece.width for piece in pieces[column::columns]) for column in range(min(columns, len(pieces)))]
    placed, y = [], 0.0
    for start in range(0, len(pieces), columns):
        row = pieces[start : start + columns]
        height = max(piece.height for piece in row)
        for column, piece in enumerate(row):
            x = sum(widths[:column]) + column * gap + widths[column] - piece.width
            placed.append(Placed(x, y + height - piece.height, piece))
        y += height + gap
    return Group(sum(widths) + gap * (len(widths) - 1), max(0.0, y - gap), tuple(placed))
