"""safetensors files: names and shapes from the header, one tensor at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnexplorer.experiment.errors import FileError
from attnexplorer.interop.arrays.found import ArrayFile, Numbers, found_file
from attnexplorer.interop.arrays.numpy_files import as_numbers, refusing

_KNOWN = {"F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "BOOL"}
_LARGEST_HEADER = 100 << 20
"""The limit that the format itself sets."""


def read_safetensors(path: Path) -> ArrayFile:
    """Return what a safetensors file holds; tensors of types without a NumPy counterpart are left out.

    Raises
    ------
    FileError
        If it cannot be read, is damaged or holds nothing that can be imported.
    """
    with refusing(path.name):
        header = _header(path)
    shapes = {name: tuple(entry["shape"]) for name, entry in header.items() if entry["dtype"] in _KNOWN}
    other = sorted({entry["dtype"] for entry in header.values()} - _KNOWN)
    refusals = [f"its tensors are of the type {other[0]}, which is not read"] if other else []

    def load(name: str) -> Numbers:
        with refusing(path.name):
            return as_numbers(_tensor(path, header[name], name))

    return found_file(path.name, shapes, load, refusals)


def _header(path: Path) -> dict[str, Any]:
    """Return the header, after the library has checked that it is sound and that the file is whole."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy"):
            pass
    except SafetensorError as error:
        raise FileError(path.name, f"it is no whole safetensors file ({str(error).strip()[:80]})") from None
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > _LARGEST_HEADER:
            raise FileError(path.name, "its list of tensors is far too large")
        entries: dict[str, Any] = json.loads(file.read(length))
    entries.pop("__metadata__", None)
    start = 8 + length
    return {name: entry | {"start": start + entry["data_offsets"][0]} for name, entry in entries.items()}


def _tensor(path: Path, entry: dict[str, Any], name: str) -> NDArray[Any]:
    first, last = entry["data_offsets"]
    with path.open("rb") as file:
        file.seek(entry["start"])
        data = file.read(last - first)
    if len(data) < last - first:
        raise FileError(path.name, f"{name} ends before all of its numbers are there")
    return _decoded(data, entry["dtype"]).reshape(entry["shape"])


def _decoded(data: bytes, kind: str) -> NDArray[Any]:
    if kind == "BF16":
        # A bfloat16 is the upper half of a float32.
        return (np.frombuffer(data, dtype="<u2").astype(np.uint32) << 16).view(np.float32)
    if kind == "BOOL":
        return np.frombuffer(data, dtype=np.bool_)
    letter = {"F": "f", "I": "i", "U": "u"}[kind[0]]
    return np.frombuffer(data, dtype=f"<{letter}{int(kind[1:]) // 8}")
