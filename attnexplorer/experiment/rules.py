"""The single checks that validation is made of: each passes in silence or raises a sentence with its place."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, get_args
from weakref import WeakValueDictionary

import numpy as np

from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.errors import ExperimentError

LARGEST_INTEGER = 2**53
"""Positions enter float64 arithmetic, which counts exactly up to here."""


_known_finite: WeakValueDictionary[int, Matrix] = WeakValueDictionary()


def check_axes(array: Any, place: str, axes: int) -> None:
    """Refuse what is not a float64 array with `axes` axes, each at least 1 long."""
    what = "a matrix" if axes == 2 else "a list of numbers"
    if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.ndim != axes:
        raise ExperimentError(place, f"was expected to be {what}")
    if array.size == 0:
        raise ExperimentError(place, f"is empty, but {what} was expected")


def check_finite(array: Matrix, place: str) -> None:
    """Refuse NaN and infinities; the sum of the array is looked at first because that is faster.

    Read-only arrays that were found finite are remembered: experiments share nearly all of theirs.
    """
    if _known_finite.get(id(array)) is array:
        return
    with np.errstate(all="ignore"):
        if math.isfinite(array.sum()):
            if array.base is None and not array.flags.writeable:
                _known_finite[id(array)] = array
            return
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        cell = "".join(f"[{index}]" for index in bad[0])
        raise ExperimentError(place + cell, f"is {_shown(array[tuple(bad[0])])}, but a finite number was expected")


def check_matrix(array: Matrix, place: str) -> None:
    """Refuse what is not a finite matrix."""
    check_axes(array, place, 2)
    check_finite(array, place)


def check_vector(array: Matrix, place: str, width: int, why: str) -> None:
    """Refuse what is not a list of `width` finite numbers; `why` says where the width comes from."""
    check_axes(array, place, 1)
    if array.shape[0] != width:
        raise ExperimentError(place, f"has {counted(array.shape[0], 'number')}, but {why}")
    check_finite(array, place)


def check_rows(array: Matrix, place: str, rows: int, why: str) -> None:
    """Refuse a matrix without `rows` rows; `why` says where the number comes from."""
    if array.shape[0] != rows:
        raise ExperimentError(place, f"is {size(array)}, but {why}")


def check_columns(array: Matrix, place: str, columns: int, why: str) -> None:
    """Refuse a matrix without `columns` columns; `why` says where the number comes from."""
    if array.shape[1] != columns:
        raise ExperimentError(place, f"is {size(array)}, but {why}")


def check_count(found: int, place: str, noun: str, expected: int, why: str) -> None:
    """Refuse a list that has not `expected` entries."""
    if found != expected:
        raise ExperimentError(place, f"has {counted(found, noun)}, but {why}")


def check_not_empty(found: int, place: str, noun: str) -> None:
    """Refuse a list without entries."""
    if not found:
        raise ExperimentError(place, f"is empty, but at least one {noun} was expected")


def check_choice(value: Any, place: str, choices: Any) -> None:
    """Refuse a word that is not one of a Literal's words."""
    words = get_args(choices)
    if value not in words:
        expected = ", ".join(f'"{word}"' for word in words[:-1]) + f' or "{words[-1]}"'
        raise ExperimentError(place, f"is {_shown(value)}, but {expected} was expected")


def check_number(value: Any, place: str) -> None:
    """Refuse what is not a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ExperimentError(place, f"is {_shown(value)}, but a finite number was expected")


def check_positive(value: Any, place: str) -> None:
    """Refuse what is not a finite number above 0."""
    check_number(value, place)
    if value <= 0:
        raise ExperimentError(place, f"is {value!r}, but a number above 0 was expected")


def check_not_negative(value: Any, place: str) -> None:
    """Refuse what is not a finite number of at least 0."""
    check_number(value, place)
    if value < 0:
        raise ExperimentError(place, f"is {value!r}, but a number of at least 0 was expected")


def check_integer(value: Any, place: str, smallest: int, largest: int = LARGEST_INTEGER) -> None:
    """Refuse what is not an integer from `smallest` to `largest`."""
    if isinstance(value, bool) or not isinstance(value, int) or not smallest <= value <= largest:
        is_bounded = largest < LARGEST_INTEGER or (isinstance(value, int) and value > largest)
        limits = f"from {smallest} to {largest}" if is_bounded else f"at least {smallest}"
        raise ExperimentError(place, f"is {_shown(value)}, but an integer {limits} was expected")


def check_texts(values: Iterable[Any], place: str) -> None:
    """Refuse half surrogate pairs, which no file can hold."""
    texts = list(values)
    if not all(isinstance(text, str) for text in texts):
        raise ExperimentError(place, "was expected to hold texts only")
    try:
        "".join(texts).encode("utf-8")
    except UnicodeEncodeError:
        raise ExperimentError(place, "holds half a surrogate pair, which is no character") from None


def size(array: Matrix) -> str:
    """Return the shape of an array in words: ``3 × 2``."""
    return " × ".join(map(str, array.shape))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 row``, ``2 rows``."""
    plural = {"entry": "entries", "matrix": "matrices"}.get(noun, noun + "s")
    return f"{number} {noun if number == 1 else plural}"


def quoted(text: str) -> str:
    """Return a text as it stands in a file, shortened, with control characters escaped."""
    return json.dumps(text if len(text) <= 40 else text[:40] + "…", ensure_ascii=not text.isprintable())


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (bool, type(None))):
        return json.dumps(value)
    if isinstance(value, int):
        return str(value) if abs(value) < 10**20 else "a number of more than 20 digits"
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(float(value))
    return f"of the type {type(value).__name__}"
