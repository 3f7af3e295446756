"""Planes through vectors, and dot product beside cosine."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnexplorer.compute.planes import axes_plane, components_plane, pair_numbers

NUMBERS = st.floats(-8, 8).filter(lambda x: x == 0 or abs(x) > 1e-6)
SHAPES = st.tuples(st.integers(1, 7), st.integers(1, 6))
VECTORS = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=NUMBERS))


def test_two_axes_show_the_very_numbers_of_the_table() -> None:
    vectors = np.array([[0.1, 7.0, 0.3], [-2.0, 0.0, 1e-300]])
    plane = axes_plane(vectors, 2, 0)
    assert plane.project(vectors).tolist() == [[0.3, 0.1], [1e-300, -2.0]]


def test_the_share_of_two_axes_is_their_part_of_the_squared_length() -> None:
    plane = axes_plane(np.array([[1.0, 2.0, 2.0]]), 0, 1)
    assert plane.shares == pytest.approx((1 / 9, 4 / 9))
    assert plane.share == pytest.approx(5 / 9)


def test_vectors_of_one_number_lie_on_a_line() -> None:
    vectors = np.array([[2.0], [-1.0]])
    for plane in (axes_plane(vectors, 0, 0), components_plane(vectors)):
        assert plane.project(vectors).tolist() == [[2.0, 0.0], [-1.0, 0.0]]
        assert plane.shares == (1.0, 0.0)


def test_vectors_that_lie_in_a_plane_are_wholly_seen_in_their_components() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(9, 2)) @ rng.normal(size=(2, 12))
    plane = components_plane(vectors)
    assert plane.share == pytest.approx(1.0, abs=1e-12)
    lengths = np.linalg.norm(plane.project(vectors), axis=1)
    assert lengths == pytest.approx(np.linalg.norm(vectors, axis=1), abs=1e-12)


@given(VECTORS)
def test_components_are_at_right_angles_and_no_two_axes_show_more(vectors: np.ndarray) -> None:
    plane, width = components_plane(vectors), vectors.shape[1]
    gram = plane.basis @ plane.basis.T
    assert gram == pytest.approx(np.eye(2) if width > 1 and len(vectors) else np.diag([1.0, gram[1, 1]]), abs=1e-12)
    if vectors.any():
        best = max(axes_plane(vectors, a, b).share for a in range(width) for b in range(width))
        assert plane.share >= best - 1e-9
        assert plane.shares[0] >= plane.shares[1] - 1e-12


def test_equal_vectors_turned_around_give_the_same_directions() -> None:
    vectors = np.array([[3.0, 1.0, 0.5], [0.2, -1.0, 2.0]])
    assert components_plane(vectors).basis == pytest.approx(components_plane(-vectors).basis)


def test_vectors_of_zeros_have_no_share_and_still_a_plane() -> None:
    plane = components_plane(np.zeros((3, 4)))
    assert math.isnan(plane.share)
    assert plane.project(np.zeros((3, 4))).tolist() == [[0.0, 0.0]] * 3


def test_what_is_not_finite_does_not_spoil_the_components_of_the_others() -> None:
    vectors = np.array([[1.0, 2.0, 0.0], [np.nan, 0.0, 0.0], [np.inf, 1.0, 0.0]])
    assert components_plane(vectors).share == pytest.approx(1.0)


def test_vectors_too_long_for_a_plane_have_no_place_in_it_and_cost_no_warning() -> None:
    vectors = np.array([[1.7e308, 1.7e308, -1.7e308], [1.0, 2.0, 3.0], [1.7e308, -1.7e308, 1.7e308]])
    places = components_plane(vectors).project(vectors)
    assert np.isfinite(places[1]).all()
    assert not np.isfinite(places[[0, 2]]).all()


def test_it_and_animal_have_the_known_dot_product_beside_their_cosine() -> None:
    pair = pair_numbers(np.array([1.0, 1.0]), np.array([1.5, 1.0]))
    assert pair.dot == 2.5
    assert pair.cosine == pytest.approx(2.5 / (math.sqrt(2) * math.sqrt(3.25)))
    assert pair.query_length * pair.key_length * pair.cosine == pytest.approx(pair.dot)
    assert pair.angle == pytest.approx(11.3099, abs=1e-4)


@given(arrays(np.float64, 5, elements=NUMBERS), arrays(np.float64, 5, elements=NUMBERS))
def test_lengthening_one_key_moves_the_dot_product_and_not_the_cosine(query: np.ndarray, key: np.ndarray) -> None:
    before, after = pair_numbers(query, key), pair_numbers(query, 2.0 * key)
    assert after.dot == 2.0 * before.dot
    assert after.key_length == 2.0 * before.key_length
    assert after.cosine == before.cosine or (math.isnan(after.cosine) and math.isnan(before.cosine))


def test_a_vector_of_zeros_has_a_dot_product_but_no_angle() -> None:
    pair = pair_numbers(np.zeros(2), np.array([1.0, 2.0]))
    assert pair.dot == 0.0
    assert math.isnan(pair.cosine)
    assert math.isnan(pair.angle)


def test_huge_and_tiny_vectors_keep_their_cosine() -> None:
    pair = pair_numbers(np.array([1e300, 1e300]), np.array([1e-300, 0.0]))
    assert pair.cosine == pytest.approx(1 / math.sqrt(2))
    assert pair.angle == pytest.approx(45.0)


def test_the_tiniest_and_the_most_enormous_vectors_have_a_cosine_too() -> None:
    for size in (5e-324, 1e308):
        pair = pair_numbers(np.array([size, size]), np.array([size, 0.0]))
        assert pair.cosine == pytest.approx(1 / math.sqrt(2))
        assert pair.dot in (0.0, math.inf)
