"""What distinguishes heads: hand-made rows with known numbers, and properties that hold for any."""

from __future__ import annotations

import numpy as np
import pytest
from hand_made import one_layer
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attnexplorer.compute.engine import Engine
from attnexplorer.compute.head_metrics import (
    distance_looked_back,
    head_distance,
    head_metrics,
    head_part,
    mean_over_heads,
    output_rows,
    part_norms,
    row_distances,
    written_by,
)
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.edits.creation import new_experiment

CAUSAL = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.25, 0.25]])


def rows(count: int, keys: int):  # type: ignore[no-untyped-def]
    positive = arrays(np.float64, (count, keys), elements=st.floats(0.001, 10.0))
    return positive.map(lambda numbers: numbers / numbers.sum(axis=1, keepdims=True))


def test_a_head_is_described_by_the_means_over_its_rows() -> None:
    metrics = head_metrics(CAUSAL)
    assert metrics.entropy == pytest.approx((0 + 1 + 1.5) / 3)
    assert metrics.distance_back == pytest.approx((0 + 0.5 + (2 * 0.5 + 0.25)) / 3)
    assert metrics.on_self == pytest.approx((1 + 0.5 + 0.25) / 3)
    assert metrics.on_first == pytest.approx((1 + 0.5 + 0.5) / 3)


def test_what_lies_ahead_counts_for_nothing_in_the_distance_looked_back() -> None:
    weights = np.array([[0.0, 0.0, 1.0], [0.5, 0.0, 0.5]])
    assert distance_looked_back(weights).tolist() == [0.0, 0.5]
    assert distance_looked_back(weights, shift=1).tolist() == [0.0, 1.0]


def test_a_row_that_sees_nothing_does_not_count() -> None:
    weights = np.vstack([CAUSAL, np.zeros((1, 3))])
    assert head_metrics(weights) == head_metrics(CAUSAL)
    assert head_metrics(np.zeros((2, 3))).entropy == 0.0


def test_two_sequences_have_neither_an_own_position_nor_a_distance() -> None:
    metrics = head_metrics(CAUSAL, None)
    assert metrics.distance_back is None and metrics.on_self is None
    assert metrics.on_first == pytest.approx(2 / 3)


def test_rows_without_a_common_key_are_as_far_apart_as_can_be() -> None:
    apart = row_distances(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 1.0], [0.5, 0.5]]))
    assert apart.tolist() == [1.0, 0.0]


def test_a_row_that_only_one_head_sees_nothing_in_is_as_far_apart_as_can_be() -> None:
    nothing, something = np.zeros((1, 2)), np.array([[0.5, 0.5]])
    assert row_distances(nothing, something).tolist() == [1.0]
    assert row_distances(nothing, nothing).tolist() == [0.0]


def test_the_distance_of_known_rows_is_the_square_root_of_their_divergence() -> None:
    # p = (1, 0), q = (½, ½): the middle is (¾, ¼), so the divergence is H(¾, ¼) − ½.
    divergence = -(0.75 * np.log2(0.75) + 0.25 * np.log2(0.25)) - 0.5
    assert head_distance(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])) == pytest.approx(
        np.sqrt(divergence), abs=1e-12
    )


@given(rows(4, 5), rows(4, 5), rows(4, 5))
def test_the_distance_between_heads_is_a_metric(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
    assert head_distance(a, a) == 0.0
    assert head_distance(a, b) == pytest.approx(head_distance(b, a), abs=1e-12)
    assert 0.0 <= head_distance(a, b) <= 1.0
    assert head_distance(a, c) <= head_distance(a, b) + head_distance(b, c) + 1e-7


def test_weights_that_are_no_numbers_have_no_distance() -> None:
    fine = np.array([[1.0, 0.0], [0.0, 1.0]])
    for broken in (np.nan, np.inf, -np.inf):
        part = np.array([[broken, 0.0], [1.0, 0.0]])
        assert np.isnan(head_distance(fine, part)) and np.isnan(head_distance(part, fine))
        assert np.isnan(head_distance(part, part))


@given(rows(3, 4), rows(3, 4))
def test_the_rows_of_the_mean_over_heads_sum_to_one(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(mean_over_heads((a, b)).sum(axis=1), 1.0, atol=1e-12)


def test_the_parts_of_all_heads_and_b_O_once_are_the_output() -> None:
    random = np.random.default_rng(3)
    W_O, b_O = random.normal(size=(9, 4)), random.normal(size=4)
    experiment = one_layer(random.normal(size=(5, 3)), heads=3, kv_heads=3, W_O=W_O, b_O=b_O)
    attention = experiment.layers[0].attention
    units = [Unit("head_output", 0, head) for head in range(3)] + [Unit("attention_output", 0)]
    found = Engine().evaluate(experiment, units).arrays
    parts = [head_part(found[Unit("head_output", 0, head)], output_rows(attention, head)) for head in range(3)]
    np.testing.assert_allclose(sum(parts) + b_O, found[Unit("attention_output", 0)], atol=1e-12)


def test_without_W_O_a_head_writes_its_output_into_its_own_columns() -> None:
    experiment = one_layer(np.eye(2), heads=2, kv_heads=2)
    part = head_part(np.array([[3.0, 4.0]]), output_rows(experiment.layers[0].attention, 1))
    assert part.tolist() == [[0.0, 0.0, 3.0, 4.0]]
    assert part_norms(part).tolist() == [5.0]


def test_without_an_output_matrix_a_head_writes_into_columns_of_its_own() -> None:
    attention = new_experiment(["a", "b"], 4, 3, 3, heads=2, seed=1).layers[0].attention
    output = np.arange(6.0).reshape(2, 3)

    written = written_by(attention, 1, output)

    assert written.tolist() == [[0, 0, 0, 0, 1, 2], [0, 0, 0, 3, 4, 5]]
    assert np.array_equal(written, head_part(output, output_rows(attention, 1)))
