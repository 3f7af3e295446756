"""Checks of single JSON values: each returns the value in the program's own type or raises a sentence that names it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from itertools import chain
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np

from attnexplorer.experiment.arrays import Matrix, frozen
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import NOTHING, Extra
from attnexplorer.experiment.rules import counted, quoted

BLOCKED_CELL = "-inf"

_NUMBERS = {int, float}
_PIN_CELLS = {int, float, str, type(None)}
_PLAIN_KEY = re.compile(r"[A-Za-z0-9_.\-]{1,80}")


def inside(place: str, key: str | int) -> str:
    """Return the place of a key or an index inside `place`."""
    if isinstance(key, int):
        return f"{place}[{key}]"
    if not _PLAIN_KEY.fullmatch(key):
        return f"{place}[{quoted(key)}]"
    return f"{place}.{key}" if place else key


def wrong(place: str, value: Any, expected: str) -> NoReturn:
    """Raise the sentence that says what stands at `place` and what was expected there."""
    raise ExperimentError(place or "the file", f"is {described(value)}, but {expected} was expected")


def described(value: Any) -> str:
    """Return a few words for a JSON value of any size."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "an infinite number"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**20:
        return "a number of more than 20 digits"
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def mapping(value: Any, place: str) -> dict[str, Any]:
    """Return an object."""
    return value if isinstance(value, dict) else wrong(place, value, "an object")


def items(value: Any, place: str, expected: str = "a list") -> list[Any]:
    """Return a list that is not empty."""
    if not isinstance(value, list):
        wrong(place, value, expected)
    if not value:
        raise ExperimentError(place, f"is empty, but {expected} with at least one entry was expected")
    return value


def text(value: Any, place: str) -> str:
    """Return a string."""
    return value if isinstance(value, str) else wrong(place, value, "text")


def boolean(value: Any, place: str) -> bool:
    """Return true or false."""
    return value if isinstance(value, bool) else wrong(place, value, "true or false")


def integer(value: Any, place: str) -> int:
    """Return an integer; true and false are none."""
    return value if type(value) is int else wrong(place, value, "an integer")


def number(value: Any, place: str) -> float:
    """Return a finite number as a float; true and false are none."""
    if type(value) not in _NUMBERS:
        wrong(place, value, "a number")
    converted = as_float(value)
    return converted if math.isfinite(converted) else wrong(place, value, "a finite number")


def as_float(value: float) -> float:
    """Return the nearest float; an integer too large for one becomes an infinity."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def texts(value: Any, place: str) -> tuple[str, ...]:
    """Return a list of strings, at least one."""
    return _each(items(value, place, "a list of texts"), place, {str}, text)


def booleans(value: Any, place: str) -> tuple[bool, ...]:
    """Return a list of true and false."""
    if not isinstance(value, list):
        wrong(place, value, "a list of true and false")
    return _each(value, place, {bool}, boolean)


def integers(value: Any, place: str) -> tuple[int, ...]:
    """Return a list of integers."""
    if not isinstance(value, list):
        wrong(place, value, "a list of integers")
    return _each(value, place, {int}, integer)


def pairs(value: Any, place: str) -> tuple[tuple[int, int], ...]:
    """Return a list of [query, key]."""
    if not isinstance(value, list):
        wrong(place, value, "a list of [query, key] pairs")
    for index, pair in enumerate(value):
        if type(pair) is not list or len(pair) != 2:
            raise ExperimentError(inside(place, index), "was expected to be a pair [query, key]")
    if set(map(type, chain.from_iterable(value))) - {int}:
        for index, pair in enumerate(value):
            integers(pair, inside(place, index))
    return tuple(map(tuple, value))


def labels(value: Any, place: str) -> tuple[str | int, ...]:
    """Return a list of strings and integers."""
    if not isinstance(value, list):
        wrong(place, value, "a list of texts and integers")
    return _each(value, place, {str, int}, lambda entry, at: wrong(at, entry, "text or an integer"))


def vector(value: Any, place: str) -> Matrix:
    """Return a list of numbers as an array with one axis."""
    cells = items(value, place, "a list of numbers")
    if set(map(type, cells)) - _NUMBERS:
        _each(cells, place, set(), number)
    return _finite(cells, place)


def vectors(value: Any, place: str) -> tuple[Matrix, ...]:
    """Return a list of lists of numbers, which may differ in length."""
    rows = items(value, place, "a list of lists of numbers")
    return tuple(vector(row, inside(place, index)) for index, row in enumerate(rows))


def matrix(value: Any, place: str) -> Matrix:
    """Return a list of equally long lists of numbers as an array with two axes."""
    rows = _rectangle(value, place)
    if set(map(type, chain.from_iterable(rows))) - _NUMBERS:
        for index, row in enumerate(rows):
            vector(row, inside(place, index))
    return _finite(rows, place)


def matrices(value: Any, place: str) -> tuple[Matrix, ...]:
    """Return a list of matrices, at least one."""
    heads = items(value, place, "a list of matrices, one a head,")
    return tuple(matrix(head, inside(place, index)) for index, head in enumerate(heads))


def pin_matrix(value: Any, place: str) -> Matrix:
    """Return a matrix in which null becomes NaN and "-inf" becomes -inf."""
    rows = _rectangle(value, place)
    cells = list(chain.from_iterable(rows))
    if set(map(type, cells)) - _PIN_CELLS or any(type(c) is str and c != BLOCKED_CELL for c in cells):
        _find_bad_cell(rows, place)
    numbers = [cell for cell in cells if type(cell) in _NUMBERS]
    if not all(map(math.isfinite, map(as_float, numbers))):
        _find_bad_cell(rows, place)
    return frozen(np.array(rows, dtype=np.float64))


def plain(value: Any, place: str) -> Any:
    """Return any JSON value that can be written back: without NaN and infinities."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        _find_not_finite(value, place)
    return value


def children(value: Any, place: str) -> Iterable[tuple[Any, str]]:
    """Return what a JSON value contains, each with its place."""
    if isinstance(value, dict):
        return [(entry, inside(place, key)) for key, entry in value.items()]
    if isinstance(value, list):
        return [(entry, inside(place, index)) for index, entry in enumerate(value)]
    return ()


def frozen_mapping(values: dict[str, Any]) -> Extra:
    """Return a read-only mapping; an empty one is always the same object."""
    return MappingProxyType(values) if values else NOTHING


def _each(entries: list[Any], place: str, types: set[type], check: Callable[[Any, str], Any]) -> tuple[Any, ...]:
    """Return the entries; only if one is of another type than `types` is `check` called, until it raises."""
    if set(map(type, entries)) - types:
        for index, entry in enumerate(entries):
            if type(entry) not in types:
                check(entry, inside(place, index))
    return tuple(entries)


def _rectangle(value: Any, place: str) -> list[list[Any]]:
    rows = items(value, place, "a matrix")
    for index, row in enumerate(rows):
        if type(row) is not list:
            wrong(inside(place, index), row, "a row of numbers")
        if len(row) != len(rows[0]):
            message = f"has {counted(len(row), 'number')}, but the first row has {len(rows[0])}"
            raise ExperimentError(inside(place, index), message)
    if not rows[0]:
        raise ExperimentError(inside(place, 0), "is empty, but at least one column was expected")
    return rows


def _finite(cells: list[Any], place: str) -> Matrix:
    try:
        array = np.array(cells, dtype=np.float64)
    except OverflowError:
        array = None
    if array is None or not np.isfinite(array).all():
        _find_bad_number(cells, place)
    array.setflags(write=False)
    return array


def _find_not_finite(value: Any, place: str) -> NoReturn:
    """Raise for the last number that is not finite, wherever it stands."""
    pending = [(value, place)]
    while pending:
        entry, at = pending.pop()
        if isinstance(entry, float) and not math.isfinite(entry):
            wrong(at, entry, "a finite number")
        pending.extend(children(entry, at))
    raise ExperimentError(place, "holds a number that is not finite")


def _find_bad_number(cells: Any, place: str) -> NoReturn:
    """Raise for the first number that is not finite."""
    for index, cell in enumerate(cells):
        if isinstance(cell, list):
            if any(not math.isfinite(as_float(entry)) for entry in cell):
                _find_bad_number(cell, inside(place, index))
        else:
            number(cell, inside(place, index))
    raise ExperimentError(place, "holds a number that is not finite")


def _find_bad_cell(rows: list[list[Any]], place: str) -> NoReturn:
    """Raise for the first cell that no pin may hold."""
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            at = inside(inside(place, i), j)
            if type(cell) in _NUMBERS and not math.isfinite(as_float(cell)):
                wrong(at, cell, "a finite number")
            if type(cell) not in _PIN_CELLS or (type(cell) is str and cell != BLOCKED_CELL):
                wrong(at, cell, 'a number, null or "-inf"')
    raise ExperimentError(place, "holds a cell that no pin may hold")
