"""What an explanation is made of: pieces that form lines of arithmetic, lines that form steps.

A line reads as an equation that is true: evaluated with the pieces' full values, what stands before "=" is the result.
Subjects carry subscripts and superscripts as ``_{…}`` and ``^{…}``; see `spans`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from attnexplorer.compute.numbers import operand_text, significant_text
from attnexplorer.compute.projections import Array

PieceKind = Literal["number", "operator", "result", "note"]
SpanStyle = Literal["plain", "subscript", "superscript"]

TERMS_SHOWN = 6
_ZEROS_SHOWN = 4
COMPONENTS_SHOWN = 4


class Reference(NamedTuple):
    """A cell: the path of its matrix, its row and its column, counted from 0."""

    path: str
    row: int
    column: int


class Piece(NamedTuple):
    """A bit of a line. Numbers and results carry their full value.

    `reference` is the cell that a number stands in, or, for an exponential, the cell that it is the exponential of.
    """

    text: str
    kind: PieceKind
    reference: Reference | None = None
    value: float | None = None


Line = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an explanation: "2 compare q_{it} · k_{animal}", with its lines of arithmetic."""

    verb: str
    subject: str
    lines: tuple[Line, ...] = ()
    note: str = ""
    number: int = 0

    @property
    def arithmetic(self) -> Line:
        """All pieces of all lines."""
        return tuple(piece for line in self.lines for piece in line)

    @property
    def results(self) -> tuple[float, ...]:
        """The value of every result, in order."""
        return tuple(p.value for p in self.arithmetic if p.kind == "result" and p.value is not None)

    @property
    def result(self) -> float | None:
        """The last result: what the step comes to."""
        return self.results[-1] if self.results else None

    @property
    def result_text(self) -> str:
        """The text of the last result; empty for a step without one."""
        texts = [piece.text for piece in self.arithmetic if piece.kind == "result"]
        return texts[-1] if texts else ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """How one number is made.

    `made_in` is the number of the step whose result is the value (steps after it say what becomes of it); None for
    a parameter, which is not made from anything.
    """

    path: str
    row: int
    column: int
    symbol: str
    row_label: str
    column_label: str
    value: float
    value_text: str
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = field(default=())
    made_in: int | None = None

    @property
    def heading(self) -> str:
        """The name of the number, such as "A[it, animal]"."""
        return f"{self.symbol}[{self.row_label}, {self.column_label}]"


class Span(NamedTuple):
    """A stretch of a subject in one style."""

    text: str
    style: SpanStyle


def spans(subject: str) -> tuple[Span, ...]:
    """Split a subject into plain, subscript and superscript stretches; ``\\{``, ``\\}`` and ``\\\\`` are literal."""
    found: list[Span] = []
    style: SpanStyle = "plain"
    text = ""
    position = 0
    while position < len(subject):
        here = subject[position : position + 2]
        if here[0] == "\\" and len(here) == 2:
            text, position = text + here[1], position + 2
            continue
        if here in ("_{", "^{") and style == "plain":
            found.append(Span(text, style))
            style, text, position = ("subscript" if here[0] == "_" else "superscript"), "", position + 2
        elif here[0] == "}" and style != "plain":
            found.append(Span(text, style))
            style, text, position = "plain", "", position + 1
        else:
            text, position = text + here[0], position + 1
    return tuple(span for span in (*found, Span(text, style)) if span.text)


def literal(text: str) -> str:
    """Return a text so that `spans` shows it as it is."""
    return text.replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}")


def number(value: float, reference: Reference | None = None, text: str | None = None) -> Piece:
    """Return a number of a calculation; a name may stand in for its digits."""
    return Piece(operand_text(float(value)) if text is None else text, "number", reference, float(value))


def operator(text: str) -> Piece:
    """Return an operator, a bracket or the name of a function."""
    return Piece(text, "operator")


def result(value: float, reference: Reference | None = None) -> Piece:
    """Return what a line comes to."""
    return Piece(significant_text(float(value)), "result", reference, float(value))


def note(text: str) -> Piece:
    """Return words among the arithmetic."""
    return Piece(text, "note")


def line(*parts: Piece | str | Line) -> Line:
    """Join pieces, operators given as text, and lines; negative numbers inside get their brackets."""
    flat: list[Piece] = []
    for part in parts:
        if isinstance(part, str):
            flat.append(operator(part))
        elif isinstance(part, Piece):
            flat.append(part)
        else:
            flat.extend(part)
    return tuple(_bracketed(piece, flat[place - 1] if place else None) for place, piece in enumerate(flat))


def equation(parts: Line, value: float, reference: Reference | None = None) -> Line:
    """Return "parts = value"."""
    return line(parts, "=", result(value, reference))


def total(values: Array, reference: Callable[[int], Reference | None]) -> Line:
    """Return a sum; a long one shows its largest terms in their order, and the rest as one number."""
    shown = _shown(values)
    terms = [(number(values[k], reference(k)),) for k in shown]
    return _summed(terms, values, shown)


def squares(values: Array, centre: float | None, reference: Callable[[int], Reference | None]) -> Line:
    """Return a sum of squares, of differences from a centre where one is given."""
    centred = values if centre is None else values - centre
    shown = _shown(centred**2)
    minus: Line = () if centre is None else line("−", number(centre))
    terms = [line("(", number(values[k], reference(k)), minus, ")", "²") for k in shown]
    return _summed(terms, centred**2, shown)


def products(
    left: Array, right: Array, left_at: Callable[[int], Reference], right_at: Callable[[int], Reference | None]
) -> Line:
    """Return "a × b + …", the dot product of two vectors; a long one is shortened like `total`."""
    values = left * right
    shown = _shown(values)
    terms = [line(number(left[k], left_at(k)), "×", number(right[k], right_at(k))) for k in shown]
    return _summed(terms, values, shown)


def vector(values: Array, reference: Callable[[int], Reference | None]) -> Line:
    """Return "[a, b, …]"; of a long vector the first components."""
    count = len(values) if len(values) <= COMPONENTS_SHOWN + 1 else COMPONENTS_SHOWN
    parts: list[Piece | str] = ["["]
    for k in range(count):
        parts += [*([","] if k else []), number(values[k], reference(k))]
    if count < len(values):
        parts.append(note(f"… {len(values) - count} more"))
    return line(*parts, "]")


def _shown(values: Array) -> list[int]:
    """Return which terms of a sum are written out: all, or the largest in size, in their order.

    Of more than a few terms those that are 0 are left out.
    """
    if len(values) <= _ZEROS_SHOWN:
        return list(range(len(values)))
    counting = np.flatnonzero(values)
    if len(counting) <= TERMS_SHOWN + 1:
        return counting.tolist() or [0]
    sizes = np.nan_to_num(np.abs(values), nan=np.inf)
    return sorted(np.argpartition(-sizes, TERMS_SHOWN - 1)[:TERMS_SHOWN].tolist())


def _summed(terms: Sequence[Line], values: Array, shown: list[int]) -> Line:
    if not terms:
        return (number(0.0),)
    parts: list[Piece | str | Line] = []
    for place, term in enumerate(terms):
        parts += [*(["+"] if place else []), term]
    left_out = len(values) - len(shown)
    rest = np.delete(values, shown)
    if rest.any():
        parts += ["+", number(float(rest.sum())), note(f"(… {left_out} more)")]
    elif left_out:
        parts.append(note(f"(… {left_out} more {'is' if left_out == 1 else 'are'} 0)"))
    return line(*parts)


def _bracketed(piece: Piece, before: Piece | None) -> Piece:
    exposed = before is not None and before.kind == "operator" and before.text not in ("(", "[", ",", "=")
    if piece.kind == "number" and exposed and piece.text.startswith("−"):
        return piece._replace(text=f"({piece.text})")
    return piece
