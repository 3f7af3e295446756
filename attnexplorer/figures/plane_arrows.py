"""Arrows from the origin of a plane: how each kind is drawn, and all of them painted.

The places of all heads are computed at once, since a picture can have a thousand arrows and is painted while one of
them is dragged.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from attnexplorer.figures.plane_layout import PlaneLayout
from attnexplorer.figures.theme import Theme, position_colour

ArrowKind = Literal["query", "key", "value", "output", "input"]
State = Literal["plain", "lit", "chosen", "faint"]
MANY = 40
"""From so many arrows on they are drawn thinner."""
_HEAD_HALF = 0.42
"""Half the width of a head, in its lengths."""
_NO_PEN = QPen(Qt.PenStyle.NoPen)


class LineLook(NamedTuple):
    """How the arrows of a kind are drawn: width, dashes in widths (none: solid), and whether the head is filled."""

    width: float
    dashes: tuple[float, ...]
    filled: bool


LOOKS: dict[ArrowKind, LineLook] = {
    "query": LineLook(2.0, (), True),
    "key": LineLook(2.0, (5.0, 2.5), False),
    "value": LineLook(1.8, (1.0, 2.2), True),
    "output": LineLook(3.4, (), True),
    "input": LineLook(1.6, (6.0, 2.0, 1.0, 2.0), False),
}


class Arrow(NamedTuple):
    """A vector of the plane. `letter` is what it is, `token` whose it is, `position` gives its colour."""

    kind: ArrowKind
    position: int
    x: float
    y: float
    letter: str
    token: str
    state: State = "plain"


def strength(state: State) -> float:
    """Return the opacity of an arrow and its label."""
    return 0.35 if state == "faint" else 1.0


def paint_arrows(painter: QPainter, arrows: Sequence[Arrow], layout: PlaneLayout, theme: Theme, in_all: int) -> None:
    """Paint some of `in_all` arrows in the order given, so that later ones lie on top."""
    thickness = layout.scale * (1.0 if in_all < MANY else 0.7)
    strokes = [_arrow_stroke(arrow.kind, arrow.position, arrow.state, thickness) for arrow in arrows]
    tips = layout.places([(arrow.x, arrow.y) for arrow in arrows])
    start = layout.place(0.0, 0.0)
    chosen = [arrow.state == "chosen" for arrow in arrows]
    ring = QPen(QColor(theme.text), 1.6 * layout.scale), 8.0 * layout.scale
    x, y = start.toTuple()
    for stroke, shape, ringed in zip(strokes, _shapes(x, y, tips, strokes), chosen, strict=True):
        _paint_stroke(painter, x, y, stroke, shape)
        if ringed:
            painter.setPen(ring[0])
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(shape[0], shape[1]), ring[1], ring[1])


def paint_sample(painter: QPainter, kind: ArrowKind, rect: QRectF, colour: QColor) -> None:
    """Paint a short level arrow of a kind across a rectangle."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    x, y, stroke = rect.left(), rect.center().y(), _stroke(LOOKS[kind], 1.0, colour.rgba())
    (shape,) = _shapes(x, y, np.array([[rect.right(), y]]), [stroke])
    _paint_stroke(painter, x, y, stroke, shape)


class _Stroke(NamedTuple):
    """All of an arrow that does not depend on where it ends; `head` and `width` in pixels."""

    shaft: QPen
    edge: QPen
    fill: QBrush
    filled: bool
    width: float
    head: float


_Shape = list[float]
"""The tip, the two ends of the head, and the end of the shaft, each as x and y; then the arrow's length."""


@lru_cache(maxsize=8192)
def _arrow_stroke(kind: ArrowKind, position: int, state: State, thickness: float) -> _Stroke:
    colour = QColor(position_colour(position))
    colour.setAlphaF(strength(state))
    return _stroke(LOOKS[kind], thickness * (1.5 if state in ("lit", "chosen") else 1.0), colour.rgba())


def _stroke(look: LineLook, thickness: float, rgba: int) -> _Stroke:
    colour, width = QColor.fromRgba(rgba), look.width * thickness
    edge = QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin)
    shaft = QPen(edge)
    if look.dashes:
        shaft.setDashPattern(list(look.dashes))
    return _Stroke(shaft, edge, QBrush(colour), look.filled, width, 5.5 * thickness + 1.6 * width)


def _shapes(x: float, y: float, tips: NDArray[np.float64], strokes: Sequence[_Stroke]) -> list[_Shape]:
    """Return where the parts of arrows lie that begin at x, y. Shape of `tips`: [n, 2]."""
    offset = tips - (x, y)
    length = np.hypot(offset[:, 0], offset[:, 1])
    widths, heads = (np.array([getattr(stroke, name) for stroke in strokes]) for name in ("width", "head"))
    filled = np.array([stroke.filled for stroke in strokes])
    head = np.minimum(heads, length)
    along = offset / np.maximum(length, 1.0)[:, None]
    foot, half = tips - along * head[:, None], head[:, None] * _HEAD_HALF
    across = np.column_stack((-along[:, 1], along[:, 0])) * half
    # The shaft ends inside a filled head, and short of the point of an open one.
    shaft = tips - along * np.where(filled, head - widths / 2, widths)[:, None]
    return np.column_stack((tips, foot + across, foot - across, shaft, length)).tolist()  # type: ignore[no-any-return]


def _paint_stroke(painter: QPainter, start_x: float, start_y: float, stroke: _Stroke, shape: _Shape) -> None:
    x, y, left_x, left_y, right_x, right_y, end_x, end_y, length = shape
    if length < 1.0:
        painter.setPen(_NO_PEN)
        painter.setBrush(stroke.fill)
        painter.drawEllipse(QPointF(x, y), 2.0 * stroke.width, 2.0 * stroke.width)
        return
    painter.setPen(stroke.shaft)
    painter.drawLine(QLineF(start_x, start_y, end_x, end_y))
    if stroke.filled:
        painter.setPen(_NO_PEN)
        painter.setBrush(stroke.fill)
        painter.drawPolygon(QPolygonF([QPointF(x, y), QPointF(left_x, left_y), QPointF(right_x, right_y)]))
    else:
        painter.setPen(stroke.edge)
        painter.drawPolyline(QPolygonF([QPointF(left_x, left_y), QPointF(x, y), QPointF(right_x, right_y)]))
