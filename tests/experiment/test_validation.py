"""Validation of experiments that no file was read for: edits, and experiments built in Python."""

from __future__ import annotations

from dataclasses import replace as changed
from typing import Any

import numpy as np
import pytest
from experiment_strategies import experiments
from hypothesis import given, settings

from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Attention, Embedding, Experiment, FeedForward, Layer, Position, Sequence
from attnexplorer.experiment.paths import replace
from attnexplorer.experiment.pinning import pin_shape, pinnable_paths
from attnexplorer.experiment.validation import validate


def plain() -> Experiment:
    """Return three tokens of width 2, two heads, one KV head, d_k 4, d_v 3 and an FFN of width 5 to 7."""
    attention = Attention(
        W_Q=(frozen(np.ones((2, 4))),) * 2, W_K=(frozen(np.ones((2, 4))),), W_V=(frozen(np.ones((2, 3))),)
    )
    ffn = FeedForward("relu", frozen(np.ones((6, 5))), frozen(np.ones((5, 7))))
    return Experiment(
        sequence=Sequence(("a", "b", "a"), (False,) * 3),
        embedding=Embedding(("a", "b"), frozen(np.ones((2, 2)))),
        layers=(Layer(attention, ffn=ffn),),
    )


@given(experiments())
@settings(max_examples=100, deadline=None)
def test_valid_experiments_pass(experiment: Experiment) -> None:
    validate(experiment)
    assert experiment.layers


@given(experiments(with_extra=False))
@settings(max_examples=50, deadline=None)
def test_every_pinnable_path_takes_a_matrix_of_its_shape(experiment: Experiment) -> None:
    pins = {path: frozen(np.ones(pin_shape(experiment, path))) for path in pinnable_paths(experiment)}
    validate(changed(experiment, pins=pins))
    for path in pins:
        rows, columns = pin_shape(experiment, path)
        with pytest.raises(ExperimentError, match=f"^pins.{path} is {rows} × {columns + 1}, but "):
            validate(changed(experiment, pins={path: frozen(np.ones((rows, columns + 1)))}))


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("layers.0.input", (3, 2)),
        ("layers.0.query.1", (3, 4)),
        ("layers.0.key.0", (3, 4)),
        ("layers.0.value.0", (3, 3)),
        ("layers.0.weights.1", (3, 3)),
        ("layers.0.head_output.0", (3, 3)),
        ("layers.0.concat", (3, 6)),
        ("layers.0.attention_output", (3, 6)),
        ("layers.0.ffn_hidden", (3, 5)),
        ("layers.0.ffn_output", (3, 7)),
        ("layers.0.output", (3, 7)),
    ],
)
def test_a_pin_has_the_shape_of_its_stage(path: str, shape: tuple[int, int]) -> None:
    assert pin_shape(plain(), path) == shape


def test_rotated_stages_can_be_pinned_only_with_rope() -> None:
    turned = changed(plain(), position=Position("rope"))
    added = set(pinnable_paths(turned)) - set(pinnable_paths(plain()))
    assert added == {"layers.0.query_rotated.0", "layers.0.query_rotated.1", "layers.0.key_rotated.0"}


@pytest.mark.parametrize(
    "path", ["", "key.0", "layers.0", "layers.0.embeddings", "layers.-1.output", "layers.0.key.0.0", "layers.0.final"]
)
def test_what_is_no_pinnable_path_is_refused(path: str) -> None:
    with pytest.raises(ExperimentError, match="is no stage that can be pinned"):
        pin_shape(plain(), path)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("embedding.E", "embedding.E"),
        ("layers.0.attention.W_Q.1", "layers[0].attention.W_Q[1]"),
        ("layers.0.attention.W_V.0", "layers[0].attention.W_V[0]"),
        ("layers.0.ffn.W_2", "layers[0].ffn.W_2"),
    ],
)
def test_a_number_that_is_not_finite_is_found(path: str, place: str, value: float) -> None:
    matrix = np.ones((5, 7) if "ffn" in path else (2, 2) if path == "embedding.E" else (2, 3 if "W_V" in path else 4))
    matrix[1, 1] = value
    with pytest.raises(ExperimentError) as caught:
        validate(replace(plain(), path, frozen(matrix)))
    assert caught.value.place == f"{place}[1][1]"
    assert caught.value.message.endswith("but a finite number was expected")


def test_finite_numbers_whose_sum_overflows_pass() -> None:
    huge = frozen(np.full((2, 2), 1e308))
    experiment = replace(plain(), "embedding.E", huge)
    validate(experiment)
    assert np.isfinite(experiment.embedding.E).all()


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("layers.0.attention.temperature", float("nan"), "layers[0].attention.temperature is NaN, but a finite number"),
        (
            "layers.0.attention.scale",
            float("inf"),
            "layers[0].attention.scale is inf, but a finite number was expected",
        ),
        ("layers.0.attention.scale", "half", 'layers[0].attention.scale is "half", but a finite number was expected'),
        ("layers.0.attention.softcap", 0.0, "layers[0].attention.softcap is 0.0, but a number above 0 was expected"),
        ("layers.0.attention.W_Q", (), "layers[0].attention.W_Q is empty, but at least one head was expected"),
        ("layers.0.attention.W_Q.0", frozen([1.0, 2.0]), "layers[0].attention.W_Q[0] was expected to be a matrix"),
        ("layers.0.attention.W_Q.0", frozen(np.ones((2, 0))), "layers[0].attention.W_Q[0] is empty, but a matrix was"),
        ("layers.0.attention.b_O", frozen([[1.0]]), "layers[0].attention.b_O was expected to be a list of numbers"),
        ("layers", (), "layers is empty, but at least one layer was expected"),
        ("sequence.tokens", (), "sequence.tokens is empty, but at least one token was expected"),
        ("sequence.tokens", ("a", "b", "\ud800"), "sequence.tokens holds half a surrogate pair, which is no character"),
        ("title", "\udc00", "title holds half a surrogate pair, which is no character"),
        (
            "position.kind",
            "rotary",
            'position.kind is "rotary", but "none", "sinusoidal", "learned", "rope" or "alibi"',
        ),
        ("position.offset", 2**60, "position.offset is 1152921504606846976, but an integer from 0 to 9007199254740992"),
        ("layers.0.attention.mask.window", True, "layers[0].attention.mask.window is true, but an integer at least 1"),
        (
            "layers.0.attention.mask.blocked",
            ((0, 0), (0, 3)),
            "layers[0].attention.mask.blocked[1][1] is 3, but an integer",
        ),
        (
            "layers.0.ffn.activation",
            "tanh",
            'layers[0].ffn.activation is "tanh", but "relu", "gelu", "gelu_tanh" or "silu"',
        ),
    ],
)
def test_an_edit_that_breaks_a_rule_is_refused_with_its_place(path: str, value: Any, sentence: str) -> None:
    with pytest.raises(ExperimentError) as caught:
        validate(replace(plain(), path, value))
    assert str(caught.value).startswith(sentence)


def test_minus_infinity_is_allowed_only_in_pins_of_scores() -> None:
    blocked = frozen(np.full((3, 3), -np.inf))
    for stage in ("scores", "scaled", "masked"):
        validate(changed(plain(), pins={f"layers.0.{stage}.0": blocked}))
    with pytest.raises(ExperimentError, match=r"\.weights\.0\[0\]\[0\] is \"-inf\", but a finite number"):
        validate(changed(plain(), pins={"layers.0.weights.0": blocked}))
    with pytest.raises(ExperimentError, match=r"\.scores\.0\[0\]\[0\] is infinite, but a finite number"):
        validate(changed(plain(), pins={"layers.0.scores.0": frozen(-blocked)}))
