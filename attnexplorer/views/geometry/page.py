"""The card of the plane, and what scrolls a page that is higher than its room, as in a low window with large type."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLayout, QScrollArea, QVBoxLayout, QWidget


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


def card_with(heading: QLayout, *parts: QWidget) -> QFrame:
    """Return a card with a heading and, below it, parts of which the last takes the room that is left."""
    card = QFrame()
    card.setProperty("look", "card")
    body = QVBoxLayout(card)
    body.setContentsMargins(12, 9, 12, 12)
    body.setSpacing(8)
    body.addLayout(heading)
    for part in parts:
        body.addWidget(part, 1 if part is parts[-1] else 0)
    return card
