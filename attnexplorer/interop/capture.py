"""Captures: attention weights that another program computed, with the tokens they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnexplorer.experiment.captured import CAPTURE_SUFFIX, Capture, captured
from attnexplorer.experiment.captured_file import capture_bytes as capture_bytes
from attnexplorer.experiment.errors import ExperimentError, FileError
from attnexplorer.experiment.rules import check_texts, counted
from attnexplorer.interop.arrays.found import shape_words
from attnexplorer.interop.arrays.numpy_files import NUMBER_KINDS, Header, npz_array, npz_headers

LARGEST = 1 << 30
"""Bytes of attention weights in one capture: 1 GiB."""
MOST_HEADS = 10_000
_LONGEST_TITLE = 4096

_AXES = "[layers, heads, queries, keys]"


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
    check_texts([title], "title")
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
    return captured(weights, labels, sources, title)


def read_capture(path: Path) -> Capture:
    """Read a capture from an .npz file with `attention`, `tokens` and, optionally, `source_tokens` and `title`.

    Where there is no title at all it is called as the file is.

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
        return capture(attention, tokens, sources, _title(path, headers))
    except ExperimentError as error:
        raise FileError(path.name, str(error)) from None


def read_capture_from(data: bytes, name: str) -> Capture:
    """Read a capture from the bytes of such a file, which something called `name` carries.

    Raises
    ------
    FileError
        As `read_capture`.
    """
    with TemporaryDirectory(prefix="attnexplorer-") as folder:
        file = Path(folder) / f"capture{CAPTURE_SUFFIX}"
        file.write_bytes(data)
        try:
            return read_capture(file)
        except FileError as error:
            raise FileError(name, f"the captured weights in it cannot be read: {error.sentence}") from None


def holds_capture(path: Path) -> bool:
    """Tell whether an .npz file holds a capture rather than matrices to import; a broken file holds none."""
    if path.suffix.lower() != CAPTURE_SUFFIX:
        return False
    try:
        headers = npz_headers(path)
    except FileError:
        return False
    return "attention" in headers and "tokens" in headers and len(headers["attention"].shape) == 4


def _there_are(number: int, noun: str) -> str:
    return f"there {'is' if number == 1 else 'are'} {counted(number, noun)}"


def _title(path: Path, headers: Mapping[str, Header]) -> str:
    header = headers.get("title")
    if header is None or header.dtype.kind != "U" or header.shape or header.size > _LONGEST_TITLE:
        return path.stem
    try:
        return str(npz_array(path, "title", _LONGEST_TITLE))
    except (ValueError, SystemError):
        return path.stem


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
    with np.errstate(over="ignore"):
        # What is too large for the widest type of the program becomes infinite, which the checks tell.
        kept = parts if parts.dtype in (np.float32, np.float64) else parts.astype(_wider(parts.dtype))
    if _cannot_change(kept):
        return kept
    frozen = np.array(kept, dtype=kept.dtype.newbyteorder("="), order="C")
    frozen.setflags(write=False)
    return frozen


def _cannot_change(array: NDArray[Any]) -> bool:
    """Tell whether an array is what it should be and nobody can write to it: it was read from a file just now."""
    origin: Any = array
    while isinstance(origin, np.ndarray):
        origin = origin.base
    return isinstance(origin, bytes) and array.dtype.isnative and array.flags.c_contiguous


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
