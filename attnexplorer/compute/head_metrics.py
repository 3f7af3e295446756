"""What distinguishes one head from another: where it looks, how alike two heads are, what each adds to the output."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.metrics import UNTROUBLED, Numbers, entropy, share_on_first, share_on_self
from attnexplorer.compute.projections import Array
from attnexplorer.experiment.model import Attention


@dataclass(frozen=True, slots=True)
class HeadMetrics:
    """One number a head, each the mean over the rows that see anything: entropy in bits, distance looked back in
    tokens, share on the own position and on the first key. `distance_back` and `on_self` are None where queries and
    keys are two sequences.
    """

    entropy: float
    distance_back: float | None
    on_self: float | None
    on_first: float


@UNTROUBLED
def head_metrics(weights: Array, shift: int | None = 0) -> HeadMetrics:
    """Return the metrics of a head; 0 throughout if no row sees anything. Shape: [n, m].

    Query i stands at position i + `shift` among the keys; None where the keys are another sequence.
    """
    seeing = np.asarray(np.asarray(weights).any(axis=1))
    return HeadMetrics(
        _mean(entropy(weights), seeing),
        None if shift is None else _mean(distance_looked_back(weights, shift), seeing),
        None if shift is None else _mean(share_on_self(weights, shift), seeing),
        _mean(share_on_first(weights), seeing),
    )


@UNTROUBLED
def distance_looked_back(weights: Array, shift: int = 0) -> Numbers:
    """Return Σⱼ a · max(i + shift − j, 0) of every row, in tokens: what lies ahead counts for nothing.

    Shape: [n, m] → [n].
    """
    queries, keys = weights.shape
    back = np.maximum((np.arange(queries) + shift)[:, None] - np.arange(keys), 0)
    return np.asarray(np.einsum("ij,ij->i", weights, back), dtype=np.float64)


@UNTROUBLED
def row_distances(first: Array, second: Array) -> Numbers:
    """Return the Jensen–Shannon distance, 0 to 1, between equal rows of two heads. Shapes: [n, m] twice → [n].

    The square root of the divergence to base 2. A row that only one of them sees nothing in gives 1; both, 0.
    Source: Endres and Schindelin 2003, A new metric for probability distributions.
    """
    p, q = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    divergence = entropy((p + q) / 2.0) - (entropy(p) + entropy(q)) / 2.0
    empty_p, empty_q = ~p.any(axis=1), ~q.any(axis=1)
    distance = np.sqrt(np.clip(divergence, 0.0, 1.0))
    distance[(p == q).all(axis=1)] = 0.0
    distance[empty_p != empty_q] = 1.0
    return np.asarray(distance)


@UNTROUBLED
def head_distance(first: Array, second: Array) -> float:
    """Return the mean Jensen–Shannon distance of the rows of two heads; 0 for the very same weights.

    NaN where weights of one of them are no finite numbers.
    """
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return math.nan
    distances = row_distances(first, second)
    return float(distances.mean()) if distances.size else 0.0


def output_rows(attention: Attention, head: int) -> Array:
    """Return the rows of W_O that belong to a head, of the identity where there is no W_O. Shape: [d_v, d_out]."""
    start, width = head * attention.d_v, attention.d_v
    if attention.W_O is not None:
        return attention.W_O[start : start + width]
    return np.eye(width, attention.heads * width, start)


@UNTROUBLED
def head_part(head_output: Array, rows: Array) -> Array:
    """Return what a head adds to the output of attention. Shapes: [n, d_v], [d_v, d_out] → [n, d_out]."""
    return head_output @ rows


def written_by(attention: Attention, head: int, head_output: Array) -> Array:
    """Return what a head adds to the output of attention; its own columns where there is no W_O.

    Shape: [n, d_v] → [n, d_out].
    """
    if attention.W_O is not None:
        return head_part(head_output, output_rows(attention, head))
    part = np.zeros((len(head_output), attention.heads * attention.d_v), dtype=head_output.dtype)
    part[:, head * attention.d_v : (head + 1) * attention.d_v] = head_output
    return part


@UNTROUBLED
def part_norms(part: Array) -> Numbers:
    """Return the length of the vector that is written for every token. Shape: [n, d_out] → [n]."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", part, part)), dtype=np.float64)


@UNTROUBLED
def mean_over_heads(weights: tuple[Array, ...]) -> Array:
    """Return the mean of the heads' weights: no head's own, and its rows still sum to 1. Shapes: [n, m] each."""
    total = weights[0].copy()
    for other in weights[1:]:
        total += other
    total /= len(weights)
    return total


def _mean(numbers: Numbers, rows: NDArray[np.bool_]) -> float:
    return float(numbers[rows].mean()) if rows.any() else 0.0
