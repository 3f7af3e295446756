"""Arrays in JSON: every rectangle of numbers, named by its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from attnexplorer.experiment.errors import ExperimentError, FileError
from attnexplorer.experiment.fileformat.json_checks import inside
from attnexplorer.experiment.fileformat.json_text import json_from_bytes
from attnexplorer.interop.arrays.found import MOST_AXES, ArrayFile, Numbers, found_file

_SPECIAL = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def read_json(data: bytes, file_name: str) -> ArrayFile:
    """Return the arrays that stand anywhere in a JSON text: lists of numbers, matrices, stacks of matrices.

    The texts "inf", "-inf" and "nan" count as numbers, as JSON has none of them.

    Raises
    ------
    FileError
        If it is no JSON, or holds no rectangle of numbers.
    """
    try:
        value = json_from_bytes(data)
    except ExperimentError as error:
        raise FileError(file_name, str(error)) from None
    refusals: list[str] = []
    arrays = dict(_arrays(value, "", refusals))
    return found_file(file_name, {name: array.shape for name, array in arrays.items()}, arrays.__getitem__, refusals)


def _arrays(value: Any, place: str, refusals: list[str]) -> Iterator[tuple[str, Numbers]]:
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _arrays(entry, inside(place, key), refusals)
    elif isinstance(value, list) and value:
        array = _rectangle(value)
        if array is not None:
            yield place or "the whole file", array
        elif any(isinstance(entry, (list, dict)) for entry in value):
            if _is_ragged(value):
                refusals.append(f"{place or 'the list'} has rows of different lengths, but a matrix was expected")
                return
            for index, entry in enumerate(value):
                yield from _arrays(entry, inside(place, index), refusals)


def _rectangle(value: list[Any]) -> Numbers | None:
    """Return nested lists of numbers as an array, or None if they are no rectangle of numbers."""
    shape: list[int] = []
    level: Any = value
    while isinstance(level, list):
        if not level or len(shape) == MOST_AXES:
            return None
        shape.append(len(level))
        level = level[0]
    flat = _flat(value, shape)
    return None if flat is None else np.array(flat, dtype=np.float64).reshape(shape)


def _flat(value: list[Any], shape: list[int]) -> list[float] | None:
    entries: list[Any] = [value]
    for extent in shape:
        if not all(type(entry) is list and len(entry) == extent for entry in entries):
            return None
        entries = [part for entry in entries for part in entry]
    numbers = [_number(entry) for entry in entries]
    return None if None in numbers else numbers  # type: ignore[return-value]


def _number(entry: Any) -> float | None:
    if type(entry) is float:
        return entry
    if type(entry) is int:
        return float(entry) if abs(entry) < 10**300 else None
    return _SPECIAL.get(entry) if isinstance(entry, str) else None


def _is_ragged(value: list[Any]) -> bool:
    rows = [entry for entry in value if isinstance(entry, list) and all(_number(cell) is not None for cell in entry)]
    return len(rows) == len(value) and len({len(row) for row in rows}) > 1
