"""What the Heads workspace shows: the stage, the limits of its colours, and the order of the heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from attnexplorer.compute.head_metrics import HeadMetrics

PREFIX = "heads_"
"""How the names of these choices begin among those of the window."""
Limits = Literal["fixed", "shared", "own"]
Sort = Literal["head", "entropy", "distance_back", "on_self", "on_first"]
METRICS: tuple[Sort, ...] = ("entropy", "distance_back", "on_self", "on_first")


@dataclass(frozen=True, slots=True)
class Colouring:
    """Which stage is coloured, within which limits, and whether its numbers go both ways from 0."""

    stage: str
    limits: Limits
    signed: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """`rising`: the smallest number first. `with_mean`: a tile with the mean over the heads comes last."""

    stage: str = "weights"
    limits: Limits = "fixed"
    sort: Sort = "head"
    rising: bool = True
    with_mean: bool = False

    def colouring(self, *, differing: bool = False) -> Colouring:
        """Return how the chosen stage is coloured, or its difference; scores and differences have no fixed limits."""
        signed = differing or self.stage != "weights"
        return Colouring(self.stage, "shared" if self.limits == "fixed" and signed else self.limits, signed)


def order_of(heads: int, choices: Choices, metrics: Sequence[HeadMetrics | None]) -> tuple[int, ...]:
    """Return the heads in the chosen order, those without the number last; by head while numbers are missing."""
    order = list(range(heads))
    if choices.sort != "head" and all(known is not None for known in metrics):
        numbers = [getattr(known, choices.sort) for known in metrics]
        sign = 1 if choices.rising else -1
        order.sort(key=lambda head: (numbers[head] is None, sign * (numbers[head] or 0.0), head))
    elif not choices.rising and choices.sort == "head":
        order.reverse()
    return tuple(order)
