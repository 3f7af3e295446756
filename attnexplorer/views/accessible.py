"""What a screen reader is told of widgets that paint themselves: their role, and the value of what is chosen in them.

Of a widget without parts Qt tells the name and the description only. A `Speaking` widget says its value too, in words
and, where it is a number on a scale, as that number.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAccessibleValueChangeEvent, QAccessibleValueInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

from attnexplorer.views.whole_errors import with_whole_errors


class Amount(NamedTuple):
    """A number on a scale."""

    current: float
    smallest: float
    largest: float


class Speaking:
    """A widget's second base: the widget answers `spoken`, and calls `say_value` when the answer is another one."""

    spoken_role = QAccessible.Role.Graphic

    def spoken(self) -> str:
        """Return in words what is chosen in the widget, or the number that it shows."""
        raise NotImplementedError

    def spoken_amount(self) -> Amount | None:
        """Return the number that the widget shows, if it is one on a scale."""
        return None

    def say_value(self) -> None:
        """Tell screen readers the value, if it is another one than they know."""
        widget, text = cast(QWidget, self), self.spoken()
        if text == widget.accessibleDescription():
            return
        # Readers on Linux ask for the description of a picture and not for its value; it has both.
        widget.setAccessibleDescription(text)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleValueChangeEvent(widget, text))


@with_whole_errors
class _SpokenAmount(QAccessibleValueInterface):
    """The number of a widget; what a reader may ask of it, not change."""

    def __init__(self, speaking: Speaking) -> None:
        super().__init__()
        self._speaking = speaking

    def _amount(self) -> Amount:
        return self._speaking.spoken_amount() or Amount(0.0, 0.0, 0.0)

    def currentValue(self) -> Any:
        return self._amount().current

    def minimumValue(self) -> Any:
        return self._amount().smallest

    def maximumValue(self) -> Any:
        return self._amount().largest

    def minimumStepSize(self) -> Any:
        return 0.0

    def setCurrentValue(self, value: Any) -> None:
        pass


@with_whole_errors
class _SpokenWidget(QAccessibleWidget):
    """A widget as a reader has it; Qt keeps it until the widget is deleted."""

    def __init__(self, widget: QWidget, speaking: Speaking) -> None:
        super().__init__(widget, speaking.spoken_role, "")

    def text(self, kind: QAccessible.Text) -> str:
        widget = self.object()
        if kind in (QAccessible.Text.Value, QAccessible.Text.Description) and isinstance(widget, Speaking):
            return widget.spoken()
        return str(super().text(kind))


@with_whole_errors
class _SpokenScale(_SpokenWidget):
    """A widget that is also a number on a scale."""

    def __init__(self, widget: QWidget, speaking: Speaking) -> None:
        super().__init__(widget, speaking)
        self._amount = _SpokenAmount(speaking)

    def interface_cast(self, kind: QAccessible.InterfaceType) -> Any:
        if kind == QAccessible.InterfaceType.ValueInterface:
            return shiboken6.VoidPtr(shiboken6.getCppPointer(self._amount)[0])
        found = super().interface_cast(kind)
        # None would be taken for an address, and the program would end.
        return shiboken6.VoidPtr(0) if found is None else found


def _interface(_kind: str, thing: QObject) -> QAccessibleInterface | None:
    if not isinstance(thing, Speaking):
        return None
    # Both kinds at once is nothing that a checker of types can imagine of classes from C++.
    widget, scale = cast(QWidget, thing), type(thing).spoken_amount is not Speaking.spoken_amount
    return _SpokenScale(widget, thing) if scale else _SpokenWidget(widget, thing)


QAccessible.installFactory(_interface)
