from __future__ import annotations

import numpy as np

from attnexplorer.compute.norms import normalised

ONES = np.ones(2)


def test_layernorm_takes_the_mean_away_and_divides_by_the_deviation() -> None:
    np.testing.assert_allclose(normalised(np.array([[1.0, 3.0]]), "layernorm", 0.0, ONES, None), [[-1.0, 1.0]])


def test_rmsnorm_keeps_the_mean() -> None:
    expected = np.array([[3.0, 4.0]]) / np.sqrt(12.5)
    np.testing.assert_allclose(normalised(np.array([[3.0, 4.0]]), "rmsnorm", 0.0, ONES, None), expected)


def test_gain_and_bias_act_after_the_division() -> None:
    y = normalised(np.array([[1.0, 3.0]]), "layernorm", 0.0, np.array([2.0, 3.0]), np.array([10.0, 20.0]))
    np.testing.assert_allclose(y, [[8.0, 23.0]])


def test_eps_keeps_a_constant_row_finite() -> None:
    assert normalised(np.array([[5.0, 5.0]]), "layernorm", 1e-5, ONES, None).tolist() == [[0.0, 0.0]]


def test_the_argument_is_left_alone() -> None:
    x = np.array([[1.0, 3.0]])
    normalised(x, "rmsnorm", 1e-5, ONES * 2, ONES)
    assert x.tolist() == [[1.0, 3.0]]
