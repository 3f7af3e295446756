"""How the place of a token enters: added tables, rotations, and penalties on distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.projections import Array


def sinusoidal(count: int, width: int, offset: int, base: float) -> Array:
    """Return P[p, 2i] = sin(p / base^(2i/d)), P[p, 2i+1] = cos of the same angle. Shape: [count, width].

    Source: Vaswani et al. 2017, section 3.5.
    """
    even = np.arange(0, width, 2)
    angles = np.arange(offset, offset + count)[:, None] / base ** (even / width)
    table = np.empty((count, width))
    table[:, 0::2] = np.sin(angles)
    table[:, 1::2] = np.cos(angles[:, : width // 2])
    return table


def rotation_angles(count: int, width: int, offset: int, base: float) -> Array:
    """Return the angle p · base^(-2i/d_k) of each position p and pair i, in radians. Shape: [count, width / 2].

    Source: Su et al. 2021 (RoFormer), section 3.2.2.
    """
    return _angles(np.arange(offset, offset + count), width, base)


def score_over_distance(query: Array, key: Array, distances: Array, base: float, interleaved: bool) -> Array:
    """Return the RoPE score of one query and one key for each distance, query's position less key's. Shape: [k] → [k].

    Turning both vectors by their positions and multiplying them depends on the difference of the positions alone, so
    only the query is turned. `query` and `key` are the vectors before they are turned, [d_k] each.
    """
    angles = _angles(distances, len(query), base)
    turned = rotated(np.broadcast_to(query, (len(distances), len(query))), angles, interleaved)
    scores: Array = turned @ key
    return scores


def rotated(vectors: Array, angles: Array, interleaved: bool) -> Array:
    """Turn each pair of columns by its angle. Shapes: [n, d_k], [n, d_k / 2] → [n, d_k].

    Pair i is (2i, 2i + 1) when `interleaved`, else (i, i + d_k / 2).
    """
    cosine, sine = np.cos(angles).astype(vectors.dtype), np.sin(angles).astype(vectors.dtype)
    first, second = pair_columns(vectors.shape[1], interleaved)
    a, b = vectors[:, first], vectors[:, second]
    turned = np.empty_like(vectors, order="C")
    turned[:, first] = a * cosine - b * sine
    turned[:, second] = a * sine + b * cosine
    return turned


def pair_columns(width: int, interleaved: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and the second column of every rotated pair."""
    if interleaved:
        return np.arange(0, width, 2), np.arange(1, width, 2)
    return np.arange(width // 2), np.arange(width // 2, width)


def alibi_slopes(heads: int) -> tuple[float, ...]:
    """Return a slope a head: 2^(-8(h+1)/H), and for H no power of two the published interpolation.

    Source: Press et al. 2022, section 3, and the authors' published code for other numbers of heads.
    """
    whole = 1 << (heads.bit_length() - 1)
    slopes = [2.0 ** (-8.0 * (h + 1) / whole) for h in range(whole)]
    between = [2.0 ** (-8.0 * (h + 1) / (2 * whole)) for h in range(0, 2 * whole, 2)]
    return tuple(slopes + between[: heads - whole])


def distance(queries: int, keys: int) -> Array:
    """Return |i + (m - n) - j| for every query i and key j. Shape: [n, m]."""
    away: Array = np.abs(np.arange(queries)[:, None] + (keys - queries) - np.arange(keys)).astype(np.float64)
    return away


def _angles(places: Array | NDArray[np.intp], width: int, base: float) -> Array:
    angles: Array = places[:, None] * base ** (-np.arange(0, width, 2) / width)
    return angles
