"""The feed-forward network of a block."""

from __future__ import annotations

import math

import numpy as np

from attnexplorer.compute.projections import Array, affine
from attnexplorer.experiment.model import Activation

_erf = np.frompyfunc(math.erf, 1, 1)


def activated(x: Array, activation: Activation) -> Array:
    """Apply an activation to every number. Shape: [n, d] → [n, d].

    Sources: gelu and gelu_tanh, Hendrycks and Gimpel 2016; silu, Elfwing et al. 2017.
    """
    if activation == "relu":
        return np.maximum(x, 0.0)
    if activation == "silu":
        return x * _logistic(x)
    if activation == "gelu_tanh":
        return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))
    exact: Array = 0.5 * x * (1.0 + _erf(x / math.sqrt(2.0)).astype(x.dtype))
    return exact


def hidden(u: Array, activation: Activation, W_1: Array, b_1: Array | None, W_gate: Array | None) -> Array:
    """Return act(u W_1 + b_1), or with a gate act(u W_gate) ∘ (u W_1 + b_1). Shapes: [n, d] → [n, hidden].

    Source of the gate: Shazeer 2020, equation 5.
    """
    inner = affine(u, W_1, b_1)
    return activated(inner, activation) if W_gate is None else activated(u @ W_gate, activation) * inner


def _logistic(x: Array) -> Array:
    # exp(-|x|) never overflows, whichever sign x has.
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1.0 + small)
