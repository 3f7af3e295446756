"""Fills of the matrix menu: deterministic, read-only matrices."""

from __future__ import annotations

import math

import numpy as np

from attnexplorer.experiment.arrays import Matrix, frozen

Shape = tuple[int, int]
_UNTROUBLED = np.errstate(over="ignore", invalid="ignore")
"""Pins hold infinities too, and a factor may be large: what becomes of them is refused where it cannot be held."""


def zeros(shape: Shape) -> Matrix:
    """Return a matrix of zeros."""
    return frozen(np.zeros(shape))


def ones(shape: Shape) -> Matrix:
    """Return a matrix of ones."""
    return frozen(np.ones(shape))


def identity(rows: int, columns: int) -> Matrix:
    """Return ones on the main diagonal and zeros elsewhere, square or not."""
    return frozen(np.eye(rows, columns))


def random_normal(shape: Shape, seed: int) -> Matrix:
    """Return normal numbers of mean 0 and standard deviation 1."""
    return frozen(_stream(seed).standard_normal(shape))


def xavier(shape: Shape, seed: int) -> Matrix:
    """Return uniform numbers between ±√(6 / (rows + columns)) (Glorot and Bengio 2010, equation 16)."""
    bound = math.sqrt(6.0 / (shape[0] + shape[1]))
    return frozen(_stream(seed).uniform(-bound, bound, shape))


def orthogonal(shape: Shape, seed: int) -> Matrix:
    """Return a matrix whose columns (or rows, if there are fewer) are orthonormal, uniformly distributed."""
    rows, columns = shape
    tall = _stream(seed).standard_normal((max(shape), min(shape)))
    Q, R = np.linalg.qr(tall)
    # With the signs of R's diagonal taken out, the distribution does not depend on the QR routine (Mezzadri 2007).
    Q = Q * np.where(np.diagonal(R) < 0, -1.0, 1.0)
    return frozen(Q if rows >= columns else Q.T)


@_UNTROUBLED
def rotated(matrix: Matrix, first: int, second: int, degrees: float) -> Matrix:
    """Turn every row in the plane of two columns, from the first towards the second.

    Multiples of 90° are exact.
    """
    if first == second:
        raise ValueError("A rotation needs two different columns.")
    cosine, sine = _cosine_and_sine(degrees)
    turned = np.array(matrix)
    turned[:, first] = cosine * matrix[:, first] - sine * matrix[:, second]
    turned[:, second] = sine * matrix[:, first] + cosine * matrix[:, second]
    return frozen(turned)


@_UNTROUBLED
def scaled(matrix: Matrix, factor: float) -> Matrix:
    """Return the matrix times a number."""
    return frozen(matrix * factor)


def transposed(matrix: Matrix) -> Matrix:
    """Return the transpose."""
    return frozen(np.ascontiguousarray(matrix.T))


def _stream(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def _cosine_and_sine(degrees: float) -> tuple[float, float]:
    quarters, rest = divmod(degrees, 90.0)
    cosine, sine = math.cos(math.radians(rest)), math.sin(math.radians(rest))
    turns = ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))
    return turns[int(quarters) % 4]
