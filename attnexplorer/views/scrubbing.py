"""Scrubbing: Alt + drag, a middle drag, or the wheel on the selected cell moves a number; Shift finer, Ctrl coarser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QWheelEvent

from attnexplorer.document.commands import ALONE, Gesture
from attnexplorer.experiment.errors import ExperimentError

if TYPE_CHECKING:
    from attnexplorer.views.matrix_table import MatrixTable

_WHEEL_STEP = 0.1
_STEP_A_PIXEL = 0.01
_BURST_MS = 700
_NOTCH = 120
_DRAGGING = Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton


class Scrub(QObject):
    """Turns drags and wheel notches on a cell into edits of one gesture."""

    def __init__(self, table: MatrixTable) -> None:
        super().__init__(table)
        self._table = table
        self._gesture: Gesture = ALONE
        self._cell: tuple[int, int] | None = None
        self._start_value = self._last_value = 0.0
        self._was_computed = False
        self._moved = 0.0
        self._last_x = 0.0
        self._burst = QTimer(self)
        self._burst.setSingleShot(True)
        self._burst.setInterval(_BURST_MS)
        self._burst.timeout.connect(self._end)

    def press(self, event: QMouseEvent, row: int, column: int) -> bool:
        """Begin a drag if it is one; True if so."""
        wanted = _begins(event)
        value = self._value(row, column)
        if not wanted or value is None or not self._table.editable:
            return False
        self._begin(row, column, value)
        self._last_x = event.position().x()
        self._table.setCurrentIndex(self._table.model().index(row, column))
        self._table.setCursor(Qt.CursorShape.SizeHorCursor)
        return True

    def move(self, event: QMouseEvent) -> bool:
        """Go on with a drag; True if there is one."""
        if self._cell is None or self._burst.isActive() or not event.buttons() & _DRAGGING:
            return False
        x = event.position().x()
        self._move((x - self._last_x) * _STEP_A_PIXEL * _factor(event.modifiers()))
        self._last_x = x
        return True

    def release(self, event: QMouseEvent) -> bool:
        """End a drag; True if there was one."""
        if self._cell is None or self._burst.isActive():
            return False
        self._end()
        self._table.unsetCursor()
        return True

    def wheel(self, event: QWheelEvent, cell: tuple[int, int] | None) -> bool:
        """Move the number of the selected cell if the pointer is on it; True if so.

        A computed number is pinned by it only with Alt held: who clicks a number to read it, and then scrolls on, is
        not to change the experiment.
        """
        current = self._table.currentIndex()
        if cell is None or cell != (current.row(), current.column()) or not self._table.hasFocus():
            return False
        if self._would_pin(*cell) and not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return False
        # With Alt held, Qt turns the wheel sideways.
        notches = (event.angleDelta().y() or event.angleDelta().x()) / _NOTCH
        if not self.turn(notches, event.modifiers()):
            return False
        event.accept()
        return True

    def turn(self, notches: float, modifiers: Qt.KeyboardModifier) -> bool:
        """Move the number of the selected cell by notches of the wheel, or as many keys; True if it can be moved."""
        current = self._table.currentIndex()
        cell = (current.row(), current.column())
        value = self._value(*cell) if current.isValid() else None
        if value is None or not self._table.editable:
            return False
        # What was undone or typed in between is not to come back with the next notch.
        if self._cell != cell or not self._burst.isActive() or value != self._last_value:
            self._begin(*cell, value)
        self._move(notches * _WHEEL_STEP * _factor(modifiers))
        self._burst.start()
        return True

    def _begin(self, row: int, column: int, value: float) -> None:
        self._cell = (row, column)
        self._gesture = self._table.document.new_gesture()
        self._start_value = self._last_value = value
        self._was_computed = self._present(row, column) is None
        self._moved = 0.0

    def _end(self) -> None:
        self._burst.stop()
        self._cell = None
        self._gesture = ALONE

    def _value(self, row: int, column: int) -> float | None:
        present = self._present(row, column)
        value = float(self._table.content.picture.values[row, column]) if present is None else present
        return value if np.isfinite(value) else None

    def _would_pin(self, row: int, column: int) -> bool:
        going_on = self._cell == (row, column) and self._burst.isActive()
        return not going_on and self._present(row, column) is None

    def _present(self, row: int, column: int) -> float | None:
        """Return the number in the experiment, which may be ahead of the one on screen."""
        return self._table.document.present_value(self._table.path, row, column)

    def _move(self, by: float) -> None:
        """Move the number; back at its start it is what it was, to the last bit, and computed again if it was."""
        assert self._cell is not None
        document, path = self._table.document, self._table.path
        # Steps of 0.1 added up would end in 0.30000000000000004.
        self._moved = round(self._moved + by, 10)
        value = round(self._start_value + self._moved, 10) if self._moved else self._start_value
        try:
            if self._was_computed and not self._moved:
                document.release(path, [self._cell], self._gesture)
            else:
                document.set_cell(path, *self._cell, value, self._gesture)
            self._last_value = value
        except ExperimentError as refusal:
            self._table.complain(str(refusal), *self._cell)


def _begins(event: QMouseEvent) -> bool:
    """Tell whether a press begins a drag: of the middle button, or with Alt, which some desktops keep."""
    with_alt = event.button() == Qt.MouseButton.LeftButton and event.modifiers() & Qt.KeyboardModifier.AltModifier
    return bool(with_alt) or event.button() == Qt.MouseButton.MiddleButton


def _factor(modifiers: Qt.KeyboardModifier) -> float:
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return 0.1
    return 10.0 if modifiers & Qt.KeyboardModifier.ControlModifier else 1.0
