"""The ground of a plane: grid lines at round numbers, the two axes, their numbers and names."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from attnexplorer.compute.numbers import MINUS
from attnexplorer.figures.fonts import font
from attnexplorer.figures.plane_layout import PlaneLayout
from attnexplorer.figures.theme import Theme

_LEAST_STEP = 64.0
"""Pixels between grid lines."""
_EDGE = 5.0


def grid_step(layout: PlaneLayout) -> float:
    """Return how far grid lines are apart: 1, 2 or 5 times a power of ten, wide enough for numbers between them."""
    rough = _LEAST_STEP * layout.scale / layout.unit
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= rough * (1 - 1e-9))


def paint_grid(painter: QPainter, theme: Theme, layout: PlaneLayout) -> None:
    """Paint the grid lines, and stronger the two axes."""
    faint = QColor(theme.border)
    faint.setAlphaF(0.6)
    painter.setPen(QPen(faint, 1.0))
    across, up = _lines(layout)
    painter.drawLines([QLineF(x, 0, x, layout.height) for x, _ in across])
    painter.drawLines([QLineF(0, y, layout.width, y) for y, _ in up])
    origin = layout.place(0.0, 0.0)
    painter.setPen(QPen(QColor(theme.hatch_line), 1.4))
    x, y = _crisp(origin.x()), _crisp(origin.y())
    painter.drawLines([QLineF(x, 0, x, layout.height), QLineF(0, y, layout.width, y)])


def paint_tick_labels(painter: QPainter, theme: Theme, layout: PlaneLayout, decimal_point: str) -> None:
    """Write the numbers beside the axes, or at the edge where an axis is out of sight."""
    face = font("text", 11 * layout.scale)
    metrics, decimals = QFontMetricsF(face), max(0, -math.floor(math.log10(grid_step(layout)) + 1e-9))
    painter.setFont(face)
    painter.setPen(QColor(theme.muted))
    origin, line = layout.place(0.0, 0.0), metrics.height()
    across, up = _lines(layout)
    top = min(max(origin.y() + 3, 2.0), layout.height - line - 2)
    for x, value in across:
        text = _number(value, decimals, decimal_point)
        width = metrics.horizontalAdvance(text)
        if value != 0 and width < x < layout.width - width:
            painter.drawText(QPointF(x - width / 2, top + metrics.ascent()), text)
    for y, value in up:
        text = _number(value, decimals, decimal_point)
        width = metrics.horizontalAdvance(text)
        left = min(max(origin.x() - width - _EDGE, _EDGE), layout.width - width - _EDGE)
        if value != 0 and 1.5 * line < y < layout.height - 1.5 * line:
            painter.drawText(QPointF(left, y - line / 2 + metrics.ascent()), text)


def paint_axis_names(painter: QPainter, theme: Theme, layout: PlaneLayout, horizontal: str, vertical: str) -> None:
    """Write the names of the axes at their ends, right and top."""
    ground = QColor(theme.card)
    ground.setAlphaF(0.85)
    painter.setFont(_name_font(layout))
    painter.setPen(QColor(theme.muted))
    for name, rect in zip((horizontal, vertical), axis_name_rects(layout, horizontal, vertical), strict=True):
        if name:
            painter.fillRect(rect, ground)
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, name)


def axis_name_rects(layout: PlaneLayout, horizontal: str, vertical: str) -> tuple[QRectF, QRectF]:
    """Return where the names of the axes stand."""
    metrics, origin = QFontMetricsF(_name_font(layout)), layout.place(0.0, 0.0)
    height = metrics.height() + 2
    width = metrics.horizontalAdvance(horizontal) + 8
    top = min(max(origin.y() - height - 1, 2.0), layout.height - height - 2)
    level = QRectF(layout.width - width - 4, top, width, height)
    width = metrics.horizontalAdvance(vertical) + 8
    left = min(max(origin.x() + 4, 4.0), layout.width - width - 4)
    return level, QRectF(left, 4, width, height)


def _name_font(layout: PlaneLayout) -> QFont:
    return font("text", 12 * layout.scale, bold=True)


def _lines(layout: PlaneLayout) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return the upright and the level grid lines, each with its place in pixels and its number."""
    step = grid_step(layout)
    left, top = layout.point(QPointF(0, 0))
    right, bottom = layout.point(QPointF(layout.width, layout.height))
    across = [(_crisp(layout.place(n * step, 0).x()), n * step) for n in _between(left / step, right / step)]
    up = [(_crisp(layout.place(0, n * step).y()), n * step) for n in _between(bottom / step, top / step)]
    return across, up


def _between(low: float, high: float) -> range:
    return range(math.ceil(low), math.floor(high) + 1)


def _crisp(pixel: float) -> float:
    """Return the middle of a pixel, so that a line of one pixel is one pixel."""
    return math.floor(pixel) + 0.5


def _number(value: float, decimals: int, decimal_point: str) -> str:
    if abs(value) >= 1e6 or decimals > 6:
        text = f"{abs(value):.0e}"
    else:
        text = f"{abs(value):.{decimals}f}".replace(".", decimal_point)
    return MINUS + text if value < 0 else text
