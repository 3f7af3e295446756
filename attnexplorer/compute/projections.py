"""Linear maps of row vectors, and the dot products between queries and keys."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


def affine(x: Array, W: Array, b: Array | None = None) -> Array:
    """Return x W + b. Shapes: [n, d] · [d, width] + [width] → [n, width]."""
    y = x @ W
    if b is not None:
        y += b
    return y


def scores(query: Array, key: Array) -> Array:
    """Return QKᵀ: every query's dot product with every key. Shapes: [n, d_k], [m, d_k] → [n, m].

    Source: Vaswani et al. 2017, equation 1.
    """
    return query @ key.T


def scaled(scores: Array, scale: float | Array, softcap: float | None = None) -> Array:
    """Return scores · scale, then softcap · tanh(· / softcap) where a softcap is given. Shape: [n, m] → [n, m].

    Of one row, all of its scales may be asked for at once. Shapes: [1, m], scale [k, 1] → [k, m].
    A score that is pinned to -inf stays -inf under every scale, 0 and negative ones included; a softcap bounds even
    it, as its formula says.
    Source of the cap: Gemma 2 report, 2024, section 2.
    """
    y = scores * scale
    if not (scale > 0 if isinstance(scale, float) else np.all(scale > 0)):
        np.copyto(y, -np.inf, where=np.isneginf(scores))
    if softcap is not None:
        y /= softcap
        np.tanh(y, out=y)
        y *= softcap
    return y
