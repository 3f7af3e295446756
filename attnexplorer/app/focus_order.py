"""The order in which Tab goes through a window, part by part, and the way from one part to the next."""

from __future__ import annotations

import weakref
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QTableView, QWidget
from shiboken6 import isValid


class WindowParts:
    """The parts of a window in the order in which they are read.

    Parameters
    ----------
    parts
        What Tab goes through one after the other.
    lines
        Those of them that are a single line, gone through from left to right; the others are gone through in Qt's
        order, which is that of the making of their widgets.
    """

    def __init__(self, window: QWidget, parts: Sequence[QWidget], lines: Sequence[QWidget]) -> None:
        self._window, self._parts, self._lines = window, tuple(parts), tuple(lines)
        self._last: dict[int, weakref.ref[QWidget]] = {}

    def stops(self) -> list[QWidget]:
        """Return the widgets of the window, without docks that float, at which Tab stops, in its order."""
        focused = self._window.focusWidget()
        chain = [widget for widget in _chain(self._window) if _is_stop(widget) or widget is focused]
        return sorted(chain, key=self._place)

    def go_on(self, *, forward: bool) -> bool:
        """Give the focus to the next stop, or to the one before; round the end to the other one."""
        stops, focused = self.stops(), self._window.focusWidget()
        if not stops:
            return False
        if focused in stops:
            target = stops[(stops.index(focused) + (1 if forward else -1)) % len(stops)]
        else:
            target = stops[0 if forward else -1]
        give_focus(target, Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
        return True

    def go_past(self, *, forward: bool) -> None:
        """Go to the next stop among the tables of a part, which F6 goes through one by one; else to the next part."""
        if self._goes_through_tables(forward):
            self.go_on(forward=forward)
        else:
            self.go_to_next_part(forward=forward)

    def go_to_next_part(self, *, forward: bool) -> None:
        """Give the focus to the next part that takes it: to where it was there last, else to the part's first stop."""
        focused = QApplication.focusWidget()
        here = self._part_of(focused)
        if focused is not None and here >= 0:
            self._last[here] = weakref.ref(focused)
        step = 1 if forward else -1
        first = here if here >= 0 or forward else 0
        for distance in range(1, len(self._parts) + 1):
            part = (first + step * distance) % len(self._parts)
            target = self._entrance(part)
            if target is not None:
                target.activateWindow()
                give_focus(target, Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
                return

    def _goes_through_tables(self, forward: bool) -> bool:
        """Tell whether a part has several tables, of which some are still to come."""
        focused = QApplication.focusWidget()
        here = self._part_of(focused)
        inside = [widget for widget in self.stops() if here >= 0 and self._part_of(widget) == here]
        if focused not in inside:
            return False
        tables = [isinstance(widget, QTableView) for widget in inside]
        place = inside.index(focused)
        return sum(tables) > 1 and any(tables[place + 1 :] if forward else tables[:place])

    def _entrance(self, part: int) -> QWidget | None:
        last = self._last.get(part, lambda: None)()
        if last is not None and isValid(last) and _is_stop(last) and self._part_of(last) == part:
            return last
        # A dock that floats is a window of its own.
        inside = (widget for widget in sorted(_chain(self._parts[part].window()), key=self._place))
        return next((widget for widget in inside if _is_stop(widget) and self._part_of(widget) == part), None)

    def _part_of(self, widget: QWidget | None) -> int:
        if widget is None:
            return -1
        return next((index for index, part in enumerate(self._parts) if part.isAncestorOf(widget)), -1)

    def _place(self, widget: QWidget) -> tuple[int, int]:
        part = self._part_of(widget)
        if part < 0:
            return len(self._parts), 0
        return part, widget.mapTo(self._window, QPoint()).x() if self._parts[part] in self._lines else 0


def give_focus(widget: QWidget, reason: Qt.FocusReason) -> None:
    """Give a widget the focus, and have whatever scrolls around it show it."""
    widget.setFocus(reason)
    around = widget.parentWidget()
    while around is not None:
        inside = around.widget() if isinstance(around, QScrollArea) else None
        if isinstance(around, QScrollArea) and inside is not None and inside.isAncestorOf(widget):
            around.ensureWidgetVisible(widget)
        around = around.parentWidget()


def open_context_menu() -> None:
    """Ask the widget with the focus for its menu, as the key for menus does, which not every keyboard has."""
    widget = QApplication.focusWidget()
    if widget is None:
        return
    cursor = widget.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)
    place = cursor.center() if isinstance(cursor, QRect) else widget.rect().center()
    reason = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))


def _is_stop(widget: QWidget) -> bool:
    wants = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return wants and widget.isVisible() and widget.isEnabled() and widget.focusProxy() is None


def _chain(window: QWidget) -> list[QWidget]:
    """Return all widgets of a window in the order of Qt."""
    missing = sum(widget.window() is window for widget in window.findChildren(QWidget))
    chain: list[QWidget] = []
    widget: QWidget | None = window
    while missing and widget is not None:
        widget = widget.nextInFocusChain()
        if widget is not None and widget.window() is window:
            chain.append(widget)
            missing -= 1
    # PySide takes every widget that it hands out above for a part of the one before, and when that is deleted for
    # deleted too, and so on to the end of the chain. To be found makes it a part of the window again. The window itself
    # ends the chain; it is not asked for.
    window.findChildren(QWidget)
    return chain
