"""What matrices are called in menus and messages."""

from __future__ import annotations

import pytest

from attnexplorer.compute.stages import STAGES, heads_of, stages_of
from attnexplorer.document.names import cell_name, matrix_name
from attnexplorer.experiment.edits.layers import add_layer
from attnexplorer.experiment.examples import load_example

ONE = load_example("animal-street")
TWO = add_layer(ONE, 1)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("layers.0.attention.W_Q.0", "W_Q, head 1"),
        ("layers.0.attention.W_K.1", "W_K, head 2"),
        ("layers.0.attention.b_V.0", "b_V, head 1"),
        ("layers.0.attention.W_O", "W_O"),
        ("layers.0.ffn.W_1", "W_1"),
        ("layers.0.norm.gain.0", "gain of the attention norm"),
        ("layers.0.norm.bias.1", "bias of the FFN norm"),
        ("embedding.E", "E"),
        ("position.table", "position table"),
        ("source.X", "source X"),
        ("final_norm.gain", "gain"),
        ("unembedding.W_U", "W_U"),
        ("layers.0.input", "X"),
        ("layers.0.scores.0", "QKᵀ, head 1"),
        ("layers.0.weights.1", "weights A, head 2"),
        ("embeddings", "looked-up embeddings"),
        ("logits", STAGES["logits"].symbol),
    ],
)
def test_names_tell_the_head_and_count_from_one(path: str, name: str) -> None:
    assert matrix_name(ONE, path) == name


def test_the_layer_is_told_only_where_there_are_several() -> None:
    assert matrix_name(TWO, "layers.1.attention.W_Q.0") == "W_Q, head 1, layer 2"
    assert matrix_name(TWO, "layers.0.output").endswith(", layer 1")
    assert matrix_name(TWO, "embedding.E") == "E"


def test_a_cell_has_a_row_and_a_column() -> None:
    assert cell_name(ONE, "layers.0.attention.W_Q.0", 2, 1) == "W_Q, head 1, row 3, column 2"


def test_every_stage_has_a_name_of_its_own() -> None:
    names = [
        matrix_name(ONE, f"layers.0.{stage}" + ("" if head is None else f".{head}"))
        for stage in stages_of(ONE, 0)
        for head in heads_of(ONE, stage, 0)
    ]
    assert len(set(names)) == len(names)
    assert all(name.strip() for name in names)
