from __future__ import annotations

import numpy as np
import pytest
from hand_made import one_layer, with_scores

from attnexplorer.compute.mask_faults import MaskedWays, masked_ways, masked_ways_units
from attnexplorer.compute.trace import evaluate
from attnexplorer.compute.units import Unit
from attnexplorer.experiment import model

CAUSAL = model.Mask(causal=True)
SCORES = [[1.0, 2.0], [0.0, 1.0]]


def ways_of(experiment: model.Experiment, head: int = 0) -> MaskedWays:
    return masked_ways(experiment, evaluate(experiment).array, 0, head)


def test_a_score_of_0_in_place_of_a_blocked_one_gets_the_weight_of_e_to_the_0() -> None:
    ways = ways_of(with_scores(SCORES, mask=CAUSAL))
    leak = 1.0 / (np.e + 1.0)
    np.testing.assert_allclose(ways.zeroed[0], [1.0 - leak, leak], rtol=0, atol=1e-15)
    np.testing.assert_allclose(ways.leaked(ways.zeroed), [leak, 0.0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(ways.zeroed.sum(axis=1), 1.0, rtol=0, atol=1e-15)


def test_masking_after_softmax_leaves_rows_that_do_not_sum_to_1() -> None:
    ways = ways_of(with_scores(SCORES, mask=CAUSAL))
    np.testing.assert_allclose(ways.after[0], [1.0 / (1.0 + np.e), 0.0], rtol=0, atol=1e-15)
    assert ways.leaked(ways.after).tolist() == [0.0, 0.0]
    assert ways.after.sum(axis=1)[0] < 0.27
    assert ways.after[1].sum() == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("kind", ["none", "rope", "alibi"])
def test_the_right_way_is_the_evaluation_bit_for_bit(kind: str) -> None:
    random = np.random.default_rng(1)
    experiment = one_layer(
        random.normal(size=(5, 4)),
        heads=2,
        position=model.Position(kind),
        mask=model.Mask(causal=True, window=3),
        padding=(True, False, False, False, False),
        temperature=1.7,
        softcap=2.0,
    )
    ways = ways_of(experiment, head=1)
    assert np.array_equal(ways.right, evaluate(experiment).array(Unit("weights", 0, 1)))
    assert ways.leaked(ways.right).tolist() == [0.0] * 5


def test_a_mask_that_blocks_nothing_makes_all_ways_equal() -> None:
    ways = ways_of(with_scores(SCORES))
    assert np.array_equal(ways.right, ways.zeroed)
    assert np.array_equal(ways.right, ways.after)


def test_pinned_masked_scores_count_as_in_the_evaluation() -> None:
    pin = [[5.0, -np.inf], [np.nan, 0.5]]
    experiment = with_scores(SCORES, mask=CAUSAL, pins={"layers.0.masked.0": pin})
    ways = ways_of(experiment)
    assert np.array_equal(ways.right, evaluate(experiment).array(Unit("weights", 0, 0)))
    assert ways.visible.tolist() == [[True, False], [True, True]]
    assert ways.zeroed[0, 1] == pytest.approx(1.0 / (1.0 + np.exp(5.0)), abs=1e-15)


def test_pinned_weights_have_no_part_in_the_comparison() -> None:
    ways = ways_of(with_scores(SCORES, mask=CAUSAL, pins={"layers.0.weights.0": np.full((2, 2), 9.0)}))
    assert ways.right[0].tolist() == [1.0, 0.0]


def test_a_row_that_sees_no_key_is_spread_over_all_when_masked_with_0() -> None:
    ways = ways_of(with_scores(SCORES, mask=model.Mask(blocked=((0, 0), (0, 1)))))
    assert ways.right[0].tolist() == [0.0, 0.0]
    assert ways.zeroed[0].tolist() == [0.5, 0.5]
    assert ways.after[0].tolist() == [0.0, 0.0]


def test_only_what_is_read_is_asked_for() -> None:
    experiment = one_layer(np.eye(2), heads=2)
    assert set(masked_ways_units(experiment, 0, 1)) == {Unit("scaled", 0, 1), Unit("visible", 0)}
