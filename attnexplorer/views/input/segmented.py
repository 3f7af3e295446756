"""A row of buttons of which one is chosen; it breaks into several rows where it is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QPushButton, QSizePolicy, QWidget

from attnexplorer.views.whole_errors import with_whole_errors

OVERLAP = 1
"""Neighbours share their border of one pixel."""


class Choice(NamedTuple):
    """One of the buttons."""

    value: str
    label: str
    tip: str


@with_whole_errors
class SegmentedControl(QWidget):
    """Shows all choices at once; arrow keys go from one to the next, Tab goes past them."""

    chosen = Signal(str)
    """Emitted with the value, only when the user chooses another one."""

    def __init__(self, name: str, choices: Sequence[Choice], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self._buttons = {choice.value: self._button(name, choice) for choice in choices}
        self._value = choices[0].value
        self.choose(self._value)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.installEventFilter(self)

    @property
    def value(self) -> str:
        """The chosen value."""
        return self._value

    def choose(self, value: str) -> None:
        """Show another choice, without a signal."""
        self._value = value
        self._buttons[value].setChecked(True)
        self._buttons[value].raise_()
        for each in self._buttons.values():
            # Tab stops at the chosen one, wherever the choice was made.
            each.setFocusPolicy(Qt.FocusPolicy.StrongFocus if each.isChecked() else Qt.FocusPolicy.ClickFocus)

    def button(self, value: str) -> QPushButton:
        """Return the button of a value."""
        return self._buttons[value]

    def _button(self, name: str, choice: Choice) -> QPushButton:
        button = QPushButton(choice.label, self)
        button.setProperty("look", "segment")
        button.setObjectName(choice.value)
        button.setCheckable(True)
        button.setToolTip(choice.tip)
        button.setAccessibleName(f"{name}: {choice.label}")
        button.clicked.connect(lambda: self._on_button_clicked(choice.value))
        self._group.addButton(button)
        return button

    def _on_button_clicked(self, value: str) -> None:
        if value != self._value:
            self.choose(value)
            self.chosen.emit(value)

    def _rows(self, width: int) -> list[list[QPushButton]]:
        buttons = list(self._buttons.values())
        wanted = [button.sizeHint().width() for button in buttons]
        lengths = _broken(wanted, width)
        starts = [sum(lengths[:row]) for row in range(len(lengths))]
        return [buttons[start : start + length] for start, length in zip(starts, lengths, strict=True)]

    def _row_height(self) -> int:
        return max(button.sizeHint().height() for button in self._buttons.values())

    def _place(self) -> None:
        height = self._row_height()
        for number, row in enumerate(self._rows(self.width())):
            wanted = [button.sizeHint().width() for button in row]
            spare, left = max(0, self.width() - sum(wanted)), 0
            for index, button in enumerate(row):
                width = wanted[index] + spare * (index + 1) // len(row) - spare * index // len(row)
                shared = OVERLAP if index else 0
                button.setGeometry(QRect(left - shared, number * (height - OVERLAP), width + shared, height))
                left += width
        self._buttons[self._value].raise_()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        rows = len(self._rows(width))
        return rows * (self._row_height() - OVERLAP) + OVERLAP

    def sizeHint(self) -> QSize:
        width = sum(button.sizeHint().width() for button in self._buttons.values())
        return QSize(width, self._row_height())

    def minimumSizeHint(self) -> QSize:
        return QSize(max(button.sizeHint().width() for button in self._buttons.values()), self._row_height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            self._place()
        return False


def _broken(wanted: Sequence[int], width: int) -> list[int]:
    """Return how many stand in each row: as few rows as fit, as even as can be."""
    count = len(wanted)
    for breaks in range(count):
        best = min(
            (_lengths(places, count) for places in combinations(range(1, count), breaks)),
            key=lambda lengths: _widest(wanted, lengths),
        )
        if _widest(wanted, best) <= width:
            return best
    return [1] * count


def _lengths(places: Sequence[int], count: int) -> list[int]:
    return [end - start for start, end in zip((0, *places), (*places, count), strict=True)]


def _widest(wanted: Sequence[int], lengths: Sequence[int]) -> int:
    widths, start = [], 0
    for length in lengths:
        widths.append(sum(wanted[start : start + length]))
        start += length
    return max(widths)
