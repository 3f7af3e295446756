"""A view of something with two axes that is looked at as a whole or in part."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from attnexplorer.figures.axes import WHOLE, Window
from attnexplorer.views.plot.canvas import ZoomCanvas
from attnexplorer.views.plot.zooming import factor_of_key, factor_of_wheel, is_fit_key, push_of_key
from attnexplorer.views.whole_errors import with_whole_errors

CLOSEST = 1 / 100
"""The smallest share of an axis that can be looked at."""
_EVERYTHING = QRectF(0, 0, 1, 1)
_ALMOST = 1 - 1e-9


@with_whole_errors
class ZoomView(QWidget):
    """Zooms by Ctrl and the wheel, which scrolls the page without Ctrl; is pushed by dragging once it is zoomed.

    Those who derive from it say in `area` where the axes are and paint in `paint`.
    """

    part_changed = Signal()
    """Another part is looked at."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.canvas = ZoomCanvas(self.paint, self)
        self.canvas.limit(closest=CLOSEST)
        self.canvas.look_at(_EVERYTHING)
        self._held: QPointF | None = None
        self._pressed = QPointF()
        self._pushed = False
        self.fit_button = _fit_button(self)
        self.fit_button.clicked.connect(self._on_fit_clicked)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def zoomed(self) -> bool:
        """Whether only a part is looked at."""
        return self.windows != (WHOLE, WHOLE)

    @property
    def windows(self) -> tuple[Window, Window]:
        """The shares of the two axes that are looked at."""
        seen = self.canvas.seen
        return _window(seen.left(), seen.right()), _window(seen.top(), seen.bottom())

    def area(self) -> QRectF:
        """Return where the axes are, in pixels."""
        return QRectF(self.rect())

    def fit_corner(self) -> QPointF:
        """Return the middle of the right edge of the button that shows everything again."""
        return QPointF(self.area().right(), self.area().top() + self.fit_button.height() / 2)

    def paint(self, painter: QPainter) -> None:
        """Paint the part that is looked at, and what stands around it."""

    def fit(self) -> None:
        """Look at the whole again."""
        self.canvas.look_at(_EVERYTHING)
        self._tell()

    def zoom(self, across: float, up: float, about: QPointF) -> None:
        """Look so many times as closely at what lies at a place, which stays there."""
        self.canvas.set_area(self.area())
        held = self.canvas.number_at(about)
        self.canvas.zoom(across, up, about)
        self.hold(held, about)

    def hold(self, number: QPointF, place: QPointF) -> None:
        """Push a point to a place; twice, as labels that become longer or shorter move the axes."""
        for _ in range(2):
            self.canvas.set_area(self.area())
            self.canvas.push(place - self.canvas.place_of(number))
        self._tell()

    def pushes(self, event: QMouseEvent) -> bool:
        """Tell whether what was pressed is pushed about from now on."""
        return event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton)

    def clicked(self, event: QMouseEvent) -> None:
        """Do what a click with the left button does that pushed nothing."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.pushes(event):
            event.ignore()
            return
        self.canvas.set_area(self.area())
        self._pressed, self._pushed = event.position(), False
        self._held = self.canvas.number_at(self._pressed)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is None:
            event.ignore()
            return
        far = (event.position() - self._pressed).manhattanLength() >= QApplication.startDragDistance() / 2
        if far and not self._pushed:
            self._pushed = True
            if self.zoomed:
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._pushed and self.zoomed:
            self.hold(self._held, event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._held is None:
            event.ignore()
            return
        self._held = None
        self.show_cursor()
        if not self._pushed and event.button() == Qt.MouseButton.LeftButton:
            self.clicked(event)

    def show_cursor(self) -> None:
        """Give the pointer the shape that it has while nothing is dragged."""
        self.unsetCursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.zoomed and event.button() == Qt.MouseButton.LeftButton:
            self.fit()
        else:
            self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        factor, area, place = factor_of_wheel(event), self.area(), event.position()
        # Over the numbers of one axis it zooms that one alone.
        below, beside = place.y() > area.bottom(), place.x() < area.left()
        inside = QPointF(min(max(place.x(), area.left()), area.right()), min(max(place.y(), area.top()), area.bottom()))
        self.zoom(1.0 if beside and not below else factor, 1.0 if below and not beside else factor, inside)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        factor, push = factor_of_key(event), push_of_key(event, plain=True)
        if factor is not None:
            self.zoom(factor, factor, self.area().center())
        elif is_fit_key(event):
            self.fit()
        elif push is not None and self.zoomed:
            self.canvas.set_area(self.area())
            self.hold(self.canvas.number_at(QPointF(0, 0)), push)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.canvas.setGeometry(self.rect())
        self._place_fit_button()

    def _tell(self) -> None:
        # The button has the focus if it was pressed; hidden, it would hand it on to whatever comes next.
        if not self.zoomed and self.fit_button.hasFocus():
            self.setFocus()
        self.fit_button.setVisible(self.zoomed)
        self._place_fit_button()
        self.canvas.refresh()
        self.part_changed.emit()

    def _place_fit_button(self) -> None:
        self.fit_button.adjustSize()
        size, corner = self.fit_button.size(), self.fit_corner()
        self.fit_button.move(round(corner.x()) - size.width(), round(corner.y() - size.height() / 2))

    def _on_fit_clicked(self) -> None:
        self.fit()


def _window(start: float, end: float) -> Window:
    return (start, end) if end - start < _ALMOST else WHOLE


def _fit_button(parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setText("Fit")
    button.setObjectName("plot-fit")
    button.setProperty("look", "fit")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setCursor(Qt.CursorShape.ArrowCursor)
    button.setToolTip("Show all of it again (0)")
    button.setAccessibleName("Fit: show all of it again")
    button.hide()
    return button
