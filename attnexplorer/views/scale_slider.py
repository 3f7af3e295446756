"""The slider of the scale: a track with labelled, magnetic detents, moved by pointer, wheel and keys."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from attnexplorer.compute.numbers import significant_text
from attnexplorer.views.accessible import Amount, Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.scale_track import LARGEST, ScaleTrack
from attnexplorer.views.whole_errors import with_whole_errors

RADIUS = 8.0
REACH = 6.0
"""A detent draws the handle from this many pixels away."""
STEP, PAGE = 1 / 200, 1 / 20
_BURST = 600
"""Turns of the wheel less than this many milliseconds apart are one gesture."""
_NOTCH = 30
"""So many eighths of a degree of the wheel are half a step."""
_FINE = 1000
_TRACK_Y = 13.0
_LABEL_SPACE = 6.0


@dataclass(frozen=True, slots=True)
class TickLabel:
    """A label below the track: its text, its rectangle, and which row it stands in."""

    text: str
    rect: QRectF
    row: int


@with_whole_errors
class ScaleSlider(Speaking, QAbstractSlider):
    """Asks for a factor; it shows the one that it is given with `show_factor`, and never changes it by itself."""

    spoken_role = QAccessible.Role.Slider
    factor_requested = Signal(float, bool)
    """A factor, and whether a new gesture starts with it."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._track = ScaleTrack(1)
        self._factor = 1.0
        self._grab: float | None = None
        self._before = 1.0
        self._begun = False
        self._wheel_clock = QElapsedTimer()
        self._turned = 0
        self._labels: tuple[TickLabel, ...] = ()
        self.setObjectName("scale-slider")
        self.setAccessibleName("Scale")
        self.setRange(0, _FINE)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip(
            "What every score is multiplied by before softmax. Drag; near a mark the handle is drawn to it "
            "(not with Shift).\nArrow keys and Page keys move it, Home and End go to the ends, "
            "Ctrl with an arrow key goes from mark to mark."
        )
        appearance.changed.connect(self._on_appearance_changed)

    @property
    def track(self) -> ScaleTrack:
        """The scale that the slider has."""
        return self._track

    @property
    def factor(self) -> float:
        """The factor that is shown."""
        return self._factor

    @property
    def labels(self) -> tuple[TickLabel, ...]:
        """The labels below the track, as they are painted."""
        return self._labels

    def show_factor(self, factor: float, d_k: int) -> None:
        """Show a factor on the track of a d_k."""
        if (factor, d_k) == (self._factor, self._track.d_k):
            return
        if d_k != self._track.d_k:
            self._track = ScaleTrack(d_k)
            self._lay_labels_out()
        self._factor = factor
        self.setValue(round(self._track.fraction(factor) * _FINE))
        self.say_value()
        self.update()

    def place_of(self, factor: float) -> QPointF:
        """Return where on the widget the middle of the handle is for a factor."""
        return QPointF(RADIUS + self._track.fraction(factor) * self._length(), _TRACK_Y)

    def sizeHint(self) -> QSize:
        rows = 1 + max((label.row for label in self._labels), default=0)
        return QSize(240, round(_TRACK_Y + RADIUS + 4 + rows * self._line_height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        handle = self.place_of(self._factor).x()
        x = event.position().x()
        self._before, self._begun = self._factor, False
        on_handle = abs(x - handle) <= RADIUS
        self._grab = x - handle if on_handle else 0.0
        if not on_handle:
            self._drag_to(x, event.modifiers())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grab is not None:
            self._drag_to(event.position().x() - self._grab, event.modifiers())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grab = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._grab is not None:
            self._grab = None
            self._request(self._before)
            return
        wanted = self._wanted_by_key(event)
        if wanted is None:
            event.ignore()
            return
        if not event.isAutoRepeat():
            self._begun = False
        self._request(wanted)

    def wheelEvent(self, event: QWheelEvent) -> None:
        # Someone who scrolls past must not change a number.
        if not self.hasFocus() or not event.angleDelta().y():
            event.ignore()
            return
        if not self._wheel_clock.isValid() or self._wheel_clock.hasExpired(_BURST):
            self._begun = False
            self._turned = 0
        self._wheel_clock.start()
        self._turned += event.angleDelta().y()
        notches = int(self._turned / _NOTCH)
        self._turned -= notches * _NOTCH
        if notches:
            self._request(self._track.stepped(self._factor, notches * STEP / 2))
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._wheel_clock.invalidate()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_labels_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_track(painter)
        self._paint_labels(painter)
        self._paint_handle(painter)
        painter.end()

    def _drag_to(self, x: float, modifiers: Qt.KeyboardModifier) -> None:
        # Back where it began, the factor is the one it was, to the last bit: such a drag leaves nothing to undo.
        if abs(x - self.place_of(self._before).x()) < 0.5:
            self._request(self._before)
            return
        fraction = min(max((x - RADIUS) / self._length(), 0.0), 1.0)
        reach = 0.0 if modifiers & Qt.KeyboardModifier.ShiftModifier else REACH / self._length()
        self._request(self._track.drawn(fraction, reach))

    def _request(self, factor: float) -> None:
        if factor == self._factor:
            return
        begins, self._begun = not self._begun, True
        self.factor_requested.emit(factor, begins)

    def _wanted_by_key(self, event: QKeyEvent) -> float | None:
        forwards = {Qt.Key.Key_Right: True, Qt.Key.Key_Up: True, Qt.Key.Key_Left: False, Qt.Key.Key_Down: False}
        pages = {Qt.Key.Key_PageUp: PAGE, Qt.Key.Key_PageDown: -PAGE}
        stops = self._track.stops
        key = Qt.Key(event.key())
        if key in forwards:
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                return self._track.next_stop(self._factor, forwards[key])
            return self._track.stepped(self._factor, STEP if forwards[key] else -STEP)
        if key in pages:
            return self._track.stepped(self._factor, pages[key])
        return {Qt.Key.Key_Home: stops[0].factor, Qt.Key.Key_End: stops[-1].factor}.get(key)

    def _on_appearance_changed(self) -> None:
        self._lay_labels_out()
        self.update()

    def _length(self) -> float:
        return max(1.0, self.width() - 2 * RADIUS)

    def _line_height(self) -> float:
        return QFontMetricsF(self._label_font()).height()

    def _label_font(self) -> QFont:
        return self._appearance.font("text", 11)

    def spoken(self) -> str:
        """Return the factor, and the name of the mark that it stands at."""
        text = significant_text(self._factor, 4, self._appearance.decimal_point)
        stop = self._track.stop_at(self._factor)
        if self._track.beyond(self._factor):
            return f"{text}, beyond the end of the slider"
        return text if stop is None or stop.names[0] == text else f"{text}, {stop.names[0]}"

    def spoken_amount(self) -> Amount:
        """Return the factor."""
        return Amount(self._factor, 0.0, LARGEST)

    def _lay_labels_out(self) -> None:
        before = self.sizeHint().height()
        self._labels = self._fitting_labels()
        if self.sizeHint().height() != before:
            self.updateGeometry()

    def _fitting_labels(self) -> tuple[TickLabel, ...]:
        """Place the labels, the most telling first: full or short, in the first row or the second, or not at all."""
        metrics = QFontMetricsF(self._label_font())
        usual = self._track.usual
        order = sorted(self._track.stops, key=lambda stop: (stop.factor != usual, stop.detent, -stop.factor))
        placed: list[TickLabel] = []
        for stop in order:
            choices = [(name, 0) for name in stop.names] + [(stop.names[-1], 1)]
            tried = (TickLabel(name, self._label_rect(metrics, stop.factor, name, row), row) for name, row in choices)
            free = next((label for label in tried if _is_free(label, placed)), None)
            placed += [] if free is None else [free]
        return tuple(placed)

    def _label_rect(self, metrics: QFontMetricsF, factor: float, text: str, row: int) -> QRectF:
        width = metrics.horizontalAdvance(text)
        left = min(max(self.place_of(factor).x() - width / 2, 0.0), max(0.0, self.width() - width))
        return QRectF(left, _TRACK_Y + RADIUS + 3 + row * metrics.height(), width, metrics.height())

    def _paint_track(self, painter: QPainter) -> None:
        theme = self._appearance.theme
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.border))
        painter.drawRoundedRect(QRectF(RADIUS, _TRACK_Y - 2.5, self._length(), 5.0), 2.5, 2.5)
        painter.setPen(QPen(QColor(theme.muted), 1.5))
        for stop in self._track.stops:
            x = self.place_of(stop.factor).x()
            painter.drawLine(QPointF(x, _TRACK_Y - 5), QPointF(x, _TRACK_Y + 5))

    def _paint_labels(self, painter: QPainter) -> None:
        painter.setFont(self._label_font())
        painter.setPen(QColor(self._appearance.theme.muted))
        for label in self._labels:
            painter.drawText(label.rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, label.text)

    def _paint_handle(self, painter: QPainter) -> None:
        theme = self._appearance.theme
        place = self.place_of(self._factor)
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 1.5))
            painter.setBrush(QColor(theme.accent_soft))
            painter.drawEllipse(place, RADIUS + 2, RADIUS + 2)
        painter.setPen(QPen(QColor(theme.card), 2.0))
        painter.setBrush(QColor(theme.accent))
        painter.drawEllipse(place, RADIUS - 1, RADIUS - 1)


def _is_free(wanted: TickLabel, placed: list[TickLabel]) -> bool:
    spaced = wanted.rect.adjusted(-_LABEL_SPACE, 0, _LABEL_SPACE, 0)
    return not any(label.row == wanted.row and label.rect.intersects(spaced) for label in placed)
