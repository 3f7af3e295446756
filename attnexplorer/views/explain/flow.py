"""Steps as words on lines: what is written how, and where it stands when lines wrap at a width. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QRectF

from attnexplorer.compute.explaining.pieces import Line, Piece, Reference, Step, spans

WordStyle = Literal["verb", "plain", "subscript", "superscript", "operator", "number", "result", "note"]
Measure = Callable[["Word"], float]

_TIGHT_AFTER = frozenset(("(", "[", "√", "e^", "tanh", "erf", "cos", "sin", "max"))
_TIGHT_BEFORE = frozenset((")", "]", ",", ";", "²", "³"))
_BINDING_AFTER = frozenset(("×", "÷", "+", "−", "="))
_BINDING_BEFORE = frozenset(("×", "÷"))
SPACE = 4.0
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


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word and the rectangle it stands in."""

    word: Word
    rect: QRectF


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


def placed(
    words: Paragraph, width: float, top: float, line_height: float, measure: Measure, hang: float = 0.0
) -> tuple[tuple[PlacedWord, ...], float]:
    """Place a paragraph's words from the left, wrapped at a width; return them and where the paragraph ends.

    `hang` is how far lines after the first are indented.
    """
    found: list[PlacedWord] = []
    left, x, y = 0.0, 0.0, top
    for chunk in _chunks(words):
        extents = [min(measure(word), width - hang) for word in chunk]
        spaces = [0.0 if word.tight else SPACE for word in chunk]
        if x > left and x + sum(extents) + sum(spaces) > width:
            left, x, y = hang, hang, y + line_height
        for word, extent, space in zip(chunk, extents, spaces, strict=True):
            x += space if x > left else 0.0
            if x > left and x + extent > width:
                left, x, y = hang, hang, y + line_height
            found.append(PlacedWord(word, QRectF(x, y, extent, line_height)))
            x += extent
    return tuple(found), y + line_height


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


def _chunks(words: Paragraph) -> list[list[Word]]:
    """Return the words in groups that stay together."""
    chunks: list[list[Word]] = []
    for word in words:
        if (word.tight or word.bound) and chunks:
            chunks[-1].append(word)
        else:
            chunks.append([word])
    return chunks
