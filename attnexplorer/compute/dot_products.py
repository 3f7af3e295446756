"""The d_k laboratory: dot products of random vectors whose components have variance 1, for every width.

For q and k of independent standard normal components q·k has mean 0 and variance d_k (Vaswani et al. 2017, section
3.2.1, footnote 4); divided by √d_k it has variance 1 at every width, and softmax stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.softmax import softmax

Numbers = NDArray[np.float64]

WIDTHS = tuple(2**power for power in range(13))
"""The widths d_k that are sampled: 1 to 4,096."""
ROW = 8
"""So many dot products at a time make a row for softmax."""
TOLERANCE, ERRORS = 0.05, 4
"""So many pairs are drawn that the tolerance of the variance is this many standard errors."""
SPAN = 4.0
"""The histogram reaches this many standard deviations to both sides."""
BINS = 64
CHUNK = 1 << 16
"""At most this many components of q, and as many of k, are held at a time."""

Progress = Callable[[int], bool]
"""Is told how many components were drawn since the last time; False stops the work."""


@dataclass(frozen=True, slots=True, eq=False)
class DotProducts:
    """What was found for one width and one seed.

    Parameters
    ----------
    variance, scaled_variance
        Of q·k and of q·k/√d_k.
    largest, scaled_largest
        The largest softmax weight of a row of `ROW` dot products, unscaled and scaled; the mean over all such rows.
    counts
        [BINS], of q·k from -SPAN·√d_k to SPAN·√d_k; the same as of q·k/√d_k from -SPAN to SPAN.
    beyond
        How many dot products lie outside of the histogram.
    """

    d_k: int
    seed: int
    pairs: int
    variance: float
    scaled_variance: float
    largest: float
    scaled_largest: float
    counts: NDArray[np.intp]
    beyond: int

    @property
    def edges(self) -> Numbers:
        """The edges of the histogram of q·k. Shape: [BINS + 1]."""
        return np.asarray(np.linspace(-SPAN, SPAN, BINS + 1) * math.sqrt(self.d_k))

    @property
    def density(self) -> Numbers:
        """The histogram of q·k as a density: with what lies beyond it, its area is 1. Shape: [BINS]."""
        return np.asarray(self.counts / (self.pairs * np.diff(self.edges)))


def pairs_for(d_k: int) -> int:
    """Return how many pairs of vectors are needed at a width.

    The variance of so many dot products has a relative standard error of √((2 + 6/d_k) / pairs).
    """
    # Exactly as in whole numbers: (2 + 6/d_k) / (TOLERANCE / ERRORS)².
    per_unit = round((ERRORS / TOLERANCE) ** 2)
    return -(-per_unit * (2 * d_k + 6) // d_k)


def standard_error(d_k: int, pairs: int) -> float:
    """Return the relative standard error of the variance of q·k; its kurtosis is 3 + 6/d_k."""
    return math.sqrt((2.0 + 6.0 / d_k) / pairs)


def components(d_k: int) -> int:
    """Return how many components are drawn for q at a width: the measure of the work."""
    return pairs_for(d_k) * d_k


def normal_density(x: Numbers, variance: float) -> Numbers:
    """Return the density of the normal distribution with mean 0. Shape as given."""
    return np.asarray(np.exp(-x * x / (2.0 * variance)) / math.sqrt(2.0 * math.pi * variance))


def dot_products(d_k: int, seed: int, progress: Progress = lambda drawn: True) -> DotProducts | None:
    """Draw pairs of vectors and return what their dot products are like, or None if `progress` said to stop.

    Equal width and seed give equal numbers. Vectors are drawn a chunk at a time and let go of.
    """
    products = _drawn(d_k, seed, pairs_for(d_k), progress)
    if products is None:
        return None
    scaled = products * d_k**-0.5
    counts, _ = np.histogram(scaled, BINS, (-SPAN, SPAN))
    return DotProducts(
        d_k,
        seed,
        len(products),
        variance=float(products.var()),
        scaled_variance=float(scaled.var()),
        largest=_mean_largest(products),
        scaled_largest=_mean_largest(scaled),
        counts=counts,
        beyond=len(products) - int(counts.sum()),
    )


def _drawn(d_k: int, seed: int, pairs: int, progress: Progress) -> Numbers | None:
    stream = np.random.Generator(np.random.PCG64([seed, d_k]))
    products = np.empty(pairs)
    size = max(1, CHUNK // d_k)
    for start in range(0, pairs, size):
        shape = (min(size, pairs - start), d_k)
        q, k = stream.standard_normal(shape), stream.standard_normal(shape)
        np.einsum("ij,ij->i", q, k, out=products[start : start + size])
        if not progress(shape[0] * d_k):
            return None
    return products


def _mean_largest(products: Numbers) -> float:
    rows = products[: len(products) // ROW * ROW].reshape(-1, ROW)
    return float(softmax(rows).max(axis=1).mean())
