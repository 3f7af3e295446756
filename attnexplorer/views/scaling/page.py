"""A page of cards in lines, each line as high as its highest card needs to be at its width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from attnexplorer.views.whole_errors import with_whole_errors

EDGE, GAP = 12, 12


class Place(NamedTuple):
    """A card and its share of the width of its line."""

    card: QWidget
    share: int = 1


@with_whole_errors
class CardPage(QWidget):
    """Places cards below and beside each other; its own height follows from its width."""

    height_changed = Signal(int)

    def __init__(self, cards: Sequence[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[tuple[Place, ...], ...] = ()
        self._placing = False
        for card in cards:
            card.setParent(self)
            card.installEventFilter(self)

    def show_lines(self, lines: Sequence[Sequence[Place]]) -> None:
        """Arrange the cards; those that are in no line are hidden."""
        self._lines = tuple(tuple(line) for line in lines)
        there = [place.card for line in self._lines for place in line]
        for card in self.findChildren(QWidget):
            if card.parent() is self:
                card.setVisible(card in there)
        self.place()

    def set_width(self, width: int) -> None:
        """Lay the cards out for a width."""
        if width != self.width():
            self.resize(width, self.height())
            self.place()

    def place(self) -> None:
        """Give every card its place."""
        self._placing = True
        top = EDGE
        for line in self._lines:
            widths = self._widths(line)
            height = max(_height(place.card, width) for place, width in zip(line, widths, strict=True))
            left = EDGE
            for place, width in zip(line, widths, strict=True):
                place.card.setGeometry(left, top, width, height)
                left += width + GAP
            top += height + GAP
        self._placing = False
        bottom = top - GAP + EDGE
        if bottom != self.height():
            self.height_changed.emit(bottom)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and not self._placing:
            self.place()
        return False

    def _widths(self, line: Sequence[Place]) -> list[int]:
        room = self.width() - 2 * EDGE - GAP * (len(line) - 1)
        whole = sum(place.share for place in line)
        widths = [room * place.share // whole for place in line]
        widths[-1] += room - sum(widths)
        return widths


def _height(card: QWidget, width: int) -> int:
    needed = card.heightForWidth(width) if card.hasHeightForWidth() else -1
    return needed if needed >= 0 else card.sizeHint().height()
