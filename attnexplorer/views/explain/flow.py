"""Words of a step where they stand when lines wrap at a width. No widgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from attnexplorer.figures.step_words import Paragraph, Word

Measure = Callable[[Word], float]
SPACE = 4.0


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word and the rectangle it stands in."""

    word: Word
    rect: QRectF


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


def _chunks(words: Paragraph) -> list[list[Word]]:
    """Return the words in groups that stay together."""
    chunks: list[list[Word]] = []
    for word in words:
        if (word.tight or word.bound) and chunks:
            chunks[-1].append(word)
        else:
            chunks.append([word])
    return chunks
