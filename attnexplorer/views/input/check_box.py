"""A check box in the colours of the theme, as large as its type."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QGuiApplication, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QCheckBox, QWidget

from attnexplorer.views.whole_errors import with_whole_errors

SPACE = 7


@with_whole_errors
class CheckBox(QCheckBox):
    """A check box; the outline is the accent while it has the keyboard."""

    def __init__(self, name: str, text: str, tip: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setObjectName(name)
        self.setToolTip(tip)

    def _side(self) -> int:
        return round(self.fontMetrics().height() * 0.85)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        width = self._side() + SPACE + metrics.horizontalAdvance(self.text()) + 2
        return QSize(width, metrics.height() + 6)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, side = QGuiApplication.palette(), self._side()
        text = palette.color(QPalette.ColorRole.Text if self.isEnabled() else QPalette.ColorRole.PlaceholderText)
        box = QRectF(0, 0, side, side).translated(1, (self.height() - side) / 2).adjusted(0.5, 0.5, -0.5, -0.5)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_box(painter, box, palette)
        painter.setPen(text)
        left = side + SPACE
        rect = self.rect().adjusted(left, 0, 0, 0)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())

    def _paint_box(self, painter: QPainter, box: QRectF, palette: QPalette) -> None:
        lively = self.isEnabled() and (self.isChecked() or self.hasFocus() or self.underMouse())
        outline = palette.color(QPalette.ColorRole.Highlight if lively else QPalette.ColorRole.PlaceholderText)
        if not self.isEnabled():
            outline.setAlphaF(0.5)
        filled = self.isChecked() and self.isEnabled()
        painter.setPen(QPen(outline, 1))
        painter.setBrush(QBrush(palette.color(QPalette.ColorRole.Highlight if filled else QPalette.ColorRole.Base)))
        painter.drawRoundedRect(box, 3, 3)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-1, -1, 1, 1), 4, 4)
        if self.isChecked():
            self._paint_tick(painter, box, palette)

    def _paint_tick(self, painter: QPainter, box: QRectF, palette: QPalette) -> None:
        role = QPalette.ColorRole.HighlightedText if self.isEnabled() else QPalette.ColorRole.PlaceholderText
        pen = QPen(palette.color(role), box.width() / 7)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        places = ((0.24, 0.54), (0.43, 0.72), (0.77, 0.30))
        painter.drawPolyline([QPointF(box.x() + x * box.width(), box.y() + y * box.height()) for x, y in places])
