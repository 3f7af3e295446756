"""The one selected and the one hovered cell, shared by all views."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal


class Cell(NamedTuple):
    """A cell of a matrix, which is named by its path (of a parameter or of a stage)."""

    path: str
    row: int
    column: int


def _anywhere(cell: Cell) -> Cell | None:
    return cell


class Cursor(QObject):
    """What is selected and what the pointer is over.

    `within` puts a cell into the numbers that are there: a view may still show a larger matrix than the present one.
    """

    selection_changed = Signal(object)
    hover_changed = Signal(object)
    typing_requested = Signal(object, str)
    """A cell whose number is to be typed, wherever its matrix can be edited, and how the number begins."""

    def __init__(self, parent: QObject | None = None, within: Callable[[Cell], Cell | None] = _anywhere) -> None:
        super().__init__(parent)
        self._within = within
        self._selected: Cell | None = None
        self._hovered: Cell | None = None

    @property
    def selected(self) -> Cell | None:
        """The selected cell."""
        return self._selected

    @property
    def hovered(self) -> Cell | None:
        """The cell under the pointer."""
        return self._hovered

    @property
    def shown(self) -> Cell | None:
        """The cell whose origins are lit up: the hovered one, else the selected one."""
        return self._hovered or self._selected

    def select(self, cell: Cell | None) -> None:
        """Make a cell the selected one."""
        cell = None if cell is None else self._within(cell)
        if cell != self._selected:
            self._selected = cell
            self.selection_changed.emit(cell)

    def hover(self, cell: Cell | None) -> None:
        """Say which cell the pointer is over; None when it left."""
        cell = None if cell is None else self._within(cell)
        if cell != self._hovered:
            self._hovered = cell
            self.hover_changed.emit(cell)
