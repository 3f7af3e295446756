"""Captures: weights of another program with their tokens, from arrays and from files, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnexplorer.experiment.errors import ExperimentError, FileError
from attnexplorer.interop.capture import capture, capture_bytes, holds_capture, read_capture

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 4, 3))
TOKENS = ["the", "Ġcat", ""]


def test_weights_and_tokens_are_kept_as_they_are() -> None:
    it = capture(WEIGHTS, TOKENS)
    assert (len(it.layers), it.layers[0].attention.heads) == (2, 4)
    assert (it.query_tokens, it.key_tokens) == (tuple(TOKENS), tuple(TOKENS))
    assert np.array_equal(it.weights(1, 3), WEIGHTS[1, 3])
    assert not it.weights(0, 0).flags.writeable


def test_the_callers_array_can_change_without_changing_the_capture() -> None:
    mine = WEIGHTS.copy()
    it = capture(mine, TOKENS)
    mine[:] = 0.0
    assert np.array_equal(it.attention, WEIGHTS)


def test_a_layer_a_list_entry_with_a_batch_of_one_is_what_models_return() -> None:
    it = capture([layer[None] for layer in WEIGHTS], TOKENS)
    assert np.array_equal(it.attention, WEIGHTS)


def test_single_precision_stays_so_and_is_shown_in_double() -> None:
    it = capture(WEIGHTS.astype(np.float16), TOKENS)
    assert it.attention.dtype == np.float32
    assert it.weights(0, 0).dtype == np.float64


def test_a_tensor_is_taken_off_its_graph() -> None:
    class Tensor:
        """As much of a tensor as is used; PyTorch itself is no dependency."""

        dtype = "torch.bfloat16"

        def detach(self) -> Tensor:
            return self

        def cpu(self) -> Tensor:
            return self

        def float(self) -> Tensor:
            return self

        def numpy(self) -> Any:
            return WEIGHTS.astype(np.float32)

    assert capture(Tensor(), TOKENS).attention.shape == WEIGHTS.shape


def test_a_second_sequence_names_the_keys() -> None:
    it = capture(WEIGHTS[..., :2], TOKENS, ["a", "b"])
    assert it.key_tokens == ("a", "b")


@pytest.mark.parametrize(
    ("attention", "tokens", "sources", "sentence"),
    [
        (WEIGHTS, ["a"] * 5, None, "there are 5 tokens, but the weights have 3 queries"),
        (WEIGHTS[0, 0], TOKENS, None, r"the weights are 3 × 3, but \[layers, heads, queries, keys\] was expected"),
        (WEIGHTS[0, 0, 0], TOKENS, None, r"the weights are 3, but \[layers, heads, queries, keys\] was expected"),
        (0.5, TOKENS, None, r"the weights are a single number, but \[layers"),
        (WEIGHTS[..., :2], TOKENS, None, "3 queries and 2 keys, but there is one list of tokens"),
        (WEIGHTS, TOKENS, ["a", "b"], "there are 2 source tokens, but the weights have 3 keys"),
        (WEIGHTS.astype(complex), TOKENS, None, "the weights are complex128, but numbers were expected"),
        (np.array([[["x"]]]), TOKENS, None, "numbers were expected"),
        (WEIGHTS[:0], TOKENS, None, "none of .* may be empty"),
        ([], TOKENS, None, "there are no weights"),
        ([WEIGHTS[0], WEIGHTS[1, :2]], TOKENS, None, "layer 1 is 2 × 3 × 3, but layer 0 is 4 × 3 × 3"),
        ([[0.1, 0.2], [0.3]], TOKENS, None, "layer 1 is 1, but layer 0 is 2"),
        (WEIGHTS, "abc", None, "tokens is one text, but a list of texts was expected"),
        (WEIGHTS, [1, 2, 3], None, "tokens was expected to hold texts only"),
        (np.zeros((200, 100, 1, 1)), ["a"], None, "the weights have more than 10,000 heads"),
    ],
)
def test_what_does_not_go_together_is_refused_with_both_numbers(
    attention: Any, tokens: Any, sources: Any, sentence: str
) -> None:
    with pytest.raises(ExperimentError, match=sentence):
        capture(attention, tokens, sources)


@pytest.mark.parametrize("sources", [None, ["a", "שלום", "\n"]])
def test_a_capture_comes_back_from_its_file_bit_for_bit(tmp_path: Path, sources: list[str] | None) -> None:
    it = capture(WEIGHTS, TOKENS, sources, "model")
    (tmp_path / "mine.npz").write_bytes(capture_bytes(it))
    back = read_capture(tmp_path / "mine.npz")
    assert np.array_equal(back.attention, it.attention)
    assert (back.query_tokens, back.key_tokens, back.title) == (it.query_tokens, it.key_tokens, "model")
    assert (back.source is None) == (sources is None)
    assert holds_capture(tmp_path / "mine.npz")
    assert capture_bytes(it) == capture_bytes(it)


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", "<f2", "<i4", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_of_every_kind_are_read_and_nobody_can_change_them(tmp_path: Path, dtype: str, order: Any) -> None:
    weights = np.asarray(WEIGHTS > 0.5, dtype=dtype, order=order)
    np.savez(tmp_path / "a.npz", attention=weights, tokens=TOKENS)
    read = read_capture(tmp_path / "a.npz").attention
    assert np.array_equal(read, weights)
    assert read.dtype in (np.float32, np.float64)
    assert read.dtype.isnative
    assert read.flags.c_contiguous
    assert not read.flags.writeable


def test_a_file_that_numpy_wrote_is_a_capture(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", attention=WEIGHTS.astype(np.float32), tokens=TOKENS)
    assert read_capture(tmp_path / "a.npz").query_tokens == tuple(TOKENS)
    assert read_capture(tmp_path / "a.npz").title == "a"


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"attention": WEIGHTS}, "it is no capture: an array “tokens” of texts was expected"),
        ({"tokens": np.array(TOKENS)}, "it is no capture: an array “attention” of numbers was expected"),
        ({"attention": WEIGHTS, "tokens": np.arange(3)}, "it is no capture: an array “tokens” of texts was expected"),
        ({"attention": WEIGHTS, "tokens": np.array([TOKENS])}, "“tokens” was expected to be a list of texts"),
        ({"attention": WEIGHTS, "tokens": np.array(["a"])}, "there is 1 token, but the weights have 3 queries"),
        ({"attention": WEIGHTS[0], "tokens": np.array(TOKENS)}, "the weights are 4 × 3 × 3, but"),
    ],
)
def test_a_file_that_is_no_capture_is_refused_in_a_sentence(
    tmp_path: Path, arrays: dict[str, np.ndarray], sentence: str
) -> None:
    np.savez(tmp_path / "a.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises(FileError) as error:
        read_capture(tmp_path / "a.npz")
    assert str(error.value).startswith(f"a.npz: {sentence}")


def test_other_files_hold_no_capture(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", W=np.eye(2))
    (tmp_path / "broken.npz").write_bytes(b"PK")
    assert [holds_capture(tmp_path / name) for name in ("a.npz", "broken.npz", "missing.npz")] == [False] * 3
    assert not holds_capture(tmp_path / "a.csv")


def test_a_token_that_a_file_cannot_hold_is_refused() -> None:
    it = capture(WEIGHTS, ["a\0", "b", "c"])
    with pytest.raises(ExperimentError, match="a token ends in a zero character"):
        capture_bytes(it)
