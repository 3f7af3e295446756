"""What rows of weights look like in one number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from attnexplorer.compute import metrics
from attnexplorer.compute.softmax import softmax

SCORES = np.array([[2.5, 1.0, 0.2, 1.0]])
ROWS = arrays.arrays(np.float64, (3, 4), elements=st.floats(-50, 50)).map(softmax)


@pytest.mark.parametrize(
    ("scale", "largest", "entropy", "effective", "gradient"),
    [
        (2**-0.5, 0.529, 1.723, 3.301, 0.404),
        (1.0, 0.647, 1.469, 2.768, 0.355),
        (4.0, 0.995, 0.051, 1.036, 0.008),
    ],
)
def test_the_known_row_saturates_as_it_is_scaled(
    scale: float, largest: float, entropy: float, effective: float, gradient: float
) -> None:
    found = metrics.row_metrics(softmax(SCORES * scale))
    assert found.largest[0] == pytest.approx(largest, abs=5e-4)
    assert found.entropy[0] == pytest.approx(entropy, abs=5e-4)
    assert found.effective_keys[0] == pytest.approx(effective, abs=5e-4)
    assert found.gradient[0] == pytest.approx(gradient, abs=5e-4)


@given(ROWS)
def test_the_gradient_left_is_the_norm_of_the_jacobian(weights: np.ndarray) -> None:
    norms = [np.linalg.norm(metrics.jacobian(row)) for row in weights]
    np.testing.assert_allclose(metrics.gradient_left(weights), norms, rtol=1e-9, atol=1e-12)


@given(ROWS)
def test_the_sensitivity_of_a_cell_sums_its_column_of_the_jacobian(weights: np.ndarray) -> None:
    sums = [np.abs(metrics.jacobian(row)).sum(axis=0) for row in weights]
    np.testing.assert_allclose(metrics.sensitivity(weights), sums, rtol=1e-9, atol=1e-12)


def test_a_one_hot_row_has_no_entropy_one_key_and_no_gradient() -> None:
    found = metrics.row_metrics(np.array([[0.0, 1.0, 0.0]]))
    assert (found.entropy[0], found.effective_keys[0], found.largest[0], found.gradient[0]) == (0.0, 1.0, 1.0, 0.0)


def test_a_row_that_sees_nothing_has_zeros_and_no_nan() -> None:
    blind = np.zeros((1, 3))
    found = metrics.row_metrics(blind)
    assert (found.entropy[0], found.effective_keys[0], found.largest[0], found.gradient[0]) == (0.0, 0.0, 0.0, 0.0)
    assert metrics.mean_distance_back(blind)[0] == 0.0


def test_uniform_weights_look_back_half_way() -> None:
    weights = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    np.testing.assert_allclose(metrics.mean_distance_back(weights), [0.0, 0.5, 1.0])
    np.testing.assert_allclose(metrics.share_on_self(weights), [1.0, 0.5, 1 / 3])
    np.testing.assert_allclose(metrics.share_on_first(weights), [1.0, 0.5, 1 / 3])


def test_queries_that_continue_a_longer_sequence_stand_at_its_end() -> None:
    weights = np.array([[0.0, 0.25, 0.75]])
    assert metrics.share_on_self(weights)[0] == 0.75
    assert metrics.mean_distance_back(weights)[0] == 0.25
    assert metrics.share_on_self(weights, shift=0)[0] == 0.0
    assert metrics.share_on_self(weights, shift=-1)[0] == 0.0


def test_lengthening_a_key_moves_the_dot_product_and_not_the_cosine() -> None:
    query, key = np.array([[1.0, 1.0]]), np.array([[1.5, 1.0], [0.2, 0.8]])
    before = metrics.cosine(query, key)
    np.testing.assert_allclose(before[0], [2.5 / np.sqrt(2 * 3.25), 1.0 / np.sqrt(2 * 0.68)])
    np.testing.assert_allclose(metrics.cosine(query, key * 1e200), before)
    np.testing.assert_allclose(metrics.cosine(query, key * 1e-200), before)


def test_a_vector_of_zeros_has_no_cosine() -> None:
    assert np.isnan(metrics.cosine(np.zeros((1, 2)), np.ones((1, 2)))).all()


def test_weights_pinned_to_enormous_numbers_make_no_trouble() -> None:
    huge = np.array([[1e308, 1e308], [1e308, 0.5]])
    found = metrics.row_metrics(huge)
    assert np.isneginf(found.entropy).all()
    assert found.largest.tolist() == [1e308, 1e308]
