"""Normalisation of row vectors."""

from __future__ import annotations

import numpy as np

from attnexplorer.compute.projections import Array
from attnexplorer.experiment.model import NormKind


def normalised(x: Array, kind: NormKind, eps: float, gain: Array, bias: Array | None) -> Array:
    """Return each row normalised, times gain, plus bias. Shapes: [n, d], [d], [d] → [n, d].

    layernorm: (x - mean) / √(var + eps), the variance over d (Ba et al. 2016, equation 4);
    rmsnorm: x / √(mean x² + eps) (Zhang and Sennrich 2019, equation 4).
    """
    centred = x - x.mean(axis=1, keepdims=True) if kind == "layernorm" else x
    y: Array = centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + eps)
    y *= gain
    if bias is not None:
        y += bias
    return y
