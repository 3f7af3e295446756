"""What the Heads workspace shows: the stage, the limits of its colours, and the order of the heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from attnexplorer.compute.head_metrics import HeadMetrics

Limits = Literal["fixed", "shared", "own"]
Sort = Literal["head", "entropy", "distance_back", "on_self", "on_first"]
METRICS: tuple[Sort, ...] = ("entropy", "distance_back", "on_self", "on_first")


@dataclass(frozen=True, slots=True)
class Choices:
    """`rising`: the smallest number first. `with_mean`: a tile with the mean over the heads comes last."""

    stage: str = "weights"
    limits: Limits = "fixed"
    sort: Sort = "head"
    rising: bool = True
    with_mean: bool = False

    @property
    def effective_limits(self) -> Limits:
        """The limits in force: scores have no fixed ones."""
        return "shared" if self.limits == "fixed" and self.stage != "weights" else self.limits


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
