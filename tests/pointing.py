"""Moving the pointer over a widget, at once: what a display says of a moved pointer arrives when it likes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget


def point_at(widget: QWidget, place: QPoint) -> None:
    """Move the pointer, no button pressed, to a place in a widget."""
    local, none = QPointF(place), Qt.MouseButton.NoButton
    at = QPointF(widget.mapToGlobal(place))
    event = QMouseEvent(QEvent.Type.MouseMove, local, at, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)


def turn_wheel(
    widget: QWidget, place: QPointF, notches: float, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> bool:
    """Turn the wheel over a place in a widget; tell whether the widget did something with it."""
    event = QWheelEvent(
        place,
        widget.mapToGlobal(place),
        QPoint(),
        QPoint(0, round(120 * notches)),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def drag(
    widget: QWidget,
    places: Sequence[QPointF],
    button: Qt.MouseButton = Qt.MouseButton.LeftButton,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    """Press a button at the first place, move over the others, and let go at the last one."""
    kinds, none = QEvent.Type, Qt.MouseButton.NoButton
    steps = [(kinds.MouseButtonPress, places[0], button, button)]
    steps += [(kinds.MouseMove, place, none, button) for place in places[1:]]
    steps.append((kinds.MouseButtonRelease, places[-1], button, none))
    for kind, place, changed, held in steps:
        event = QMouseEvent(kind, place, widget.mapToGlobal(place), changed, held, modifiers)
        QApplication.sendEvent(widget, event)
