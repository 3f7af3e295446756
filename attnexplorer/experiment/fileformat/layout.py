"""JSON text laid out for people: objects indented, short lists on one line, one matrix row a line."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.errors import ExperimentError

_INDENT = "  "
_LONGEST_LINE = 100


def laid_out(value: Any, indent: str = "", place: str = "") -> str:
    """Return JSON text for dicts, lists, scalars and arrays (NaN is written as null, -inf as the text "-inf")."""
    if isinstance(value, np.ndarray):
        return _array(value, indent)
    if isinstance(value, dict):
        entries = [f"{_key(key, place)}: {_entry(entry, indent, place, key)}" for key, entry in value.items()]
        return _block("{", entries, "}", indent) if entries else "{}"
    if isinstance(value, list):
        return _list(value, indent, place)
    return _scalar(value, place)


def _key(key: Any, place: str) -> str:
    if not isinstance(key, str):
        raise ExperimentError(place, "has a key that is not text")
    return json.dumps(key, ensure_ascii=False)


def _entry(value: Any, indent: str, place: str, key: str) -> str:
    return laid_out(value, indent + _INDENT, f"{place}.{key}" if place else key)


def _list(values: list[Any], indent: str, place: str) -> str:
    has_parts = any(isinstance(entry, (dict, np.ndarray)) for entry in values)
    if has_parts:
        entries = [laid_out(entry, indent + _INDENT, f"{place}[{index}]") for index, entry in enumerate(values)]
        return _block("[", entries, "]", indent)
    line = _scalar(values, place)
    if len(line) <= _LONGEST_LINE:
        return line
    return _block("[", [_scalar(entry, place) for entry in values], "]", indent)


def _block(opening: str, entries: list[str], closing: str, indent: str) -> str:
    inner = indent + _INDENT
    return f"{opening}\n{inner}" + f",\n{inner}".join(entries) + f"\n{indent}{closing}"


def _array(array: Matrix, indent: str) -> str:
    finite = bool(np.isfinite(array).all())
    if array.ndim == 1:
        return _row(array.tolist(), finite)
    return _block("[", [_row(row, finite) for row in array.tolist()], "]", indent)


def _row(numbers: list[float], finite: bool) -> str:
    """Return one line; a float's repr is the shortest text that loads back to the same bits."""
    line = repr(numbers)
    return line if finite else line.replace("nan", "null").replace("-inf", '"-inf"')


def _scalar(value: Any, place: str) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise ExperimentError(place, "holds what no file can hold, such as NaN or an object of the program") from None
