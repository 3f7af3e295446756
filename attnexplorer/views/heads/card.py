"""A card of the Heads workspace: a title, what it says about itself, small tools, and what it shows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from attnexplorer.views.appearance import Appearance
from attnexplorer.views.elided_label import ElidedLabel


class Card(QFrame):
    """A frame with a title line; widgets are added below it."""

    def __init__(self, name: str, title: str, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("look", "card")
        self.appearance = appearance
        self.title, self.caption = QLabel(title), ElidedLabel()
        self.title.setTextFormat(Qt.TextFormat.RichText)
        self.caption.setProperty("look", "caption")
        self.caption.setObjectName("caption")
        self.tools = QHBoxLayout()
        self.tools.setSpacing(6)
        line = QHBoxLayout()
        line.setSpacing(7)
        line.addWidget(self.title)
        line.addWidget(self.caption, 1)
        line.addLayout(self.tools)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(10, 7, 10, 9)
        self.body.setSpacing(6)
        self.body.addLayout(line)
        self.apply_appearance()

    def say(self, text: str) -> None:
        """Say something beside the title."""
        if text != self.caption.text():
            self.caption.setText(text)

    def apply_appearance(self) -> None:
        """Take over fonts that have changed."""
        self.title.setFont(self.appearance.font("mathematics", 16, bold=True))


def small(text: str = "", *, wrap: bool = False) -> QLabel:
    """Return a quiet label."""
    label = QLabel(text)
    label.setProperty("look", "caption")
    label.setWordWrap(wrap)
    return label
