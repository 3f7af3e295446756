"""The numbers behind a plot as tab-separated text: for the clipboard in the locale's way, for a file with a point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from attnexplorer.compute.numbers import full_text


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of numbers of one length, each under its heading."""

    headings: tuple[str, ...]
    columns: tuple[tuple[float, ...], ...]

    def text(self, decimal_point: str = ".") -> str:
        """Return a line of headings and a line a row, in full precision, with a line feed at the end of each."""
        rows = zip(*self.columns, strict=True)
        lines = ["\t".join(self.headings)]
        lines += ["\t".join(_number(value, decimal_point) for value in row) for row in rows]
        return "\n".join(lines) + "\n"

    def save(self, path: Path) -> None:
        """Write the text to a file, with a point as decimal mark."""
        path.write_text(self.text(), encoding="utf-8")


TableSource = Callable[[], Table | None]
"""Gives the present numbers, or None while there are none."""


def joined(tables: Sequence[Table]) -> Table:
    """Return one table of tables that begin with the same column."""
    first = tables[0]
    headings = first.headings + tuple(name for table in tables[1:] for name in table.headings[1:])
    columns = first.columns + tuple(column for table in tables[1:] for column in table.columns[1:])
    return Table(headings, columns)


def _number(value: float, decimal_point: str) -> str:
    return full_text(value, decimal_point).removesuffix(f"{decimal_point}0")
