"""Whether what a process holds grows over a run, told from looks of which each one varies."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import combinations


def growth(levels: Sequence[float]) -> float:
    """Return by what part of it a level grows from the first look to the last, along the line through all of them.

    The line's slope is the median of those between any two looks (Theil 1950, Sen 1968): how much is held at a single
    look depends on what happens to be open then.
    """
    if len(levels) < 2:
        return 0.0
    slopes = [(levels[late] - levels[early]) / (late - early) for early, late in combinations(range(len(levels)), 2)]
    return statistics.median(slopes) * (len(levels) - 1) / statistics.median(levels)
