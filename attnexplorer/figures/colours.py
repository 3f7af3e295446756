"""Values → colours. The same code colours a cell on screen, in a colour bar and in a figure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from attnexplorer.figures.theme import Theme

Argb = NDArray[np.uint32]
ScaleKind = Literal["diverging", "sequential"]
_STEPS = 256


@dataclass(frozen=True, slots=True)
class ColourScale:
    """How values become colours.

    diverging: from -high over 0, which is always the neutral colour, to high; sequential: from low to high.
    """

    kind: ScaleKind
    low: float
    high: float


def diverging_for(values: NDArray[np.floating]) -> ColourScale:
    """Return the symmetric scale that just holds the finite values; all zero (or none finite) gives -1 to 1."""
    limit = largest_magnitude(values) or 1.0
    return ColourScale("diverging", -limit, limit)


WEIGHTS = ColourScale("sequential", 0.0, 1.0)


def largest_magnitude(values: NDArray[np.floating]) -> float:
    """Return the largest finite |value|, or 0."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if math.isfinite(largest):
        return largest
    return float(np.abs(values).max(initial=0.0, where=np.isfinite(values)))


def argb(values: NDArray[np.floating], scale: ColourScale, theme: Theme) -> Argb:
    """Return the colour of every value as 0xAARRGGBB. Shape: [rows, columns] → [rows, columns], C order.

    Values beyond the ends take the colour of the end. NaN, +∞ and -∞ have colours of their own, not of the scale.
    """
    table = _table(scale.kind, theme)
    with np.errstate(all="ignore"):
        place = _place(values, scale)
        finite = np.isfinite(values)
        if finite.all():
            return table[place.astype(np.intp)]
        colours = table[np.where(finite, place, 0.0).astype(np.intp)]
    colours[~finite] = QColor(theme.not_a_number).rgba()
    colours[np.isposinf(values)] = QColor(theme.plus_infinity).rgba()
    colours[np.isneginf(values)] = QColor(theme.minus_infinity).rgba()
    return colours


def faded(colours: Argb, ground: str, strength: float) -> Argb:
    """Mix colours with a ground: `strength` of them, the rest of it. Shape as given."""
    under, mixed = QColor(ground).rgb(), np.full(colours.shape, 0xFF000000, dtype=np.uint32)
    for shift in (16, 8, 0):
        over = ((colours >> shift) & 0xFF).astype(np.float64)
        part = strength * over + (1.0 - strength) * ((under >> shift) & 0xFF)
        mixed |= part.round().astype(np.uint32) << np.uint32(shift)
    return mixed


def colour_of(value: float, scale: ColourScale, theme: Theme) -> QColor:
    """Return the colour of one value."""
    return QColor.fromRgba(int(argb(np.array([[value]]), scale, theme)[0, 0]))


def image_of(colours: Argb) -> QImage:
    """Return an image with one pixel a value. The image reads the array's memory and keeps it alive."""
    rows, columns = colours.shape
    image = QImage(colours.data, columns, rows, columns * 4, QImage.Format.Format_RGB32)
    image.array = colours  # type: ignore[attr-defined]
    return image


def needs_light_text(colours: Argb) -> NDArray[np.bool_]:
    """Return where light text has more contrast than dark text. Shape as given. Source: WCAG 2.1."""
    red, green, blue = (((colours >> shift) & 0xFF) for shift in (16, 8, 0))
    luminance = 0.2126 * _LINEAR[red] + 0.7152 * _LINEAR[green] + 0.0722 * _LINEAR[blue]
    dark: NDArray[np.bool_] = luminance < _MIDDLE_LUMINANCE
    return dark


def contrast(first: QColor, second: QColor) -> float:
    """Return the contrast ratio of two colours, 1 to 21. Source: WCAG 2.1."""
    a, b = (_luminance(colour) + 0.05 for colour in (first, second))
    return max(a, b) / min(a, b)


_LINEAR = np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in np.arange(256) / 255])
# Where white text and the almost black text of both themes, of luminance 0.0015, are equally far: there both have a
# contrast of 4.51, elsewhere one of them has more. Text any lighter than that would be unreadable on some colour.
_MIDDLE_LUMINANCE = (1.05 * (0.05 + 0.0015)) ** 0.5 - 0.05


def _luminance(colour: QColor) -> float:
    channels = (colour.red(), colour.green(), colour.blue())
    return float(np.dot((0.2126, 0.7152, 0.0722), [_LINEAR[c] for c in channels]))


def _place(values: NDArray[np.floating], scale: ColourScale) -> NDArray[np.floating]:
    """Return each value's index in the table, as a float; zero of a diverging scale is exactly the middle."""
    if scale.kind == "diverging":
        # Divided first: the limit may be so small that its reciprocal is infinite.
        place = values / (scale.high or 1.0)
        place *= _STEPS / 2
        place += _STEPS / 2 + 0.5
    else:
        place = (values - scale.low) / ((scale.high - scale.low) or 1.0)
        place *= _STEPS
        place += 0.5
    return np.clip(place, 0, _STEPS, out=place)


@lru_cache(maxsize=8)
def _table(kind: ScaleKind, theme: Theme) -> Argb:
    if kind == "sequential":
        return _ramp(theme.weight, _STEPS + 1)
    half = _STEPS // 2 + 1
    return np.concatenate([_ramp(theme.negative, half)[:0:-1], _ramp(theme.positive, half)])


def _ramp(stops: tuple[str, ...], steps: int) -> Argb:
    """Interpolate between the stops, in equal parts of the way."""
    colours = np.array([_channels(stop) for stop in stops], dtype=np.float64)
    at = np.linspace(0, len(stops) - 1, steps)
    channels = [np.interp(at, np.arange(len(stops)), colours[:, k]).round().astype(np.uint32) for k in range(3)]
    ramp = np.uint32(0xFF000000) | (channels[0] << 16) | (channels[1] << 8) | channels[2]
    return ramp.astype(np.uint32)


def _channels(name: str) -> tuple[int, int, int]:
    colour = QColor(name)
    return colour.red(), colour.green(), colour.blue()
