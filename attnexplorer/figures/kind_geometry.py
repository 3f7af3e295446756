"""Vectors as arrows in a plane: queries and keys, which are compared, and values and outputs, which are mixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from attnexplorer.compute.numbers import percent
from attnexplorer.compute.planes import Numbers, Plane, axes_plane, components_plane
from attnexplorer.compute.stage_reads import compared_units
from attnexplorer.compute.stages import unit_for
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Group, beside, stacked
from attnexplorer.figures.fonts import font
from attnexplorer.figures.kinds import Built, Kind, register
from attnexplorer.figures.matrix_figure import LABEL_PIXELS
from attnexplorer.figures.plane import PlanePicture, fitted_layout, paint_plane
from attnexplorer.figures.plane_arrows import Arrow, ArrowKind, paint_sample
from attnexplorer.figures.plane_layout import PlaneLayout
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.theme import Theme
from attnexplorer.figures.titles import Title, place_words

_SIDE = 320.0
_GAP = 24.0
_MOST = 128
_SAMPLE = 26.0


@dataclass(frozen=True, slots=True)
class PlanePiece:
    """Arrows in the plane."""

    picture: PlanePicture
    layout: PlaneLayout

    @property
    def width(self) -> float:
        """The width in pixels."""
        return self.layout.width

    @property
    def height(self) -> float:
        """The height in pixels."""
        return self.layout.height

    def paint(self, painter: QPainter) -> None:
        """Paint the plane."""
        paint_plane(painter, self.picture, self.layout)


@dataclass(frozen=True, slots=True)
class LegendPiece:
    """Which arrows are what, in one line."""

    entries: tuple[tuple[ArrowKind, str], ...]
    theme: Theme
    height: float = 20.0

    @property
    def width(self) -> float:
        """The width in pixels."""
        return sum(self._extent(name) for _, name in self.entries)

    def paint(self, painter: QPainter) -> None:
        """Paint a sample of each arrow and its name."""
        left = 0.0
        for kind, name in self.entries:
            paint_sample(painter, kind, QRectF(left, 0, _SAMPLE, self.height), QColor(self.theme.text))
            painter.setFont(font("text", LABEL_PIXELS))
            painter.setPen(QColor(self.theme.text))
            painter.drawText(QPointF(left + _SAMPLE + 7, self.height / 2 + LABEL_PIXELS * 0.36), name)
            left += self._extent(name)

    def _extent(self, name: str) -> float:
        return _SAMPLE + 7 + QFontMetricsF(font("text", LABEL_PIXELS)).horizontalAdvance(name) + 18


def build_geometry(request: Request, fit: Fit) -> Built:
    """Return queries and keys in one plane, outputs and values in another."""
    experiment = request.experiment
    query, key = compared_units(experiment, request.layer, request.head)
    value = unit_for(experiment, "value", request.layer, request.head)
    output = unit_for(experiment, "head_output", request.layer, request.head)
    planes = [
        _plane(request, ((query.path, "query", "q", "queries"), (key.path, "key", "k", "keys")), fit),
        _plane(request, ((output.path, "output", "z", "outputs Z"), (value.path, "value", "v", "values")), fit),
    ]
    words = ", ".join(part for part in ("vectors in the plane", place_words(experiment, query.path)) if part)
    return Built(beside(planes, _GAP), Title("Geometry", words), "Arrows from the origin, one a token.")


_Rows = tuple[tuple[str, ArrowKind, str, str], tuple[str, ArrowKind, str, str]]


def _plane(request: Request, rows: _Rows, fit: Fit) -> Group:
    spec = request.spec
    contents = [request.content(path) for path, *_ in rows]
    matrices = [np.asarray(content.picture.values, dtype=np.float64) for content in contents]
    if sum(len(matrix) for matrix in matrices) > _MOST:
        raise FigureError(f"geometry draws up to {_MOST} arrows, but there are {sum(map(len, matrices)):,}")
    plane = _plane_of(np.concatenate(matrices), spec.axes)
    arrows = [
        Arrow(kind, index, x, y, letter, name)
        for (_, kind, letter, _), content, matrix in zip(rows, contents, matrices, strict=True)
        for index, ((x, y), name) in enumerate(zip(plane.project(matrix).tolist(), content.rows.texts, strict=True))
        if np.isfinite((x, y)).all()
    ]
    legend = tuple((kind, name) for _, kind, _, name in rows)
    across, up = _axis_names(plane, spec.decimal_point)
    picture = PlanePicture(tuple(arrows), across, up, spec.colours, spec.decimal_point)
    side = _SIDE * fit.cells
    return stacked([LegendPiece(legend, spec.colours), PlanePiece(picture, fitted_layout(picture, side, side))], 4.0)


def _plane_of(vectors: Numbers, axes: tuple[int, int] | None) -> Plane:
    """Return the plane of the wanted columns, or of the only two, or else of the principal components."""
    width = vectors.shape[1]
    if axes is None:
        return components_plane(vectors) if width > 2 else axes_plane(vectors, 0, width - 1)
    if not all(0 <= axis < width for axis in axes):
        raise FigureError(f"the axes are {axes[0]} and {axes[1]}, but there are {width} columns, counted from 0")
    return axes_plane(vectors, *axes)


def _axis_names(plane: Plane, decimal_point: str) -> tuple[str, str]:
    if plane.axes is not None:
        first, second = plane.axes
        return f"axis {first + 1}", "" if first == second else f"axis {second + 1}"
    # Of vectors that are all 0 no part lies anywhere.
    shares = ["" if np.isnan(share) else f", {percent(share, 0, decimal_point)}" for share in plane.shares]
    return f"component 1{shares[0]}", f"component 2{shares[1]}"


register(Kind("geometry", "queries, keys, values and outputs as arrows in the plane", build_geometry, needs=("query",)))
