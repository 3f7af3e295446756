from __future__ import annotations

import numpy as np

from attnexplorer.compute.softmax import mixed, softmax


def test_rows_sum_to_one_and_columns_need_not() -> None:
    weights = softmax(np.random.default_rng(1).normal(size=(4, 3)))
    np.testing.assert_allclose(weights.sum(axis=1), np.ones(4), rtol=0, atol=1e-15)
    assert not np.allclose(weights.sum(axis=0), 1.0)


def test_a_row_of_minus_infinity_gives_zeros() -> None:
    assert softmax(np.full((1, 3), -np.inf)).tolist() == [[0.0, 0.0, 0.0]]


def test_an_infinite_or_missing_score_shows_in_its_own_row_only() -> None:
    with np.errstate(invalid="ignore"):
        weights = softmax(np.array([[np.inf, 0.0], [np.nan, 0.0], [0.0, 0.0]]))
    assert np.isnan(weights[:2]).any(axis=1).all()
    assert weights[2].tolist() == [0.5, 0.5]


def test_the_argument_is_left_alone() -> None:
    scores = np.array([[1.0, 2.0]])
    softmax(scores)
    assert scores.tolist() == [[1.0, 2.0]]


def test_a_key_without_weight_adds_nothing_whatever_its_value() -> None:
    value = np.array([[1.0], [np.nan], [np.inf]])
    assert mixed(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), value).tolist() == [[1.0], [0.0]]


def test_a_key_with_weight_does_pass_its_infinity_on() -> None:
    assert mixed(np.array([[0.5, 0.5]]), np.array([[1.0], [np.inf]])).tolist() == [[np.inf]]
