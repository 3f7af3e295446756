"""The plane on screen: zoomed by the wheel, pushed by dragging, its tips taken hold of by pointer and keys."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QToolTip, QWidget

from attnexplorer.compute.numbers import operand_text
from attnexplorer.figures.plane import (
    PlanePicture,
    arrow_at,
    fitted_layout,
    paint_moving,
    paint_still,
    still_arrows,
)
from attnexplorer.figures.plane_layout import PlaneLayout
from attnexplorer.figures.theme import LIGHT
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.opaque import paints_all_of_itself
from attnexplorer.views.plot.zooming import factor_of_key, factor_of_wheel, is_fit_key, push_of_key
from attnexplorer.views.whole_errors import with_whole_errors

_BUTTONS = (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton)
_NUDGE = 0.1
_STEPS = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, 1.0),
    Qt.Key.Key_Down: (0.0, -1.0),
}
_HELP = (
    "Click an arrow to select it, drag its tip to change it (Shift keeps the direction).\n"
    "The wheel, + and − zoom, dragging the ground moves it, a double click on it, F and 0 fit everything.\n"
    "Tab goes from arrow to arrow, arrow keys move the tip (Shift finer, Ctrl coarser), with Alt the ground; F6 leaves."
)


@with_whole_errors
class PlaneView(Speaking, QWidget):
    """Paints a picture and says what the user does to its arrows, by their index; it changes none of them itself."""

    arrow_hovered = Signal(object)
    arrow_chosen = Signal(int)
    tip_grabbed = Signal(int)
    """The tip of an arrow is about to be dragged; `hold` answers whether it can be."""
    tip_moved = Signal(float, float)
    """How far the tip is from where it was grabbed, in numbers of the plane."""
    tip_stretched = Signal(float)
    """The tip is pulled along its own direction: how many times as long the vector is as when it was grabbed."""
    tip_released = Signal(bool)
    """The drag ended; True if it is to be undone."""
    tip_nudged = Signal(float, float)
    arrow_asked = Signal(int)
    """The next (1) or the last (−1) arrow is asked for."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._picture = PlanePicture((), "", "", LIGHT)
        self._layout = PlaneLayout(1, 1)
        self._still: tuple[tuple[object, ...], QPixmap] | None = None
        self._fitted = True
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._grabbed: int | None = None
        self._start_tip = (0.0, 0.0)
        self._held = self._dragging = self._panning = False
        self._hovered: int | None = None
        self._chosen: int | None = None
        self.setObjectName("plane")
        self.setAccessibleName("Vectors in the plane")
        self.setToolTip(_HELP)
        paints_all_of_itself(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.installEventFilter(self)

    @property
    def picture(self) -> PlanePicture:
        """What is shown."""
        return self._picture

    @property
    def plane_layout(self) -> PlaneLayout:
        """What part of the plane is looked at."""
        return self._layout

    def show_picture(self, picture: PlanePicture) -> None:
        """Show a picture. A view that was fitted is fitted again if an arrow would be out of sight."""
        if picture == self._picture:
            return
        self._picture = picture
        if self._fitted and not self._dragging and not self._layout.shows(picture.tips):
            self.fit()
        self.update()

    def show_chosen(self, index: int | None) -> None:
        """Say which arrow is selected, to those who hear it."""
        self._chosen = index
        self.say_value()

    def spoken(self) -> str:
        """Return where the selected arrow points."""
        if self._chosen is None or self._chosen >= len(self._picture.arrows):
            return ""
        return f"{self._described(self._chosen)}, selected"

    def fit(self) -> None:
        """Show every arrow as large as fits."""
        self._layout = fitted_layout(self._picture, self.width(), self.height(), self._appearance.text_scale)
        self._fitted = True
        self.update()

    def hold(self) -> None:
        """Answer `tip_grabbed`: the tip can be dragged."""
        self._held = True

    def tip_place(self, index: int) -> QPointF:
        """Return where the tip of an arrow is on the widget."""
        return self._layout.place(*self._picture.tips[index])

    def sizeHint(self) -> QSize:
        return QSize(520, 240)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 180)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() not in _BUTTONS:
            event.ignore()
            return
        self._pressed = self._last = event.position()
        # The middle button pushes the ground even where arrows crowd.
        self._grabbed = self._arrow_at(event.position()) if event.button() == Qt.MouseButton.LeftButton else None
        self._held = self._dragging = self._panning = False
        if self._grabbed is not None:
            self._start_tip = self._picture.tips[self._grabbed]
            self.arrow_chosen.emit(self._grabbed)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self._hover(event.position())
            return
        if not self._dragging and not self._panning:
            if (event.position() - self._pressed).manhattanLength() < QApplication.startDragDistance() / 2:
                return
            self._begin_drag(self._pressed)
        if self._dragging and self._held:
            self._drag(event)
        elif self._panning:
            self._look(self._layout.panned(event.position() - self._last))
        self._last = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() in _BUTTONS and self._pressed is not None:
            self._end_drag(undone=False)
            self._hover(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._arrow_at(event.position()) is None:
            self.fit()
        else:
            self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._look(self._layout.zoomed(factor_of_wheel(event), event.position()))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        factor, push = factor_of_key(event), push_of_key(event, plain=False)
        if key == Qt.Key.Key_F6:
            QWidget.focusNextPrevChild(self, not modifiers & Qt.KeyboardModifier.ShiftModifier)
        elif push is not None:
            self._look(self._layout.panned(push))
        elif key in _STEPS:
            size = _NUDGE * _factor(modifiers)
            self.tip_nudged.emit(_STEPS[key][0] * size, _STEPS[key][1] * size)
        elif is_fit_key(event) or (key == Qt.Key.Key_F and not modifiers):
            self.fit()
        elif factor is not None:
            self._look(self._layout.zoomed(factor, QPointF(self.width() / 2, self.height() / 2)))
        elif key == Qt.Key.Key_Escape and self._pressed is not None:
            self._end_drag(undone=True)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        if not self._picture.arrows or not self.hasFocus():
            return super().focusNextPrevChild(forward)
        self.arrow_asked.emit(1 if forward else -1)
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self._arrow_at(QPointF(event.pos()))
            if index is not None:
                QToolTip.showText(event.globalPos(), self._described(index), self)
                return True
        return False

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self._fitted:
            self.fit()
        else:
            self._layout = self._layout.resized(self.width(), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._appearance.theme
        painter = QPainter(self)
        layout = replace(self._layout, scale=self._appearance.text_scale)
        painter.drawPixmap(0, 0, self._still_part(layout))
        paint_moving(painter, self._picture, layout)
        colour = theme.accent if self.hasFocus() else theme.border
        painter.setPen(QPen(QColor(colour), 1.0))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _still_part(self, layout: PlaneLayout) -> QPixmap:
        """Return what stays while the chosen arrow is dragged, painted once; it is a thousand arrows at worst."""
        picture, ratio = self._picture, self.devicePixelRatioF()
        about = (still_arrows(picture), len(picture.arrows), picture.theme, picture.decimal_point, layout, ratio)
        if self._still is None or self._still[0] != about:
            pixmap = QPixmap(self.size() * ratio)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(QColor(picture.theme.card))
            with QPainter(pixmap) as painter:
                paint_still(painter, picture, layout)
            self._still = (about, pixmap)
        return self._still[1]

    def _look(self, layout: PlaneLayout) -> None:
        """Look at another part, as the user wishes: it stays until everything is fitted again."""
        self._layout, self._fitted = layout, False
        self.update()

    def _arrow_at(self, place: QPointF) -> int | None:
        return arrow_at(self._picture, self._layout, place)

    def _on_tip(self, index: int, place: QPointF) -> bool:
        return (self.tip_place(index) - place).manhattanLength() <= 14

    def _begin_drag(self, place: QPointF) -> None:
        if self._grabbed is None or not self._on_tip(self._grabbed, place):
            self._panning = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        self._dragging = True
        self.tip_grabbed.emit(self._grabbed)
        self.setCursor(Qt.CursorShape.ClosedHandCursor if self._held else Qt.CursorShape.ForbiddenCursor)

    def _drag(self, event: QMouseEvent) -> None:
        assert self._pressed is not None
        by = (event.position() - self._pressed) / self._layout.unit
        x, y = self._start_tip
        length = math.hypot(x, y)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and length:
            # Divided first: the square of a large number is infinite.
            along = (x + by.x()) / length * (x / length) + (y - by.y()) / length * (y / length)
            self.tip_stretched.emit(round(along, 2))
        else:
            self.tip_moved.emit(by.x(), -by.y())

    def _end_drag(self, *, undone: bool) -> None:
        self.unsetCursor()
        was_held = self._dragging and self._held
        self._pressed = self._grabbed = None
        self._held = self._dragging = self._panning = False
        if was_held:
            self.tip_released.emit(undone)

    def _hover(self, place: QPointF | None) -> None:
        index = None if place is None else self._arrow_at(place)
        on_tip = place is not None and index is not None and self._on_tip(index, place)
        self.setCursor(Qt.CursorShape.OpenHandCursor if on_tip else Qt.CursorShape.ArrowCursor)
        if index != self._hovered:
            self._hovered = index
            self.arrow_hovered.emit(index)

    def _described(self, index: int) -> str:
        arrow, mark = self._picture.arrows[index], self._appearance.decimal_point
        x, y = operand_text(arrow.x, mark), operand_text(arrow.y, mark)
        return f"{arrow.letter} of “{arrow.token}”: {self._picture.horizontal} {x}, {self._picture.vertical} {y}"


def _factor(modifiers: Qt.KeyboardModifier) -> float:
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return 0.1
    return 10.0 if modifiers & Qt.KeyboardModifier.ControlModifier else 1.0
