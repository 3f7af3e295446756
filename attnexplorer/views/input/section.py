"""What all sections of the dock share: a heading, controls, a notice, and one place that brings them up to date."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from attnexplorer.document.commands import ALONE, Gesture
from attnexplorer.document.document import Document
from attnexplorer.experiment.model import Experiment, Layer
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.fields import CountBox, NumberField
from attnexplorer.views.input.notice import Edit, EditNotice

SPACING = 6


class Section(QWidget):
    """One part of the dock. `refresh` is cheap where nothing that it shows has changed."""

    def __init__(self, title: str, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document, self.appearance = document, appearance
        self.notice = EditNotice(document)
        self.notice.cancelled.connect(self.reset)
        self.heading = heading(title)
        self._title = title
        self._seen: tuple[Any, ...] | None = None
        self._gesture: Gesture = ALONE
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACING)
        layout.addWidget(self.heading)
        self.body = QVBoxLayout()
        self.body.setSpacing(SPACING)
        layout.addLayout(self.body)
        layout.addWidget(self.notice)

    def refresh(self) -> None:
        """Show the present experiment."""
        parts = (*self.parts(self.document.experiment), self.appearance.theme, self.appearance.text_scale)
        if self._seen is None or len(parts) != len(self._seen) or not all(map(_unchanged, parts, self._seen)):
            if self._seen is not None:
                self.notice.clear()
            self._seen = parts
            self.show_experiment(self.document.experiment)

    def reset(self) -> None:
        """Show the present experiment in place of what was entered."""
        self._seen = None
        self.refresh()

    def parts(self, experiment: Experiment) -> tuple[Any, ...]:
        """Return what the section shows; it is brought up to date when one of them is another object."""
        raise NotImplementedError

    def show_experiment(self, experiment: Experiment) -> None:
        """Bring the controls up to date."""
        raise NotImplementedError

    def edit(self, edit: Edit) -> bool:
        """Make an edit; a refused one is explained, and the controls show the experiment again."""
        made = self.notice.make(edit)
        if not made:
            self.reset()
        return made

    def enter(self, field: NumberField, edit: Edit) -> None:
        """Make an edit with a typed number; a refused number stays in its field, to be put right."""
        if self.notice.make(edit):
            field.setModified(False)
            self.reset()
        else:
            field.mark_bad(True)

    def gesture_of(self, going_on: bool) -> Gesture:
        """Return the present gesture if an edit goes on with it, else a new one."""
        if not going_on or self._gesture == ALONE:
            self._gesture = self.document.new_gesture()
        return self._gesture

    @property
    def layer(self) -> int:
        """The layer that is shown."""
        return int(self.document.display["layer"])

    def shown_layer(self, experiment: Experiment) -> Layer:
        """Return the layer that is shown."""
        return experiment.layers[self.layer]

    def name_layer(self, experiment: Experiment) -> None:
        """Say in the heading which layer is meant, where there are several."""
        several = len(experiment.layers) > 1
        set_heading(self.heading, f"{self._title}, layer {self.layer + 1}" if several else self._title)

    def in_layer(self, text: str) -> str:
        """Return the name of an edit, with its layer where there are several."""
        return f"{text}, layer {self.layer + 1}" if len(self.document.experiment.layers) > 1 else text

    def connect_field(self, field: NumberField) -> None:
        """Explain beneath the controls why a text is no number."""
        field.refused.connect(self.notice.refuse)
        field.restored.connect(self.notice.clear)


def heading(title: str) -> QLabel:
    """Return the heading of a section."""
    label = QLabel()
    label.setProperty("look", "section")
    set_heading(label, title)
    return label


def set_heading(label: QLabel, title: str) -> None:
    """Write a heading; a screen reader gets it without the capitals."""
    label.setText(title.upper())
    label.setAccessibleName(title)


def caption(text: str = "") -> QLabel:
    """Return a quiet line that breaks where it must."""
    label = QLabel(text)
    label.setProperty("look", "caption")
    label.setWordWrap(True)
    return label


def form() -> QGridLayout:
    """Return a layout for rows of a label and a field."""
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(4)
    grid.setColumnStretch(0, 1)
    return grid


def add_row(grid: QGridLayout, text: str, field: CountBox | NumberField | QWidget, tip: str) -> QLabel:
    """Add a row; the label's name and the tip are the field's too."""
    row = grid.rowCount()
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setBuddy(field)
    label.setToolTip(tip)
    field.setToolTip(tip)
    field.setAccessibleName(plain(text))
    grid.addWidget(label, row, 0)
    grid.addWidget(field, row, 1)
    return label


def plain(text: str) -> str:
    """Return a label without its markup."""
    return text.replace("<sub>", "_").replace("</sub>", "")


def show_row(label: QLabel, shown: bool) -> None:
    """Show or hide a row of a form."""
    label.setVisible(shown)
    label.buddy().setVisible(shown)


def _unchanged(now: Any, before: Any) -> bool:
    return now is before or (isinstance(now, (int, float, str)) and now == before)
