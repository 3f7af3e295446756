"""What is chosen above the plane: which kinds of vectors, and along which directions they are looked at."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from attnexplorer.figures.plane_arrows import ArrowKind, paint_sample
from attnexplorer.figures.plane_vectors import KINDS, LETTERS, NAMES
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.explain.wrapping_row import WrappingRow
from attnexplorer.views.input.fields import ChoiceBox
from attnexplorer.views.input.segmented import Choice, SegmentedControl

Axes = tuple[int, int] | None
_SAMPLE = QSize(28, 12)
_SHARPNESS = 3
COMPONENTS, AXES = "components", "axes"


class GeometryControls(QWidget):
    """Five switches that are the legend too, the kind of view, and its two axes."""

    kinds_changed = Signal()
    axes_changed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._width = 0
        self._chosen_view: str | None = None
        self._axes = (0, 1)
        self._kinds = {kind: _kind_button(kind) for kind in KINDS}
        self.view = SegmentedControl(
            "View",
            (
                Choice(AXES, "Two axes", "Two of the numbers of each vector, as they stand in its matrix"),
                Choice(
                    COMPONENTS,
                    "Components",
                    "The plane through the origin that lies closest to all arrows shown (principal components)",
                ),
            ),
        )
        self.horizontal, self.vertical = ChoiceBox("axis-horizontal", ()), ChoiceBox("axis-vertical", ())
        self._lay_out()
        self._kinds["query"].setChecked(True)
        self._kinds["key"].setChecked(True)
        self.view.chosen.connect(self._on_view_chosen)
        self.horizontal.chosen.connect(lambda axis: self._choose_axes(int(axis), self._axes[1]))
        self.vertical.chosen.connect(lambda axis: self._choose_axes(self._axes[0], int(axis)))

    @property
    def kinds(self) -> frozenset[ArrowKind]:
        """The kinds of vectors that are switched on."""
        return frozenset(kind for kind, button in self._kinds.items() if button.isChecked())

    @property
    def axes(self) -> Axes:
        """The two axes that are looked along, from 0, or None for principal components."""
        if self._width > 2 and self.view.value == COMPONENTS:
            return None
        last = max(self._width - 1, 0)
        return min(self._axes[0], last), min(self._axes[1], last)

    @property
    def choices(self) -> dict[str, Any]:
        """What is chosen, by the names that choices of this workspace have."""
        kinds = tuple(kind for kind in KINDS if kind in self.kinds)
        return {"kinds": kinds, "view": self._chosen_view or "", "axes": self._axes}

    def choose(self, choices: Mapping[str, Any]) -> None:
        """Show choices that were made elsewhere."""
        for kind, button in self._kinds.items():
            button.setChecked(kind in choices["kinds"])
        self._chosen_view, self._axes = choices["view"] or None, choices["axes"]
        self.view.choose(self._chosen_view or (COMPONENTS if self._width > 2 else AXES))
        self._show_axes()

    def kind_button(self, kind: ArrowKind) -> QPushButton:
        """Return the switch of a kind."""
        return self._kinds[kind]

    def show_only(self, kinds: Collection[ArrowKind]) -> None:
        """Switch these kinds on and the others off."""
        for kind, button in self._kinds.items():
            button.setChecked(kind in kinds)
        self.kinds_changed.emit()

    def show_axes(self) -> None:
        """Look along two axes, as if it had been chosen."""
        self.view.choose(AXES)
        self._on_view_chosen(AXES)

    def show_width(self, width: int) -> None:
        """Offer the axes of vectors of so many numbers; up to two of them there is nothing to choose."""
        if width != self._width:
            self._width = width
            for box in (self.horizontal, self.vertical):
                box.clear()
                for axis in range(width):
                    box.addItem(f"axis {axis + 1}", str(axis))
            self.view.choose(self._chosen_view or (COMPONENTS if width > 2 else AXES))
        self._show_axes()

    def _show_axes(self) -> None:
        last = max(self._width - 1, 0)
        first, second = (min(axis, last) for axis in self._axes)
        self.horizontal.setCurrentIndex(first)
        self.vertical.setCurrentIndex(second)
        self._direction.setVisible(self._width > 2)
        self._boxes.setVisible(self._width > 2 and self.axes is not None)

    def apply_appearance(self) -> None:
        """Draw the samples of the lines in the colours of the theme."""
        theme = self._appearance.theme
        for kind, button in self._kinds.items():
            icon = QIcon()
            for colour, state in ((theme.text, QIcon.State.Off), (theme.on_accent, QIcon.State.On)):
                icon.addPixmap(_sample(kind, QColor(colour)), QIcon.Mode.Normal, state)
            button.setIcon(icon)

    def _choose_axes(self, first: int, second: int) -> None:
        self._axes = (first, second)
        self.axes_changed.emit()

    def _on_view_chosen(self, view: str) -> None:
        self._chosen_view = view
        self._boxes.setVisible(self._width > 2 and self.axes is not None)
        self.axes_changed.emit()

    def _lay_out(self) -> None:
        kinds = QWidget()
        line = QHBoxLayout(kinds)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(3)
        for button in self._kinds.values():
            button.clicked.connect(lambda: self.kinds_changed.emit())
            line.addWidget(button)
        self._direction = QWidget()
        self._boxes = QWidget()
        _line(self._direction, [self.view])
        _line(self._boxes, [QLabel("→"), self.horizontal, QLabel("↑"), self.vertical])
        self.horizontal.setAccessibleName("Horizontal axis")
        self.vertical.setAccessibleName("Vertical axis")
        self.horizontal.setToolTip("Which number of each vector goes to the right")
        self.vertical.setToolTip("Which number of each vector goes up")
        row = WrappingRow(self, spacing=10)
        for widget in (kinds, self._direction, self._boxes):
            row.addWidget(widget)


def fit_button() -> QToolButton:
    """Return the button that shows every arrow again."""
    button = QToolButton()
    button.setText("Fit")
    button.setObjectName("plane-fit")
    button.setProperty("look", "link")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setToolTip("Show every arrow as large as fits (F)")
    button.setAccessibleName("Fit: show every arrow as large as fits")
    return button


def _kind_button(kind: ArrowKind) -> QPushButton:
    button = QPushButton(LETTERS[kind])
    button.setObjectName(f"kind-{kind}")
    button.setProperty("look", "segment")
    button.setCheckable(True)
    button.setIconSize(_SAMPLE)
    button.setAccessibleName(f"Show {NAMES[kind]}")
    button.setToolTip(f"Show or hide the {NAMES[kind]}, {LETTERS[kind]}")
    return button


def _sample(kind: ArrowKind, colour: QColor) -> QPixmap:
    pixmap = QPixmap(_SAMPLE * _SHARPNESS)
    pixmap.setDevicePixelRatio(_SHARPNESS)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        paint_sample(painter, kind, QRectF(1, 0, _SAMPLE.width() - 2, _SAMPLE.height()), colour)
    return pixmap


def _line(parent: QWidget, widgets: list[QWidget]) -> None:
    line = QHBoxLayout(parent)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(5)
    for widget in widgets:
        line.addWidget(widget)
