"""A line of text that changes often: it never asks for less room than before, so that nothing around it moves."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel

from attnexplorer.views.whole_errors import with_whole_errors

_ROOM = 12


@with_whole_errors
class SteadyLabel(QLabel):
    """A label that paints its text itself: a new text repaints it, and lays out anew only where it needs more room."""

    def __init__(self) -> None:
        super().__init__()
        self._steady_text = ""
        self._steady_width = 0

    def text(self) -> str:
        return self._steady_text

    def setText(self, text: str) -> None:
        if text == self._steady_text:
            return
        self._steady_text = text
        self.setAccessibleName(text)
        width = self.fontMetrics().horizontalAdvance(text)
        if width > self._steady_width:
            self._steady_width = width + _ROOM
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        return QSize(
            self._steady_width + margins.left() + margins.right(),
            self.fontMetrics().height() + margins.top() + margins.bottom(),
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        room = self.contentsRect()
        text = self.fontMetrics().elidedText(self._steady_text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()
