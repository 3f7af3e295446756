from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from experiment_strategies import experiments
from hypothesis import given
from hypothesis import strategies as st

from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment.edits import blocks, heads, layers, masks, pins, positions, source, widths
from attnexplorer.experiment.edits.creation import default_experiment, new_experiment
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.losses import losses
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.validation import validate

ZEROS = Growth("zeros")


def small(number_of_heads: int = 2) -> Experiment:
    return new_experiment(["a", "b", "c"], 4, 2, 2, number_of_heads, seed=3)


def output(experiment: Experiment) -> np.ndarray:
    return np.asarray(evaluate(experiment).layers[-1].output)


def test_a_larger_d_model_keeps_the_numbers_and_grows_by_the_rule() -> None:
    before = small()
    after = widths.set_d_model(before, 6, ZEROS)
    np.testing.assert_array_equal(after.embedding.E[:, :4], before.embedding.E)
    assert not after.embedding.E[:, 4:].any()
    np.testing.assert_array_equal(output(after), output(before))
    grown = widths.set_d_model(before, 5, Growth("identity")).layers[0].attention.W_Q[0]
    np.testing.assert_array_equal(grown[4], np.zeros(2))


def test_growing_and_shrinking_back_gives_the_old_numbers() -> None:
    before = small()
    back = widths.set_d_v(widths.set_d_v(before, 0, 5), 0, 2)
    for old, new in zip(before.layers[0].attention.W_V, back.layers[0].attention.W_V, strict=True):
        np.testing.assert_array_equal(old, new)


def test_zero_columns_of_queries_and_keys_change_no_score() -> None:
    before = small()
    after = widths.set_d_k(before, 0, 4, ZEROS)
    np.testing.assert_allclose(evaluate(after).layers[0].scores[1], evaluate(before).layers[0].scores[1])


def test_rows_of_W_O_follow_their_head_when_d_v_changes() -> None:
    before = blocks.create_W_O(small(), 0)
    after = widths.set_d_v(before, 0, 3, ZEROS)
    W_O = after.layers[0].attention.W_O
    assert W_O is not None
    np.testing.assert_array_equal(W_O[[0, 1, 3, 4]], np.eye(4))
    np.testing.assert_allclose(output(after), output(before))


def test_without_W_O_the_next_layer_follows_the_concatenation() -> None:
    before = layers.add_layer(small(), 1)
    after = widths.set_d_v(before, 0, 3, ZEROS)
    assert after.layers[1].attention.d_model == 6
    validate(after)
    np.testing.assert_allclose(output(after), output(before))


def test_a_residual_without_W_O_fixes_the_widths() -> None:
    experiment = blocks.set_residual(small(), 0, True)
    for edit in (widths.set_d_model, lambda e, w: widths.set_d_v(e, 0, w), lambda e, w: heads.set_heads(e, 0, w)):
        with pytest.raises(ExperimentError, match=r"^Layer 1 has no W_O.*Create W_O first"):
            edit(experiment, 3)
    free = widths.set_d_model(blocks.create_W_O(experiment, 0), 3)
    assert free.layers[0].d_out == 3
    validate(free)


def test_rope_needs_an_even_d_k() -> None:
    turned = positions.set_position_kind(small(), "rope")
    with pytest.raises(ExperimentError, match=r"^Layer 1 has d_k = 3, but RoPE"):
        widths.set_d_k(turned, 0, 3)
    odd = widths.set_d_k(small(), 0, 3)
    with pytest.raises(ExperimentError, match=r"^Layer 1 has d_k = 3, but RoPE"):
        positions.set_position_kind(odd, "rope")


@pytest.mark.parametrize("count", [0, -1, 10**9])
def test_widths_that_can_only_be_a_slip_are_refused(count: int) -> None:
    with pytest.raises(ExperimentError, match=f"must be from 1 to 65536, not {count}"):
        widths.set_d_model(small(), count)


def test_a_removed_head_takes_its_rows_of_W_O_its_pins_and_its_muting_with_it() -> None:
    before = heads.set_muted(blocks.create_W_O(small(3), 0), 0, 2, True)
    before = pins.pin_cell(before, "layers.0.scores.1", 0, 0, 1.0)
    before = pins.pin_cell(before, "layers.0.key.2", 0, 0, 2.0)
    after = heads.remove_head(before, 0, 1)
    attention = after.layers[0].attention
    assert attention.muted_heads == (1,)
    assert list(after.pins) == ["layers.0.key.1"]
    assert attention.W_O is not None
    np.testing.assert_array_equal(attention.W_O, np.eye(6)[[0, 1, 4, 5]])
    assert attention.W_Q[1] is before.layers[0].attention.W_Q[2]
    assert losses(before, after) == (
        "This drops 1 pinned cell of scores.",
        "This drops 1 head, 1 KV head and 2 rows of W_O.",
    )


@given(st.integers(0, 2), st.integers(0, 2))
def test_moving_a_head_with_its_rows_of_W_O_leaves_the_output_as_it_is(start: int, end: int) -> None:
    before = blocks.create_W_O(small(3), 0)
    after = heads.move_head(before, 0, start, end)
    np.testing.assert_allclose(output(after), output(before), atol=1e-12)


def test_heads_can_be_reordered_where_a_residual_takes_them_as_they_are() -> None:
    before = blocks.set_residual(small(), 0, True)
    after = heads.move_head(before, 0, 0, 1)
    validate(after)
    assert after.layers[0].attention.W_Q[1] is before.layers[0].attention.W_Q[0]
    assert after.layers[0].attention.W_O is None


def test_a_duplicated_head_counts_twice() -> None:
    before = blocks.create_W_O(small(1), 0)
    after = heads.duplicate_head(before, 0, 0)
    np.testing.assert_allclose(output(after), 2 * output(before), atol=1e-12)


def test_more_kv_heads_change_no_number_and_fewer_are_the_first_or_the_mean() -> None:
    full = small(4)
    W_K = full.layers[0].attention.W_K
    first = heads.set_kv_heads(full, 0, 2, "first").layers[0].attention
    assert first.W_K[1] is W_K[2]
    mean = heads.set_kv_heads(full, 0, 2, "mean").layers[0].attention
    np.testing.assert_array_equal(mean.W_K[1], np.mean([W_K[2], W_K[3]], axis=0))
    shared = heads.set_kv_heads(full, 0, 2, "first")
    np.testing.assert_array_equal(output(heads.set_kv_heads(shared, 0, 4)), output(shared))


def test_groups_of_heads_keep_their_size_or_the_edit_is_refused() -> None:
    grouped = heads.set_kv_heads(small(4), 0, 2)
    assert heads.set_heads(grouped, 0, 6).layers[0].attention.kv_heads == 3
    assert heads.set_heads(heads.set_kv_heads(small(4), 0, 1), 0, 3).layers[0].attention.kv_heads == 1
    with pytest.raises(ExperimentError, match=r"^Layer 1 shares 2 KV heads among 4 heads in groups of 2"):
        heads.set_heads(grouped, 0, 3)
    with pytest.raises(ExperimentError, match="Set the KV heads to 1 or 4 first"):
        heads.remove_head(grouped, 0, 0)
    with pytest.raises(ExperimentError, match="cannot share evenly"):
        heads.set_kv_heads(grouped, 0, 3)


@given(experiments(max_layers=3), st.data())
def test_removing_the_layer_just_added_gives_the_old_output(experiment: Experiment, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(experiment.layers)))
    added = layers.add_layer(experiment, index)
    validate(added)
    back = layers.remove_layer(added, index)
    validate(back)
    assert back.layers == experiment.layers
    assert dict(back.pins) == dict(experiment.pins)


def test_removing_a_layer_resizes_what_comes_after_it() -> None:
    experiment = layers.add_layer(widths.set_d_v(small(), 0, 3), 1)
    after = layers.remove_layer(experiment, 0)
    assert [layer.attention.d_model for layer in after.layers] == [4]
    validate(after)
    with pytest.raises(ExperimentError, match="at least one layer"):
        layers.remove_layer(after, 0)


@pytest.mark.parametrize(
    ("factor", "scale"),
    [(0.5**0.5, "sqrt_dk"), (0.5**0.5 * (1 + 1e-12), "sqrt_dk"), (1.0, "none"), (0.7, 0.7), (0.0, 0.0), (-1.0, -1.0)],
)
def test_the_scale_is_kept_by_name_where_it_has_one(factor: float, scale: float | str) -> None:
    assert masks.set_scale(small(), 0, factor).layers[0].attention.scale == scale


def test_switching_an_ffn_on_and_off_gives_the_layer_back() -> None:
    before = blocks.set_norm(small(), 0, "layernorm", "pre")
    with_ffn = blocks.create_ffn(before, 0, "gelu", 5, gated=True)
    validate(with_ffn)
    pinned = pins.pin_cell(with_ffn, "layers.0.ffn_hidden", 0, 4, 1.0)
    after = blocks.remove_ffn(pinned, 0)
    validate(after)
    assert dict(after.pins) == {}
    assert after.layers[0].norm is not None
    assert len(after.layers[0].norm.gain) == 1


def test_creating_W_O_and_biases_changes_no_number() -> None:
    before = small()
    after = blocks.create_W_O(before, 0)
    for name in ("b_Q", "b_K", "b_V", "b_O"):
        after = blocks.create_bias(after, 0, name)
    validate(after)
    np.testing.assert_allclose(output(after), output(before), atol=1e-15)


def test_a_source_with_vectors_sets_the_rows_of_keys_and_values() -> None:
    crossed = source.make_cross_attention(small(), ["x", "y"], np.ones((2, 7)), ZEROS)
    validate(crossed)
    assert crossed.layers[0].attention.d_source == 7
    assert widths.set_d_source(crossed, 3).layers[0].attention.d_source == 3
    with pytest.raises(ExperimentError, match=r"source.X is 3 × 7, but the source has 2 tokens"):
        source.make_cross_attention(small(), ["x", "y"], np.ones((3, 7)))


def test_leaving_rope_drops_the_pins_of_rotated_stages() -> None:
    turned = positions.set_position_kind(small(), "rope")
    pinned = pins.pin_cell(turned, "layers.0.query_rotated.0", 0, 0, 1.0)
    plain = positions.set_position_kind(pinned, "none")
    validate(plain)
    assert losses(pinned, plain) == ("This drops 1 pinned cell of query_rotated.",)


def test_blocked_cells_can_be_pinned_in_scores_but_not_in_weights() -> None:
    assert pins.pin_cell(small(), "layers.0.masked.0", 0, 1, -np.inf).pins
    with pytest.raises(ExperimentError, match="finite numbers only"):
        pins.pin_cell(small(), "layers.0.weights.0", 0, 1, -np.inf)
    with pytest.raises(ExperimentError, match="not to \\+∞"):
        pins.pin_cell(small(), "layers.0.masked.0", 0, 1, np.inf)
    with pytest.raises(ExperimentError, match=r"is 3 × 3, but the numbers are 2 × 2"):
        pins.pin_stage(small(), "layers.0.masked.0", np.zeros((2, 2)))


def test_clicking_a_pair_goes_from_the_rules_to_blocked_to_allowed_and_back() -> None:
    states = [small()]
    for _ in range(3):
        states.append(masks.cycle_pair(states[-1], 0, 1, 2))
    found = [(state.layers[0].attention.mask.blocked, state.layers[0].attention.mask.allowed) for state in states]
    assert found == [((), ()), (((1, 2),), ()), ((), ((1, 2),)), ((), ())]


def test_new_experiments_are_valid_and_their_seed_decides_their_numbers() -> None:
    validate(default_experiment())
    first, again, other = (new_experiment(["a", "b", "a"], 3, 2, 1, 2, seed) for seed in (1, 1, 2))
    validate(first)
    assert first.embedding.vocabulary == ("a", "b")
    np.testing.assert_array_equal(first.embedding.E, again.embedding.E)
    assert (first.embedding.E != other.embedding.E).all()


def test_pins_of_several_stages_are_named_in_one_sentence_as_the_screen_calls_them() -> None:
    pinned = pins.pin_cell(pins.pin_cell(small(), "layers.0.key.0", 0, 1, 1.0), "layers.0.value.0", 0, 1, 1.0)
    narrow = replace(pinned, pins={})
    called = {"key": "K", "value": "V"}.__getitem__
    assert losses(pinned, narrow, called) == ("This drops 1 pinned cell of K and 1 of V.",)
