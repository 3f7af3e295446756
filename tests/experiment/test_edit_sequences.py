"""Any succession of structural edits gives an experiment that the format accepts, or a refusal in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from experiment_strategies import experiments
from hypothesis import given, settings
from hypothesis import strategies as st

from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits import (
    blocks,
    heads,
    layers,
    masks,
    pins,
    positions,
    source,
    tokens,
    vocabulary,
    widths,
)
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.losses import losses
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.pinning import pin_shape, pinnable_paths
from attnexplorer.experiment.validation import validate

Edit = Callable[[Experiment], Experiment]

Choice = Callable[[Experiment], st.SearchStrategy[Any]]
"""What an argument may be, given the experiment it is for."""

WORDS = st.sampled_from(("the", "cat", "", "Ġthe", "new", "newer"))
NORMS = st.sampled_from((None, "layernorm", "rmsnorm"))
BIASES = st.sampled_from(("b_Q", "b_K", "b_V", "b_O"))
GROWTHS = st.builds(Growth, st.sampled_from(("random", "zeros", "identity")), st.integers(0, 3))
WIDTH = st.integers(1, 6)
KINDS = st.sampled_from(("none", "sinusoidal", "learned", "rope", "alibi"))


def side(experiment: Experiment) -> st.SearchStrategy[str]:
    return st.sampled_from(("sequence",) if experiment.source is None else ("sequence", "source"))


def place(experiment: Experiment) -> st.SearchStrategy[int]:
    return st.integers(0, max(len(experiment.query_tokens), len(experiment.key_tokens)) - 1)


def layer(experiment: Experiment) -> st.SearchStrategy[int]:
    return st.integers(0, len(experiment.layers) - 1)


def head(experiment: Experiment) -> st.SearchStrategy[int]:
    return st.integers(0, max(layer.attention.heads for layer in experiment.layers) - 1)


def pairs(experiment: Experiment) -> st.SearchStrategy[list[tuple[int, int]]]:
    queries = st.integers(0, len(experiment.query_tokens) - 1)
    return st.lists(st.tuples(queries, st.integers(0, len(experiment.key_tokens) - 1)), max_size=3)


def segments(experiment: Experiment) -> st.SearchStrategy[list[int] | None]:
    size = len(experiment.query_tokens)
    return st.none() | st.lists(st.integers(0, 1), min_size=size, max_size=size)


EDITS: tuple[tuple[Callable[..., Experiment], tuple[st.SearchStrategy[Any] | Choice, ...]], ...] = (
    (tokens.add_token, (side, place, WORDS, GROWTHS)),
    (tokens.remove_token, (side, place)),
    (tokens.move_token, (side, place, place)),
    (tokens.rename_token, (side, place, WORDS)),
    (tokens.set_tokens, (side, st.lists(WORDS, max_size=5), GROWTHS)),
    (tokens.set_padding, (side, place, st.booleans())),
    (vocabulary.remove_unused_words, ()),
    (widths.set_d_model, (WIDTH, GROWTHS)),
    (widths.set_d_source, (WIDTH, GROWTHS)),
    (widths.set_d_k, (layer, WIDTH, GROWTHS)),
    (widths.set_d_v, (layer, WIDTH, GROWTHS)),
    (widths.set_d_out, (layer, WIDTH, GROWTHS)),
    (widths.set_hidden, (layer, WIDTH, GROWTHS)),
    (widths.set_output_width, (layer, WIDTH, GROWTHS)),
    (heads.set_heads, (layer, WIDTH, GROWTHS)),
    (heads.set_kv_heads, (layer, WIDTH, st.sampled_from(("first", "mean")))),
    (heads.duplicate_head, (layer, head)),
    (heads.remove_head, (layer, head)),
    (heads.move_head, (layer, head, head)),
    (heads.set_muted, (layer, head, st.booleans())),
    (layers.add_layer, (st.integers(0, 3), GROWTHS)),
    (layers.remove_layer, (layer, GROWTHS)),
    (blocks.create_W_O, (layer,)),
    (blocks.remove_W_O, (layer, GROWTHS)),
    (blocks.create_bias, (layer, BIASES)),
    (blocks.remove_bias, (layer, BIASES)),
    (blocks.set_residual, (layer, st.booleans())),
    (blocks.set_norm, (layer, NORMS, st.sampled_from(("pre", "post")))),
    (blocks.set_norm_bias, (layer, st.booleans())),
    (blocks.create_ffn, (layer, st.sampled_from(("relu", "gelu", "silu")), st.none() | WIDTH)),
    (blocks.remove_ffn, (layer, GROWTHS)),
    (blocks.set_activation, (layer, st.sampled_from(("relu", "gelu_tanh")))),
    (blocks.set_gated, (layer, st.booleans(), GROWTHS)),
    (blocks.set_final_norm, (NORMS,)),
    (blocks.set_unembedding, (st.sampled_from((None, "tied", "own")), GROWTHS)),
    (masks.toggle_causal, (layer,)),
    (masks.set_window, (layer, st.none() | st.integers(0, 5))),
    (masks.set_prefix, (layer, st.none() | st.integers(0, 5))),
    (masks.set_segments, (layer, segments)),
    (masks.cycle_pair, (layer, place, place)),
    (masks.set_blocked_pairs, (layer, pairs, st.booleans())),
    (masks.set_allowed_pairs, (layer, pairs, st.booleans())),
    (masks.set_scale, (layer, st.floats(-2, 2))),
    (positions.set_position_kind, (KINDS,)),
    (positions.set_offset, (st.integers(-1, 4), GROWTHS)),
    (positions.set_base, (st.sampled_from((0.0, 2.0, 10000.0)),)),
)


@settings(max_examples=300)
@given(experiments(max_layers=3), st.data())
def test_any_succession_of_edits_gives_a_valid_experiment_or_a_plain_refusal(
    experiment: Experiment, data: st.DataObject
) -> None:
    for _ in range(data.draw(st.integers(1, 8))):
        edited = _edited_or_refused(experiment, data)
        validate(edited)
        assert all(sentence.endswith(".") for sentence in losses(experiment, edited))
        experiment = edited


@settings(max_examples=150)
@given(experiments(max_layers=3, max_tokens=3), st.data())
def test_every_single_edit_gives_a_valid_experiment_and_leaves_the_old_one_as_it_was(
    experiment: Experiment, data: st.DataObject
) -> None:
    function, values = _drawn(experiment, data)
    before = experiment.embedding.E.copy(), dict(experiment.pins), experiment.layers
    validate(_attempt(experiment, lambda old: function(old, *values)))
    np.testing.assert_array_equal(experiment.embedding.E, before[0])
    assert dict(experiment.pins).keys() == before[1].keys()
    assert experiment.layers is before[2]


@given(experiments(), st.data())
def test_a_pinned_cell_is_there_and_once_released_it_is_gone(experiment: Experiment, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(pinnable_paths(experiment)))
    rows, columns = pin_shape(experiment, path)
    row, column = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))
    pinned = pins.pin_cell(experiment, path, row, column, 2.5)
    validate(pinned)
    assert pinned.pins[path][row, column] == 2.5
    released = pins.release_pin_cell(pinned, path, row, column)
    validate(released)
    assert path not in released.pins or np.isnan(released.pins[path][row, column])
    assert path not in pins.release_pin(pinned, path).pins


@given(experiments(), st.lists(WORDS, min_size=1, max_size=4), st.data())
def test_cross_attention_with_and_without_vectors_and_the_way_back_are_valid(
    experiment: Experiment, words: list[str], data: st.DataObject
) -> None:
    X = data.draw(st.none() | st.integers(1, 4).map(lambda width: np.ones((len(words), width))))
    crossed = _attempt(experiment, lambda old: source.make_cross_attention(old, words, X))
    validate(crossed)
    assert crossed.key_tokens == tuple(words)
    back = source.make_self_attention(crossed)
    validate(back)
    assert back.source is None


@given(experiments(max_layers=1))
def test_looking_the_same_tokens_up_as_a_source_and_going_back_changes_only_the_segments(
    experiment: Experiment,
) -> None:
    alone = masks.set_segments(source.make_self_attention(experiment), 0, None)
    crossed = source.make_cross_attention(alone, alone.sequence.tokens)
    assert identical(source.make_self_attention(crossed), _without_empty_pins(alone))


def _without_empty_pins(experiment: Experiment) -> Experiment:
    for path, pin in experiment.pins.items():
        if np.isnan(pin).all():
            experiment = pins.release_pin(experiment, path)
    return experiment


def _edited_or_refused(experiment: Experiment, data: st.DataObject) -> Experiment:
    function, values = _drawn(experiment, data)
    return _attempt(experiment, lambda old: function(old, *values))


def _drawn(experiment: Experiment, data: st.DataObject) -> tuple[Callable[..., Experiment], list[Any]]:
    function, arguments = data.draw(st.sampled_from(EDITS))
    choices = [item if isinstance(item, st.SearchStrategy) else item(experiment) for item in arguments]
    return function, [data.draw(choice) for choice in choices]


def _attempt(experiment: Experiment, edit: Edit) -> Experiment:
    """Return the edited experiment, or the old one if the edit is refused with a sentence."""
    try:
        return edit(experiment)
    except ExperimentError as error:
        refusal = str(error)
    assert re.fullmatch(r"[A-Zd]\w*.* .*\.|.+ (has|is|was) .+", refusal), refusal
    return experiment
