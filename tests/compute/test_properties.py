"""What is true of attention whatever the numbers are, to 1e-12."""

from __future__ import annotations

import numpy as np
from experiment_strategies import experiments
from hand_made import one_layer, with_scores
from hypothesis import given
from hypothesis import strategies as st

from attnexplorer.compute.trace import LayerTrace, evaluate
from attnexplorer.experiment import model
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.paths import replace

SEEDS = st.integers(0, 2**32 - 1)
TOLERANCE = {"rtol": 0.0, "atol": 1e-12}


def random_layer(seed: int, X: np.ndarray, **settings) -> LayerTrace:
    random = np.random.default_rng(seed)
    width = X.shape[1]

    def matrices() -> tuple:
        return tuple(frozen(random.normal(size=(width, width)) / width) for _ in range(2))

    return evaluate(one_layer(X, W_Q=matrices(), W_K=matrices(), W_V=matrices(), **settings)).layers[0]


@given(SEEDS, st.permutations(range(5)))
def test_shuffled_tokens_shuffle_the_outputs_without_position_and_mask(seed: int, order: list[int]) -> None:
    X = np.random.default_rng(seed).normal(size=(5, 4))
    straight, shuffled = random_layer(seed, X), random_layer(seed, X[order])
    np.testing.assert_allclose(shuffled.output, straight.output[order], **TOLERANCE)
    np.testing.assert_allclose(shuffled.weights[1], straight.weights[1][order][:, order], **TOLERANCE)


@given(SEEDS)
def test_shuffled_tokens_do_not_shuffle_the_outputs_under_the_causal_mask(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(3, 4))
    causal = {"mask": model.Mask(causal=True)}
    straight, turned = random_layer(seed, X, **causal), random_layer(seed, X[::-1], **causal)
    assert not np.allclose(turned.output, straight.output[::-1], **TOLERANCE)


@given(SEEDS, st.floats(-50.0, 50.0))
def test_a_constant_added_to_a_row_of_scores_changes_no_weight(seed: int, constant: float) -> None:
    scores = np.random.default_rng(seed).normal(size=(3, 3))
    moved = scores + np.array([[0.0], [constant], [0.0]])
    weights = [evaluate(with_scores(rows)).layers[0].weights[0] for rows in (scores, moved)]
    np.testing.assert_allclose(weights[1], weights[0], **TOLERANCE)


@given(SEEDS, st.integers(1, 50), st.booleans())
def test_rotary_scores_depend_on_distance_only(seed: int, offset: int, interleaved: bool) -> None:
    X = np.random.default_rng(seed).normal(size=(5, 4)) / 4
    here, there = (
        random_layer(seed, X, position=model.Position("rope", interleaved=interleaved, offset=start))
        for start in (0, offset)
    )
    np.testing.assert_allclose(there.scores[0], here.scores[0], **TOLERANCE)


@given(SEEDS, st.integers(0, 4), st.integers(0, 4), st.booleans())
def test_a_rotary_score_is_that_of_the_same_distance_anywhere(seed: int, i: int, j: int, interleaved: bool) -> None:
    random = np.random.default_rng(seed)
    q, k = (random.normal(size=4) / 4 for _ in range(2))
    X = np.zeros((10, 4))
    pins = {"layers.0.query.0": np.tile(q, (10, 1)), "layers.0.key.0": np.tile(k, (10, 1))}
    position = model.Position("rope", interleaved=interleaved)
    scores = evaluate(one_layer(X, position=position, pins=pins)).layers[0].scores[0]
    for shift in range(1, 6):
        np.testing.assert_allclose(scores[i + shift, j + shift], scores[i, j], **TOLERANCE)


@given(SEEDS, st.integers(0, 2))
def test_muting_all_heads_but_one_leaves_that_head_through_its_rows_of_W_O_plus_b_O_once(seed: int, head: int) -> None:
    random = np.random.default_rng(seed)
    X, W_O, b_O = random.normal(size=(4, 3)), frozen(random.normal(size=(9, 3))), frozen(random.normal(size=3))
    W = {name: tuple(frozen(random.normal(size=(3, 3)) / 3) for _ in range(3)) for name in ("W_Q", "W_K", "W_V")}
    others = tuple(other for other in range(3) if other != head)
    muted = evaluate(one_layer(X, W_O=W_O, b_O=b_O, muted_heads=others, **W)).layers[0]
    expected = muted.head_output[head] @ W_O[3 * head : 3 * head + 3] + b_O
    np.testing.assert_allclose(muted.output, expected, **TOLERANCE)
    heard = evaluate(one_layer(X, W_O=W_O, b_O=b_O, **W)).layers[0]
    np.testing.assert_array_equal(muted.head_output[head], heard.head_output[head])


@given(SEEDS, st.sampled_from(("none", "rope", "alibi")), st.booleans())
def test_sharing_keys_and_values_across_all_heads_equals_multi_query(seed: int, kind: str, causal: bool) -> None:
    random = np.random.default_rng(seed)
    X, heads = random.normal(size=(5, 4)), 4
    W_Q = tuple(frozen(random.normal(size=(4, 2)) / 4) for _ in range(heads))
    W_K, W_V, W_O = (frozen(random.normal(size=size) / 4) for size in ((4, 2), (4, 3), (12, 4)))
    settings = {"position": model.Position(kind), "mask": model.Mask(causal=causal), "W_Q": W_Q, "W_O": W_O}
    one = evaluate(one_layer(X, W_K=(W_K,), W_V=(W_V,), **settings)).layers[0]
    many = evaluate(one_layer(X, W_K=(W_K,) * heads, W_V=(W_V,) * heads, **settings)).layers[0]
    np.testing.assert_allclose(one.output, many.output, **TOLERANCE)
    for head in range(heads):
        np.testing.assert_allclose(one.weights[head], many.weights[head], **TOLERANCE)


@given(SEEDS, st.integers(0, 3))
def test_a_token_s_future_changes_nothing_under_the_causal_mask(seed: int, row: int) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(4, 4))
    other = np.vstack([X[: row + 1], random.normal(size=(3 - row, 4))])
    mask = model.Mask(causal=True)
    before, after = random_layer(seed, X, mask=mask), random_layer(seed, other, mask=mask)
    np.testing.assert_allclose(after.output[: row + 1], before.output[: row + 1], **TOLERANCE)


@given(experiments())
def test_rows_that_see_a_key_sum_to_one_and_the_others_are_zero(experiment: model.Experiment) -> None:
    free = replace(experiment, "pins", model.NOTHING)
    for layer in evaluate(free).layers:
        blind = set(layer.fully_masked_rows)
        for head, weights in enumerate(layer.weights):
            sums = [0.0 if (head, row) in blind else 1.0 for row in range(len(weights))]
            np.testing.assert_allclose(weights.sum(axis=1), sums, **TOLERANCE)
            assert ((layer.masked[head] > -np.inf) | (weights == 0.0)).all()


@given(SEEDS, st.floats(0.1, 10.0))
def test_temperature_is_the_inverse_of_scale(seed: int, temperature: float) -> None:
    scores = np.random.default_rng(seed).normal(size=(3, 4))
    warm = evaluate(with_scores(scores, temperature=temperature)).layers[0].weights[0]
    scaled = evaluate(with_scores(scores, scale=1.0 / temperature)).layers[0].weights[0]
    np.testing.assert_allclose(warm, scaled, **TOLERANCE)


@given(SEEDS)
def test_equal_tokens_have_equal_rows_without_position_and_mask(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(4, 4))
    X[3] = X[0]
    output = random_layer(seed, X).output
    np.testing.assert_allclose(output[3], output[0], **TOLERANCE)
