"""The section that says how the place of a token enters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from attnexplorer.compute.positions import sinusoidal
from attnexplorer.document.document import Document
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.positions import set_base, set_interleaved, set_offset, set_position_kind
from attnexplorer.experiment.model import Experiment, PositionKind
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.check_box import CheckBox
from attnexplorer.views.input.fields import CountBox, NumberField
from attnexplorer.views.input.notice import Edit
from attnexplorer.views.input.section import Section, add_row, form, show_row
from attnexplorer.views.input.segmented import Choice, SegmentedControl
from attnexplorer.views.input.shuffling import Shuffling
from attnexplorer.views.input.token_chips import link

KINDS = (
    Choice("none", "None", "The order of the tokens makes no difference"),
    Choice("sinusoidal", "Sinusoidal", "Sines and cosines of the position are added to the embeddings"),
    Choice("learned", "Learned", "A row of a table of parameters is added to each embedding"),
    Choice("rope", "RoPE", "Pairs of columns of queries and keys are turned by angles that grow with the position"),
    Choice("alibi", "ALiBi", "Scores fall with the distance between query and key"),
)
EDIT_NAMES = {
    "none": "Use no positions",
    "sinusoidal": "Use sinusoidal positions",
    "learned": "Use learned positions",
    "rope": "Use RoPE",
    "alibi": "Use ALiBi",
}
Filling = Literal["random", "zeros", "sines"]
FILLINGS: dict[Filling, str] = {"random": "random numbers", "zeros": "zeros", "sines": "sines and cosines"}
WITH_BASE = ("sinusoidal", "rope")
WITH_OFFSET = ("sinusoidal", "learned", "rope")
LARGEST_OFFSET = 1_000_000


class PositionSection(Section):
    """Chooses the kind of position, and what belongs to that kind."""

    def __init__(
        self,
        document: Document,
        appearance: Appearance,
        growth: Callable[[], Growth],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Position", document, appearance, parent)
        self._growth = growth
        self.kind = SegmentedControl("Position", KINDS)
        self.kind.setObjectName("position-kind")
        self.kind.chosen.connect(self._on_kind_chosen)
        self.base = NumberField("base")
        self.base.entered.connect(self._on_base_entered)
        self.connect_field(self.base)
        self.offset = CountBox("offset", 0, LARGEST_OFFSET)
        self.offset.entered.connect(self._on_offset_entered)
        self.interleaved = CheckBox(
            "interleaved",
            "Turn neighbouring columns",
            "On: columns 1 and 2 are a pair, 3 and 4, …\nOff: column 1 and the first of the second half, …",
        )
        self.interleaved.clicked.connect(self._on_interleaved_clicked)
        grid = form()
        self._base_label = add_row(grid, "Base", self.base, "The slowest angle turns about this many times slower")
        self._offset_label = add_row(grid, "First position", self.offset, "The position of the first token")
        self._fillings = self._fill_links()
        self.body.addWidget(self.kind)
        self.body.addLayout(grid)
        self.body.addWidget(self.interleaved)
        self.body.addWidget(self._fillings)
        self._shuffling = Shuffling(self)
        for widget in self._shuffling.widgets:
            self.body.addWidget(widget)

    @property
    def shuffling(self) -> Shuffling:
        """The link that shuffles the tokens, and what it says afterwards."""
        return self._shuffling

    def parts(self, experiment: Experiment) -> tuple[Any, ...]:
        return (experiment.position, experiment.sequence)

    def show_experiment(self, experiment: Experiment) -> None:
        position = experiment.position
        self.kind.choose(position.kind)
        self.base.show_number(position.base, self.appearance.decimal_point)
        self.offset.show_number(position.offset)
        self.interleaved.setChecked(position.interleaved)
        show_row(self._base_label, position.kind in WITH_BASE)
        show_row(self._offset_label, position.kind in WITH_OFFSET)
        self.interleaved.setVisible(position.kind == "rope")
        self._fillings.setVisible(position.kind == "learned")
        self._shuffling.link.setEnabled(len(experiment.query_tokens) > 1)

    def refresh(self) -> None:
        super().refresh()
        self._shuffling.refresh()

    def _fill_links(self) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(QLabel("Fill the table:"))
        for start, numbers in FILLINGS.items():
            button = link(start, f"Fill the position table with {numbers}", f"fill-{start}")
            button.setAccessibleName(f"Fill the position table with {numbers}")
            button.clicked.connect(partial(self._on_fill_clicked, start))
            layout.addWidget(button)
        layout.addStretch(1)
        return row

    def _on_kind_chosen(self, kind: str) -> None:
        chosen = cast(PositionKind, kind)
        edit = partial(set_position_kind, kind=chosen, seed=self._growth().seed)
        self.edit(Edit(EDIT_NAMES[kind], edit, "Change"))

    def _on_base_entered(self, base: float) -> None:
        text = f"Set the base to {self.base.text().strip()}"
        self.enter(self.base, Edit(text, partial(set_base, base=base)))

    def _on_offset_entered(self, offset: int, going_on: bool) -> None:
        edit = partial(set_offset, offset=offset, growth=self._growth())
        text = f"Set the first position to {offset}"
        self.edit(Edit(text, edit, gesture=self.gesture_of(going_on)))

    def _on_interleaved_clicked(self, interleaved: bool) -> None:
        text = f"Turn {'neighbouring columns' if interleaved else 'halves'} with RoPE"
        self.edit(Edit(text, partial(set_interleaved, interleaved=interleaved)))

    def _on_fill_clicked(self, start: Filling) -> None:
        table = self.document.experiment.position.table
        if table is None:
            return
        self.notice.clear()
        filled = frozen(_filled(start, table.shape, self.document.experiment.position.base, self._growth().seed))
        if not np.isfinite(filled).all():
            self.notice.refuse("The base is too small for a table of sines.")
            return
        self.document.set_value("position.table", filled, f"Fill the position table with {FILLINGS[start]}")


def _filled(start: Filling, shape: tuple[int, ...], base: float, seed: int) -> NDArray[np.float64]:
    if start == "sines":
        with np.errstate(all="ignore"):
            return np.asarray(sinusoidal(shape[0], shape[1], 0, base), dtype=np.float64)
    return Growth(start, seed)("table", shape)
