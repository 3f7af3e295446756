"""One step laid out at a width, and ready to be painted: everything that a repaint would otherwise look up again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from attnexplorer.compute.explaining.pieces import Reference, Step
from attnexplorer.compute.stages import unit_at
from attnexplorer.figures.fonts import Face
from attnexplorer.figures.step_words import Word, WordStyle, paragraphs
from attnexplorer.figures.theme import Theme
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.explain.flow import PlacedWord, placed

_FACES: dict[WordStyle, tuple[Face, float, bool]] = {
    "verb": ("text", 13, True),
    "plain": ("text", 13, False),
    "subscript": ("text", 10, False),
    "superscript": ("text", 10, False),
    "operator": ("number", 11.5, False),
    "number": ("number", 11.5, False),
    "result": ("number", 11.5, True),
    "note": ("text", 11.5, False),
}
_SHIFTS: dict[WordStyle, float] = {"subscript": 4.0, "superscript": -5.0}
_FADED: tuple[WordStyle, ...] = ("operator", "note")
_ARITHMETIC: tuple[WordStyle, ...] = ("number", "operator", "result")
_HANG = 10.0
"""The second and further lines of an equation are indented, so that one sees where the next begins."""
_PADDING = 3.0
_MANY = 5000
LINE = 20.0
BETWEEN = 10.0


@dataclass(frozen=True, slots=True)
class _Run:
    """Texts in one font and colour, each with the place of its baseline."""

    font: QFont
    colour: QColor
    texts: tuple[tuple[QPointF, str], ...]


@dataclass(slots=True)
class LaidStep:
    """A step's words, with the step's top left corner at (0, 0), and how high it is."""

    step: Step
    words: tuple[PlacedWord, ...]
    height: float
    _shades: dict[str, list[QRectF]] | None = None
    _runs: tuple[_Run, ...] = field(default=())

    def paint(self, painter: QPainter, pen: StepPen) -> None:
        """Paint the words with the step's top left corner at the painter's origin."""
        if self._shades is None:
            self._shades, self._runs = pen.shades(self.words), pen.runs(self.words)
        painter.setPen(Qt.PenStyle.NoPen)
        for colour, rects in self._shades.items():
            painter.setBrush(QColor(colour))
            for rect in rects:
                painter.drawRoundedRect(rect, 3, 3)
        for run in self._runs:
            painter.setFont(run.font)
            painter.setPen(run.colour)
            for place, text in run.texts:
                painter.drawText(place, text)


class StepPen:
    """Measures and places words, and knows their fonts and colours; made anew when the appearance changes."""

    def __init__(self, appearance: Appearance) -> None:
        self._theme = appearance.theme
        self._scale = appearance.text_scale
        self._fonts = {style: appearance.font(face, px, bold=b) for style, (face, px, b) in _FACES.items()}
        self._metrics = {style: QFontMetricsF(font) for style, font in self._fonts.items()}
        self._widths: dict[tuple[str, WordStyle], float] = {}

    def lay_out(self, step: Step, width: float) -> LaidStep:
        """Place the words of a step."""
        words: list[PlacedWord] = []
        y = 0.0
        for paragraph in paragraphs(step):
            hang = _HANG * self._scale if paragraph[0].style in _ARITHMETIC else 0.0
            found, y = placed(paragraph, width, y, LINE * self._scale, self.width_of, hang)
            words += found
        return LaidStep(step, tuple(words), y + BETWEEN * self._scale)

    def width_of(self, word: Word) -> float:
        """Return the width of a word, with the room around it where it is shaded."""
        key = (word.text, word.style)
        width = self._widths.get(key)
        if width is None:
            if len(self._widths) > _MANY:
                self._widths.clear()
            width = self._widths[key] = self._metrics[word.style].horizontalAdvance(word.text)
        return width + 2 * _PADDING if is_shaded(word) else width

    def shades(self, words: Sequence[PlacedWord]) -> dict[str, list[QRectF]]:
        """Return the shaded rectangles by their colour."""
        found: dict[str, list[QRectF]] = {}
        for place in words:
            if is_shaded(place.word):
                found.setdefault(_shade(place.word, self._theme), []).append(frame_of(place))
        return found

    def runs(self, words: Sequence[PlacedWord]) -> tuple[_Run, ...]:
        """Return what is written, gathered by style: changing font and colour costs more than writing."""
        by_style: dict[WordStyle, list[tuple[QPointF, str]]] = {}
        for place in words:
            by_style.setdefault(place.word.style, []).append(self._written(place))
        return tuple(_Run(self._fonts[s], self._colour_of(s), tuple(texts)) for s, texts in by_style.items())

    def _written(self, place: PlacedWord) -> tuple[QPointF, str]:
        word, rect, metrics = place.word, place.rect, self._metrics[place.word.style]
        shaded = is_shaded(word)
        text = word.text
        if self.width_of(word) > rect.width() + 0.01:
            room = rect.width() - (2 * _PADDING if shaded else 0)
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        shift = _SHIFTS.get(word.style, 0.0) * self._scale
        baseline = rect.center().y() + (metrics.ascent() - metrics.descent()) / 2 + shift
        return QPointF(rect.left() + (_PADDING if shaded else 0), baseline), text

    def _colour_of(self, style: WordStyle) -> QColor:
        return QColor(self._theme.muted if style in _FADED else self._theme.text)


def is_shaded(word: Word) -> bool:
    """Tell whether a word is a factor that stands in a cell."""
    return word.style == "number" and word.reference is not None


def frame_of(place: PlacedWord) -> QRectF:
    """Return the rectangle that is shaded, or framed when lit."""
    return place.rect.adjusted(0.75, 1.75, -0.75, -1.75)


def _shade(word: Word, theme: Theme) -> str:
    """Return the colour that stands for the number's sign in its matrix."""
    value = word.value or 0.0
    if not math.isfinite(value) or value == 0.0:
        return theme.hatch_ground
    if _is_weight(word.reference):
        return theme.weight[1]
    return theme.positive[1] if value > 0 else theme.negative[1]


def _is_weight(reference: Reference | None) -> bool:
    unit = None if reference is None else unit_at(reference.path)
    return unit is not None and unit.stage in ("weights", "probabilities")
