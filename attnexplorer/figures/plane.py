"""Vectors as arrows in the plane: grid, axes, arrows with heads, labels that keep clear of one another.

Screen and paper use the same routine. The colour of an arrow is its position's, its line style says which vector it is.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from PySide6.QtCore import QBuffer, QIODevice, QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from attnexplorer.figures.fonts import font
from attnexplorer.figures.plane_arrows import MANY, Arrow, ArrowKind, State, paint_arrows, paint_sample, strength
from attnexplorer.figures.plane_grid import axis_name_rects, paint_axis_names, paint_grid, paint_tick_labels
from attnexplorer.figures.plane_labels import MOST, Wanted, label_size, paint_label, place_labels
from attnexplorer.figures.plane_layout import PlaneLayout, fitted
from attnexplorer.figures.theme import Theme


@dataclass(frozen=True)
class PlanePicture:
    """Arrows with all that their picture depends on, apart from what part of the plane is looked at.

    Parameters
    ----------
    horizontal, vertical
        The names of the axes.
    legend
        The kinds of arrows to be explained in the picture, with their names.
    """

    arrows: tuple[Arrow, ...]
    horizontal: str
    vertical: str
    theme: Theme
    decimal_point: str = "."
    legend: tuple[tuple[ArrowKind, str], ...] = ()

    @cached_property
    def tips(self) -> tuple[tuple[float, float], ...]:
        """Where the arrows end."""
        return tuple((arrow.x, arrow.y) for arrow in self.arrows)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The arrows in the order of painting: short ones over long ones, and over all what stands out."""
        ranks = [(_RANK[arrow.state], -math.hypot(arrow.x, arrow.y)) for arrow in self.arrows]
        return tuple(sorted(range(len(ranks)), key=ranks.__getitem__))


class PlacedLabel(NamedTuple):
    """The label of an arrow, by its place among the arrows, and where it stands."""

    arrow: int
    rect: QRectF


def fitted_layout(picture: PlanePicture, width: float, height: float, scale: float = 1.0) -> PlaneLayout:
    """Return the layout in which every arrow, and the origin, is inside with room for its label."""
    return fitted(picture.tips, width, height, scale)


def paint_plane(painter: QPainter, picture: PlanePicture, layout: PlaneLayout) -> None:
    """Paint a plane with its top left corner at the painter's origin; what lies beyond the layout is cut off."""
    paint_still(painter, picture, layout)
    paint_moving(painter, picture, layout)


def still_arrows(picture: PlanePicture) -> tuple[Arrow, ...]:
    """Return the arrows that `paint_still` paints, as they lie over each other: those that are not chosen."""
    return tuple(arrow for arrow in _in_order(picture) if arrow.state != "chosen")


def paint_still(painter: QPainter, picture: PlanePicture, layout: PlaneLayout) -> None:
    """Paint what lies below the chosen arrow and stays while that one is dragged."""
    with _clipped(painter, layout):
        paint_grid(painter, picture.theme, layout)
        paint_tick_labels(painter, picture.theme, layout, picture.decimal_point)
        paint_arrows(painter, still_arrows(picture), layout, picture.theme, len(picture.arrows))


def paint_moving(painter: QPainter, picture: PlanePicture, layout: PlaneLayout) -> None:
    """Paint the chosen arrow, and the labels, which make room for each other."""
    with _clipped(painter, layout):
        chosen = [arrow for arrow in _in_order(picture) if arrow.state == "chosen"]
        paint_arrows(painter, chosen, layout, picture.theme, len(picture.arrows))
        _paint_texts(painter, picture, layout)


@contextlib.contextmanager
def _clipped(painter: QPainter, layout: PlaneLayout) -> Iterator[None]:
    painter.save()
    painter.setClipRect(layout.rect)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    try:
        yield
    finally:
        painter.restore()


def _paint_texts(painter: QPainter, picture: PlanePicture, layout: PlaneLayout) -> None:
    for placed in arrow_labels(picture, layout):
        arrow = picture.arrows[placed.arrow]
        paint_label(painter, arrow.letter, arrow.token, placed.rect, picture.theme, layout.scale, strength(arrow.state))
    paint_axis_names(painter, picture.theme, layout, picture.horizontal, picture.vertical)
    _paint_legend(painter, picture, layout)


def arrow_labels(picture: PlanePicture, layout: PlaneLayout) -> tuple[PlacedLabel, ...]:
    """Return the labels that have room; those of arrows that stand out come first, then those of long arrows."""
    arrows, places = picture.arrows, layout.places(picture.tips)
    tips, inside = [QPointF(x, y) for x, y in places.tolist()], layout.rect
    order = [index for index in reversed(picture.order) if inside.contains(tips[index])][:MOST]
    wanted = [
        Wanted(tips[i], _direction(arrows[i]), *label_size(arrows[i].letter, arrows[i].token, layout.scale))
        for i in order
    ]
    needed = sum(arrows[i].state in ("lit", "chosen") for i in order)
    kept = axis_name_rects(layout, picture.horizontal, picture.vertical)
    found = place_labels(wanted, layout, places, kept, shafts=len(arrows) <= MANY // 2, needed=needed)
    return tuple(PlacedLabel(i, rect) for i, rect in zip(order, found, strict=True) if rect is not None)


def arrow_at(picture: PlanePicture, layout: PlaneLayout, place: QPointF, reach: float = 9.0) -> int | None:
    """Return the arrow whose tip is within reach of a place, else the one whose shaft is, else None.

    Of several, the one painted last, which is on top, unless another tip is nearer.
    """
    tips = [QPointF(x, y) for x, y in layout.places(picture.tips).tolist()]
    order = picture.order[::-1]
    nearest: tuple[float, int] | None = None
    for index in order:
        distance = QLineF(tips[index], place).length()
        if distance <= reach and (nearest is None or distance < nearest[0] - 0.5):
            nearest = (distance, index)
    if nearest is not None:
        return nearest[1]
    origin = layout.place(0.0, 0.0)
    for index in order:
        if _distance_to_shaft(origin, tips[index], place) <= reach / 2:
            return index
    return None


def plane_image(picture: PlanePicture, layout: PlaneLayout, scale: float = 2.0) -> QImage:
    """Return a plane on the card's colour as an image, `scale` times as many pixels each way."""
    image = QImage(round(layout.width * scale), round(layout.height * scale), QImage.Format.Format_RGB32)
    image.fill(QColor(picture.theme.card))
    with QPainter(image) as painter:
        painter.scale(scale, scale)
        paint_plane(painter, picture, layout)
    return image


def plane_svg(picture: PlanePicture, layout: PlaneLayout) -> bytes:
    """Return a plane as an SVG file of the layout's size, with real lines and text."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    size = QSizeF(layout.width, layout.height)
    generator.setSize(size.toSize())
    generator.setViewBox(QRectF(QPointF(0, 0), QSizeF(size.toSize())))
    generator.setResolution(96)
    generator.setTitle(f"{picture.horizontal}, {picture.vertical}")
    with QPainter(generator) as painter:
        painter.fillRect(layout.rect, QColor(picture.theme.card))
        paint_plane(painter, picture, layout)
    return bytes(buffer.data().data())


_RANK: dict[State, int] = {"faint": 0, "plain": 1, "lit": 2, "chosen": 3}
_SAMPLE = 26.0


def _in_order(picture: PlanePicture) -> Iterator[Arrow]:
    return map(picture.arrows.__getitem__, picture.order)


def _direction(arrow: Arrow) -> float:
    """Return the angle of an arrow; a vector of zeros gets one that leaves room for its label."""
    return math.atan2(arrow.y, arrow.x) if arrow.x or arrow.y else math.pi / 4


def _distance_to_shaft(origin: QPointF, tip: QPointF, place: QPointF) -> float:
    shaft, there = tip - origin, place - origin
    squared = QPointF.dotProduct(shaft, shaft)
    share = min(1.0, max(0.0, QPointF.dotProduct(shaft, there) / squared)) if squared else 0.0
    return QLineF(origin + shaft * share, place).length()


def _paint_legend(painter: QPainter, picture: PlanePicture, layout: PlaneLayout) -> None:
    face, left, line = font("text", 12 * layout.scale), 10.0, 18.0 * layout.scale
    for row, (kind, name) in enumerate(picture.legend):
        top = 8.0 + row * line
        sample = QRectF(left, top, _SAMPLE * layout.scale, line)
        paint_sample(painter, kind, sample, QColor(picture.theme.text))
        painter.setFont(face)
        painter.setPen(QColor(picture.theme.text))
        rect = QRectF(sample.right() + 8, top, layout.width, line)
        painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
