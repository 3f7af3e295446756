"""B − A of two states of one matrix."""

from __future__ import annotations

import numpy as np

from attnexplorer.compute.projections import Array


def difference(a: Array, b: Array) -> Array:
    """Return B − A; 0 where both are −∞, as pairs are that are blocked in both; of flags, those set in either.

    Numbers too far apart differ by an infinity, which is what the arithmetic says. Shapes: equal.
    """
    if b.dtype == np.bool_:
        return np.asarray(np.logical_or(a, b))
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.asarray(b - a)
    found[np.isneginf(a) & np.isneginf(b)] = 0.0
    found.setflags(write=False)
    return found
