"""Where something was found in the matrices of an experiment, and the words for it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Per, Unit

Cells = NDArray[np.bool_]


class Place(NamedTuple):
    """Where a check found something: a row, or one cell, of one unit. Counts from 0."""

    unit: Unit
    row: int
    column: int | None = None


class Findings:
    """How many rows or cells were found, and where the first of them is."""

    def __init__(self, first: int) -> None:
        self.count = 0
        self._first = first
        self._where: Place | None = None

    def add(self, unit: Unit, found: Cells) -> None:
        """Add what was found in one unit: a mark a row, or a mark a cell."""
        self.count += int(found.sum())
        if self._where is None and found.any():
            self._where = Place(unit, *(int(index) for index in np.argwhere(found)[0]))

    @property
    def where(self) -> Place:
        """The first finding; there must be one."""
        assert self._where is not None
        return self._where

    @property
    def place(self) -> str:
        """The first finding without the name of its stage: "head 0, row 2"."""
        unit, row, _ = self.where
        return f"head {(unit.head or 0) + self._first}, row {row + self._first}"

    @property
    def first(self) -> str:
        """The first finding with the name of its stage: "weights, head 0, row 2, column 3"."""
        unit, row, column = self.where
        cell = "" if column is None else f", column {column + self._first}"
        return f"{unit_name(unit, self._first)}, row {row + self._first}{cell}"


def unit_name(unit: Unit, first: int) -> str:
    """Return a unit's stage and head in words, counting from `first`."""
    if unit.head is None:
        return unit.stage
    kind = "KV head" if STAGES[unit.stage].per is Per.KV_HEAD else "head"
    return f"{unit.stage}, {kind} {unit.head + first}"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, such as "1 row" or "2 pairs with a padded key"."""
    if count == 1:
        return f"1 {noun}"
    plural = {"matrix": "matrices"}.get(noun)
    head, _, tail = noun.partition(" with ")
    return f"{count} {plural or head + 's' + (' with ' + tail if tail else '')}"
