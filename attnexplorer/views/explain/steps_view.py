"""The numbered steps of an explanation; a number that stands in a cell lights that cell up and leads to it."""

from __future__ import annotations

import html
import math
from itertools import accumulate

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from attnexplorer.compute.explaining.pieces import Step
from attnexplorer.compute.explanation_text import step_text
from attnexplorer.compute.numbers import exact_text
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.explain.flow import PlacedWord
from attnexplorer.views.explain.step_ink import LINE, LaidStep, StepPen, frame_of
from attnexplorer.views.whole_errors import with_whole_errors

_INDENT = 28.0
_BADGE = 9.0
_NONE = -1
_WIDTHS_KEPT = 3


@with_whole_errors
class StepsView(Speaking, QWidget):
    """One widget for all steps; only steps that changed are laid out and painted again while a number is dragged."""

    spoken_role = QAccessible.Role.StaticText
    reference_hovered = Signal(object)
    """The reference under the pointer or the keyboard's mark; None when it left."""
    reference_chosen = Signal(object)
    place_marked = Signal(QRect)
    """Where the keyboard's mark went."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._pen = StepPen(appearance)
        self._steps: tuple[Step, ...] = ()
        self._layouts: dict[int, list[LaidStep]] = {}
        self._lit = _NONE
        self.setObjectName("explain-steps")
        self.setAccessibleName("Steps")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        appearance.changed.connect(self._on_appearance_changed)
        self.installEventFilter(self)

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is shown."""
        return self._steps

    @property
    def words(self) -> tuple[PlacedWord, ...]:
        """The words as they are painted, in the widget's coordinates."""
        indent = self._indent()
        return tuple(
            PlacedWord(place.word, place.rect.translated(indent, top))
            for laid, top in self._laid_with_tops()
            for place in laid.words
        )

    def show_steps(self, steps: tuple[Step, ...]) -> None:
        """Show other steps; what stays the same is not laid out or painted again."""
        if steps == self._steps:
            return
        before, width = self._laid_with_tops(), self.width()
        height, known = self.heightForWidth(width), self._laid(width)
        self._steps = steps
        # What other widths would give is found out when it is asked for.
        self._layouts = {width: self._lay_out(width, known)}
        if self._lit != _NONE and self._lit >= len(self._references()):
            self._light(_NONE)
        if self.heightForWidth(width) != height:
            self.updateGeometry()
        self._tell_readers()
        self._update_changed(before)

    def spoken(self) -> str:
        """Return the number that is lit up, or all steps as text."""
        lit = self._lit_word()
        if lit is None:
            return "\n".join(step_text(step) for step in self._steps)
        value = lit.word.value
        return "" if value is None else exact_text(value, self._appearance.decimal_point)

    def _tell_readers(self) -> None:
        # While a number is dragged the steps change with every frame; nobody need put them into words unheard.
        if QAccessible.isActive():
            self.say_value()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return math.ceil(sum(laid.height for laid in self._laid(width)))

    def sizeHint(self) -> QSize:
        return QSize(240, self.heightForWidth(max(self.width(), 160)))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            # A layout remembers heights for widths, and those may be of other steps.
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        indent = self._indent()
        for laid, top in self._laid_with_tops():
            if top <= event.rect().bottom() and top + laid.height >= event.rect().top():
                painter.translate(indent, top)
                laid.paint(painter, self._pen)
                painter.translate(-indent, -top)
                self._paint_badge(painter, laid.step.number, top)
        # A badge has left its brush, which would cover everything inside a frame.
        painter.setBrush(Qt.BrushStyle.NoBrush)
        lit = self._lit_word()
        if lit is not None:
            painter.setPen(QPen(QColor(self._appearance.theme.accent), 1.5))
            painter.drawRoundedRect(frame_of(lit), 3, 3)
        elif self.hasFocus():
            painter.setPen(QPen(QColor(self._appearance.theme.accent), 1.0))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._light(self._index_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and index != _NONE:
            self.reference_chosen.emit(self._references()[index].word.reference)

    def leaveEvent(self, event: QEvent) -> None:
        self._light(_NONE)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._light(_NONE)

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
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._lit != _NONE:
            self.reference_chosen.emit(references[self._lit].word.reference)
        else:
            event.ignore()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self._index_at(event.pos().toPointF())
            QToolTip.showText(event.globalPos(), "" if index == _NONE else self._told(index), self)
            return True
        return False

    def _told(self, index: int) -> str:
        value = self._references()[index].word.value
        number = "" if value is None else exact_text(value, self._appearance.decimal_point)
        return f"<p style='white-space:pre'>{html.escape(number)}\nClick to see how this number is made.</p>"

    def _references(self) -> list[PlacedWord]:
        return [place for place in self.words if place.word.reference is not None]

    def _lit_word(self) -> PlacedWord | None:
        if self._lit == _NONE:
            return None
        references = self._references()
        return references[self._lit] if self._lit < len(references) else None

    def _index_at(self, place: QPointF) -> int:
        hits = (k for k, found in enumerate(self._references()) if found.rect.contains(place))
        return next(hits, _NONE)

    def _light(self, index: int) -> None:
        if index == self._lit:
            return
        self._lit = index
        lit = self._lit_word()
        self.setCursor(Qt.CursorShape.ArrowCursor if lit is None else Qt.CursorShape.PointingHandCursor)
        self.reference_hovered.emit(None if lit is None else lit.word.reference)
        self._tell_readers()
        self.update()

    def _on_appearance_changed(self) -> None:
        self._pen = StepPen(self._appearance)
        self._layouts.clear()
        self.updateGeometry()
        self.update()

    def _indent(self) -> float:
        return _INDENT * self._appearance.text_scale

    def _laid(self, width: int) -> list[LaidStep]:
        if width not in self._layouts:
            if len(self._layouts) >= _WIDTHS_KEPT:
                del self._layouts[next(iter(self._layouts))]
            self._layouts[width] = self._lay_out(width, [])
        return self._layouts[width]

    def _laid_with_tops(self) -> list[tuple[LaidStep, float]]:
        laid = self._laid(self.width())
        return list(zip(laid, accumulate((it.height for it in laid), initial=0.0), strict=False))

    def _lay_out(self, width: int, known: list[LaidStep]) -> list[LaidStep]:
        room = max(40.0, width - self._indent())
        old = [*known, *[None] * len(self._steps)]
        return [
            laid if laid is not None and laid.step == step else self._pen.lay_out(step, room)
            for step, laid in zip(self._steps, old, strict=False)
        ]

    def _update_changed(self, before: list[tuple[LaidStep, float]]) -> None:
        """Have what is below the first step that changed painted again, or the changed steps if nothing moved."""
        now = self._laid_with_tops()
        moved = [top for _, top in now] != [top for _, top in before]
        for place, (laid, top) in enumerate(now):
            if place >= len(before) or before[place][0] is not laid:
                bottom = self.height() if moved else top + laid.height
                self.update(QRectF(0, top, self.width(), bottom - top).toAlignedRect())
                if moved:
                    return
        if len(now) < len(before):
            self.update()

    def _paint_badge(self, painter: QPainter, number: int, top: float) -> None:
        theme, scale = self._appearance.theme, self._appearance.text_scale
        middle = QPointF(_BADGE * scale + 1, top + LINE * scale / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.ground))
        painter.drawEllipse(middle, _BADGE * scale, _BADGE * scale)
        painter.setFont(self._appearance.font("text", 11))
        painter.setPen(QColor(theme.muted))
        square = QRectF(0, 0, 4 * _BADGE, 2 * _BADGE * scale)
        square.moveCenter(middle)
        painter.drawText(square, Qt.AlignmentFlag.AlignCenter, str(number))
