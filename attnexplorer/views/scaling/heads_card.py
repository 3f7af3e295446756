"""All heads of the layer as small maps of their weights at the scale that is set."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.content import NumberStyle, units_of
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.scale_texts import factor_text
from attnexplorer.views.scaling.comparison import captions_between, captions_of
from attnexplorer.views.scaling.map_grid import MapGrid
from attnexplorer.views.scaling.map_layout import Map
from attnexplorer.views.scaling.pictures import between, head_content
from attnexplorer.views.scaling.shown import Against, Shown, same


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

    def show_row(self, shown: Shown, against: Against | None = None) -> None:
        """Show all heads, or what differs in them, with a row marked; nothing while they are not all evaluated."""
        evaluation = shown.evaluation
        if any(unit not in evaluation.arrays for unit in head_units(evaluation.experiment, shown.layer)):
            return
        factor = factor_text(shown.attention.scale_factor, self._appearance.decimal_point)
        self._caption.setText(f"weights at × {factor}, with the numbers of the row of “{shown.row_name}”")
        if against is not None:
            former = factor_text(against.shown.attention.scale_factor, self._appearance.decimal_point)
            self._caption.setText(f"B at × {factor} less A at × {former}, with the row of “{shown.row_name}”")
        maps = tuple(self._map(evaluation, shown, head, against) for head in range(shown.attention.heads))
        self.maps.show_maps(maps, shown.row)

    def apply_appearance(self) -> None:
        """Take over fonts and colours that have changed."""
        self._title.setFont(self._appearance.font("mathematics", 15, bold=True))
        self._known.clear()
        self.maps.apply_appearance()

    def _map(self, evaluation: Evaluation, shown: Shown, head: int, against: Against | None) -> Map:
        unit = Unit("weights", shown.layer, head)
        muted = head in shown.attention.muted_heads
        units = units_of(evaluation.experiment, unit.path)
        arrays = [evaluation.arrays[it] for it in units]
        experiment, theme = evaluation.experiment, self._appearance.theme.name
        tokens = (experiment.query_tokens, experiment.key_tokens)
        former = _former(against, head)
        depends = (*arrays, former, experiment.pins.get(unit.path), *tokens, shown.row, muted, theme)
        known = self._known.get(head)
        if known is None or not same(depends, known[0]):
            known = self._known[head] = (depends, self._new_map(shown, unit, muted, against))
        if known[1].chosen != (head == shown.head):
            known = self._known[head] = (depends, dataclasses.replace(known[1], chosen=head == shown.head))
        return known[1]

    def _new_map(self, shown: Shown, unit: Unit, muted: bool, against: Against | None) -> Map:
        mark, rows = self._appearance.decimal_point, slice(shown.row, shown.row + 1)
        theme, numbers = self._appearance.theme, NumberStyle(2, mark, self._appearance.text_scale)
        content, row = head_content(shown, unit, theme, numbers), shown.array_of(unit)[rows]
        captions, former = captions_of(row, mark), _former(against, unit.head or 0)
        title = f"Head {(unit.head or 0) + 1}{', muted' if muted else ''}"
        if against is not None and former is None:
            title = f"{title}, only in B"
        elif against is not None and former is not None:
            content = between(head_content(against.shown, unit, theme, numbers), content)
            captions = captions_between(former[rows], row, mark)
        return Map(title, captions, content, unit.head == shown.head)


def _former(against: Against | None, head: int) -> Array | None:
    """Return the weights of a head of A, or None where it has none."""
    if against is None:
        return None
    unit = Unit("weights", against.shown.layer, head)
    units = units_of(against.shown.experiment, unit.path)
    arrays = against.shown.evaluation.arrays
    return arrays[unit] if all(it in arrays for it in units) else None


def head_units(experiment: Experiment, layer: int) -> set[Unit]:
    """Return what must be evaluated to show all heads of a layer."""
    heads = range(experiment.layers[layer].attention.heads)
    return {unit for head in heads for unit in units_of(experiment, Unit("weights", layer, head).path)}
