from __future__ import annotations

import numpy as np
import pytest

from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.masks import set_prefix, toggle_causal
from attnexplorer.experiment.edits.orders import shuffled
from attnexplorer.experiment.edits.positions import set_position_kind
from attnexplorer.experiment.edits.source import make_cross_attention
from attnexplorer.experiment.edits.tokens import set_padding, shuffle_tokens
from attnexplorer.experiment.validation import validate

TOKENS = ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize("size", [2, 3, 7])
def test_a_shuffle_is_another_order_of_the_same_places(size: int) -> None:
    for seed in range(20):
        order = shuffled(size, seed)
        assert sorted(order) == list(range(size))
        assert order != tuple(range(size))
        assert order == shuffled(size, seed)


def test_one_token_has_no_other_order() -> None:
    assert shuffled(1, 0) == (0,)
    experiment = new_experiment(["a"], 2, 2, 2, 1, 0)
    assert shuffle_tokens(experiment, "sequence", 1) is experiment


def test_what_belongs_to_a_token_goes_with_it() -> None:
    before = set_padding(new_experiment(TOKENS, 2, 2, 2, 1, 0), "sequence", 1, True)
    after = shuffle_tokens(before, "sequence", 3)
    validate(after)
    order = shuffled(5, 3)
    assert after.sequence.tokens == tuple(TOKENS[old] for old in order)
    assert after.sequence.padding == tuple(old == 1 for old in order)
    assert after.embedding.E is before.embedding.E


def test_what_belongs_to_a_place_stays_there() -> None:
    before = set_position_kind(new_experiment(TOKENS, 2, 2, 2, 1, 0), "learned", seed=1)
    before = set_prefix(toggle_causal(before, 0), 0, 2)
    after = shuffle_tokens(before, "sequence", 1)
    assert np.array_equal(after.position.table, before.position.table)
    assert after.layers[0].attention.mask.prefix == 2


def test_the_source_is_shuffled_by_itself() -> None:
    before = make_cross_attention(new_experiment(TOKENS, 2, 2, 2, 1, 0), ["x", "y", "z"])
    after = shuffle_tokens(before, "source", 2)
    assert after.sequence.tokens == before.sequence.tokens
    assert after.source.tokens == tuple("xyz"[old] for old in shuffled(3, 2))
