"""What a row of attention weights looks like in one number: how spread, how saturated, how far back.

All functions work on whole matrices of weights, a query a row. A row of zeros (nothing to see) gives 0 throughout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.projections import Array

Numbers = NDArray[np.float64]
UNTROUBLED = np.errstate(over="ignore", invalid="ignore")
"""Pinned weights may be so large that what is made of them is infinite, and is shown so."""


@dataclass(frozen=True, slots=True, eq=False)
class RowMetrics:
    """One number a row each: entropy in bits, effective keys, largest weight, and what is left of the gradient."""

    entropy: Numbers
    effective_keys: Numbers
    largest: Numbers
    gradient: Numbers


@UNTROUBLED
def row_metrics(weights: Array) -> RowMetrics:
    """Return the metrics of every row. Shape: [n, m] → [n] each."""
    spread = entropy(weights)
    return RowMetrics(spread, _effective(spread, weights), largest_weight(weights), gradient_left(weights))


@UNTROUBLED
def entropy(weights: Array) -> Numbers:
    """Return -Σ a log₂ a of every row, in bits; a weight of 0 counts for nothing. Shape: [n, m] → [n]."""
    a = np.asarray(weights, dtype=np.float64)
    logarithms = np.log2(a, out=np.zeros_like(a), where=a > 0)
    return np.asarray(0.0 - (a * logarithms).sum(axis=1))


@UNTROUBLED
def effective_keys(weights: Array) -> Numbers:
    """Return 2^entropy: how many equally weighted keys would be as spread. Shape: [n, m] → [n]."""
    return _effective(entropy(weights), weights)


def largest_weight(weights: Array) -> Numbers:
    """Return the largest weight of every row. Shape: [n, m] → [n]."""
    return np.asarray(weights.max(axis=1), dtype=np.float64)


@UNTROUBLED
def gradient_left(weights: Array) -> Numbers:
    """Return ‖diag(a) − aaᵀ‖, the Frobenius norm of the softmax's Jacobian, of every row. Shape: [n, m] → [n].

    It is 0 for a one-hot row and may rise before it falls. The matrices themselves are never made.
    """
    a = np.asarray(weights, dtype=np.float64)
    # The square of the norm is Σ aᵢ²(1 − aᵢ)² + Σ_{i≠j} aᵢ²aⱼ². The largest weight is taken apart so that nothing
    # near 1 is subtracted from something near 1.
    largest = a.argmax(axis=1)[:, None]
    top = np.take_along_axis(a, largest, axis=1)[:, 0] ** 2
    others = a * a
    np.put_along_axis(others, largest, 0.0, axis=1)
    rest = others.sum(axis=1)
    among_others = np.maximum(rest**2 - (others**2).sum(axis=1), 0.0)
    return np.asarray(np.sqrt(((a * (1.0 - a)) ** 2).sum(axis=1) + 2.0 * top * rest + among_others))


def jacobian(row: Array) -> Numbers:
    """Return ∂aᵢ/∂sⱼ = aᵢ(δᵢⱼ − aⱼ) of one row of weights. Shape: [m] → [m, m]."""
    a = np.asarray(row, dtype=np.float64)
    return np.asarray(np.diag(a) - np.outer(a, a))


def sensitivity(weights: Array) -> Numbers:
    """Return Σᵢ|∂aᵢ/∂sⱼ| = 2aⱼ(1 − aⱼ) of every cell. Shape: [n, m] → [n, m]."""
    a = np.asarray(weights, dtype=np.float64)
    return 2.0 * a * (1.0 - a)


def mean_distance_back(weights: Array, shift: int | None = None) -> Numbers:
    """Return Σⱼ a (position of the query − j) of every row, in tokens; negative when it looks ahead.

    Shape: [n, m] → [n]. Query i stands at i + `shift` among the keys, m − n unless given.
    """
    queries, keys = weights.shape
    back = (np.arange(queries) + _shift(weights, shift))[:, None] - np.arange(keys)
    return np.asarray((weights * back).sum(axis=1), dtype=np.float64)


def share_on_self(weights: Array, shift: int | None = None) -> Numbers:
    """Return the weight that each query gives to its own position; 0 where that is no key. Shape: [n, m] → [n]."""
    queries, keys = weights.shape
    places = np.arange(queries) + _shift(weights, shift)
    inside = (places >= 0) & (places < keys)
    shares = weights[np.arange(queries), np.clip(places, 0, keys - 1)]
    return np.asarray(np.where(inside, shares, 0.0), dtype=np.float64)


def share_on_first(weights: Array) -> Numbers:
    """Return the weight that each query gives to the first key. Shape: [n, m] → [n]."""
    return np.array(weights[:, 0], dtype=np.float64)


def cosine(query: Array, key: Array) -> Numbers:
    """Return the cosine between every query and every key; NaN where either is a vector of zeros, which has no angle.

    Shapes: [n, d_k], [m, d_k] → [n, m].
    """
    return np.asarray(_unit_vectors(query) @ _unit_vectors(key).T)


def _unit_vectors(rows: Array) -> Numbers:
    x = np.asarray(rows, dtype=np.float64)
    # Dividing by the largest number first keeps the squares from overflowing or vanishing.
    largest = np.abs(x).max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        x = x / largest
        return np.asarray(x / np.sqrt((x * x).sum(axis=1, keepdims=True)))


def _effective(spread: Numbers, weights: Array) -> Numbers:
    return np.where(np.asarray(weights).any(axis=1), np.exp2(spread), 0.0)


def _shift(weights: Array, shift: int | None) -> int:
    queries, keys = weights.shape
    return keys - queries if shift is None else shift
