from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from experiment_strategies import experiments
from hypothesis import given
from hypothesis import strategies as st

from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits import blocks, masks, pins, positions, source
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.losses import losses
from attnexplorer.experiment.edits.tokens import (
    add_token,
    move_token,
    remove_token,
    rename_token,
    set_padding,
    set_tokens,
)
from attnexplorer.experiment.edits.vocabulary import remove_unused_words
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.validation import validate


def animal() -> Experiment:
    return new_experiment(["animal", "street", "because", "it"], 3, 2, 2, 2, seed=1)


def test_a_removed_token_takes_its_pins_pairs_padding_and_segment_with_it() -> None:
    experiment = set_padding(animal(), "sequence", 1, True)
    experiment = masks.set_blocked_pairs(experiment, 0, [(3, 1), (3, 2)], True)
    experiment = masks.set_segments(experiment, 0, ["a", "b", "c", "d"])
    experiment = pins.pin_stage(experiment, "layers.0.scores.0", np.arange(16.0).reshape(4, 4))
    edited = remove_token(experiment, "sequence", 1)
    mask = edited.layers[0].attention.mask
    assert mask.blocked == ((2, 1),)
    assert mask.segments == ("a", "c", "d")
    assert edited.sequence.padding == (False, False, False)
    kept = [0, 2, 3]
    np.testing.assert_array_equal(edited.pins["layers.0.scores.0"], np.arange(16.0).reshape(4, 4)[np.ix_(kept, kept)])
    assert losses(experiment, edited) == (
        "This drops 7 pinned cells of scores and 1 padding mark of the sequence.",
        "This drops 1 blocked pair.",
    )


def test_new_pin_cells_stay_computed() -> None:
    experiment = pins.pin_stage(animal(), "layers.0.weights.1", np.full((4, 4), 0.25))
    pin = add_token(experiment, "sequence", 2, "new").pins["layers.0.weights.1"]
    assert pin.shape == (5, 5)
    assert np.isnan(pin[2]).all()
    assert np.isnan(pin[:, 2]).all()
    assert int(np.isnan(pin).sum()) == 9


def test_a_pin_without_a_cell_left_disappears() -> None:
    experiment = pins.pin_cell(animal(), "layers.0.query.0", 1, 0, 3.0)
    assert dict(remove_token(experiment, "sequence", 1).pins) == {}


def test_a_moved_token_carries_its_pins_and_pairs() -> None:
    experiment = masks.allow_pair(masks.block_pair(animal(), 0, 0, 3), 0, 1, 2)
    experiment = pins.pin_cell(experiment, "layers.0.masked.0", 0, 3, -np.inf)
    moved = move_token(experiment, "sequence", 0, 2)
    assert moved.sequence.tokens == ("street", "because", "animal", "it")
    assert moved.layers[0].attention.mask.blocked == ((2, 3),)
    assert moved.layers[0].attention.mask.allowed == ((0, 1),)
    assert moved.pins["layers.0.masked.0"][2, 3] == -np.inf


@pytest.mark.parametrize(
    ("prefix", "start", "end", "expected"),
    [(2, 0, 1, 2), (2, 0, 2, 3), (2, 0, 3, 1), (2, 2, 1, 3), (2, 3, 0, 3), (2, 2, 3, 2), (0, 0, 3, 0), (4, 0, 3, 4)],
)
def test_the_prefix_goes_with_its_tokens_and_in_doubt_leaves_none_out(
    prefix: int, start: int, end: int, expected: int
) -> None:
    experiment = masks.set_prefix(animal(), 0, prefix)
    assert move_token(experiment, "sequence", start, end).layers[0].attention.mask.prefix == expected


@pytest.mark.parametrize(("index", "expected"), [(0, 3), (1, 3), (2, 2), (4, 2)])
def test_a_token_added_inside_the_prefix_joins_it(index: int, expected: int) -> None:
    experiment = masks.set_prefix(animal(), 0, 2)
    assert add_token(experiment, "sequence", index, "it").layers[0].attention.mask.prefix == expected


def test_a_known_word_takes_its_own_row_and_a_new_word_begins_as_a_copy_of_the_old() -> None:
    experiment = animal()
    known = rename_token(experiment, "sequence", 0, "street")
    assert known.embedding is experiment.embedding
    new = rename_token(experiment, "sequence", 0, "dog")
    assert new.embedding.vocabulary == ("animal", "street", "because", "it", "dog")
    np.testing.assert_array_equal(new.embedding.E[4], experiment.embedding.E[0])
    np.testing.assert_array_equal(new.embedding.E[:4], experiment.embedding.E)


def test_unused_words_stay_until_they_are_removed_with_their_column_of_the_unembedding() -> None:
    experiment = blocks.set_unembedding(blocks.create_W_O(animal(), 0), "own")
    renamed = rename_token(experiment, "sequence", 1, "road")
    assert "street" in renamed.embedding.vocabulary
    cleaned = remove_unused_words(renamed)
    assert cleaned.embedding.vocabulary == ("animal", "because", "it", "road")
    assert cleaned.unembedding is not None
    assert cleaned.unembedding.W_U is not None
    assert cleaned.unembedding.W_U.shape == (4, 4)
    validate(cleaned)
    assert remove_unused_words(cleaned) is cleaned


def test_new_words_grow_by_the_stated_rule_and_the_same_seed_gives_the_same_numbers() -> None:
    zeros = add_token(animal(), "sequence", 0, "dog", Growth("zeros"))
    assert not zeros.embedding.E[4].any()
    first, again, other = (
        add_token(animal(), "sequence", 0, "dog", Growth("random", seed)).embedding.E[4] for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()


def test_rows_of_a_learned_table_move_with_their_tokens_behind_the_offset() -> None:
    learned = positions.set_position_kind(positions.set_offset(animal(), 1), "learned", start="sinusoidal")
    table = learned.position.table
    assert table is not None
    moved = move_token(learned, "sequence", 3, 0).position.table
    assert moved is not None
    np.testing.assert_array_equal(moved, table[[0, 4, 1, 2, 3]])
    longer = add_token(learned, "sequence", 4, "it", Growth("zeros")).position.table
    assert longer is not None
    np.testing.assert_array_equal(longer, np.vstack([table, np.zeros((1, 3))]))


def test_a_table_shared_by_two_sequences_keeps_its_rows_in_place() -> None:
    crossed = source.make_cross_attention(animal(), ["a", "b"])
    learned = positions.set_position_kind(crossed, "learned")
    table = learned.position.table
    assert move_token(learned, "sequence", 3, 0).position.table is table
    assert remove_token(learned, "sequence", 3).position.table is table


def test_a_token_of_a_source_with_vectors_is_a_label_and_its_row_moves() -> None:
    X = np.arange(6.0).reshape(3, 2)
    experiment = source.make_cross_attention(animal(), ["x", "y", "z"], X)
    renamed = rename_token(experiment, "source", 0, "anything at all")
    assert renamed.embedding is experiment.embedding
    moved = move_token(renamed, "source", 0, 2)
    assert moved.source is not None
    assert moved.source.X is not None
    np.testing.assert_array_equal(moved.source.X, X[[1, 2, 0]])


def test_replacing_all_tokens_keeps_what_belongs_to_those_that_stay() -> None:
    experiment = masks.block_pair(animal(), 0, 3, 0)
    edited = set_tokens(experiment, "sequence", ["the", "animal", "and", "it"])
    assert edited.layers[0].attention.mask.blocked == ((3, 1),)
    validate(edited)


def test_the_last_token_stays() -> None:
    experiment = new_experiment(["one"], 2, 2, 2, 1, seed=0)
    with pytest.raises(ExperimentError, match=r"^The sequence needs at least one token\.$"):
        remove_token(experiment, "sequence", 0)
    with pytest.raises(ExperimentError, match="needs at least one token"):
        set_tokens(experiment, "sequence", [])


def test_half_a_surrogate_pair_is_no_token() -> None:
    with pytest.raises(ExperimentError):
        add_token(animal(), "sequence", 0, "\ud83d")


@given(experiments(), st.sampled_from(("sequence", "source")), st.data())
def test_removing_the_token_just_added_gives_the_experiment_back(
    experiment: Experiment, side: str, data: st.DataObject
) -> None:
    chosen = "sequence" if experiment.source is None or side == "sequence" else "source"
    experiment = _without_empty_pins(experiment)
    size = len(experiment.sequence.tokens if chosen == "sequence" else experiment.key_tokens)
    index = data.draw(st.integers(0, size))
    word = experiment.sequence.tokens[0]
    back = remove_token(add_token(experiment, chosen, index, word), chosen, index)  # type: ignore[arg-type]
    # A table that two sequences share only grows; what it grew by is the one thing that stays.
    if experiment.source is not None:
        back = replace(back, position=experiment.position)
    assert identical(experiment, back)


@given(experiments(), st.data())
def test_moving_a_token_and_moving_it_back_gives_the_experiment_back(
    experiment: Experiment, data: st.DataObject
) -> None:
    experiment = _without_empty_pins(_without_prefix(experiment))
    place = st.integers(0, len(experiment.sequence.tokens) - 1)
    start, end = data.draw(place), data.draw(place)
    assert identical(move_token(move_token(experiment, "sequence", start, end), "sequence", end, start), experiment)


@given(st.permutations(range(4)))
def test_without_mask_and_position_the_outputs_move_with_their_tokens(order: list[int]) -> None:
    experiment = animal()
    before = np.asarray(evaluate(experiment).layers[0].output)
    moved = experiment
    for end, token in enumerate(order):
        start = moved.sequence.tokens.index(experiment.sequence.tokens[token])
        moved = move_token(moved, "sequence", start, end)
    np.testing.assert_allclose(evaluate(moved).layers[0].output, before[list(order)], atol=1e-12)


def test_untouched_matrices_are_the_very_same_objects() -> None:
    experiment = animal()
    edited = add_token(experiment, "sequence", 1, "it")
    for old, new in zip(experiment.layers[0].attention.W_Q, edited.layers[0].attention.W_Q, strict=True):
        assert old is new
    assert edited.embedding.E is experiment.embedding.E


def _without_empty_pins(experiment: Experiment) -> Experiment:
    for path, pin in experiment.pins.items():
        if np.isnan(pin).all():
            experiment = pins.release_pin(experiment, path)
    return experiment


def _without_prefix(experiment: Experiment) -> Experiment:
    for number in range(len(experiment.layers)):
        experiment = masks.set_prefix(experiment, number, None)
    return experiment
