"""Axes of plots: where a value lies, linear or logarithmic with 0 at the left end, and what is written there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Tick(NamedTuple):
    """A marked value and the texts for it, from the fullest to the shortest."""

    value: float
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction of a plot.

    Parameters
    ----------
    low, high
        The ends of the linear part or, of a logarithmic axis, of the logarithmic part.
    foot
        Of a logarithmic axis: the share of it that lies before `low`, linear from 0.
    ticks
        The most telling first: where there is no room, the later ones are left out.
    """

    low: float
    high: float
    kind: Literal["linear", "log"] = "linear"
    foot: float = 0.0
    ticks: tuple[Tick, ...] = ()

    def fractions(self, values: ArrayLike) -> Numbers:
        """Return where values lie, 0 to 1; beyond the ends they are at the ends, and NaN stays NaN. Shape as given."""
        x = np.asarray(values, dtype=np.float64)
        if self.kind == "linear":
            return np.asarray(np.clip((x - self.low) / ((self.high - self.low) or 1.0), 0.0, 1.0))
        rising = np.log(np.maximum(x, self.low) / self.low) / math.log(self.high / self.low)
        place = np.where(x < self.low, self.foot * x / self.low, self.foot + (1.0 - self.foot) * rising)
        return np.asarray(np.clip(place, 0.0, 1.0))

    def fraction(self, value: float) -> float:
        """Return where one value lies."""
        return float(self.fractions(value))


def linear_axis(low: float, high: float, marks: int = 3, decimal_point: str = ".") -> Axis:
    """Return an axis with about so many ticks at round values; no axis is without extent."""
    high = high if high > low else low + 1.0
    step = _round_step((high - low) / marks)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) + (1 if _needs_half(step) else 0)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [index * step for index in range(first, last + 1)]
    return Axis(low, high, ticks=tuple(Tick(v, (_fixed(v, decimals, decimal_point),)) for v in values))


def log_axis(low: float, high: float, values: Sequence[float]) -> Axis:
    """Return a logarithmic axis with ticks at whole numbers."""
    return Axis(low, high, "log", ticks=tuple(Tick(value, (f"{value:,.0f}",)) for value in values))


def rounded_up(value: float) -> float:
    """Return the next round number from `value` up: 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten; 1 for nothing."""
    if not (math.isfinite(value) and value > 0):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    steps = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    return float(next(step * power for step in steps if step * power >= value * (1 - 1e-9)))


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return float(next(step * power for step in _STEPS if step * power >= rough * (1 - 1e-9)))


def _needs_half(step: float) -> bool:
    mantissa = step / 10.0 ** math.floor(math.log10(step) + 1e-9)
    return math.isclose(mantissa, 2.5)


def _fixed(value: float, decimals: int, decimal_point: str) -> str:
    return f"{value:.{decimals}f}".replace("-", "−").replace(".", decimal_point)
