"""What figures and cards call matrices: one table, two places to stand in."""

from __future__ import annotations

import pytest

from attnexplorer.compute.stages import STAGES, unit_for
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.paths import replace, replace_all
from attnexplorer.figures.titles import card_title, html, mask_words, matrix_title, place_words

ATTENTION = "layers.0.attention"


@pytest.mark.parametrize(
    ("path", "figure", "card"),
    [
        ("layers.0.weights.0", ("A", "attention weights"), ("softmax", "weights A")),
        ("layers.0.scores.0", ("Q K^{T}", "raw scores"), ("Q K^{T}", "raw scores")),
        ("layers.0.scaled.0", ("÷ √d_{k}", "scaled scores"), ("÷ √d_{k}", "scaled")),
        ("layers.0.attention_output", ("concat", "attention output"), ("concat", "attention output")),
        (f"{ATTENTION}.W_Q.0", ("W_{Q}", "parameters"), ("W_{Q}", "")),
        ("embedding.E", ("E", "embedding"), ("E", "")),
        ("layers.0.norm.gain.1", ("gain", "FFN norm"), ("gain", "FFN norm")),
    ],
)
def test_a_card_says_what_its_neighbours_do_not_and_a_figure_stands_alone(
    path: str, figure: tuple[str, str], card: tuple[str, str]
) -> None:
    experiment = load_example("animal-street")
    assert (matrix_title(experiment, path), card_title(experiment, path)) == (figure, card)


def test_every_public_stage_has_both() -> None:
    experiment = load_example("animal-street")
    for name, stage in STAGES.items():
        if not stage.internal:
            path = unit_for(experiment, name, 0, 0).path
            assert matrix_title(experiment, path).symbol, name
            assert card_title(experiment, path).symbol, name


def test_scale_and_softcap_are_said_where_they_act() -> None:
    changes = {f"{ATTENTION}.scale": 0.25, f"{ATTENTION}.softcap": 3.0}
    experiment = replace_all(load_example("animal-street"), changes)
    assert card_title(experiment, "layers.0.scaled.0") == ("× 0.25", "scaled, capped at 3")
    assert matrix_title(experiment, "layers.0.scaled.0") == ("× 0.25", "scaled scores")


def test_the_mask_is_told_by_its_rules() -> None:
    experiment = load_example("animal-street")
    assert card_title(experiment, "layers.0.masked.0") == ("mask", "causal")
    narrow = replace(experiment, f"{ATTENTION}.mask.window", 2)
    assert card_title(narrow, "layers.0.masked.0").words == "causal + window"
    assert mask_words(narrow, 0) == "causal + window 2"
    free = replace(experiment, f"{ATTENTION}.mask.causal", False)
    assert (card_title(free, "layers.0.masked.0").words, mask_words(free, 0)) == ("none", "no mask")


def test_subscripts_and_superscripts_become_html() -> None:
    assert html("Q K^{T}") == "Q K<sup>T</sup>"
    assert html("concat · W_{O}") == "concat · W<sub>O</sub>"
    assert html("E[t]") == "E[t]"


def test_keys_and_values_that_heads_share_are_named_by_their_own_head() -> None:
    grouped, twelve = load_example("grouped-query"), load_example("multi-head")
    for path in ("layers.0.key.0", "layers.0.value.0", f"{ATTENTION}.W_K.0", f"{ATTENTION}.W_V.0"):
        assert place_words(grouped, path) == "KV head 1", path
        assert place_words(twelve, path) == "head 1", path
        assert matrix_name(grouped, path).endswith(", KV head 1")
        assert matrix_name(twelve, path).endswith(", head 1")
    assert place_words(grouped, "layers.0.query.1") == place_words(grouped, f"{ATTENTION}.W_Q.1") == "head 2"
