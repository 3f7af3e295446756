"""Vectors as arrows in a plane: queries and keys, which are compared, and values and outputs, which are mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from attnexplorer.compute.numbers import percent
from attnexplorer.compute.planes import Numbers, Plane, axes_plane, components_plane
from attnexplorer.compute.units import Unit
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Group, beside, stacked
from attnexplorer.figures.fonts import font
from attnexplorer.figures.kinds import Built, Kind, register
from attnexplorer.figures.matrix_figure import LABEL_PIXELS
from attnexplorer.figures.plane import PlanePicture, fitted_layout, paint_plane
from attnexplorer.figures.plane_arrows import Arrow, ArrowKind, paint_sample
from attnexplorer.figures.plane_layout import PlaneLayout
from attnexplorer.figures.plane_vectors import KINDS, NAMES, vector_letter, vector_unit
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.theme import Theme
from attnexplorer.figures.titles import Title, place_words

_SIDE = 320.0
_GAP = 24.0
_MOST = 2048
_USUAL: tuple[tuple[ArrowKind, ...], ...] = (("query", "key"), ("output", "value"))
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
    """Return the kinds of vectors that are asked for, a plane for those of one width."""
    planes = [_plane(request, rows, fit) for rows in _planes(request)]
    place = place_words(request.experiment, Unit("weights", request.layer, request.head).path)
    words = ", ".join(part for part in ("vectors in the plane", place) if part)
    return Built(beside(planes, _GAP), Title("Geometry", words), "Arrows from the origin, one a token.")


class _Rows(NamedTuple):
    """The vectors of one kind: the path of the matrix whose rows they are, their letter and their name."""

    kind: ArrowKind
    path: str
    letter: str
    name: str


def _planes(request: Request) -> list[list[_Rows]]:
    wanted = request.spec.vectors
    if not wanted:
        return [[_rows(request, kind) for kind in kinds] for kinds in _USUAL]
    unknown = next((kind for kind in wanted if kind not in KINDS), None)
    if unknown is not None:
        raise FigureError(f"there are no vectors {unknown!r}; there are {', '.join(KINDS)}")
    planes: dict[int, list[_Rows]] = {}
    for rows in (_rows(request, kind) for kind in KINDS if kind in wanted):
        planes.setdefault(request.content(rows.path).shape[1], []).append(rows)
    return list(planes.values())


def _rows(request: Request, kind: ArrowKind) -> _Rows:
    unit = vector_unit(request.experiment, kind, request.layer, request.head)
    return _Rows(kind, unit.path, vector_letter(kind, unit), NAMES[kind])


def _plane(request: Request, rows: Sequence[_Rows], fit: Fit) -> Group:
    spec = request.spec
    contents = [request.content(each.path) for each in rows]
    matrices = [np.asarray(content.picture.values, dtype=np.float64) for content in contents]
    if sum(len(matrix) for matrix in matrices) > _MOST:
        raise FigureError(f"geometry draws up to {_MOST} arrows, but there are {sum(map(len, matrices)):,}")
    plane = _plane_of(np.concatenate(matrices), spec.axes)
    arrows = [
        Arrow(each.kind, index, x, y, each.letter, name)
        for each, content, matrix in zip(rows, contents, matrices, strict=True)
        for index, ((x, y), name) in enumerate(zip(plane.project(matrix).tolist(), content.rows.texts, strict=True))
        if np.isfinite((x, y)).all()
    ]
    legend = tuple((each.kind, each.name) for each in rows)
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
