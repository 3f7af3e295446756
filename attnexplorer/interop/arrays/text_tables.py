"""Tables of numbers in plain text: CSV, TSV, or what a spreadsheet puts on the clipboard, in any country's way.

How a table is written is found out from the text. Where two readings are possible, such as for ``1,5`` in every row,
both are given, the likelier first, so that the reader can be asked.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.rules import quoted
from attnexplorer.interop.arrays.found import MOST_NUMBERS, Numbers

LARGEST_TEXT = 64 << 20
_SAMPLE = 60

_NUMBER = {
    ".": re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII),
    ",": re.compile(r"[+-]?(?:\d+(?:,\d+)?|,\d+)(?:[eE][+-]?\d+)?", re.ASCII),
}
_NUMBER_LIKE = re.compile(r"[\s\d.,;+-]*(?:[eE][+-]?\d*)?", re.ASCII)
"""What may be a number in another layout, and is therefore no name."""
_SPECIAL = {
    **dict.fromkeys(("inf", "+inf", "infinity", "∞", "+∞"), math.inf),
    **dict.fromkeys(("-inf", "-infinity", "-∞"), -math.inf),
    "nan": math.nan,
}
_LETTERS = str.maketrans({"−": "-", "\u00a0": " ", "\u202f": " "})


class Layout(NamedTuple):
    """How a table is written: what stands between cells (a blank means any white space) and in decimals."""

    separator: str
    decimal_point: str


LAYOUTS = (
    Layout("\t", "."),
    Layout("\t", ","),
    Layout(";", "."),
    Layout(";", ","),
    Layout(",", "."),
    Layout(" ", "."),
    Layout(" ", ","),
)


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table that was read, with the labels that stood around it."""

    values: Numbers
    columns: tuple[str, ...] | None
    rows: tuple[str, ...] | None


def possible_layouts(text: str) -> tuple[Layout, ...]:
    """Return the layouts in which the first lines of a text are a table of numbers, the likeliest first.

    Layouts that give the same numbers count once; none means that the text is no such table.
    """
    sample = "\n".join(islice(_lines(text), _SAMPLE))
    found: list[tuple[Layout, Numbers]] = []
    for layout in LAYOUTS:
        try:
            values = read_table(sample, layout).values
        except ExperimentError:
            continue
        if not any(_same(values, other) for _, other in found):
            found.append((layout, values))
    return tuple(layout for layout, _ in found)


def read_table(text: str, layout: Layout) -> TextTable:
    """Return the numbers of a table; a first row and a first column that are no numbers are its labels.

    Raises
    ------
    ExperimentError
        If a cell is blank or no number, or rows differ in length; the sentence names the cell, counted from 1.
    """
    rows = _rows(text, layout)
    if not rows:
        raise ExperimentError("", "the text is empty, but a table of numbers was expected")
    _drop_trailing_blanks(rows)
    has_corner = _has_corner(rows)
    header = rows.pop(0) if has_corner or _is_header(rows) else None
    stubs = _stubs(rows, has_corner)
    first_row, first_column = 1 if header is None else 2, 1 if stubs is None else 2
    width = len(rows[0])
    for index, row in enumerate(rows):
        if len(row) != width:
            message = f"has {_cells(len(row))}, but row {first_row} has {width}"
            raise ExperimentError(f"row {index + first_row}", message)
    values = [
        [_value(cell, layout, i + first_row, j + first_column) for j, cell in enumerate(row)]
        for i, row in enumerate(rows)
    ]
    columns = None if header is None else tuple(header[len(header) - width :])
    return TextTable(np.array(values, dtype=np.float64), columns, stubs)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines that are not blank and no remarks as NumPy and others write them."""
    for line in text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if line.strip() and not line.lstrip().startswith("#") and not line.lower().startswith("sep="):
            yield line


def _rows(text: str, layout: Layout) -> list[list[str]]:
    if len(text) > LARGEST_TEXT:
        raise ExperimentError("", f"the text is longer than {LARGEST_TEXT >> 20} million characters")
    if layout.separator == " ":
        rows = [line.split() for line in _lines(text)]
    else:
        try:
            rows = [row for row in csv.reader(_lines(text), delimiter=layout.separator) if row]
        except csv.Error:
            raise ExperimentError("", "the text is no table: a cell is far too long") from None
    if sum(map(len, rows)) > MOST_NUMBERS:
        raise ExperimentError("", f"the text holds more than {MOST_NUMBERS:,} numbers")
    return [[cell.translate(_LETTERS).strip() for cell in row] for row in rows]


def _drop_trailing_blanks(rows: list[list[str]]) -> None:
    """Take away last columns that are blank in every row: some programs end each line with a separator."""
    while len(rows[0]) > 1 and all(len(row) > 1 and not row[-1] for row in rows):
        for row in rows:
            row.pop()


def _has_corner(rows: list[list[str]]) -> bool:
    """Tell whether the first cell is blank, as above the names of rows and beside those of columns; they may count."""
    first = rows[0]
    return len(rows) > 1 and len(first) > 1 and not first[0] and all(first[1:]) and all(row[0] for row in rows[1:])


def _is_header(rows: list[list[str]]) -> bool:
    """Tell whether the first row names the columns."""
    names = rows[0][1:] if len(rows[0]) > 1 else rows[0]
    return len(rows) > 1 and all(_is_name(name) for name in names)


def _stubs(rows: list[list[str]], has_corner: bool) -> tuple[str, ...] | None:
    """Take the first column away and return it if it names the rows."""
    if not all(len(row) > 1 and (has_corner or _is_name(row[0])) for row in rows):
        return None
    return tuple(row.pop(0) for row in rows)


def _is_name(cell: str) -> bool:
    return not _NUMBER_LIKE.fullmatch(cell) and cell.lower() not in _SPECIAL


def _value(cell: str, layout: Layout, row: int, column: int) -> float:
    if _NUMBER[layout.decimal_point].fullmatch(cell):
        return float(cell.replace(",", "."))
    if cell.lower() in _SPECIAL:
        return _SPECIAL[cell.lower()]
    what = f"is {quoted(cell)}" if cell else "is blank"
    raise ExperimentError(f"row {row}, column {column}", f"{what}, but a number was expected")


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def _same(left: Numbers, right: Numbers) -> bool:
    return left.shape == right.shape and np.array_equal(left, right, equal_nan=True)
