"""Arrays of other programs become the matrices of an experiment: turned, sliced, split into Q, K, V and heads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hand_made import one_layer

from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import get
from attnexplorer.experiment.validation import validate
from attnexplorer.interop.mapping import Choice, Kind, Order, Target, imported, matrices, targets

ATTENTION = "layers.0.attention"
RNG = np.random.default_rng(3)


def experiment(heads: int = 2, kv_heads: int = 2) -> Experiment:
    return one_layer(RNG.standard_normal((3, 4)), heads=heads, kv_heads=kv_heads)


def test_every_matrix_of_an_experiment_is_a_target_and_can_be_read_at_its_path() -> None:
    it = experiment()
    found = targets(it)
    for target in found:
        if target.kind is Kind.MATRIX:
            assert isinstance(get(it, target.path), np.ndarray)
    paths = [target.path for target in found]
    assert {"embedding.E", f"{ATTENTION}.W_QKV", f"{ATTENTION}.W_Q", f"{ATTENTION}.W_V.1"} <= set(paths)
    assert len(set(paths)) == len(paths)


def test_pytorchs_fused_in_proj_gives_the_same_queries_keys_and_values() -> None:
    it, x = experiment(), np.eye(4)
    in_proj = RNG.standard_normal((3 * 4, 4))
    target = Target(f"{ATTENTION}.W_QKV", Kind.FUSED)
    after = imported(it, matrices(it, in_proj, target, Choice(transposed=True)))
    validate(after)
    q, k, v = np.split(x @ in_proj.T, 3, axis=1)
    attention = after.layers[0].attention
    for own, theirs in ((attention.W_Q, q), (attention.W_K, k), (attention.W_V, v)):
        assert np.array_equal(np.hstack([x @ W for W in own]), theirs)
    assert evaluate(after).layers[0].query[1].shape == (3, 2)


def test_a_fused_matrix_by_heads_is_told_apart_from_one_by_blocks() -> None:
    it = experiment()
    fused = np.arange(4 * 12, dtype=np.float64).reshape(4, 12)
    target = Target(f"{ATTENTION}.W_QKV", Kind.FUSED)
    blocks = matrices(it, fused, target, Choice())
    by_head = matrices(it, fused, target, Choice(order=Order.BY_HEAD))
    assert blocks[f"{ATTENTION}.W_K.0"][0].tolist() == [4.0, 5.0]
    assert by_head[f"{ATTENTION}.W_K.0"][0].tolist() == [2.0, 3.0]
    assert by_head[f"{ATTENTION}.W_Q.1"][0].tolist() == [6.0, 7.0]


def test_grouped_queries_share_a_fused_matrix_unevenly() -> None:
    it = experiment(heads=4, kv_heads=2)
    fused = np.arange(4 * 16, dtype=np.float64).reshape(4, 16)
    found = matrices(it, fused, Target(f"{ATTENTION}.W_QKV", Kind.FUSED), Choice())
    assert [path.rsplit(".", 2)[1] for path in found] == ["W_Q"] * 4 + ["W_K"] * 2 + ["W_V"] * 2
    assert found[f"{ATTENTION}.W_K.0"][0].tolist() == [8.0, 9.0]


def test_fused_biases_appear_in_a_layer_that_had_none() -> None:
    it = experiment()
    found = matrices(it, np.arange(24.0), Target(f"{ATTENTION}.b_QKV", Kind.FUSED), Choice())
    after = imported(it, found)
    assert after.layers[0].attention.b_V is not None
    assert after.layers[0].attention.b_V[1].tolist() == [20.0, 21.0, 22.0, 23.0]
    validate(after)


def test_heads_side_by_side_or_in_a_stack_become_the_same_matrices() -> None:
    it = experiment()
    stack = RNG.standard_normal((2, 4, 4))
    target = Target(f"{ATTENTION}.W_Q", Kind.HEADS)
    from_stack = matrices(it, stack, target, Choice())
    from_rows = matrices(it, np.hstack(list(stack)), target, Choice())
    turned = matrices(it, stack.transpose(0, 2, 1), target, Choice(transposed=True))
    for path, matrix in from_stack.items():
        assert np.array_equal(matrix, from_rows[path])
        assert np.array_equal(matrix, turned[path])
        assert not matrix.flags.writeable


def test_one_matrix_of_a_stack_goes_into_one_head() -> None:
    it = experiment()
    stack = RNG.standard_normal((5, 2, 4, 4))
    found = matrices(it, stack, Target(f"{ATTENTION}.W_K.1", Kind.MATRIX), Choice(slices=(3, 1)))
    assert np.array_equal(found[f"{ATTENTION}.W_K.1"], stack[3, 1])


def test_a_list_of_numbers_is_a_row_and_a_row_is_a_list() -> None:
    it = experiment()
    attention = replace(it.layers[0].attention, W_O=np.ones((8, 4)), b_O=np.zeros(4))
    it = replace(it, layers=(replace(it.layers[0], attention=attention),))
    found = matrices(it, np.ones((1, 4)), Target(f"{ATTENTION}.b_O", Kind.MATRIX), Choice())
    assert found[f"{ATTENTION}.b_O"].tolist() == [1.0] * 4


def test_a_stage_takes_numbers_of_its_shape() -> None:
    it = experiment()
    found = matrices(it, np.ones((3, 3)), Target("layers.0.weights.1", Kind.MATRIX), Choice())
    assert found["layers.0.weights.1"].shape == (3, 3)


@pytest.mark.parametrize(
    ("shape", "path", "kind", "choice", "sentence"),
    [
        ((4, 3), "embedding.E", Kind.MATRIX, Choice(), "the array is 4 × 3, but E is 3 × 4; transposed it would fit"),
        ((3, 4), "embedding.E", Kind.MATRIX, Choice(transposed=True), "E is 3 × 4; as it is it would fit"),
        ((5, 5), "embedding.E", Kind.MATRIX, Choice(), "the array is 5 × 5, but E is 3 × 4$"),
        ((2, 4, 4), "embedding.E", Kind.MATRIX, Choice(), "the array is 2 × 4 × 4, but E is 3 × 4$"),
        ((3, 4, 4), f"{ATTENTION}.W_Q", Kind.HEADS, Choice(), "has 3 slices, but 2 heads"),
        ((4, 7), f"{ATTENTION}.W_Q", Kind.HEADS, Choice(), "has 7 columns, which cannot be shared among 2 heads"),
        ((4, 8), f"{ATTENTION}.W_QKV", Kind.FUSED, Choice(), "8 columns, .* among 2 heads of Q and 2 each"),
        ((2, 4, 8), f"{ATTENTION}.W_QKV", Kind.FUSED, Choice(), "is 2 × 4 × 8, but a matrix was expected"),
    ],
)
def test_what_does_not_fit_is_refused_with_both_shapes(
    shape: tuple[int, ...], path: str, kind: Kind, choice: Choice, sentence: str
) -> None:
    with pytest.raises(ExperimentError, match=sentence):
        matrices(experiment(), np.zeros(shape), Target(path, kind), choice)


def test_a_layout_by_heads_needs_as_many_kv_heads() -> None:
    target = Target(f"{ATTENTION}.W_QKV", Kind.FUSED)
    with pytest.raises(ExperimentError, match="by heads needs as many KV heads as heads"):
        matrices(experiment(4, 2), np.zeros((4, 16)), target, Choice(order=Order.BY_HEAD))
