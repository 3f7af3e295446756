from __future__ import annotations

import numpy as np
import pytest

from attnexplorer.compute.positions import (
    alibi_slopes,
    distance,
    pair_columns,
    rotated,
    rotation_angles,
    score_over_distance,
    sinusoidal,
)


def test_sinusoidal_positions_alternate_sine_and_cosine_of_the_same_angle() -> None:
    table = sinusoidal(2, 4, 0, 10000.0)
    np.testing.assert_allclose(table[0], [0.0, 1.0, 0.0, 1.0], rtol=0, atol=0)
    np.testing.assert_allclose(table[1], [0.84147, 0.54030, 0.01000, 0.99995], rtol=0, atol=5e-6)


def test_sinusoidal_positions_of_odd_width_end_with_a_sine() -> None:
    table = sinusoidal(3, 3, 0, 10000.0)
    assert table.shape == (3, 3)
    np.testing.assert_allclose(table[:, 2], np.sin(np.arange(3) / 10000.0 ** (2 / 3)))


def test_an_offset_moves_the_table_of_positions() -> None:
    assert sinusoidal(2, 4, 3, 100.0).tolist() == sinusoidal(5, 4, 0, 100.0)[3:].tolist()
    assert rotation_angles(2, 4, 3, 100.0).tolist() == rotation_angles(5, 4, 0, 100.0)[3:].tolist()


def test_rotation_keeps_the_length_of_every_vector() -> None:
    vectors = np.random.default_rng(1).normal(size=(5, 6))
    angles = rotation_angles(5, 6, 2, 10000.0)
    for interleaved in (False, True):
        turned = rotated(vectors, angles, interleaved)
        np.testing.assert_allclose(np.linalg.norm(turned, axis=1), np.linalg.norm(vectors, axis=1))


def test_position_zero_is_not_turned() -> None:
    vectors = np.array([[1.0, 2.0, 3.0, 4.0]])
    assert rotated(vectors, rotation_angles(1, 4, 0, 10000.0), False).tolist() == vectors.tolist()


def test_every_column_belongs_to_one_pair() -> None:
    for interleaved in (False, True):
        first, second = pair_columns(6, interleaved)
        assert sorted([*first, *second]) == list(range(6))


def test_slopes_of_eight_heads_halve_from_head_to_head() -> None:
    assert alibi_slopes(8) == tuple(2.0 ** -(head + 1) for head in range(8))


def test_slopes_of_twelve_heads_go_on_with_every_other_slope_of_sixteen() -> None:
    between = [2.0**-0.5, 2.0**-1.5, 2.0**-2.5, 2.0**-3.5]
    assert alibi_slopes(12) == pytest.approx([2.0 ** -(head + 1) for head in range(8)] + between)


@pytest.mark.parametrize("heads", [1, 2, 3, 5, 6, 7, 9, 16, 20])
def test_every_head_has_a_slope_of_its_own(heads: int) -> None:
    slopes = alibi_slopes(heads)
    assert len(slopes) == len(set(slopes)) == heads


def test_one_head_has_the_smallest_slope() -> None:
    assert alibi_slopes(1) == (2.0**-8,)


def test_distance_is_counted_from_the_end_when_there_are_more_keys_than_queries() -> None:
    assert distance(2, 4).tolist() == [[2.0, 1.0, 0.0, 1.0], [3.0, 2.0, 1.0, 0.0]]


@pytest.mark.parametrize("interleaved", [True, False])
def test_the_score_over_distance_is_the_score_of_turned_vectors(interleaved: bool) -> None:
    random = np.random.default_rng(2)
    q, k = random.normal(size=6), random.normal(size=6)
    angles = rotation_angles(8, 6, 3, 100.0)
    turned_q, turned_k = (rotated(np.tile(vector, (8, 1)), angles, interleaved) for vector in (q, k))
    distances = np.arange(-7.0, 8.0)
    scores = score_over_distance(q, k, distances, 100.0, interleaved)
    for i in range(8):
        for j in range(8):
            assert abs(turned_q[i] @ turned_k[j] - scores[i - j + 7]) < 1e-12
