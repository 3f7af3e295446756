from __future__ import annotations

import numpy as np
import pytest
from hand_made import one_layer

from attnexplorer.compute.following import places_matter, what_follows
from attnexplorer.experiment import model
from attnexplorer.experiment.edits.orders import shuffled
from attnexplorer.experiment.edits.tokens import shuffle_tokens


def experiment_of(kind: str = "none", **settings: object) -> model.Experiment:
    X = np.random.default_rng(3).normal(size=(5, 4))
    table = None if kind != "learned" else np.random.default_rng(4).normal(size=(5, 4))
    return one_layer(X, position=model.Position(kind, table=table), **settings)


def followers(before: model.Experiment, seed: int = 1) -> tuple[list[str], list[str]]:
    order = tuple(place for place in shuffled(5, seed) if place is not None)
    found = what_follows(before, shuffle_tokens(before, "sequence", seed), order, 0, 0)
    return [it.stage for it in found if it.follows], [it.stage for it in found if not it.follows]


@pytest.mark.parametrize("seed", range(5))
def test_everything_follows_without_position_and_mask(seed: int) -> None:
    assert followers(experiment_of(), seed)[1] == []


def test_under_the_causal_mask_scores_follow_and_weights_do_not() -> None:
    follow, stay = followers(experiment_of(mask=model.Mask(causal=True)))
    assert follow == ["input", "query", "key", "value", "scores", "scaled"]
    assert stay == ["masked", "weights", "head_output", "output"]


def test_under_rope_the_turned_queries_and_keys_no_longer_follow() -> None:
    follow, stay = followers(experiment_of("rope"))
    assert follow == ["input", "query", "key", "value"]
    assert stay[:3] == ["query_rotated", "key_rotated", "scores"]


def test_under_alibi_the_penalty_no_longer_follows() -> None:
    assert followers(experiment_of("alibi"))[1] == ["masked", "weights", "head_output", "output"]


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
def test_with_added_positions_nothing_follows(kind: str) -> None:
    assert followers(experiment_of(kind))[0] == []


def test_padding_segments_pins_and_pairs_go_with_their_tokens() -> None:
    mask = model.Mask(segments=("a", "a", "b", "b", "a"), blocked=((0, 1),), allowed=((2, 0),))
    pins = {"layers.0.query.0": np.where(np.eye(5, 4) > 0, 7.0, np.nan)}
    assert followers(experiment_of(mask=mask, padding=(False, True, False, False, False), pins=pins))[1] == []


def test_with_a_second_sequence_only_the_queries_are_in_the_new_order() -> None:
    source = model.Source(("x", "y"), (False, False), np.random.default_rng(5).normal(size=(2, 4)))
    assert followers(experiment_of(source=source))[1] == []


def test_numbers_of_any_size_follow_or_not_without_a_warning() -> None:
    X = np.array([[1.5e308, -1.5e308], [-1.5e308, 1.5e308], [1.0, 0.0], [0.0, -1e308], [1.5e308, 1.5e308]])
    causal = one_layer(X, mask=model.Mask(causal=True))
    assert "input" in followers(causal)[0]
    assert "head_output" in followers(causal)[1]


def test_what_makes_places_count_is_named() -> None:
    assert places_matter(experiment_of()) == ()
    assert places_matter(experiment_of("rope", mask=model.Mask(causal=True, window=2))) == (
        "RoPE",
        "the causal mask",
        "the window",
    )
