"""What of a widget is in sight."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget


def sight_of(widget: QWidget) -> QRect:
    """Return the part of a widget that is not cut off by what it lies in, empty while it is hidden.

    Qt's `visibleRegion` also leaves out what children cover that paint all of themselves: of a card of which only the
    middle is scrolled into sight, it may be empty.
    """
    if not widget.isVisible():
        return QRect()
    seen, inner = widget.rect(), widget
    # From the widget to its window, and back to its own places.
    while not inner.isWindow() and (outer := inner.parentWidget()) is not None:
        seen = seen.translated(inner.pos()).intersected(outer.rect())
        inner = outer
    return seen.translated(widget.mapFrom(inner, QPoint(0, 0)))


def is_in_sight(widget: QWidget) -> bool:
    """Tell whether a part of a widget is in sight."""
    return not sight_of(widget).isEmpty()
