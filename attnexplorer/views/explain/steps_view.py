"""The numbered steps of an explanation; a number that stands in a cell lights that cell up and leads to it."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from attnexplorer.compute.explaining.pieces import Reference, Step
from attnexplorer.compute.numbers import full_text
from attnexplorer.compute.stages import unit_at
from attnexplorer.figures.fonts import Face
from attnexplorer.figures.theme import Theme
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.explain.flow import PlacedWord, Word, WordStyle, paragraphs, placed

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
_INDENT = 28.0
_BADGE = 9.0
_LINE = 20.0
_BETWEEN = 10.0
_PADDING = 3.0
_NO_NUMBER = -1


@dataclass(frozen=True, slots=True)
class _Laid:
    """The words of all steps at one width, where each step starts, and how high it all is."""

    words: tuple[PlacedWord, ...]
    tops: tuple[float, ...]
    height: float


class StepsView(QWidget):
    """One widget for all steps: it is laid out and painted anew within a frame while a number is dragged."""

    reference_hovered = Signal(object)
    """The reference under the pointer or the keyboard's mark; None when it left."""
    reference_chosen = Signal(object)
    place_marked = Signal(QRect)
    """Where the keyboard's mark went."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._steps: tuple[Step, ...] = ()
        self._layouts: dict[float, _Laid] = {}
        self._widths: dict[tuple[str, WordStyle], float] = {}
        self._lit = _NO_NUMBER
        self.setObjectName("explain-steps")
        self.setAccessibleName("Steps")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        appearance.changed.connect(self._on_appearance_changed)

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is shown."""
        return self._steps

    @property
    def words(self) -> tuple[PlacedWord, ...]:
        """The words as they are painted, in the widget's coordinates."""
        return self._laid(self.width()).words

    def show_steps(self, steps: tuple[Step, ...]) -> None:
        """Show other steps; nothing is painted again if they are the same."""
        if steps == self._steps:
            return
        height = self._laid(self.width()).height
        self._steps = steps
        self._layouts.clear()
        if self._lit >= len(self._references()):
            self._light(_NO_NUMBER)
        if self._laid(self.width()).height != height:
            self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return math.ceil(self._laid(width).height)

    def sizeHint(self) -> QSize:
        return QSize(240, self.heightForWidth(max(self.width(), 160)))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        laid = self._laid(self.width())
        for step, top in zip(self._steps, laid.tops, strict=True):
            self._paint_badge(painter, step.number, top)
        lit = self._lit_word()
        for place in laid.words:
            if place.rect.bottom() >= event.rect().top() and place.rect.top() <= event.rect().bottom():
                self._paint_word(painter, place, place is lit)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._light(self._index_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and index != _NO_NUMBER:
            self.reference_chosen.emit(self._references()[index].word.reference)

    def leaveEvent(self, event: QEvent) -> None:
        self._light(_NO_NUMBER)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._light(_NO_NUMBER)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        references = self._references()
        last = len(references) - 1
        wanted = {
            Qt.Key.Key_Right: min(self._lit + 1, last),
            Qt.Key.Key_Left: max(self._lit - 1, 0),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if wanted is not None and references:
            self._light(wanted)
            self.place_marked.emit(references[wanted].rect.toAlignedRect())
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._lit != _NO_NUMBER:
            self.reference_chosen.emit(references[self._lit].word.reference)
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self._index_at(event.pos().toPointF())
            QToolTip.showText(event.globalPos(), "" if index == _NO_NUMBER else self._told(index), self)
            return True
        return super().event(event)

    def _told(self, index: int) -> str:
        value = self._references()[index].word.value
        number = "" if value is None else full_text(value, self._appearance.decimal_point)
        return f"<p style='white-space:pre'>{html.escape(number)}\nClick to see how this number is made.</p>"

    def _references(self) -> list[PlacedWord]:
        return [place for place in self.words if place.word.reference is not None]

    def _lit_word(self) -> PlacedWord | None:
        references = self._references()
        return references[self._lit] if 0 <= self._lit < len(references) else None

    def _index_at(self, place: QPointF) -> int:
        hits = (k for k, found in enumerate(self._references()) if found.rect.contains(place))
        return next(hits, _NO_NUMBER)

    def _light(self, index: int) -> None:
        if index == self._lit:
            return
        self._lit = index
        lit = self._lit_word()
        self.setCursor(Qt.CursorShape.ArrowCursor if lit is None else Qt.CursorShape.PointingHandCursor)
        self.reference_hovered.emit(None if lit is None else lit.word.reference)
        self.update()

    def _on_appearance_changed(self) -> None:
        self._layouts.clear()
        self._widths.clear()
        self.updateGeometry()
        self.update()

    def _laid(self, width: float) -> _Laid:
        if width not in self._layouts:
            if len(self._layouts) > 3:
                self._layouts.clear()
            self._layouts[width] = self._lay_out(width)
        return self._layouts[width]

    def _lay_out(self, width: float) -> _Laid:
        scale = self._appearance.text_scale
        room = max(40.0, width - _INDENT * scale)
        words: list[PlacedWord] = []
        tops: list[float] = []
        y = 0.0
        for step in self._steps:
            tops.append(y)
            for paragraph in paragraphs(step):
                found, y = placed(paragraph, room, y, _LINE * scale, self._width_of)
                words += [PlacedWord(p.word, p.rect.translated(_INDENT * scale, 0)) for p in found]
            y += _BETWEEN * scale
        return _Laid(tuple(words), tuple(tops), y)

    def _width_of(self, word: Word) -> float:
        key = (word.text, word.style)
        if key not in self._widths:
            if len(self._widths) > 5000:
                self._widths.clear()
            self._widths[key] = QFontMetricsF(self._font_of(word.style)).horizontalAdvance(word.text)
        return self._widths[key] + (2 * _PADDING if _is_shaded(word) else 0.0)

    def _font_of(self, style: WordStyle) -> QFont:
        face, pixels, bold = _FACES[style]
        return self._appearance.font(face, pixels, bold=bold)

    def _paint_badge(self, painter: QPainter, number: int, top: float) -> None:
        theme, scale = self._appearance.theme, self._appearance.text_scale
        middle = QPointF(_BADGE * scale + 1, top + _LINE * scale / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.ground))
        painter.drawEllipse(middle, _BADGE * scale, _BADGE * scale)
        painter.setFont(self._appearance.font("text", 11))
        painter.setPen(QColor(theme.muted))
        square = QRectF(0, 0, 4 * _BADGE, 2 * _BADGE * scale)
        square.moveCenter(middle)
        painter.drawText(square, Qt.AlignmentFlag.AlignCenter, str(number))

    def _paint_word(self, painter: QPainter, place: PlacedWord, lit: bool) -> None:
        theme, word = self._appearance.theme, place.word
        rect = place.rect.translated(0, _SHIFTS.get(word.style, 0.0) * self._appearance.text_scale)
        if _is_shaded(word) or lit:
            painter.setPen(QPen(QColor(theme.accent), 1.5) if lit else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(_shade(word, theme)) if _is_shaded(word) else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(0.75, 1.75, -0.75, -1.75), 3, 3)
        made = self._font_of(word.style)
        painter.setFont(made)
        painter.setPen(QColor(theme.muted if word.style in ("operator", "note") else theme.text))
        text = word.text
        if self._width_of(word) > rect.width() + 0.01:
            text = QFontMetricsF(made).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip | Qt.TextFlag.TextSingleLine
        painter.drawText(rect, flags, text)


def _is_shaded(word: Word) -> bool:
    return word.style == "number" and word.reference is not None


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
