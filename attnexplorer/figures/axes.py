"""Axes of plots: where a value lies, linear or logarithmic with 0 at the left end, and what is written there."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]
Window = tuple[float, float]
WHOLE: Window = (0.0, 1.0)
_LEAST_EXTENT, _LEAST_SHARE = 1e-300, 1e-6
_WRITTEN_OUT, _MOST_DECIMALS = 1e9, 9
"""From this number on, and with more decimals than these, ticks are written with a power of ten."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_LEAST_MARKS = 3
"""Of a part that begins and ends anywhere, fewer might leave a single one in sight."""
_DECADE_RATIO = 8.0
"""From this ratio of its ends on, a part of a logarithmic axis is marked at 1, 2 and 5 times powers of ten."""


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
    window
        The part that is looked at; the whole axis reaches from 0 to 1.
    finer
        Further ticks that are shown where only a part is looked at.
    marks
        About so many ticks are made at round values where only a part is looked at; 0: none.
    """

    low: float
    high: float
    kind: Literal["linear", "log"] = "linear"
    foot: float = 0.0
    ticks: tuple[Tick, ...] = ()
    window: Window = WHOLE
    finer: tuple[Tick, ...] = ()
    marks: int = 0
    decimal_point: str = "."

    def fractions(self, values: ArrayLike) -> Numbers:
        """Return where values lie in what is looked at, from 0 at its left end to 1 at its right end. Shape as given.

        Beyond the ends of the whole axis they are at its ends, and NaN stays NaN.
        """
        start, end = self.window
        return np.asarray((self._places(np.asarray(values, dtype=np.float64)) - start) / (end - start))

    def fraction(self, value: float) -> float:
        """Return where one value lies, as `fractions` does; an array of one number would take ten times as long."""
        start, end = self.window
        return (self._place(value) - start) / (end - start)

    def value(self, fraction: float) -> float:
        """Return which value lies at a fraction of what is looked at."""
        start, end = self.window
        place = start + fraction * (end - start)
        if self.kind == "linear":
            return 2 * (self.low / 2 + place * (self.high / 2 - self.low / 2))
        if place < self.foot:
            return self.low * place / self.foot
        return float(self.low * (self.high / self.low) ** ((place - self.foot) / (1.0 - self.foot)))

    def _places(self, x: Numbers) -> Numbers:
        """Return where values lie on the whole axis."""
        if self.kind == "linear":
            # In halves, as the difference of two of the largest numbers is infinite.
            extent = self.high / 2 - self.low / 2
            with np.errstate(over="ignore"):
                return np.clip((x / 2 - self.low / 2) / (extent or 1.0), 0.0, 1.0)
        start, end = math.log(self.low), math.log(self.high)
        rising = (np.log(np.maximum(x, self.low)) - start) / (end - start)
        before = self.foot * (np.clip(x, 0.0, self.low) / self.low)
        place = np.where(x < self.low, before, self.foot + (1.0 - self.foot) * rising)
        return np.clip(place, 0.0, 1.0)

    def _place(self, x: float) -> float:
        """Return where one value lies on the whole axis; the order of arguments has NaN stay NaN."""
        if self.kind == "linear":
            extent = self.high / 2 - self.low / 2
            return min(max((x / 2 - self.low / 2) / (extent or 1.0), 0.0), 1.0)
        if x < self.low:
            return min(max(self.foot * (max(x, 0.0) / self.low), 0.0), 1.0)
        start, end = math.log(self.low), math.log(self.high)
        return min(max(self.foot + (1.0 - self.foot) * ((math.log(x) - start) / (end - start)), 0.0), 1.0)


def linear_axis(low: float, high: float, marks: int = 3, decimal_point: str = ".") -> Axis:
    """Return an axis with about so many ticks at round values; no axis is without extent."""
    low, high = _with_extent(low, high)
    ticks = _round_ticks(low, high, marks, decimal_point)
    return Axis(low, high, ticks=ticks, marks=marks, decimal_point=decimal_point)


def log_axis(low: float, high: float, values: Sequence[float], finer: Sequence[float] = ()) -> Axis:
    """Return a logarithmic axis with ticks at whole numbers, and at further ones where a part of it is looked at."""
    ticks, more = (tuple(Tick(value, (f"{value:,.0f}",)) for value in numbers) for numbers in (values, finer))
    return Axis(low, high, "log", ticks=ticks, finer=more, marks=3)


def part_of(axis: Axis, window: Window) -> Axis:
    """Return an axis of which only a part is looked at, with ticks for that part.

    The ticks of a logarithmic axis have names of their own and stay, as far as they can be seen.
    """
    if window == WHOLE:
        return replace(axis, window=WHOLE)
    part = replace(axis, window=window)
    low, high = part.value(0.0), part.value(1.0)
    named = (*axis.ticks, *axis.finer) if axis.kind == "log" else ()
    kept = {tick.value: tick for tick in reversed(named) if low <= tick.value <= high}
    ticks = tuple(reversed(kept.values()))
    # Of numbers that lie as close together as numbers can, a part may have no extent.
    if axis.marks and high > low and not (axis.finer and len(ticks) > 1):
        values = [tick.value for tick in ticks]
        ticks += tuple(it for it in _ticks_between(low, high, axis) if not np.isclose(it.value, values).any())
    return replace(part, ticks=ticks)


def rounded_up(value: float) -> float:
    """Return the next round number from `value` up: 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten; 1 for nothing."""
    if not (math.isfinite(value) and value > 0):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    steps = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    return min(float(next(step * power for step in steps if step * power >= value * (1 - 1e-9))), sys.float_info.max)


def _with_extent(low: float, high: float) -> Window:
    """Return two ends that are apart, by enough to be told apart and divided."""
    if high / 2 - low / 2 > _LEAST_EXTENT:
        return low, high
    extent = max(1.0, abs(low) * _LEAST_SHARE)
    return (low, low + extent) if math.isfinite(low + extent) else (low - extent, low)


def _ticks_between(low: float, high: float, axis: Axis) -> tuple[Tick, ...]:
    if axis.kind == "linear" or low <= 0.0 or high / low < _DECADE_RATIO:
        return _round_ticks(low, high, max(axis.marks, _LEAST_MARKS), axis.decimal_point)
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    values = (step * 10.0**power for power in powers for step in (1.0, 2.0, 5.0))
    return tuple(Tick(v, (f"{v:,.6g}".replace(".", axis.decimal_point),)) for v in values if low <= v <= high)


def _round_ticks(low: float, high: float, marks: int, decimal_point: str) -> tuple[Tick, ...]:
    step = _round_step(high / marks - low / marks)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9)) + (1 if _needs_half(step) else 0)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = [index * step for index in range(first, last + 1)]
    return tuple(Tick(v, (_fixed(v, decimals, decimal_point),)) for v in values)


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    wide_enough = (step * power for step in _STEPS if rough * (1 - 1e-9) <= step * power < math.inf)
    return float(next(wide_enough, power))


def _needs_half(step: float) -> bool:
    mantissa = step / 10.0 ** math.floor(math.log10(step) + 1e-9)
    return math.isclose(mantissa, 2.5)


def _fixed(value: float, decimals: int, decimal_point: str) -> str:
    long = abs(value) >= _WRITTEN_OUT or decimals > _MOST_DECIMALS
    text = f"{value:.4g}" if long else f"{value:.{decimals}f}"
    return text.replace("-", "−").replace(".", decimal_point)
