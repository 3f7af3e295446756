"""What part of the plane a picture shows, and how large: numbers ↔ pixels."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QPointF, QRectF

_LEAST_UNIT, _MOST_UNIT = 1e-303, 1e12
"""In the widest view, numbers are finite in a picture of 100,000 pixels."""
_FARTHEST = 1e15
"""Pixels from the middle: what lies farther away is shown in its direction. QPainter counts in finite numbers."""
_ROOM = 46.0
"""Pixels between the outermost tip and the edge, for its label."""


@dataclass(frozen=True, slots=True)
class PlaneLayout:
    """A view of the plane. `centre` is what lies in the middle, `unit` how many pixels 1 is, in both directions."""

    width: float
    height: float
    centre: tuple[float, float] = (0.0, 0.0)
    unit: float = 100.0
    scale: float = 1.0

    @property
    def rect(self) -> QRectF:
        """The whole picture."""
        return QRectF(0, 0, self.width, self.height)

    @property
    def decimals(self) -> int:
        """So many decimals tell neighbouring pixels apart."""
        return max(0, math.ceil(math.log10(self.unit) - 1e-9))

    def place(self, x: float, y: float) -> QPointF:
        """Return where a point of the plane lies."""
        across, up = _finite(x - self.centre[0]), _finite(y - self.centre[1])
        farthest = max(abs(across), abs(up))
        if farthest > _FARTHEST / self.unit:
            share = _FARTHEST / self.unit / farthest
            across, up = across * share, up * share
        return QPointF(self.width / 2 + across * self.unit, self.height / 2 - up * self.unit)

    def places(self, points: ArrayLike) -> NDArray[np.float64]:
        """Return where many points lie, as `place` does. Shape: [n, 2] → [n, 2]."""
        with np.errstate(over="ignore"):
            offsets = np.asarray(points, dtype=np.float64).reshape(-1, 2) - self.centre
        offsets = np.clip(offsets, -sys.float_info.max, sys.float_info.max)
        farthest, most = np.abs(offsets).max(axis=1, initial=0.0), _FARTHEST / self.unit
        far = farthest > most
        offsets[far] *= (most / farthest[far])[:, None]
        return np.array((self.width / 2, self.height / 2)) + offsets * (self.unit, -self.unit)

    def point(self, place: QPointF) -> tuple[float, float]:
        """Return which point of the plane lies at a place."""
        return (
            self.centre[0] + (place.x() - self.width / 2) / self.unit,
            self.centre[1] - (place.y() - self.height / 2) / self.unit,
        )

    def shows(self, points: ArrayLike) -> bool:
        """Tell whether all points are inside the picture. Shape: [n, 2]."""
        places = self.places(points)
        return bool(((places >= 0) & (places <= (self.width, self.height))).all())

    def zoomed(self, factor: float, about: QPointF) -> PlaneLayout:
        """Return a closer view (or a wider one) in which the point at `about` stays where it is."""
        unit = min(max(self.unit * factor, _LEAST_UNIT), _MOST_UNIT)
        x, y = self.point(about)
        shift = (about.x() - self.width / 2) / unit, (about.y() - self.height / 2) / unit
        return replace(self, unit=unit, centre=(x - shift[0], y + shift[1]))

    def panned(self, by: QPointF) -> PlaneLayout:
        """Return the view after everything was pushed so many pixels."""
        x, y = self.centre
        return replace(self, centre=(x - by.x() / self.unit, y + by.y() / self.unit))

    def resized(self, width: float, height: float) -> PlaneLayout:
        """Return the view in a picture of another size: what was in the middle stays there."""
        return replace(self, width=width, height=height)


def fitted(tips: Sequence[tuple[float, float]], width: float, height: float, scale: float) -> PlaneLayout:
    """Return the view that shows the origin and every tip as large as fits."""
    xs = [0.0, *(x for x, _ in tips)]
    ys = [0.0, *(y for _, y in tips)]
    room = min(_ROOM * scale, width / 4, height / 4)
    across, up = max(width - 2 * room, 1.0), max(height - 2 * room, 1.0)
    # Divided first: the sum of two of the largest numbers would be infinite.
    spans = (max(xs) / across - min(xs) / across, max(ys) / up - min(ys) / up)
    unit = 1.0 / max(*spans, 1e-300) if max(spans) > 0 else min(across, up) / 2
    # What is too far away to be shown whole is seen in its direction from the origin.
    fits = unit >= _LEAST_UNIT
    centre = (max(xs) / 2 + min(xs) / 2, max(ys) / 2 + min(ys) / 2) if fits else (0.0, 0.0)
    return PlaneLayout(width, height, centre, min(max(unit, _LEAST_UNIT), _MOST_UNIT), scale)


def _finite(number: float) -> float:
    return min(max(number, -sys.float_info.max), sys.float_info.max)
