"""A line of text that is cut with an ellipsis where there is no room, the whole of it in the tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel

from attnexplorer.views.whole_errors import with_whole_errors


@with_whole_errors
class ElidedLabel(QLabel):
    """A label that may be narrower than its text."""

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        if self.toolTip() != (self.text() if text != self.text() else ""):
            self.setToolTip(self.text() if text != self.text() else "")
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(self.alignment()), text)
        painter.end()
