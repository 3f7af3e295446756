"""What scrolls a page that is higher than its room, as in a low window with large type."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


def scrolling(page: QWidget) -> QScrollArea:
    """Return an area for a page, which is as wide as there is room, and as high as it must be."""
    area = QScrollArea()
    area.setWidget(page)
    page.setAutoFillBackground(False)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area
