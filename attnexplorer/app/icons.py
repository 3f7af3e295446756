"""The few icons of the frame, drawn in the colours of the theme."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

_SIZE, _SHARPNESS = 16, 4


def turn_icon(colour: QColor, quiet: QColor, *, back: bool) -> QIcon:
    """Return the arrow of undo (`back`) or redo; `quiet` is its colour while there is nothing to do."""
    icon = QIcon()
    icon.addPixmap(_turn_arrow(colour, back), QIcon.Mode.Normal)
    icon.addPixmap(_turn_arrow(colour, back), QIcon.Mode.Active)
    icon.addPixmap(_turn_arrow(quiet, back), QIcon.Mode.Disabled)
    return icon


def _turn_arrow(colour: QColor, back: bool) -> QPixmap:
    pixmap = QPixmap(_SIZE * _SHARPNESS, _SIZE * _SHARPNESS)
    pixmap.setDevicePixelRatio(_SHARPNESS)
    pixmap.fill(Qt.GlobalColor.transparent)
    path = QPainterPath(QPointF(2.5, 6))
    path.lineTo(10, 6)
    path.arcTo(QRectF(6.5, 6, 7, 7), 90, -180)
    path.lineTo(6, 13)
    path.moveTo(QPointF(5.5, 3))
    path.lineTo(2.5, 6)
    path.lineTo(5.5, 9)
    with QPainter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not back:
            painter.translate(_SIZE, 0)
            painter.scale(-1, 1)
        painter.setPen(QPen(colour, 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        painter.drawPath(path)
    return pixmap
