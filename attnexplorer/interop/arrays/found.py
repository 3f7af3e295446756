"""What was found in a file: arrays by name and shape, each read only when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.rules import quoted

Numbers = NDArray[np.float64]

MOST_NUMBERS = 25_000_000
"""Numbers in one imported array: 200 MB, more than any matrix that can be shown."""
MOST_AXES = 4


@dataclass(frozen=True, slots=True)
class FoundArray:
    """The name and the shape of an array in a file."""

    name: str
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ArrayFile:
    """The arrays of a file that can be imported; `load` raises `FileError` if one turns out to be broken."""

    file_name: str
    arrays: tuple[FoundArray, ...]
    load: Callable[[str], Numbers]


def importable(shape: tuple[int, ...]) -> bool:
    """Tell whether an array of this shape can be imported: one to four axes, none empty, not too large."""
    return 1 <= len(shape) <= MOST_AXES and all(extent > 0 for extent in shape) and math.prod(shape) <= MOST_NUMBERS


def shape_words(shape: tuple[int, ...]) -> str:
    """Return a shape in words: "3 × 4", "a single number"."""
    return " × ".join(map(str, shape)) if shape else "a single number"


def found_file(
    file_name: str, shapes: dict[str, tuple[int, ...]], load: Callable[[str], Numbers], refusals: list[str]
) -> ArrayFile:
    """Return the arrays that can be imported.

    Raises
    ------
    FileError
        If there is none; the sentence is the first of `refusals`, or says what shapes there are.
    """
    good = tuple(FoundArray(name, shape) for name, shape in shapes.items() if importable(shape))
    if not good:
        raise FileError(file_name, _why_none(shapes, refusals))
    return ArrayFile(file_name, good, load)


def _why_none(shapes: dict[str, tuple[int, ...]], refusals: list[str]) -> str:
    if refusals:
        return refusals[0]
    if not shapes:
        return "it holds no array of numbers"
    name, shape = next(iter(shapes.items()))
    what = f"{quoted(name)} is {shape_words(shape)}"
    if math.prod(shape) > MOST_NUMBERS:
        return f"{what}, but at most {MOST_NUMBERS:,} numbers can be imported at once"
    return f"{what}, but an array with 1 to {MOST_AXES} axes and at least one number was expected"
