"""Where a scale factor lies on the slider: 0 at the left end, then logarithmic from 1/(4·d_k) to 4. No widgets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

LARGEST = 4.0
FOOT = 0.06
"""The share of the track between 0 and the start of the logarithmic part; linear, so that no factor is left out."""
_DIGITS = 3


class Stop(NamedTuple):
    """A factor with names: an end, or a detent that draws the handle. `names` go from the fullest to the shortest."""

    factor: float
    names: tuple[str, ...]
    detent: bool


@dataclass(frozen=True, slots=True)
class ScaleTrack:
    """The scale of the slider for one d_k. A fraction is 0 at the left end and 1 at the right end."""

    d_k: int

    @property
    def smallest(self) -> float:
        """Where the logarithmic part starts."""
        return 1.0 / (4.0 * self.d_k)

    @property
    def usual(self) -> float:
        """1/√d_k, the same number that "sqrt_dk" stands for."""
        return float(1.0 / self.d_k**0.5)

    @property
    def stops(self) -> tuple[Stop, ...]:
        """The ends and the detents from left to right; detents that are the same number are one."""
        named = {1.0 / self.d_k: "1/dₖ", self.usual: "1/√dₖ"}
        if self.d_k == 1:
            detents = [Stop(1.0, ("1/dₖ = 1/√dₖ = 1", "1"), True)]
        else:
            detents = [Stop(factor, (name,), True) for factor, name in named.items()]
            detents.append(Stop(1.0, ("1 (no scaling)", "1"), True))
        return (Stop(0.0, ("0",), False), *detents, Stop(LARGEST, ("4",), False))

    def fraction(self, factor: float) -> float:
        """Return where a factor lies; the end where it is beyond."""
        if factor <= 0.0:
            return 0.0
        if factor >= LARGEST:
            return 1.0
        if factor < self.smallest:
            return FOOT * factor / self.smallest
        way = math.log(factor / self.smallest) / math.log(LARGEST / self.smallest)
        return FOOT + (1.0 - FOOT) * way

    def factor(self, fraction: float) -> float:
        """Return the factor at a place, rounded to three digits so that it can be read and typed again."""
        if fraction <= 0.0:
            return 0.0
        if fraction >= 1.0:
            return LARGEST
        if fraction < FOOT:
            return _rounded(self.smallest * fraction / FOOT)
        way = (fraction - FOOT) / (1.0 - FOOT)
        return _rounded(self.smallest * (LARGEST / self.smallest) ** way)

    def drawn(self, fraction: float, reach: float) -> float:
        """Return the factor at a place that a pointer is dragged to: a stop that is within `reach`, else the factor."""
        nearest = min(self.stops, key=lambda stop: abs(self.fraction(stop.factor) - fraction))
        near = abs(self.fraction(nearest.factor) - fraction) <= reach
        return nearest.factor if near else self.factor(fraction)

    def stepped(self, factor: float, step: float) -> float:
        """Return the factor a step of the track away, but no further than the next stop."""
        if self.beyond(factor):
            return self.next_stop(factor, step > 0)
        here = self.fraction(factor)
        target = min(max(here + step, 0.0), 1.0)
        low, high = sorted((here, target))
        stops = (stop.factor for stop in self.stops if stop.factor != factor)
        crossed = [stop for stop in stops if low < self.fraction(stop) < high]
        if crossed:
            return crossed[0] if step > 0 else crossed[-1]
        return self.factor(target)

    def next_stop(self, factor: float, forwards: bool) -> float:
        """Return the next stop on one side; the factor itself where there is none."""
        factors = [stop.factor for stop in self.stops if not _same(stop.factor, factor)]
        ahead = [f for f in factors if f > factor] if forwards else [f for f in reversed(factors) if f < factor]
        return ahead[0] if ahead else factor

    def stop_at(self, factor: float) -> Stop | None:
        """Return the stop that a factor is, if it is one."""
        return next((stop for stop in self.stops if _same(stop.factor, factor)), None)

    def beyond(self, factor: float) -> bool:
        """Tell whether a factor lies outside the track."""
        return not 0.0 <= factor <= LARGEST


def _rounded(factor: float) -> float:
    return float(f"{factor:.{_DIGITS - 1}e}")


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9)
