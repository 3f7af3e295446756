"""Dragging a row of the token list to another place. The list scrolls while the pointer is beyond its edge."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QCursor, QPainter, QPen
from PySide6.QtWidgets import QApplication, QListView

SCROLL_INTERVAL = 50
"""Milliseconds between two rows while the list scrolls."""


class TokenDrag(QObject):
    """Follows the pointer from a press to the release; `gap` is the place between rows that it points at."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view
        self._start: tuple[int, QPoint] | None = None
        self.gap: int | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(SCROLL_INTERVAL)
        self._timer.timeout.connect(self._on_timer_timeout)

    @property
    def is_possible(self) -> bool:
        """Whether the button was pressed on a row, and still is."""
        return self._start is not None

    def press(self, row: int, point: QPoint) -> None:
        """Remember where the button was pressed."""
        self._start = (row, point)

    def move(self, point: QPoint) -> None:
        """Follow the pointer; nothing is dragged before it has gone some way."""
        if self._start is None:
            return
        if self.gap is None:
            if (point - self._start[1]).manhattanLength() < QApplication.startDragDistance():
                return
            self._view.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._point_at(point)
        if 0 <= point.y() <= self._view.viewport().height():
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def finish(self) -> tuple[int, int] | None:
        """End the drag and return the row and the place it shall stand at, or None if it stays."""
        start, gap = self._start, self.gap
        self.cancel()
        if start is None or gap is None:
            return None
        end = gap if gap <= start[0] else gap - 1
        return None if end == start[0] else (start[0], end)

    def cancel(self) -> None:
        """End the drag; nothing moves."""
        self._start = self.gap = None
        self._timer.stop()
        self._view.unsetCursor()
        self._view.viewport().update()

    def paint(self, pen: QPen) -> None:
        """Paint a line where the row would go."""
        if self.gap is None:
            return
        last = self._rows() - 1
        rect = self._view.visualRect(self._view.model().index(min(self.gap, last), 0))
        y = max(1, rect.top() if self.gap <= last else rect.bottom())
        painter = QPainter(self._view.viewport())
        painter.setPen(pen)
        painter.drawLine(0, y, self._view.viewport().width(), y)

    def _point_at(self, point: QPoint) -> None:
        first = self._view.visualRect(self._view.model().index(0, 0))
        gap = (point.y() - first.top() + first.height() // 2) // first.height()
        self.gap = min(max(gap, 0), self._rows())
        self._view.viewport().update()

    def _rows(self) -> int:
        return self._view.model().rowCount()

    def _on_timer_timeout(self) -> None:
        point = self._view.viewport().mapFromGlobal(QCursor.pos())
        bar, step = self._view.verticalScrollBar(), self._view.sizeHintForRow(0)
        bar.setValue(bar.value() + (step if point.y() > 0 else -step))
        self._point_at(point)
