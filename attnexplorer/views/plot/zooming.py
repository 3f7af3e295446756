"""What wheel and keys say about zooming, the same in everything that is zoomed."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent

STEP = 1.2
"""A notch of the wheel, or a press of plus, comes so many times as close."""
_NOTCH = 120
_PUSH = 40.0
_NONE, _ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
# Plus is a shifted key on many keyboards and 0 on some, and on the number pad they are marked as such.
_ANYWAY = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
_WAYS = {
    Qt.Key.Key_Left: QPointF(_PUSH, 0),
    Qt.Key.Key_Right: QPointF(-_PUSH, 0),
    Qt.Key.Key_Up: QPointF(0, _PUSH),
    Qt.Key.Key_Down: QPointF(0, -_PUSH),
}
_CLOSER = (Qt.Key.Key_Plus, Qt.Key.Key_Equal)


def factor_of_wheel(event: QWheelEvent) -> float:
    """Return how many times as close a turn of the wheel comes."""
    turned = event.angleDelta().y() or event.angleDelta().x()
    return float(STEP ** (turned / _NOTCH))


def factor_of_key(event: QKeyEvent, held: Qt.KeyboardModifier = _NONE) -> float | None:
    """Return how many times as close plus or minus comes, with a modifier held; None for any other key."""
    if event.modifiers() & ~_ANYWAY != held:
        return None
    key = Qt.Key(event.key())
    if key in _CLOSER:
        return STEP
    return 1 / STEP if key == Qt.Key.Key_Minus else None


def is_fit_key(event: QKeyEvent, held: Qt.KeyboardModifier = _NONE) -> bool:
    """Tell whether a key asks for everything to be seen again: 0, with a modifier held."""
    return event.key() == Qt.Key.Key_0 and event.modifiers() & ~_ANYWAY == held


def push_of_key(event: QKeyEvent, *, plain: bool) -> QPointF | None:
    """Return by how many pixels an arrow key pushes the content: with Alt, and with `plain` without it too."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if modifiers != _ALT and not (plain and modifiers == _NONE):
        return None
    return _WAYS.get(Qt.Key(event.key()))
