"""The part of a picture that is looked at: a view box of pyqtgraph, and in its scene one item that paints.

pyqtgraph keeps the range, its limits, and what stays in place when it is zoomed. The painting is that of `figures`, so
that screen and paper agree. Pointer and keys stay with the widget below, which knows what they do to its content:
pyqtgraph's own handling drops movements that follow each other quickly and has a menu that exports by itself.
"""

from __future__ import annotations

from collections.abc import Callable

import pyqtgraph
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from attnexplorer.views.whole_errors import with_whole_errors

_WHOLE = QRectF(0, 0, 1, 1)


@with_whole_errors
class ZoomCanvas(pyqtgraph.GraphicsView):  # type: ignore[misc]
    """Covers its parent, lets every event through to it, and calls `paint` with the origin at its top left corner.

    Ranges are rectangles in numbers of the content: `top()` is the smallest number upwards, at the lower edge.
    """

    def __init__(self, paint: Callable[[QPainter], None], parent: QWidget) -> None:
        super().__init__(parent, background=None)
        self.setCentralItem(None)
        self.box = pyqtgraph.ViewBox(enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self.box.disableAutoRange()
        self._content = _Content(paint)
        self.addItem(self.box)
        self.addItem(self._content)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setCacheMode(self.CacheModeFlag.CacheNone)
        self.viewport().setAutoFillBackground(False)

    @property
    def seen(self) -> QRectF:
        """The range that is looked at."""
        (left, right), (low, high) = self.box.viewRange()
        return QRectF(QPointF(left, low), QPointF(right, high))

    @property
    def area(self) -> QRectF:
        """Where the range is seen, in pixels."""
        return QRectF(self.box.geometry())

    def set_area(self, area: QRectF) -> None:
        """Say where the range is seen."""
        if area != self.area:
            self.box.setGeometry(area)

    def limit(self, whole: QRectF = _WHOLE, closest: float = 0.0) -> None:
        """Let nothing beyond a range be looked at, and no smaller part of it than a share."""
        self.box.setLimits(
            xMin=whole.left(),
            xMax=whole.right(),
            yMin=whole.top(),
            yMax=whole.bottom(),
            minXRange=whole.width() * closest,
            minYRange=whole.height() * closest,
        )

    def look_at(self, part: QRectF) -> None:
        """Look at a range."""
        self.box.setRange(xRange=(part.left(), part.right()), yRange=(part.top(), part.bottom()), padding=0)
        self.refresh()

    def zoom(self, across: float, up: float, about: QPointF) -> None:
        """Look so many times as closely, about a place in pixels that stays where it is."""
        self.box.scaleBy((1 / across, 1 / up), self.number_at(about))
        self.refresh()

    def push(self, by: QPointF) -> None:
        """Push the content by so many pixels."""
        seen, area = self.seen, self.area
        self.box.translateBy(x=-by.x() * seen.width() / area.width(), y=by.y() * seen.height() / area.height())
        self.refresh()

    def number_at(self, place: QPointF) -> QPointF:
        """Return which point of the content lies at a place in pixels."""
        seen, area = self.seen, self.area
        return QPointF(
            seen.left() + (place.x() - area.left()) / area.width() * seen.width(),
            seen.top() + (area.bottom() - place.y()) / area.height() * seen.height(),
        )

    def place_of(self, number: QPointF) -> QPointF:
        """Return where a point of the content lies, in pixels."""
        seen, area = self.seen, self.area
        return QPointF(
            area.left() + (number.x() - seen.left()) / seen.width() * area.width(),
            area.bottom() - (number.y() - seen.top()) / seen.height() * area.height(),
        )

    def refresh(self) -> None:
        """Paint the content again."""
        self._content.update()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        # The first one comes from the constructor of the base class.
        if hasattr(self, "_content"):
            self._content.set_size(self.width(), self.height())


@with_whole_errors
class _Content(pyqtgraph.GraphicsObject):  # type: ignore[misc]
    def __init__(self, paint: Callable[[QPainter], None]) -> None:
        super().__init__()
        self._paint = paint
        self._rect = QRectF()

    def set_size(self, width: float, height: float) -> None:
        self.prepareGeometryChange()
        self._rect = QRectF(0, 0, width, height)

    def boundingRect(self) -> QRectF:
        return self._rect

    def paint(self, painter: QPainter, *_options: object) -> None:
        self._paint(painter)
