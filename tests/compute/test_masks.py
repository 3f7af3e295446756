from __future__ import annotations

import numpy as np
import pytest
from hand_made import one_layer

from attnexplorer.compute.masks import (
    blocked_by,
    blocking_rules,
    diagonal,
    fully_masked,
    masked,
    rules_that_block,
    visible,
)
from attnexplorer.experiment.model import Mask

OPEN = (False,) * 4


def seen(mask: Mask, padding: tuple[bool, ...] = OPEN, queries: int = 4) -> list[str]:
    return ["".join("x" if pair else "." for pair in row) for row in visible(mask, padding, queries)]


def test_without_a_rule_every_query_sees_every_key() -> None:
    assert seen(Mask()) == ["xxxx"] * 4


def test_a_token_never_sees_its_future_under_the_causal_mask() -> None:
    assert seen(Mask(causal=True)) == ["x...", "xx..", "xxx.", "xxxx"]


def test_a_window_reaches_as_far_back_as_forward() -> None:
    assert seen(Mask(window=1)) == ["x...", ".x..", "..x.", "...x"]
    assert seen(Mask(window=2)) == ["xx..", "xxx.", ".xxx", "..xx"]


def test_a_causal_window_slides() -> None:
    assert seen(Mask(causal=True, window=2)) == ["x...", "xx..", ".xx.", "..xx"]


def test_a_prefix_passes_the_causal_mask_and_the_window() -> None:
    assert seen(Mask(causal=True, window=1, prefix=2)) == ["xx..", "xx..", "xxx.", "xx.x"]


def test_a_prefix_passes_nothing_but_the_causal_mask_and_the_window() -> None:
    rows = seen(Mask(causal=True, prefix=2, segments=("a", "b", "b", "b"), blocked=((3, 1),)), (True, *OPEN[1:]))
    assert rows == ["....", ".x..", ".xx.", "..xx"]


def test_segments_are_compared_as_text() -> None:
    assert seen(Mask(segments=(1, "1", 2, "b"))) == ["xx..", "xx..", "..x.", "...x"]


def test_nobody_sees_a_padded_key_but_a_padded_query_still_looks() -> None:
    assert seen(Mask(), (False, True, False, False)) == ["x.xx"] * 4


def test_an_allowed_pair_has_the_last_word() -> None:
    mask = Mask(causal=True, blocked=((0, 1), (3, 3)), allowed=((0, 1), (0, 3)))
    assert seen(mask, (False, False, False, True)) == ["xx.x", "xx..", "xxx.", "xxx."]


def test_the_causal_corner_moves_with_the_alignment() -> None:
    assert seen(Mask(causal=True), queries=2) == ["xxx.", "xxxx"]
    assert seen(Mask(causal=True, align="start"), queries=2) == ["x...", "xx.."]


def test_each_blocked_pair_knows_the_rules_that_block_it() -> None:
    mask = Mask(causal=True, window=2, blocked=((0, 3),), segments=("a", "a", "a", "b"))
    padding = (False, False, False, True)
    assert rules_that_block(mask, padding, 4, 0, 3) == ("causal", "window", "segments", "padding", "blocked")
    assert rules_that_block(mask, padding, 4, 1, 0) == ()
    assert rules_that_block(Mask(blocked=((0, 3),), allowed=((0, 3),)), OPEN, 4, 0, 3) == ()


def test_only_rules_that_are_switched_on_are_named() -> None:
    assert list(blocking_rules(Mask(), OPEN, 4)) == []
    assert [name for name, _ in blocking_rules(Mask(causal=True), OPEN, 4)] == ["causal"]


def test_visibility_cannot_be_changed_by_who_receives_it() -> None:
    assert not visible(Mask(), OPEN, 4).flags.writeable


def test_masking_leaves_its_argument_alone() -> None:
    scaled = np.ones((1, 2))
    assert masked(scaled, np.array([[True, False]]), 2.0).tolist() == [[0.5, -np.inf]]
    assert scaled.tolist() == [[1.0, 1.0]]


def test_a_row_is_fully_masked_only_if_every_key_is() -> None:
    assert fully_masked(np.array([[-np.inf, -np.inf], [-np.inf, 0.0], [np.nan, -np.inf]])).tolist() == [
        True,
        False,
        False,
    ]


def test_a_blocked_pair_is_told_with_the_rules_that_block_it() -> None:
    mask = Mask(causal=True, segments=(1, 1, 2), blocked=((0, 2),))
    experiment = one_layer(np.eye(3), mask=mask, padding=(False, False, True))
    assert blocked_by(experiment, 0, 1, 2) == "blocked: causal, segments, padding"
    assert blocked_by(experiment, 0, 0, 2) == "blocked: causal, segments, padding, by hand"
    assert blocked_by(experiment, 0, 2, 2) == "blocked: padding"
    assert blocked_by(one_layer(np.eye(3)), 0, 0, 1) == "blocked: pinned to −∞"


@pytest.mark.parametrize(
    ("align", "queries", "keys", "told"),
    [
        ("end", 4, 5, "query i stands at key i + 1"),
        ("end", 5, 3, "query i stands at key i − 2"),
        ("start", 4, 5, "query i stands at key i"),
        ("end", 4, 4, ""),
    ],
)
def test_the_diagonal_of_a_map_that_is_not_square_is_told(align: str, queries: int, keys: int, told: str) -> None:
    assert diagonal(Mask(align=align), queries, keys) == told
