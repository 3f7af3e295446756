"""The bar above the heads: which stage, which colour limits, which order; and the edits of heads."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.heads.card import small
from attnexplorer.views.heads.choices import Choices, Limits, Sort
from attnexplorer.views.heads.wrapping_row import WrappingRow
from attnexplorer.views.input.check_box import CheckBox
from attnexplorer.views.input.fields import ChoiceBox
from attnexplorer.views.input.segmented import Choice, SegmentedControl
from attnexplorer.views.menu_button import MenuButton

STAGES = (
    Choice("scores", "QKᵀ", "The raw scores of every head"),
    Choice("scaled", "scaled", "The scores after the scale"),
    Choice("masked", "masked", "The scores after the mask"),
    Choice("weights", "weights", "The attention weights"),
)
LIMITS = (
    Choice("fixed", "0–1", "White is 0 and the darkest is 1, whatever the heads hold"),
    Choice("shared", "shared", "The darkest is the largest number of all heads"),
    Choice("own", "own", "The darkest is each head's own largest number: heads cannot be compared"),
)
SORTS = (
    ("head", "head"),
    ("entropy", "entropy"),
    ("distance_back", "distance"),
    ("on_self", "on itself"),
    ("on_first", "on first"),
)
_EDIT_TIP = "Add, duplicate, remove and move heads; W_O; layers"
TWO_SEQUENCES = ("distance_back", "on_self")
"""Orders that have no meaning where queries and keys are two sequences."""


class HeadTools(QWidget):
    """Holds the choices; `changed` is emitted with every one that the user makes."""

    changed = Signal()
    menu_opened = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = Choices()
        self._differing = False
        self.stage = SegmentedControl("Stage", STAGES)
        self.limits = SegmentedControl("Colour limits", LIMITS)
        self.sort = ChoiceBox("heads-sort", SORTS)
        self.direction = QToolButton()
        self.mean = CheckBox("heads-mean", "mean", "Show the mean over all heads too: it is no head's own weights")
        self.limits_text = ElidedLabel()
        self.menu = QMenu(self)
        self.edit = MenuButton("Edit heads", self.menu)
        self._name_parts()
        self._lay_out()
        self.stage.chosen.connect(lambda stage: self._choose(replace(self._choices, stage=stage)))
        self.limits.chosen.connect(lambda limits: self._choose(replace(self._choices, limits=cast(Limits, limits))))
        self.sort.chosen.connect(lambda sort: self._choose(replace(self._choices, sort=cast(Sort, sort))))
        self.direction.clicked.connect(lambda: self._choose(replace(self._choices, rising=not self._choices.rising)))
        self.mean.toggled.connect(lambda on: self._choose(replace(self._choices, with_mean=on)))
        self.menu.aboutToShow.connect(lambda: self.menu_opened.emit(self.menu))

    @property
    def choices(self) -> Choices:
        """What is chosen."""
        return self._choices

    def choose(self, choices: Choices) -> None:
        """Show choices that were made elsewhere."""
        self._choices = choices
        self._show()

    def offer(self, heads: int, *, two_sequences: bool) -> None:
        """Offer only what has a meaning for so many heads, and for one sequence or two."""
        for widget in (self._sort_label, self.sort, self.direction, self.mean):
            widget.setVisible(heads > 1)
        if heads == 1 and self.mean.isChecked():
            self.mean.setChecked(False)
        for name in TWO_SEQUENCES:
            item = self.sort.model().index(self.sort.findData(name), 0)
            self.sort.model().setData(item, 0 if two_sequences else None, Qt.ItemDataRole.UserRole - 1)
        if two_sequences and self._choices.sort in TWO_SEQUENCES:
            self._choose(replace(self._choices, sort="head"))

    def hold(self, sentence: str, *, differing: bool) -> None:
        """Offer no edits, and say why; an empty sentence offers them again. Differences have no fixed limits."""
        self._differing = differing
        self._show()
        self.edit.setEnabled(not sentence)
        self.edit.setToolTip(sentence or _EDIT_TIP)

    def say_limits(self, text: str) -> None:
        """Say what the colours stand for."""
        if text != self.limits_text.text():
            self.limits_text.setText(text)

    def _choose(self, choices: Choices) -> None:
        if choices == self._choices:
            return
        self._choices = choices
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        choices = self._choices
        self.stage.choose(choices.stage)
        colouring = choices.colouring(differing=self._differing)
        self.limits.button("fixed").setEnabled(not colouring.signed)
        self.limits.choose(colouring.limits)
        self.sort.setCurrentIndex(self.sort.findData(choices.sort))
        self.mean.blockSignals(True)
        self.mean.setChecked(choices.with_mean)
        self.mean.blockSignals(False)
        self.direction.setText("↑" if choices.rising else "↓")
        told = "the smallest first" if choices.rising else "the largest first"
        self.direction.setToolTip(f"Order: {told}. Click to turn it round.")
        self.direction.setAccessibleName(f"Order: {told}")

    def _name_parts(self) -> None:
        self.stage.setObjectName("heads-stage")
        self.limits.setObjectName("heads-limits")
        self.limits_text.setObjectName("heads-limits-text")
        self.limits_text.setProperty("look", "caption")
        self.sort.setAccessibleName("Order of the heads")
        self.sort.setToolTip("Order by number, entropy, distance looked back, weight on itself or on the first token")
        self.direction.setObjectName("heads-direction")
        self.edit.setObjectName("heads-edit")
        self.edit.setToolTip(_EDIT_TIP)
        self.menu.setObjectName("heads-menu")

    def _lay_out(self) -> None:
        self._sort_label = small("Sort")
        row = WrappingRow()
        row.add(
            _together(small("Show"), self.stage),
            _together(small("Colours"), self.limits),
            _together(self._sort_label, self.sort, self.direction),
            self.mean,
            self.edit,
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 9, 12, 2)
        column.setSpacing(3)
        column.addWidget(row)
        column.addWidget(self.limits_text)
        self._show()


def _together(label: QLabel, *widgets: QWidget) -> QWidget:
    """Return widgets that stay on one line with their label."""
    group = QWidget()
    line = QHBoxLayout(group)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(5)
    line.addWidget(label)
    for widget in widgets:
        line.addWidget(widget)
    return group
