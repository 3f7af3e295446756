"""What is plotted: curves, points and histograms, and their painting. Colours are names of the theme's colours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from attnexplorer.figures.axes import Axis
from attnexplorer.figures.theme import Theme

Colour = Literal["accent", "bad", "muted", "text"]
Values = tuple[float, ...]
RADIUS = 3.5
"""Of a point, in pixels."""


@dataclass(frozen=True, slots=True)
class Line:
    """A curve through points in rising order of x; it is broken where y is not a number."""

    xs: Values
    ys: Values
    colour: Colour = "accent"
    dashed: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Points:
    """Marks at points that are numbers; the one at `chosen` is larger and ringed."""

    xs: Values
    ys: Values
    colour: Colour = "accent"
    shape: Literal["circle", "square"] = "circle"
    chosen: float | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Bins:
    """A histogram: `heights[i]` stands from `edges[i]` to `edges[i + 1]`."""

    edges: Values
    heights: Values
    colour: Colour = "accent"
    name: str = ""


Series = Line | Points | Bins


@dataclass(frozen=True, slots=True)
class Places:
    """Where points lie between two axes, in pixels."""

    x: Axis
    y: Axis
    area: QRectF

    def of(self, xs: Sequence[float], ys: Sequence[float]) -> list[QPointF]:
        """Return the places of points."""
        across = self.area.left() + self.x.fractions(xs) * self.area.width()
        up = self.area.bottom() - self.y.fractions(ys) * self.area.height()
        return list(map(QPointF, across.tolist(), up.tolist()))


def paint_series(painter: QPainter, series: Series, theme: Theme, places: Places) -> None:
    """Paint one curve, the marks of one set of points, or one histogram."""
    if isinstance(series, Line):
        _paint_line(painter, series, theme, places)
    elif isinstance(series, Points):
        _paint_points(painter, series, theme, places)
    else:
        _paint_bins(painter, series, theme, places)


def _paint_line(painter: QPainter, line: Line, theme: Theme, places: Places) -> None:
    style = Qt.PenStyle.DashLine if line.dashed else Qt.PenStyle.SolidLine
    painter.setPen(QPen(QColor(getattr(theme, line.colour)), 1.2 if line.dashed else 2.0, style))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    points = places.of(line.xs, line.ys)
    whole = np.isfinite(line.ys)
    if whole.all():
        painter.drawPolyline(QPolygonF(points))
        return
    for start, end in _runs(whole.tolist()):
        painter.drawPolyline(QPolygonF(points[start:end]))


def _runs(flags: list[bool]) -> Iterator[tuple[int, int]]:
    start: int | None = None
    for index, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            yield start, index
            start = None


def _paint_points(painter: QPainter, points: Points, theme: Theme, places: Places) -> None:
    colour = QColor(getattr(theme, points.colour))
    for x, place in zip(points.xs, places.of(points.xs, points.ys), strict=True):
        if not (math.isfinite(place.x()) and math.isfinite(place.y())):
            continue
        chosen = x == points.chosen
        radius = RADIUS + (1.5 if chosen else 0.0)
        painter.setPen(QPen(QColor(theme.text), 1.5) if chosen else Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        if points.shape == "circle":
            painter.drawEllipse(place, radius, radius)
        else:
            painter.drawRect(QRectF(place.x() - radius, place.y() - radius, 2 * radius, 2 * radius))


def _paint_bins(painter: QPainter, bins: Bins, theme: Theme, places: Places) -> None:
    colour = QColor(getattr(theme, bins.colour))
    colour.setAlphaF(0.55)
    across = [place.x() for place in places.of(bins.edges, (0.0,) * len(bins.edges))]
    tops = [place.y() for place in places.of(bins.edges[:-1], bins.heights)]
    bottom = places.area.bottom()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    rects = [QRectF(a, y, b - a, bottom - y) for a, b, y in zip(across, across[1:], tops, strict=False)]
    painter.drawRects(rects)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
