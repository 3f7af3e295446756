"""The stated rule by which a matrix that becomes larger gets its new numbers."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

GrowthKind = Literal["random", "zeros", "identity"]
Shape = tuple[int, ...]
Fill = Callable[[str, Shape], NDArray[np.float64]]
"""Makes a whole new array for a named matrix of a shape; the numbers that remain are then put over it."""

FREE_ROWS = ("E", "table", "X")
"""Matrices whose rows are vectors of their own, not the inputs of a product."""


@dataclass(frozen=True, slots=True)
class Growth:
    """How new numbers are made: seeded normal numbers, zeros, or the cells of an identity matrix."""

    kind: GrowthKind = "random"
    seed: int = 0

    def __call__(self, name: str, shape: Shape) -> NDArray[np.float64]:
        """Return numbers for the matrix `name`; equal seed, name and shape give equal numbers.

        Random numbers have standard deviation 1 in E, table and X, else 1/√rows, so that products keep their size.
        """
        if self.kind == "zeros" or len(shape) == 1:
            return np.zeros(shape)
        if self.kind == "identity":
            return np.eye(shape[0], shape[1])
        stream = np.random.Generator(np.random.PCG64([abs(self.seed), zlib.crc32(name.encode())]))
        deviation = 1.0 if name.rpartition(".")[2] in FREE_ROWS else shape[0] ** -0.5
        return stream.normal(0.0, deviation, shape)


def ones(name: str, shape: Shape) -> NDArray[np.float64]:
    """Fill a gain."""
    return np.ones(shape)


def zeros(name: str, shape: Shape) -> NDArray[np.float64]:
    """Fill a bias."""
    return np.zeros(shape)


def not_pinned(name: str, shape: Shape) -> NDArray[np.float64]:
    """Fill a pin: NaN stays computed."""
    return np.full(shape, np.nan)
