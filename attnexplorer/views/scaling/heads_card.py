"""All heads of the layer as small maps of their weights at the scale that is set."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.stages import Unit
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.content import NumberStyle, units_of
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.scale_texts import factor_text
from attnexplorer.views.scaling.comparison import captions_of
from attnexplorer.views.scaling.map_grid import Map, MapGrid
from attnexplorer.views.scaling.pictures import head_content
from attnexplorer.views.scaling.shown import Shown, same


class HeadsCard(QFrame):
    """Shows what one scale does to every head; a click on a head displays it."""

    head_chosen = Signal(int)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._known: dict[int, tuple[tuple[object, ...], Map]] = {}
        self.setProperty("look", "card")
        self.setObjectName("scaling-heads-card")
        self.setAccessibleName("All heads at the scale that is set")
        self._title, self._caption = QLabel("All heads"), ElidedLabel()
        self._caption.setProperty("look", "caption")
        self._caption.setObjectName("scaling-heads-caption")
        self.maps = MapGrid(appearance, picks="map", least=132, most=8)
        self.maps.setObjectName("scaling-heads")
        self.maps.setAccessibleName("Heads")
        self.maps.map_picked.connect(self.head_chosen)
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        heading.addWidget(self._caption, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.addLayout(heading)
        layout.addWidget(self.maps)
        layout.addStretch(1)

    def show_row(self, shown: Shown) -> None:
        """Show all heads, with a row marked; nothing while they are not all evaluated."""
        evaluation = shown.evaluation
        if any(unit not in evaluation.arrays for unit in head_units(evaluation.experiment, shown.layer)):
            return
        factor = factor_text(shown.attention.scale_factor, self._appearance.decimal_point)
        self._caption.setText(f"weights at × {factor}, with the numbers of the row of “{shown.row_name}”")
        maps = tuple(self._map(evaluation, shown, head) for head in range(shown.attention.heads))
        self.maps.show_maps(maps, shown.row)

    def apply_appearance(self) -> None:
        """Take over fonts and colours that have changed."""
        self._title.setFont(self._appearance.font("mathematics", 15, bold=True))
        self._known.clear()
        self.maps.apply_appearance()

    def _map(self, evaluation: Evaluation, shown: Shown, head: int) -> Map:
        unit = Unit("weights", shown.layer, head)
        muted = head in shown.attention.muted_heads
        units = units_of(evaluation.experiment, unit.path)
        arrays = [evaluation.arrays[it] for it in units]
        experiment, theme = evaluation.experiment, self._appearance.theme.name
        tokens = (experiment.query_tokens, experiment.key_tokens)
        depends = (*arrays, experiment.pins.get(unit.path), *tokens, shown.row, muted, theme)
        known = self._known.get(head)
        if known is None or not same(depends, known[0]):
            known = self._known[head] = (depends, self._new_map(evaluation, shown, unit, muted))
        if known[1].chosen != (head == shown.head):
            known = self._known[head] = (depends, dataclasses.replace(known[1], chosen=head == shown.head))
        return known[1]

    def _new_map(self, evaluation: Evaluation, shown: Shown, unit: Unit, muted: bool) -> Map:
        mark = self._appearance.decimal_point
        content = head_content(shown, unit, self._appearance.theme, NumberStyle(2, mark))
        row = evaluation.arrays[unit][shown.row : shown.row + 1]
        title = f"Head {(unit.head or 0) + 1}{', muted' if muted else ''}"
        return Map(title, captions_of(row, mark), content, unit.head == shown.head)


def head_units(experiment: Experiment, layer: int) -> set[Unit]:
    """Return what must be evaluated to show all heads of a layer."""
    heads = range(experiment.layers[layer].attention.heads)
    return {unit for head in heads for unit in units_of(experiment, Unit("weights", layer, head).path)}
