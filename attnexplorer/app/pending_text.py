"""What is being typed counts as soon as a command needs it: before saving, exporting and closing."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid


def commit_pending_text(window: QWidget) -> None:
    """Have the widget with the focus take over what was typed, as if the focus had left it; the focus returns.

    Fields and cell editors commit when they lose the focus. What cannot be taken over is said beside its place.
    """
    focus = window.focusWidget()
    if focus is None or not focus.hasFocus():
        return
    around = _ancestors(focus)
    focus.clearFocus()
    for widget in (focus, *around):
        # An editor is closed by now, and the table around it takes the focus as after Enter.
        if isValid(widget) and widget.isVisible() and widget.focusPolicy() != Qt.FocusPolicy.NoFocus:
            widget.setFocus()
            return


def _ancestors(widget: QWidget) -> list[QWidget]:
    parent, found = widget.parentWidget(), list[QWidget]()
    while parent is not None and not widget.isWindow():
        found.append(parent)
        widget, parent = parent, parent.parentWidget()
    return found
