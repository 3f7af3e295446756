"""Vectors in the plane: which two directions are looked along, and dot product beside cosine of one pair."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.projections import Array

Numbers = NDArray[np.float64]
PlaneKind = Literal["axes", "components"]


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """Two directions at right angles through the origin.

    Parameters
    ----------
    basis
        [2, d]; the rows have length 1. The second is 0 where the vectors have one number only.
    shares
        How much of the squared length of the vectors lies along each direction; NaN if all vectors are 0.
    axes
        The two axes, from 0, or None for principal components.
    """

    kind: PlaneKind
    basis: Numbers
    shares: tuple[float, float]
    axes: tuple[int, int] | None = None

    @property
    def share(self) -> float:
        """How much of the squared length of the vectors can be seen in the plane."""
        return self.shares[0] + self.shares[1]

    def project(self, vectors: Array) -> Numbers:
        """Return where vectors lie in the plane. Shape: [n, d] → [n, 2]."""
        if self.axes is not None:
            # Picked and not multiplied, so that what is shown is the very number of the table.
            first, second = self.axes
            x = vectors[:, first]
            return np.column_stack((x, np.zeros_like(x) if first == second else vectors[:, second]))
        # What is not finite then has no place in the plane.
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(vectors @ self.basis.T, dtype=np.float64)


def axes_plane(vectors: Array, first: int, second: int) -> Plane:
    """Return the plane of two axes; the same axis twice is a line. Shape: [n, d]."""
    width = vectors.shape[1]
    basis = np.zeros((2, width))
    basis[0, first] = 1.0
    if second != first:
        basis[1, second] = 1.0
    return Plane("axes", basis, _shares(vectors, basis), (first, second))


def components_plane(vectors: Array) -> Plane:
    """Return the plane through the origin that lies closest to the vectors. Shape: [n, d].

    The vectors are not centred, since arrows start at the origin: the two first right singular vectors. Each points
    where its largest number is positive, so that equal vectors always give the same picture.
    """
    finite = vectors[np.isfinite(vectors).all(axis=1)]
    width = vectors.shape[1]
    basis = np.zeros((2, width))
    # Dividing by the largest number first keeps the squares from overflowing.
    largest = float(np.abs(finite).max(initial=0.0))
    if largest > 0:
        # Two rows at least, for there to be two directions; all of them would be a matrix of d × d.
        rows = np.concatenate([finite / largest, np.zeros((max(0, 2 - len(finite)), width))])
        directions = np.linalg.svd(rows, full_matrices=False)[2][:2]
        basis[: len(directions)] = [_turned(direction) for direction in directions]
    else:
        basis[0, 0] = 1.0
        basis[1, 1 % width] = 1.0 if width > 1 else 0.0
    return Plane("components", basis, _shares(vectors, basis))


@dataclass(frozen=True, slots=True)
class PairNumbers:
    """A query and a key in numbers; cosine and angle (in degrees) are NaN where one of them is 0."""

    dot: float
    query_length: float
    key_length: float
    cosine: float
    angle: float


def pair_numbers(query: Array, key: Array) -> PairNumbers:
    """Return dot product, lengths, cosine and angle of two vectors, all in float64. Shapes: [d], [d]."""
    q, k = np.asarray(query, dtype=np.float64), np.asarray(key, dtype=np.float64)
    lengths = (_length(q), _length(k))
    # The dot product of the table, bit for bit: a matrix product of one row with one column.
    with np.errstate(over="ignore", invalid="ignore"):
        dot = float((q[None, :] @ k[:, None])[0, 0])
    cosine = _cosine(q, k)
    angle = math.degrees(math.acos(min(1.0, max(-1.0, cosine)))) if math.isfinite(cosine) else math.nan
    return PairNumbers(dot, *lengths, cosine, angle)


def _length(vector: Numbers) -> float:
    return float(math.hypot(*vector.tolist()))


def _cosine(q: Numbers, k: Numbers) -> float:
    largest = float(np.abs(q).max(initial=0.0)), float(np.abs(k).max(initial=0.0))
    if not (0 < largest[0] < math.inf and 0 < largest[1] < math.inf):
        return math.nan
    # A power of two takes away no bit: a vector twice as long has the very same cosine.
    a, b = (np.ldexp(v, -math.frexp(most)[1]) for v, most in zip((q, k), largest, strict=True))
    return min(1.0, max(-1.0, float(a @ b) / (_length(a) * _length(b))))


def _shares(vectors: Array, basis: Numbers) -> tuple[float, float]:
    finite = np.asarray(vectors[np.isfinite(vectors).all(axis=1)], dtype=np.float64)
    largest = float(np.abs(finite).max(initial=0.0))
    if not largest > 0:
        return math.nan, math.nan
    scaled = finite / largest
    along = ((scaled @ basis.T) ** 2).sum(axis=0) / (scaled**2).sum()
    return float(along[0]), float(along[1])


def _turned(direction: Numbers) -> Numbers:
    return direction if direction[np.abs(direction).argmax()] > 0 else -direction
