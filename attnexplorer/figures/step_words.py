"""Steps of arithmetic as words: what is written how, and what stays together. Screen and paper wrap them alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from attnexplorer.compute.explaining.pieces import Line, Piece, Reference, Step, spans

WordStyle = Literal["verb", "plain", "subscript", "superscript", "operator", "number", "result", "note"]

_TIGHT_AFTER = frozenset(("(", "[", "√", "e^", "tanh", "erf", "cos", "sin", "max"))
_TIGHT_BEFORE = frozenset((")", "]", ",", ";", "²", "³"))
_BINDING_AFTER = frozenset(("×", "÷", "+", "−", "="))
_BINDING_BEFORE = frozenset(("×", "÷"))
_SHORT = 16
"""A note of up to so many characters is not broken."""


@dataclass(frozen=True, slots=True)
class Word:
    """A stretch of text in one style. `tight`: no space and no break before it; `bound`: a space, but no break."""

    text: str
    style: WordStyle
    tight: bool = False
    bound: bool = False
    reference: Reference | None = None
    value: float | None = None


Paragraph = tuple[Word, ...]


def paragraphs(step: Step) -> tuple[Paragraph, ...]:
    """Return a step's heading, its lines of arithmetic and its note, each a paragraph."""
    heading = (Word(step.verb, "verb"), *subject_words(step.subject))
    note = tuple(Word(text, "note") for text in step.note.split())
    return tuple(p for p in (heading, *(line_words(line) for line in step.lines), note) if p)


def subject_words(subject: str) -> Paragraph:
    """Return the words of a subject, subscripts and superscripts bound to what they belong to."""
    words: list[Word] = []
    for span in spans(subject):
        text, style = span.text, span.style
        if style == "superscript" and " " in text:
            # Small raised type over several lines cannot be read.
            text, style = f"^({text})", "plain"
        for place, part in enumerate(text.split(" ")):
            if part:
                words.append(Word(part, style, tight=bool(words) and place == 0))
    return tuple(words)


def line_words(line: Line) -> Paragraph:
    """Return the words of a line of arithmetic; a bare number under a root loses its brackets."""
    words: list[Word] = []
    before = ""
    for piece in _without_root_brackets(line):
        tight = bool(words) and (before in _TIGHT_AFTER or piece.text in _TIGHT_BEFORE)
        bound = bool(words) and (before in _BINDING_AFTER or piece.text in _BINDING_BEFORE)
        texts = piece.text.split() if piece.kind == "note" and len(piece.text) > _SHORT else [piece.text]
        for place, text in enumerate(texts):
            words.append(Word(text, piece.kind, tight and not place, bound and not place, piece.reference, piece.value))
        before = piece.text
    return tuple(words)


def _without_root_brackets(line: Line) -> Iterable[Piece]:
    place = 0
    while place < len(line):
        texts = [piece.text for piece in line[place : place + 4]]
        if len(texts) == 4 and (texts[0], texts[1], texts[3]) == ("√", "(", ")") and line[place + 2].kind == "number":
            yield line[place]
            yield line[place + 2]
            place += 4
        else:
            yield line[place]
            place += 1
