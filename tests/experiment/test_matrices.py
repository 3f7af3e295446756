from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnexplorer.experiment import matrices
from attnexplorer.experiment.arrays import Matrix, frozen

SHAPES = st.tuples(st.integers(1, 6), st.integers(1, 6))
SEEDS = st.integers(0, 2**32)


@given(SHAPES, SEEDS)
def test_every_fill_is_read_only_of_its_shape_and_the_same_for_the_same_seed(shape: tuple[int, int], seed: int) -> None:
    for fill in (matrices.random_normal, matrices.xavier, matrices.orthogonal):
        made = fill(shape, seed)
        assert made.shape == shape
        assert not made.flags.writeable
        np.testing.assert_array_equal(made, fill(shape, seed))


def test_plain_fills() -> None:
    np.testing.assert_array_equal(matrices.zeros((1, 2)), [[0, 0]])
    np.testing.assert_array_equal(matrices.ones((2, 1)), [[1], [1]])
    np.testing.assert_array_equal(matrices.identity(2, 3), [[1, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(matrices.scaled(frozen([[1.0, -2.0]]), 3.0), [[3, -6]])
    turned = matrices.transposed(frozen([[1.0, 2.0]]))
    np.testing.assert_array_equal(turned, [[1], [2]])
    assert turned.flags.c_contiguous


@given(SHAPES, SEEDS)
def test_an_orthogonal_matrix_has_orthonormal_columns_or_rows(shape: tuple[int, int], seed: int) -> None:
    Q = matrices.orthogonal(shape, seed)
    gram = Q.T @ Q if shape[0] >= shape[1] else Q @ Q.T
    np.testing.assert_allclose(gram, np.eye(min(shape)), atol=1e-12)


@given(SHAPES, SEEDS)
def test_xavier_stays_within_its_bound(shape: tuple[int, int], seed: int) -> None:
    assert np.abs(matrices.xavier(shape, seed)).max() <= (6 / sum(shape)) ** 0.5


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [(0, [1, 0]), (90, [0, 1]), (180, [-1, 0]), (270, [0, -1]), (-90, [0, -1]), (360, [1, 0]), (45, [0.5**0.5] * 2)],
)
def test_a_rotation_turns_the_first_axis_towards_the_second(degrees: float, expected: list[float]) -> None:
    turned = matrices.rotated(frozen([[1.0, 7.0, 0.0]]), 0, 2, degrees)
    np.testing.assert_allclose(
        turned, [[expected[0], 7.0, expected[1]]], rtol=0, atol=0 if degrees % 90 == 0 else 1e-15
    )


@given(st.floats(-1000, 1000), SEEDS)
def test_a_rotation_keeps_lengths_and_the_opposite_one_undoes_it(degrees: float, seed: int) -> None:
    matrix: Matrix = matrices.random_normal((3, 4), seed)
    turned = matrices.rotated(matrix, 1, 3, degrees)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(matrix, axis=1))
    np.testing.assert_allclose(matrices.rotated(turned, 1, 3, -degrees), matrix, atol=1e-12)


def test_a_rotation_needs_two_columns() -> None:
    with pytest.raises(ValueError, match="two different columns"):
        matrices.rotated(matrices.ones((2, 2)), 1, 1, 30)


@pytest.mark.parametrize("degrees", [0.0, 90.0, 180.0, 45.0])
def test_infinite_numbers_of_a_pin_are_turned_and_scaled_without_a_warning(degrees: float) -> None:
    matrix = np.array([[-np.inf, 1e308], [1.0, 2.0]])
    turned = matrices.rotated(matrix, 0, 1, degrees)
    assert not np.isfinite(turned[0]).all()
    assert np.isfinite(turned[1]).all()
    scaled = matrices.scaled(matrix, 1e10)
    assert np.isinf(scaled[0]).all()
    assert np.isnan(matrices.scaled(matrix, 0.0)[0, 0])
