"""JSON text laid out for people: objects indented, short lists on one line, one matrix row a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.fileformat.number_rows import number_rows

_INDENT = "  "
_LONGEST_LINE = 100


def laid_out(value: Any) -> str:
    """Return JSON text for dicts, lists, scalars and arrays (NaN is written as null, -inf as the text "-inf")."""
    # Put together once: texts within texts within texts would copy a large file at every level.
    return "".join(_pieces(value, "", ""))


def _pieces(value: Any, indent: str, place: str) -> Iterator[str]:
    inner = indent + _INDENT
    if isinstance(value, np.ndarray):
        yield from _array(value, indent)
    elif isinstance(value, dict) and value:
        for index, (key, entry) in enumerate(value.items()):
            yield f"{',' if index else '{'}\n{inner}{_key(key, place)}: "
            yield from _pieces(entry, inner, f"{place}.{key}" if place else key)
        yield f"\n{indent}}}"
    elif isinstance(value, list):
        yield from _list(value, indent, place)
    else:
        yield _scalar(value, place)


def _key(key: Any, place: str) -> str:
    if not isinstance(key, str):
        raise ExperimentError(place, "has a key that is not text")
    return json.dumps(key, ensure_ascii=False)


def _list(values: list[Any], indent: str, place: str) -> Iterator[str]:
    has_parts = any(isinstance(entry, (dict, np.ndarray)) for entry in values)
    if has_parts:
        inner = indent + _INDENT
        for index, entry in enumerate(values):
            yield f"{',' if index else '['}\n{inner}"
            yield from _pieces(entry, inner, f"{place}[{index}]")
        yield f"\n{indent}]"
        return
    line = _scalar(values, place)
    yield line if len(line) <= _LONGEST_LINE else _block([_scalar(entry, place) for entry in values], indent)


def _block(entries: list[str], indent: str) -> str:
    separator = f",\n{indent}{_INDENT}"
    return f"[{separator[1:]}{separator.join(entries)}\n{indent}]"


def _array(array: Matrix, indent: str) -> Iterator[str]:
    rows = _rows(array if array.ndim == 2 else array[None])
    yield rows[0] if array.ndim == 1 else _block(rows, indent)


def _rows(matrix: Matrix) -> list[str]:
    """Return one line a row; a float's repr is the shortest text that loads back to the same bits."""
    if matrix.dtype == np.float64 and np.isfinite(matrix).all():
        return number_rows(matrix)
    return [_pinned_row(repr(row)) for row in matrix.tolist()]


def _pinned_row(line: str) -> str:
    return line.replace("nan", "null").replace("-inf", '"-inf"')


def _scalar(value: Any, place: str) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise ExperimentError(place, "holds what no file can hold, such as NaN or an object of the program") from None
