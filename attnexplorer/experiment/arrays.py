"""Read-only float64 arrays: the only kind of matrix an experiment holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]
"""A read-only float64 array with one or two axes, in C order."""


def frozen(values: ArrayLike) -> Matrix:
    """Return `values` as a read-only float64 array in C order.

    A read-only C-ordered float64 array is returned as it is, so that untouched arrays stay the same object.
    """
    if isinstance(values, np.ndarray) and _is_frozen(values):
        return values
    array = np.array(values, dtype=np.float64, order="C")
    array.setflags(write=False)
    return array


def frozen_each(matrices: Iterable[ArrayLike]) -> tuple[Matrix, ...]:
    """Freeze every matrix of a sequence."""
    return tuple(frozen(matrix) for matrix in matrices)


def with_cells(matrix: Matrix, rows: ArrayLike, columns: ArrayLike, values: ArrayLike) -> Matrix:
    """Return a copy of `matrix` in which the cells (rows[k], columns[k]) are values[k]."""
    changed = np.array(matrix, dtype=np.float64, order="C")
    changed[np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)] = values
    changed.setflags(write=False)
    return changed


def same_bits(left: Any, right: Any) -> bool:
    """Tell whether two arrays have the same shape, type and bits (so that 0.0 and -0.0 differ, and NaN equals NaN)."""
    return left is right or (
        left.shape == right.shape and left.dtype == right.dtype and left.tobytes() == right.tobytes()
    )


def _is_frozen(array: NDArray[Any]) -> bool:
    owned = array.base is None or not getattr(array.base, "flags", array.flags).writeable
    return array.dtype == np.float64 and array.flags.c_contiguous and not array.flags.writeable and owned
