"""Softmax over the keys, and what its rows look like."""

from __future__ import annotations

import numpy as np

from attnexplorer.compute.projections import Array


def softmax(masked: Array) -> Array:
    """Return the softmax of each row; a row that is -inf throughout gives zeros. Shape: [n, m] → [n, m].

    The largest score of the row is subtracted first, so that no exponential overflows. Infinities and NaN among the
    scores give NaN in their row, which is what the arithmetic says. Source: Vaswani et al. 2017, equation 1.
    """
    largest = masked.max(axis=1, keepdims=True)
    # A row without any key would give -inf - -inf; with 0 in place of its maximum every exponential is exactly 0.
    largest[np.isneginf(largest)] = 0.0
    weights: Array = masked - largest
    np.exp(weights, out=weights)
    total = weights.sum(axis=1, keepdims=True)
    total[total == 0.0] = 1.0
    weights /= total
    return weights


def mixed(weights: Array, value: Array) -> Array:
    """Return A V. Shapes: [n, m] · [m, d_v] → [n, d_v].

    A key with weight 0 adds nothing, whatever its value is: infinities and NaN behind a mask do not reach the output.
    """
    if np.isfinite(value).all():
        return weights @ value
    rows = [row[row != 0.0] @ value[row != 0.0] for row in weights]
    return np.array(rows, dtype=weights.dtype).reshape(len(weights), value.shape[1])
