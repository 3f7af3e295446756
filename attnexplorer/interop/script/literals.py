"""Arrays and texts as source code, each number so that it reads back bit for bit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

WIDEST = 110


def number(value: float) -> str:
    """Return a float as Python writes it; `inf` and `nan` are names that the script defines."""
    return repr(float(value))


def assigned(name: str, constructor: str, array: NDArray[Any]) -> list[str]:
    """Return the lines of ``name = constructor([[…], […]])``, a row a line, long rows broken between numbers."""
    prefix = f"{name} = {constructor}("
    return (prefix + _nested(array, len(prefix)) + ")").split("\n")


def texts(name: str, words: Iterable[str]) -> list[str]:
    """Return the lines that assign a list of texts; `repr` escapes whatever is not printable."""
    prefix = f"{name} = "
    return (prefix + _listed(map(repr, words), len(prefix))).split("\n")


def flags(name: str, constructor: str, values: Iterable[bool]) -> list[str]:
    """Return the lines that assign an array of True and False."""
    prefix = f"{name} = {constructor}("
    return (prefix + _listed(map(repr, map(bool, values)), len(prefix)) + ")").split("\n")


def pairs(values: Sequence[tuple[int, int]], indent: int) -> str:
    """Return a list of pairs; where it is broken, the next line starts with `indent` spaces."""
    return _listed((f"({i}, {j})" for i, j in values), indent)


def _nested(array: NDArray[Any], indent: int) -> str:
    if array.ndim == 1:
        return _listed(map(number, array.tolist()), indent)
    return "[" + (",\n" + " " * (indent + 1)).join(_nested(part, indent + 1) for part in array) + "]"


def _listed(entries: Iterable[str], indent: int) -> str:
    """Return ``[a, b, …]`` broken between entries, never inside one."""
    lines, width = [""], indent + 1
    for entry in entries:
        if lines[-1] and width + len(entry) + 2 > WIDEST:
            lines.append("")
            width = indent + 1
        lines[-1] += entry + ", "
        width += len(entry) + 2
    joined = ("\n" + " " * (indent + 1)).join(line.rstrip() for line in lines)
    return f"[{joined.removesuffix(',')}]"
