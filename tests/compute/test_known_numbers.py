"""Numbers known from elsewhere: worked examples, published figures, and what is easily got wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hand_made import one_layer, with_scores

from attnexplorer.compute.projections import Array
from attnexplorer.compute.trace import LayerTrace, evaluate
from attnexplorer.experiment import model
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.paths import replace

CAUSAL = model.Mask(causal=True)


def weights_of(experiment: model.Experiment, head: int = 0) -> Array:
    return evaluate(experiment).layers[0].weights[head]


def output_of(experiment: model.Experiment, head: int = 0) -> Array:
    return evaluate(experiment).layers[0].head_output[head]


@pytest.fixture(scope="module")
def animal_street() -> LayerTrace:
    return evaluate(load_example("animal-street")).layers[0]


def test_the_query_of_it_is_one_and_one(animal_street: LayerTrace) -> None:
    assert animal_street.query[0][3].tolist() == [1.0, 1.0]


def test_the_scores_of_it_are_its_dot_products_with_every_key(animal_street: LayerTrace) -> None:
    np.testing.assert_allclose(animal_street.scores[0][3], [2.5, 1.0, 0.2, 1.0], rtol=0, atol=1e-12)


def test_scaling_divides_by_the_square_root_of_two(animal_street: LayerTrace) -> None:
    np.testing.assert_allclose(animal_street.scaled[0][3], [1.768, 0.707, 0.141, 0.707], rtol=0, atol=5e-4)


def test_softmax_gives_more_than_half_to_the_animal(animal_street: LayerTrace) -> None:
    np.testing.assert_allclose(animal_street.weights[0][3], [0.5294, 0.1833, 0.1041, 0.1833], rtol=0, atol=5e-5)


def test_the_output_is_the_blend_of_the_values(animal_street: LayerTrace) -> None:
    np.testing.assert_allclose(animal_street.output[3], [0.6601, 0.3912], rtol=0, atol=5e-5)


def test_the_parts_of_the_blend_are_weights_times_values(animal_street: LayerTrace) -> None:
    parts = animal_street.weights[0][3][:, None] * animal_street.value[0]
    expected = [[0.5294, 0.1059], [0.0183, 0.1833], [0.0208, 0.0104], [0.0916, 0.0916]]
    np.testing.assert_allclose(parts, expected, rtol=0, atol=5e-5)


def test_given_scaled_scores_give_the_computed_and_not_the_rounded_published_weights() -> None:
    np.testing.assert_allclose(
        weights_of(load_example("given-scores"))[2, :3], [0.1052, 0.7032, 0.1916], rtol=0, atol=5e-5
    )


@pytest.mark.parametrize(("scale", "largest"), [(1 / math.sqrt(2), 0.529), (1.0, 0.647), (4.0, 0.995)])
def test_a_larger_scale_saturates_the_row_of_it(scale: float, largest: float) -> None:
    weights = weights_of(with_scores([[2.5, 1.0, 0.2, 1.0]], scale=scale))
    assert weights.max() == pytest.approx(largest, abs=5e-4)


def test_large_scores_are_shifted_before_the_exponential() -> None:
    weights = weights_of(with_scores([[10000.0, 10001.0, 10002.0, 10003.0]]))
    np.testing.assert_allclose(weights, [[0.0321, 0.0871, 0.2369, 0.6439]], rtol=0, atol=5e-5)


def test_equal_scores_far_below_zero_are_uniform_over_what_is_allowed() -> None:
    weights = weights_of(with_scores(np.full((3, 3), -1e6), mask=CAUSAL))
    np.testing.assert_allclose(weights, np.tril(np.ones((3, 3))) / [[1], [2], [3]], rtol=0, atol=1e-15)


def test_a_blocked_pair_stays_blocked_beside_real_scores_far_below_zero() -> None:
    weights = weights_of(with_scores([[-1e9, -1e9, 0.0]], mask=model.Mask(blocked=((0, 2),))))
    assert weights.tolist() == [[0.5, 0.5, 0.0]]


@pytest.mark.parametrize(
    ("interleaved", "turned"),
    [(True, [-1.1426, 1.9221, 2.9599, 4.0298]), (False, [-1.9841, 1.9599, 2.4624, 4.0198])],
)
def test_rotary_pairs_are_neighbours_or_halves(interleaved: bool, turned: list[float]) -> None:
    rope = model.Position("rope", interleaved=interleaved, offset=1)
    rotated = evaluate(one_layer([[1.0, 2.0, 3.0, 4.0]], position=rope)).layers[0].query_rotated[0]
    np.testing.assert_allclose(rotated, [turned], rtol=0, atol=5e-5)


@pytest.mark.parametrize(("queries", "keys"), [(2, 4), (3, 5)])
def test_the_causal_corner_of_a_short_query_sequence_is_at_its_end(queries: int, keys: int) -> None:
    weights = weights_of(with_scores(np.zeros((queries, keys)), mask=CAUSAL))
    assert (weights > 0).tolist() == np.tri(queries, keys, keys - queries, dtype=bool).tolist()


def test_the_causal_corner_can_be_aligned_at_the_start() -> None:
    weights = weights_of(with_scores(np.zeros((2, 4)), mask=model.Mask(causal=True, align="start")))
    assert (weights > 0).tolist() == [[True, False, False, False], [True, True, False, False]]


def test_queries_before_the_first_key_see_nothing() -> None:
    layer = evaluate(with_scores(np.zeros((3, 1)), mask=CAUSAL)).layers[0]
    assert layer.weights[0].tolist() == [[0.0], [0.0], [1.0]]
    assert layer.fully_masked_rows == ((0, 0), (0, 1))


def test_grouped_heads_use_each_key_head_several_times_in_a_row() -> None:
    values = {f"layers.0.value.{head}": [[float(head)] * 2] * 2 for head in range(2)}
    layer = evaluate(one_layer(np.eye(2), heads=6, kv_heads=2, pins=values)).layers[0]
    assert [float(output[0, 0]) for output in layer.head_output] == [0, 0, 0, 1, 1, 1]
    assert len(layer.key) == len(layer.value) == 2


def test_concatenation_puts_heads_side_by_side_and_not_interleaved() -> None:
    outputs = {f"layers.0.head_output.{head}": [[head + 0.1, head + 0.2]] for head in range(3)}
    layer = evaluate(one_layer([[1.0, 2.0]], heads=3, pins=outputs)).layers[0]
    assert layer.concat.tolist() == [[0.1, 0.2, 1.1, 1.2, 2.1, 2.2]]


def test_a_muted_head_is_silent_in_the_concatenation_only() -> None:
    layer = evaluate(one_layer([[1.0, 2.0]], heads=2, muted_heads=(0,))).layers[0]
    assert layer.concat.tolist() == [[0.0, 0.0, 1.0, 2.0]]
    assert layer.head_output[0].tolist() == [[1.0, 2.0]]


def test_a_pinned_concatenation_beats_muting() -> None:
    pins = {"layers.0.concat": [[5.0, np.nan]]}
    layer = evaluate(one_layer([[2.0]], heads=2, muted_heads=(0, 1), pins=pins)).layers[0]
    assert layer.concat.tolist() == [[5.0, 0.0]]


def test_a_row_that_sees_nothing_gets_weights_and_output_zero() -> None:
    layer = evaluate(with_scores([[3.0, 4.0], [1.0, 1.0]], mask=model.Mask(blocked=((0, 0), (0, 1))))).layers[0]
    assert layer.weights[0].tolist() == [[0.0, 0.0], [0.5, 0.5]]
    assert layer.head_output[0][0].tolist() == [0.0, 0.0]
    assert layer.fully_masked_rows == ((0, 0),)


def test_padding_and_causality_together_may_leave_a_row_with_nothing() -> None:
    trace = evaluate(one_layer(np.eye(3), padding=(True, False, False), mask=CAUSAL))
    assert trace.layers[0].fully_masked_rows == ((0, 0),)
    assert not np.isnan(trace.layers[0].output).any()


def test_one_head_alone_can_be_blind_by_a_pin() -> None:
    pins = {"layers.0.masked.1": np.full((2, 2), -np.inf)}
    trace = evaluate(one_layer(np.eye(2), heads=2, pins=pins))
    assert trace.layers[0].fully_masked_rows == ((1, 0), (1, 1))
    assert trace.layers[0].weights[0].sum() == pytest.approx(2.0)


def test_softcap_comes_before_the_mask() -> None:
    experiment = with_scores([[100.0, 0.0]], softcap=5.0, mask=model.Mask(blocked=((0, 1),)))
    layer = evaluate(experiment).layers[0]
    assert layer.scaled[0].tolist() == [[5.0, 0.0]]
    assert layer.masked[0].tolist() == [[5.0, -math.inf]]
    assert layer.weights[0].tolist() == [[1.0, 0.0]]


def test_temperature_divides_what_the_alibi_penalty_left() -> None:
    experiment = with_scores(np.zeros((1, 3)), temperature=2.0, position=model.Position("alibi"))
    masked = evaluate(experiment).layers[0].masked[0]
    np.testing.assert_allclose(masked, np.array([[2.0, 1.0, 0.0]]) * -(2.0**-8) / 2.0, rtol=0, atol=1e-15)


@pytest.mark.parametrize("hidden", [math.inf, -math.inf, math.nan])
def test_what_is_behind_a_mask_never_reaches_the_output(hidden: float) -> None:
    values = frozen([[1.0, 2.0], [hidden, hidden]])
    source = model.Source(("a", "b"), (False, True), values)
    layer = evaluate(one_layer([[1.0, 1.0]], source=source)).layers[0]
    assert layer.head_output[0].tolist() == [[1.0, 2.0]]
    assert layer.output.tolist() == [[1.0, 2.0]]


def test_one_key_alone_gets_all_the_weight() -> None:
    assert weights_of(with_scores([[-3.0], [7.0]])).tolist() == [[1.0], [1.0]]


def test_a_finite_pin_makes_a_blocked_pair_visible() -> None:
    pins = {"layers.0.masked.0": [[np.nan, 0.0], [np.nan, np.nan]]}
    experiment = with_scores(np.zeros((2, 2)), mask=CAUSAL, pins=pins)
    assert weights_of(experiment).tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_pinned_weights_are_neither_renormalised_nor_zeroed() -> None:
    pins = {"layers.0.weights.0": [[2.0, 3.0], [np.nan, np.nan]]}
    layer = evaluate(with_scores(np.zeros((2, 2)), mask=CAUSAL, pins=pins)).layers[0]
    assert layer.weights[0].tolist() == [[2.0, 3.0], [0.5, 0.5]]
    assert layer.head_output[0][0].tolist() == [2.0, 3.0]


@pytest.mark.parametrize("scale", [2.0, 0.0, -1.0, "sqrt_dk"])
def test_a_score_pinned_to_minus_infinity_is_blocked_under_every_scale(scale: float | str) -> None:
    weights = weights_of(with_scores([[-math.inf, 1.0]], scale=scale))
    assert weights.tolist() == [[0.0, 1.0]]


def test_the_last_word_of_a_sentence_changes_the_row_of_it_only_without_the_causal_mask() -> None:
    tired, flooded = load_example("tired"), load_example("flooded")
    row = tired.sequence.tokens.index("it")
    assert tired.layers[0].attention.mask.causal == flooded.layers[0].attention.mask.causal
    masked = [evaluate(with_mask(e, CAUSAL)).layers[0].output[row] for e in (tired, flooded)]
    free = [evaluate(with_mask(e, model.Mask())).layers[0].output[row] for e in (tired, flooded)]
    assert masked[0].tolist() == masked[1].tolist()
    assert free[0].tolist() != free[1].tolist()


def with_mask(experiment: model.Experiment, mask: model.Mask) -> model.Experiment:
    return replace(experiment, "layers.0.attention.mask", mask)
