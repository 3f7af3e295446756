"""Moving the pointer over a widget, at once: what a display says of a moved pointer arrives when it likes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget


def point_at(widget: QWidget, place: QPoint) -> None:
    """Move the pointer, no button pressed, to a place in a widget."""
    local, none = QPointF(place), Qt.MouseButton.NoButton
    at = QPointF(widget.mapToGlobal(place))
    event = QMouseEvent(QEvent.Type.MouseMove, local, at, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)
