from __future__ import annotations

import numpy as np
import pytest
from experiment_strategies import experiments
from hand_made import one_layer, with_scores
from hypothesis import given

from attnexplorer.experiment import model
from attnexplorer.experiment.examples import load_example
from attnexplorer.interop.trace_text import label_width, printable, trace_text, visible_label


def lines(experiment: model.Experiment, *stages: str) -> list[str]:
    return list(trace_text(experiment, stages or None))


def test_a_stage_has_its_title_symbol_shape_and_labels() -> None:
    assert lines(load_example("animal-street"), "weights") == [
        "The animal and the street",
        "4 tokens: animal street because it",
        "",
        "=== layer 0 ===",
        "",
        "weights  A  [1, 4, 4]",
        "  head 0",
        "             0 animal  1 street  2 because      3 it",
        "  0 animal   1.000000  0.000000   0.000000  0.000000",
        "  1 street   0.722038  0.277962   0.000000  0.000000",
        "  2 because  0.427100  0.310698   0.262202  0.000000",
        "  3 it       0.529352  0.183276   0.104095  0.183276",
        "",
    ]


def test_numbers_have_no_more_decimals_than_the_matrix_needs() -> None:
    assert "  0 t0  1  -2" in lines(one_layer([[1.0, -2.0]]), "input")
    assert "  0 t0  0.25  -2.00" in lines(one_layer([[0.25, -2.0]]), "input")


def test_a_number_that_is_not_zero_never_looks_like_zero() -> None:
    assert "  0 t0  0.5  1.0e-09  0.0" in lines(one_layer([[0.5, 1e-9, 0.0]]), "input")


@pytest.mark.parametrize(("number", "shown"), [(1e12, "1.000000e+12"), (2.5e-7, "2.500000e-07")])
def test_very_large_and_very_small_matrices_have_exponents(number: float, shown: str) -> None:
    assert f"  0 t0  {shown}" in lines(one_layer([[number]]), "input")


def test_blocked_pairs_and_blind_rows_are_said() -> None:
    text = lines(with_scores(np.zeros((2, 2)), padding=(True, True)), "masked")
    assert "  0 t0  -inf  -inf" in text
    assert "fully masked: head 0, row 1 sees no key" in text


def test_key_heads_are_named_as_such() -> None:
    text = lines(one_layer(np.eye(2), heads=4, kv_heads=2), "key", "query")
    assert text.count("  KV head 1") == 1
    assert "  head 3" in text


@pytest.mark.parametrize(
    ("token", "label"),
    [
        ("", "''"),
        (" ", "␣"),
        ("New York", "New␣York"),
        ("\n", "\\n"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\u202e", "\\u202e"),
        ("Ġthe", "Ġthe"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("你好世界", "你好世界"),
        ("a" * 300, "a" * 19 + "…"),
    ],
)
def test_every_token_is_one_visible_word(token: str, label: str) -> None:
    assert visible_label(token) == label


def test_wide_and_combining_characters_are_counted_as_they_are_shown() -> None:
    assert [label_width(label) for label in ("ab", "你好", "e\u0301", "")] == [2, 4, 1, 0]


def test_escapes_in_a_title_cannot_reach_the_terminal() -> None:
    assert printable("a\x1b]0;title\x07\nb") == "a\\x1b]0;title\\x07\\nb"


@given(experiments())
def test_no_line_holds_a_control_character(experiment: model.Experiment) -> None:
    text = lines(experiment)
    assert text
    assert not [line for line in text if any(ord(character) < 32 for character in line)]


@given(experiments(max_layers=1))
def test_the_rows_of_a_matrix_are_equally_long(experiment: model.Experiment) -> None:
    text = lines(experiment, "query")
    start = text.index("  head 0")
    rows = [line for line in text[start + 2 :] if line.startswith("  ") and line.split()[0].isdigit()]
    per_head = len(experiment.query_tokens)
    assert len({label_width(row) for row in rows[:per_head]}) == 1
