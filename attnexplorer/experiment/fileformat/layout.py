"""JSON text laid out for people: objects indented, short lists on one line, one matrix row a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.fileformat.number_rows import number_rows

_INDENT = "  "
_LONGEST_LINE = 100

_ArrayText = Callable[[Matrix, str], str]


class KnownTexts:
    """The texts of the arrays in the last file: whoever writes every few seconds finds most arrays as they were.

    Arrays of experiments are never changed, only replaced. At most `most` characters are kept.
    """

    def __init__(self, most: int = 64_000_000) -> None:
        self._most = most
        self._texts: dict[tuple[int, str], tuple[Matrix, str]] = {}

    @property
    def size(self) -> int:
        """How many characters are kept."""
        return sum(len(text) for _, text in self._texts.values())

    def laid_out(self, value: Any) -> str:
        """Return what `laid_out` does."""
        before, self._texts = self._texts, {}
        room = self._most

        def array_text(array: Matrix, indent: str) -> str:
            nonlocal room
            key = (id(array), indent)
            # The array is kept with its text, so that no other one can take over its identity.
            known = before.get(key)
            text = _array(array, indent) if known is None else known[1]
            if not array.flags.writeable and len(text) <= room:
                room -= len(text)
                self._texts[key] = (array, text)
            return text

        return "".join(_pieces(value, "", "", array_text))


def laid_out(value: Any) -> str:
    """Return JSON text for dicts, lists, scalars and arrays (NaN is written as null, -inf as the text "-inf")."""
    # Put together once: texts within texts within texts would copy a large file at every level.
    return "".join(_pieces(value, "", "", _array))


def _pieces(value: Any, indent: str, place: str, array_text: _ArrayText) -> Iterator[str]:
    inner = indent + _INDENT
    if isinstance(value, np.ndarray):
        yield array_text(value, indent)
    elif isinstance(value, dict) and value:
        for index, (key, entry) in enumerate(value.items()):
            yield f"{',' if index else '{'}\n{inner}{_key(key, place)}: "
            yield from _pieces(entry, inner, f"{place}.{key}" if place else key, array_text)
        yield f"\n{indent}}}"
    elif isinstance(value, list):
        yield from _list(value, indent, place, array_text)
    else:
        yield _scalar(value, place)


def _key(key: Any, place: str) -> str:
    if not isinstance(key, str):
        raise ExperimentError(place, "has a key that is not text")
    return json.dumps(key, ensure_ascii=False)


def _list(values: list[Any], indent: str, place: str, array_text: _ArrayText) -> Iterator[str]:
    has_parts = any(isinstance(entry, (dict, np.ndarray)) for entry in values)
    if has_parts:
        inner = indent + _INDENT
        for index, entry in enumerate(values):
            yield f"{',' if index else '['}\n{inner}"
            yield from _pieces(entry, inner, f"{place}[{index}]", array_text)
        yield f"\n{indent}]"
        return
    line = _scalar(values, place)
    yield line if len(line) <= _LONGEST_LINE else _block([_scalar(entry, place) for entry in values], indent)


def _block(entries: list[str], indent: str) -> str:
    separator = f",\n{indent}{_INDENT}"
    return f"[{separator[1:]}{separator.join(entries)}\n{indent}]"


def _array(array: Matrix, indent: str) -> str:
    rows = _rows(array if array.ndim == 2 else array[None])
    return rows[0] if array.ndim == 1 else _block(rows, indent)


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
