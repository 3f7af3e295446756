"""Numbers as text, many at a time: the same characters as `repr`, whatever the numbers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from attnexplorer.experiment.fileformat.number_rows import number_rows

ROWS, COLUMNS = 300, 64


def as_python_writes(matrix: NDArray[np.float64]) -> list[str]:
    return [repr(row) for row in matrix.tolist()]


@pytest.mark.parametrize("size", [1e-300, 1e-5, 1e-4, 0.02, 1.0, 50.0, 1e5, 1e6, 1e15, 1e300])
def test_random_numbers_of_any_size_are_written_as_python_writes_them(size: float) -> None:
    matrix = np.random.default_rng(1).standard_normal((ROWS, COLUMNS)) * size

    assert number_rows(matrix) == as_python_writes(matrix)


def test_any_bits_of_a_finite_number_are_written_as_python_writes_them() -> None:
    bits = np.random.default_rng(2).integers(0, 2**64, size=(ROWS, COLUMNS), dtype=np.uint64)
    matrix = bits.view(np.float64)
    matrix[~np.isfinite(matrix)] = 0.5

    assert number_rows(matrix) == as_python_writes(matrix)


@pytest.mark.parametrize("decimals", range(9))
def test_numbers_typed_with_few_decimals_stay_short(decimals: int) -> None:
    matrix = np.round(np.random.default_rng(3).uniform(-40, 40, (ROWS, COLUMNS)), decimals)

    assert number_rows(matrix) == as_python_writes(matrix)


def test_single_precision_numbers_are_written_as_python_writes_them() -> None:
    matrix = np.random.default_rng(4).standard_normal((ROWS, COLUMNS)).astype(np.float32).astype(np.float64)

    assert number_rows(matrix) == as_python_writes(matrix)


def test_the_neighbours_of_powers_of_two_and_ten_are_written_as_python_writes_them() -> None:
    powers = np.array([*(2.0**k for k in range(-30, 30)), *(10.0**k for k in range(-8, 12))])
    below, above = np.nextafter(powers, 0), np.nextafter(powers, np.inf)
    matrix = np.concatenate([powers, below, above, np.nextafter(below, 0), np.nextafter(above, np.inf)])
    matrix = np.stack([matrix, -matrix])

    assert number_rows(matrix) == as_python_writes(matrix)


def test_zero_keeps_its_sign() -> None:
    matrix = np.tile([0.0, -0.0, 1.0, -1.0], (ROWS, 16))

    assert number_rows(matrix)[0].startswith("[0.0, -0.0, 1.0, -1.0, ")
    assert number_rows(matrix) == as_python_writes(matrix)


def test_halves_between_two_decimals_are_left_to_python() -> None:
    # Numbers over 2^52 steps whose 17th digit is a tie.
    matrix = (2.0**49 + np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS) * 0.0625) / 2.0**39

    assert number_rows(matrix) == as_python_writes(matrix)


def test_a_matrix_that_is_turned_or_cut_out_is_written_in_its_own_order() -> None:
    whole = np.random.default_rng(5).standard_normal((COLUMNS, ROWS))

    assert number_rows(whole.T) == as_python_writes(whole.T)
    assert number_rows(whole[::2, 1::3]) == as_python_writes(whole[::2, 1::3])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=64, max_size=96))
def test_what_is_written_loads_back_to_the_same_bits(numbers: list[float]) -> None:
    (line,) = number_rows(np.array([numbers]))

    assert np.array(json.loads(line), dtype=np.float64).tobytes() == np.array(numbers).tobytes()
    assert line == repr(numbers)
