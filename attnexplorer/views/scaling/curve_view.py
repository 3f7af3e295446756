"""A curve over the scale, whose cursor is dragged to set the scale."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from attnexplorer.figures.axes import Axis, Tick
from attnexplorer.figures.curves import place_on
from attnexplorer.views.accessible import Amount
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.scale_slider import PAGE, REACH, STEP
from attnexplorer.views.scale_track import FOOT, LARGEST, ScaleTrack
from attnexplorer.views.scaling.plot_view import PlotView
from attnexplorer.views.whole_errors import with_whole_errors


@with_whole_errors
class CurveView(PlotView):
    """Asks for a factor where it is pressed and dragged, and by keys as the slider does.

    It is pushed with the middle button, or with Ctrl, as the left button alone drags the cursor.
    """

    factor_requested = Signal(float, bool)
    """A factor, and whether a new gesture starts with it."""

    def __init__(self, name: str, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(name, appearance, parent)
        self._track = ScaleTrack(1)
        self._factor = self._before = 1.0
        self._dragging = self._begun = False
        self.show_cursor()
        self.setToolTip(
            "Drag the upright line to set the scale; near a mark it is drawn to it (not with Shift). "
            "Arrow keys move it too.\n"
            "The scale is logarithmic; left of the two strokes on its axis it is linear down to 0.\n"
            "Ctrl and the wheel zoom, Ctrl and dragging moves what is seen, 0 shows all.\n"
            "Ctrl C copies the numbers of the curve; more in the menu of the right button."
        )

    def spoken_amount(self) -> Amount:
        """Return the factor at which the cursor stands."""
        return Amount(self._factor, 0.0, LARGEST)

    def show_factor(self, factor: float, track: ScaleTrack) -> None:
        """Say which factor is set, on which track."""
        self._factor, self._track = factor, track

    def place_of(self, factor: float) -> QPointF:
        """Return where the cursor is for a factor, in the middle of the curve's height."""
        plot = self.seen_plot
        if plot is None:
            return QPointF()
        return QPointF(place_on(plot, self.plot_layout, factor, 0.0).x(), self.area().center().y())

    def show_cursor(self) -> None:
        self.setCursor(Qt.CursorShape.SizeHorCursor)

    def pushes(self, event: QMouseEvent) -> bool:
        with_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        left = event.button() == Qt.MouseButton.LeftButton
        return event.button() == Qt.MouseButton.MiddleButton or (left and with_control)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.pushes(event) or event.button() != Qt.MouseButton.LeftButton or self.plot is None:
            super().mousePressEvent(event)
            return
        self._dragging, self._begun, self._before = True, False, self._factor
        self._drag_to(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._drag_to(event)
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging and event.button() == Qt.MouseButton.LeftButton:
            self._dragging = False
        else:
            super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # Two quick presses set the scale twice.
        self.mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        wanted = self._wanted_by_key(event)
        if wanted is None:
            super().keyPressEvent(event)
            return
        self._begun = self._begun and event.isAutoRepeat()
        self._request(wanted)
        self._reveal(wanted)

    def _drag_to(self, event: QMouseEvent) -> None:
        area, x = self.area(), event.position().x()
        if self._begun and abs(x - self.place_of(self._before).x()) < 0.5:
            # Back where it began, the factor is the one it was, to the last bit: nothing is left to undo.
            self._request(self._before)
            return
        start, end = self.windows[0]
        fraction = start + (end - start) * min(max((x - area.left()) / area.width(), 0.0), 1.0)
        free = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        self._request(self._track.drawn(fraction, 0.0 if free else REACH * (end - start) / area.width()))

    def _reveal(self, factor: float) -> None:
        """Push what is looked at as far as it takes until the cursor that keys have moved is in sight."""
        (start, end), at = self.windows[0], self._track.fraction(factor)
        beyond = min(at - start, 0.0) + max(at - end, 0.0)
        if beyond:
            area = self.area()
            self.canvas.set_area(area)
            corner = area.bottomLeft()
            self.hold(self.canvas.number_at(corner + QPointF(beyond / (end - start) * area.width(), 0.0)), corner)

    def _request(self, factor: float) -> None:
        if factor == self._factor:
            return
        begins, self._begun = not self._begun, True
        self._factor = factor
        self.factor_requested.emit(factor, begins)

    def _wanted_by_key(self, event: QKeyEvent) -> float | None:
        steps = {
            Qt.Key.Key_Left: -STEP,
            Qt.Key.Key_Right: STEP,
            Qt.Key.Key_PageDown: -PAGE,
            Qt.Key.Key_PageUp: PAGE,
        }
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return None
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            return {Qt.Key.Key_Home: 0.0, Qt.Key.Key_End: LARGEST}.get(Qt.Key(event.key()))
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return self._track.next_stop(self._factor, step > 0)
        return self._track.stepped(self._factor, step)


@lru_cache(maxsize=16)
def scale_axis(track: ScaleTrack, decimal_point: str = ".") -> Axis:
    """Return the axis of the scale: that of the slider, with the slider's marks, the most telling first."""
    order = sorted(track.stops, key=lambda stop: (stop.factor != track.usual, stop.factor != 1.0, stop.detent))
    ticks = tuple(Tick(stop.factor, stop.names) for stop in order)
    return Axis(track.smallest, LARGEST, "log", FOOT, ticks, marks=3, decimal_point=decimal_point)
