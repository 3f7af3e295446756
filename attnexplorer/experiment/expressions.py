"""Typed and pasted numbers: text → float, with arithmetic such as ``1/sqrt(2)``, and nothing else.

A small parser of its own, with limits on length and depth, so that no text is ever run as code. All arithmetic is in
floats, so that a tower of powers overflows at once instead of growing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import NamedTuple

LONGEST = 200
DEEPEST = 32
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "tanh": math.tanh,
    "abs": abs,
}
CONSTANTS = {"pi": math.pi, "π": math.pi, "e": math.e}
INFINITE = {"inf", "infinity", "∞"}

_PLAIN = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_TOKEN = re.compile(r"\s*(?:(?P<number>[0-9.,]+(?:[eE][+-]?[0-9]+)?)|(?P<name>[A-Za-zπ∞]+)|(?P<sign>\*\*|[-+*/()]))")
_SIGNS = str.maketrans({"−": "-", "×": "*", "·": "*", "÷": "/"})
_DIGIT = re.compile("[1-9]")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")


class NumberError(ValueError):
    """A text that is no finite number: one plain sentence that quotes it."""


def parse_number(text: str, decimal_point: str = ".") -> float:
    """Return the number that a text means.

    Parameters
    ----------
    text
        A number or an expression of + - * / **, parentheses, sqrt, exp, log, sin, cos, tan, tanh, abs, pi and e.
    decimal_point
        "." or ",". With "," a point is understood too (0.5 is a half), but a text such as 1.000, which could be one or
        a thousand, is refused.

    Raises
    ------
    NumberError
        If the text is no number, is not finite, or could be read in two ways.
    """
    stripped = text.strip().translate(_SIGNS)
    if not stripped:
        raise NumberError("Nothing was typed; a number or an expression such as 1/sqrt(2) is needed.")
    if len(stripped) > LONGEST:
        raise NumberError(f"“{_shown(text)}” is longer than the {LONGEST} characters that a number may have.")
    has_one_reading = decimal_point == "." or "." not in stripped
    plain = stripped.replace(decimal_point, ".")
    if has_one_reading and _PLAIN.fullmatch(plain):
        return _read(plain, text)
    try:
        value = _Parser(text, stripped, decimal_point).value()
    except (OverflowError, ZeroDivisionError) as error:
        raise _infinite(text) from error
    return _finite(value, text)


def parse_block(text: str, decimal_point: str = ".") -> tuple[tuple[float, ...], ...]:
    """Return the rows of a tab-separated block, as spreadsheets copy it; line ends at its end give no extra row.

    Raises
    ------
    NumberError
        For a cell that is empty or no number, and for rows of different lengths, with the place counted from 1.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    if not lines.strip():
        raise NumberError("There is nothing to paste: the text is empty.")
    cells = [line.split("\t") for line in lines.split("\n")]
    for number, row in enumerate(cells, 1):
        if len(row) != len(cells[0]):
            raise NumberError(f"Row {number} has {_cells(len(row))}, but row 1 has {_cells(len(cells[0]))}.")
    return tuple(
        tuple(_cell(cell, row, column, decimal_point) for column, cell in enumerate(line, 1))
        for row, line in enumerate(cells, 1)
    )


def _cell(text: str, row: int, column: int, decimal_point: str) -> float:
    if not text.strip():
        raise NumberError(f"Row {row}, column {column} is empty; a number is needed.")
    try:
        return parse_number(text, decimal_point)
    except NumberError as error:
        raise NumberError(f"Row {row}, column {column}: {error}") from None


class _Token(NamedTuple):
    kind: str
    text: str


class _Parser:
    """Recursive descent: sum → product → signed → power → atom, with the value as it goes."""

    def __init__(self, original: str, text: str, decimal_point: str) -> None:
        self._original = original
        self._decimal_point = decimal_point
        self._tokens = self._split(text)
        self._place = 0
        self._depth = 0

    def value(self) -> float:
        """Return the value of the whole text."""
        value = self._sum()
        if self._next().kind != "end":
            raise self._refusal()
        return value

    def _sum(self) -> float:
        self._depth += 1
        if self._depth > DEEPEST:
            raise NumberError(f"“{_shown(self._original)}” is nested too deeply.")
        value = self._product()
        while (sign := self._next().text) in ("+", "-"):
            self._place += 1
            term = self._product()
            value = value + term if sign == "+" else value - term
        self._depth -= 1
        return value

    def _product(self) -> float:
        value = self._signed()
        while (sign := self._next().text) in ("*", "/"):
            self._place += 1
            factor = self._signed()
            value = value * factor if sign == "*" else value / factor
        return value

    def _signed(self) -> float:
        negative = False
        while (sign := self._next().text) in ("+", "-"):
            self._place += 1
            negative ^= sign == "-"
        value = self._power()
        return -value if negative else value

    def _power(self) -> float:
        base = self._atom()
        if self._next().text != "**":
            return base
        self._place += 1
        self._depth += 1
        if self._depth > DEEPEST:
            raise NumberError(f"“{_shown(self._original)}” is nested too deeply.")
        exponent = self._signed()
        self._depth -= 1
        if base == 0 and exponent < 0:
            raise ZeroDivisionError
        return self._applied(lambda value: math.pow(value, exponent), base)

    def _atom(self) -> float:
        token = self._next()
        self._place += 1
        if token.kind == "number":
            return self._number(token.text)
        if token.text == "(":
            return self._closed()
        if token.kind != "name":
            raise self._refusal()
        return self._named(token.text)

    def _named(self, name: str) -> float:
        if name in FUNCTIONS and self._next().text == "(":
            self._place += 1
            argument = self._closed()
            if name == "log" and argument == 0:
                raise OverflowError
            return self._applied(FUNCTIONS[name], argument)
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name.lower() in INFINITE:
            raise OverflowError
        raise self._refusal()

    def _closed(self) -> float:
        value = self._sum()
        if self._next().text != ")":
            raise self._refusal()
        self._place += 1
        return value

    def _applied(self, function: Callable[[float], float], argument: float) -> float:
        try:
            return function(argument)
        except ValueError:
            raise NumberError(f"“{_shown(self._original)}” has no real value.") from None

    def _number(self, text: str) -> float:
        if self._decimal_point == ",":
            if _GROUPED.fullmatch(text):
                plain, thousands = text.split(".")[0], text.replace(".", "")
                raise NumberError(
                    f"“{_shown(text)}” could mean {plain} or {thousands}. Type {text.replace('.', ',')} or {thousands}."
                )
            if "," in text and "." in text:
                raise NumberError(f"“{_shown(text)}” has a point and a comma. Type no thousands separators.")
            text = text.replace(",", ".")
        elif "," in text:
            raise NumberError(f"“{_shown(text)}” has a comma. Type a point for decimals, and no thousands separators.")
        if not _PLAIN.fullmatch(text):
            raise self._refusal()
        return _read(text, self._original)

    def _split(self, text: str) -> list[_Token]:
        tokens, place = [], 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                raise self._refusal()
            tokens.append(_Token(match.lastgroup, match[match.lastgroup]))
            place = match.end()
        return [*tokens, _Token("end", "")]

    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _refusal(self) -> NumberError:
        return NumberError(
            f"“{_shown(self._original)}” is not a number. Type a number or an expression such as 1/sqrt(2)."
        )


def _read(plain: str, text: str) -> float:
    """Return a plain number, which must not be lost on the way."""
    value = float(plain)
    if value == 0 and _DIGIT.search(re.split("[eE]", plain)[0]):
        raise NumberError(f"“{_shown(text)}” is nearer to 0 than any number that can be kept. Type 0 if that is meant.")
    return _finite(value, text)


def _finite(value: float, text: str) -> float:
    if math.isinf(value):
        raise _infinite(text)
    if math.isnan(value):
        raise NumberError(f"“{_shown(text)}” has no value.")
    return value


def _infinite(text: str) -> NumberError:
    return NumberError(f"“{_shown(text)}” is infinite or too large; a finite number is needed.")


def _shown(text: str) -> str:
    stripped = text.strip()
    return stripped if len(stripped) <= 40 else stripped[:39] + "…"


def _cells(number: int) -> str:
    return "1 cell" if number == 1 else f"{number} cells"
