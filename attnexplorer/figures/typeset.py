"""Lines of text in several faces and sizes, with subscripts and superscripts: titles, captions, arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from attnexplorer.compute.explaining.pieces import spans
from attnexplorer.figures.fonts import Face, font

_SCRIPT = 0.72
_DROP, _RISE = 0.22, 0.36
_GROUND_PADDING = 3.0
_SMALL = {("superscript", "T"): "ᵀ", ("subscript", "k"): "ₖ"}


@dataclass(frozen=True, slots=True)
class Style:
    """How a stretch of text is set. `rise`: pixels above the base line; `ground`: the colour behind it, or none."""

    face: Face
    pixels: float
    colour: str
    bold: bool = False
    italic: bool = False
    rise: float = 0.0
    ground: str = ""

    @property
    def font(self) -> QFont:
        """The font, which needs a running QGuiApplication."""
        return font(self.face, self.pixels, bold=self.bold, italic=self.italic)


class Run(NamedTuple):
    """A stretch of text in one style. `glued`: no line may break before it."""

    text: str
    style: Style
    glued: bool = False

    @property
    def width(self) -> float:
        """Its width in pixels, with the padding of its ground."""
        return _advance(self.text, self.style) + (2 * _GROUND_PADDING if self.style.ground else 0.0)


@dataclass(frozen=True, slots=True)
class TextLine:
    """Runs on one base line."""

    runs: tuple[Run, ...]
    least_height: float = 0.0

    @property
    def width(self) -> float:
        """The width in pixels."""
        return sum(run.width for run in self.runs)

    @property
    def height(self) -> float:
        """The height in pixels, room between lines included."""
        return max([self.least_height, *(run.style.pixels * 1.45 for run in self.runs)])

    @property
    def baseline(self) -> float:
        """How far the base line is below the top."""
        largest = max((run.style.pixels for run in self.runs), default=0.0)
        return self.height / 2 + largest * 0.36

    def paint(self, painter: QPainter) -> None:
        """Paint the runs with the top left corner at the painter's origin."""
        x = 0.0
        for run in self.runs:
            style = run.style
            if style.ground:
                rect = QRectF(x, self.baseline - style.pixels * 0.98, run.width, style.pixels * 1.34)
                painter.fillRect(rect, QColor(style.ground))
            painter.setFont(style.font)
            painter.setPen(QColor(style.colour))
            inset = _GROUND_PADDING if style.ground else 0.0
            if run.text.strip():
                painter.drawText(QPointF(x + inset, self.baseline - style.rise), run.text)
            x += run.width


def marked_up(markup: str, style: Style) -> tuple[Run, ...]:
    """Return the runs of a text in which ``_{…}`` and ``^{…}`` are subscripts and superscripts."""
    runs = []
    for span in spans(markup):
        if span.style == "plain":
            runs.append(Run(span.text, style))
        else:
            rise = -_DROP if span.style == "subscript" else _RISE
            script = replace(style, pixels=max(7.0, style.pixels * _SCRIPT), rise=style.pixels * rise)
            runs.append(Run(span.text, script, glued=True))
    return tuple(runs)


def plain_text(markup: str) -> str:
    """Return a marked-up text without its marks; what has a small sign of its own keeps it: "Q Kᵀ", "√dₖ"."""
    return "".join(_SMALL.get((span.style, span.text), span.text) for span in spans(markup))


def wrapped(runs: Iterable[Run], width: float) -> tuple[TextLine, ...]:
    """Break runs into lines that are no wider than `width`, at the blanks and between runs that are not glued."""
    lines: list[list[Run]] = [[]]
    used = 0.0
    for word in _words(runs):
        advance = sum(run.width for run in word)
        if lines[-1] and used + advance - _trailing(word) > width:
            lines.append([])
            used = 0.0
        for run in word:
            lines[-1].append(run)
        used += advance
    return tuple(TextLine(_merged(line)) for line in lines)


def _words(runs: Iterable[Run]) -> list[list[Run]]:
    """Split runs after blanks; glued pieces stay together."""
    words: list[list[Run]] = []
    for run in runs:
        parts = [run.text] if run.style.ground else _parts(run.text)
        for place, part in enumerate(parts):
            joins = bool(words) and place == 0 and (run.glued or not words[-1][-1].text.endswith(" "))
            piece = Run(part, run.style, glued=place == 0 and run.glued)
            if joins and run.glued:
                words[-1].append(piece)
            else:
                words.append([piece])
    return words


def _parts(text: str) -> list[str]:
    parts = text.split(" ")
    return [part + " " for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _trailing(word: Sequence[Run]) -> float:
    last = word[-1]
    return _advance(" ", last.style) if last.text.endswith(" ") else 0.0


def _merged(runs: Sequence[Run]) -> tuple[Run, ...]:
    merged: list[Run] = []
    for run in runs:
        if merged and merged[-1].style == run.style and not run.style.ground:
            merged[-1] = Run(merged[-1].text + run.text, run.style)
        else:
            merged.append(run)
    return tuple(merged)


@lru_cache(maxsize=4096)
def _advance(text: str, style: Style) -> float:
    return float(QFontMetricsF(style.font).horizontalAdvance(text))
