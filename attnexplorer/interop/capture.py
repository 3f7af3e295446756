"""Captures: attention weights that another program computed, with the tokens they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from attnexplorer.experiment.errors import ExperimentError, FileError
from attnexplorer.experiment.rules import check_texts, counted
from attnexplorer.interop.arrays.found import shape_words
from attnexplorer.interop.arrays.numpy_files import NUMBER_KINDS, npz_array, npz_headers

LARGEST = 1 << 30
"""Bytes of attention weights in one capture: 1 GiB."""
MOST_HEADS = 10_000

_AXES = "[layers, heads, queries, keys]"


@dataclass(frozen=True, slots=True, eq=False)
class Capture:
    """Attention weights [layers, heads, n, m], read-only; the n tokens that ask, and the m tokens that are asked.

    `source_tokens` is None where both are the same sequence.
    """

    attention: NDArray[np.floating[Any]]
    tokens: tuple[str, ...]
    source_tokens: tuple[str, ...] | None = None
    title: str = ""

    @property
    def layers(self) -> int:
        """The number of layers."""
        return int(self.attention.shape[0])

    @property
    def heads(self) -> int:
        """The number of heads in each layer."""
        return int(self.attention.shape[1])

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The m tokens that are asked."""
        return self.tokens if self.source_tokens is None else self.source_tokens

    def weights(self, layer: int, head: int) -> NDArray[np.float64]:
        """Return the weights of one head, read-only float64: [n, m]."""
        matrix = np.array(self.attention[layer, head], dtype=np.float64)
        matrix.setflags(write=False)
        return matrix


def capture(
    attention: Any, tokens: Sequence[str], source_tokens: Sequence[str] | None = None, title: str = ""
) -> Capture:
    """Return a capture of arrays, of PyTorch tensors, or of what a model returns: a [1, heads, n, m] a layer.

    Raises
    ------
    ExperimentError
        If the axes are others, a number of labels differs from its axis, or what is given are no numbers.
    """
    weights = _weights(attention)
    labels = _labels(tokens, "tokens")
    sources = None if source_tokens is None else _labels(source_tokens, "source_tokens")
    queries, keys = weights.shape[2:]
    if len(labels) != queries:
        raise ExperimentError("", f"{_there_are(len(labels), 'token')}, but the weights have {queries} queries")
    if sources is None and keys != queries:
        shape = f"the weights have {queries} queries and {keys} keys"
        raise ExperimentError("", f"{shape}, but there is one list of tokens; source_tokens names other keys")
    if sources is not None and len(sources) != keys:
        found = _there_are(len(sources), "source token")
        raise ExperimentError("", f"{found}, but the weights have {counted(keys, 'key')}")
    return Capture(weights, labels, sources, title)


def read_capture(path: Path) -> Capture:
    """Read a capture from an .npz file with `attention`, `tokens` and, optionally, `source_tokens`.

    Raises
    ------
    FileError
        If it cannot be read, or holds no capture.
    """
    headers = npz_headers(path)
    for name, kinds in (("attention", NUMBER_KINDS), ("tokens", "U")):
        if name not in headers or headers[name].dtype.kind not in kinds:
            what = "numbers" if name == "attention" else "texts"
            raise FileError(path.name, f"it is no capture: an array “{name}” of {what} was expected")
    attention = npz_array(path, "attention", LARGEST)
    tokens = _texts(path, "tokens")
    sources = _texts(path, "source_tokens") if "source_tokens" in headers else None
    try:
        return capture(attention, tokens, sources, path.stem)
    except ExperimentError as error:
        raise FileError(path.name, str(error)) from None


def holds_capture(path: Path) -> bool:
    """Tell whether an .npz file holds a capture rather than matrices to import; a broken file holds none."""
    if path.suffix.lower() != ".npz":
        return False
    try:
        headers = npz_headers(path)
    except FileError:
        return False
    return "attention" in headers and "tokens" in headers and len(headers["attention"].shape) == 4


def capture_bytes(captured: Capture) -> bytes:
    """Return the bytes of an .npz file; equal captures give equal bytes."""
    arrays: dict[str, NDArray[Any]] = {"attention": captured.attention, "tokens": _text_array(captured.tokens)}
    if captured.source_tokens is not None:
        arrays["source_tokens"] = _text_array(captured.source_tokens)
    buffer = BytesIO()
    with ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            # A ZipInfo of its own has a fixed date, where a bare name would carry the time of writing.
            with archive.open(ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def _there_are(number: int, noun: str) -> str:
    return f"there {'is' if number == 1 else 'are'} {counted(number, noun)}"


def _text_array(tokens: tuple[str, ...]) -> NDArray[np.str_]:
    if any(token.endswith("\0") for token in tokens):
        raise ExperimentError("", "a token ends in a zero character, which an .npz file cannot hold")
    return np.array(tokens, dtype=np.str_)


def _texts(path: Path, name: str) -> list[str]:
    array = npz_array(path, name, LARGEST)
    if array.dtype.kind != "U" or array.ndim != 1:
        raise FileError(path.name, f"“{name}” was expected to be a list of texts")
    try:
        return [str(token) for token in array.tolist()]
    except (ValueError, SystemError):
        raise FileError(path.name, f"“{name}” holds what are no characters") from None


def _weights(attention: Any) -> NDArray[np.floating[Any]]:
    parts = [_as_array(part) for part in attention] if isinstance(attention, (list, tuple)) else _as_array(attention)
    if isinstance(parts, list):
        parts = _stacked(parts)
    if parts.dtype.kind not in NUMBER_KINDS:
        raise ExperimentError("", f"the weights are {parts.dtype}, but numbers were expected")
    if parts.ndim != 4:
        found = f"are {shape_words(parts.shape)}" if parts.ndim else "are a single number"
        raise ExperimentError("", f"the weights {found}, but {_AXES} was expected")
    if 0 in parts.shape:
        raise ExperimentError("", f"the weights are {shape_words(parts.shape)}, but none of {_AXES} may be empty")
    if parts.shape[0] * parts.shape[1] > MOST_HEADS:
        raise ExperimentError("", f"the weights have more than {MOST_HEADS:,} heads")
    if parts.nbytes > LARGEST:
        raise ExperimentError("", f"the weights take {parts.nbytes:,} bytes, but at most {LARGEST:,} can be shown")
    # Half of the digits need half of the memory; what is shown is converted head by head.
    kept = parts if parts.dtype in (np.float32, np.float64) else parts.astype(_wider(parts.dtype))
    frozen = np.array(kept, dtype=kept.dtype.newbyteorder("="), order="C")
    frozen.setflags(write=False)
    return frozen


def _wider(dtype: np.dtype[Any]) -> type[np.floating[Any]]:
    return np.float32 if dtype == np.float16 else np.float64


def _stacked(layers: list[NDArray[Any]]) -> NDArray[Any]:
    """Return one array of a list of layers, each [heads, n, m] or with a batch of one before that."""
    if not layers:
        raise ExperimentError("", f"there are no weights, but {_AXES} was expected")
    single = [layer[0] if layer.ndim == 4 and len(layer) == 1 else layer for layer in layers]
    for index, layer in enumerate(single):
        if layer.shape != single[0].shape:
            first = shape_words(single[0].shape)
            raise ExperimentError(f"layer {index}", f"is {shape_words(layer.shape)}, but layer 0 is {first}")
    return np.stack(single)


def _as_array(values: Any) -> NDArray[Any]:
    """Return an array; tensors of PyTorch are taken off their device and their graph first."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        # NumPy has no bfloat16.
        values = values if str(values.dtype) == "torch.float64" else values.float()
        values = values.numpy()
    try:
        return np.asarray(values)
    except ValueError:
        raise ExperimentError("", f"the weights have rows of different lengths, but {_AXES} was expected") from None


def _labels(tokens: Sequence[str], place: str) -> tuple[str, ...]:
    if isinstance(tokens, str):
        raise ExperimentError(place, "is one text, but a list of texts was expected")
    labels = tuple(token.item() if isinstance(token, np.str_) else token for token in tokens)
    check_texts(labels, place)
    return labels
