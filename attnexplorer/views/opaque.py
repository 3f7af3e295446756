"""Widgets that paint their own ground."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def paints_all_of_itself(widget: QWidget) -> None:
    """Say that a widget leaves no pixel of itself unpainted.

    Whatever lies below it, up to the window, then rests while the widget alone is painted anew: of a plot or a map that
    follows a slider, half of the time went there.
    """
    widget.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
