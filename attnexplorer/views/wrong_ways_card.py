"""The wrong ways to mask beside the right one, on the displayed head."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.explaining.context import token_label
from attnexplorer.compute.mask_faults import MaskedWays, masked_ways, masked_ways_units
from attnexplorer.compute.numbers import significant_text
from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.colours import WEIGHTS
from attnexplorer.figures.content import MatrixContent, NumberStyle, matrix_content, units_of
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.pipeline_card import PipelineCard, card_label
from attnexplorer.views.scale_texts import shortened
from attnexplorer.views.scaling.map_grid import MapGrid
from attnexplorer.views.scaling.map_layout import Map, Spot
from attnexplorer.views.wrong_ways import WrongWays

_SMALLEST = 0.005
"""Shares below this would read as 0 with two decimals."""


class WrongWaysCard(PipelineCard):
    """Three maps of weights and what is wrong with two of them. Nothing here is saved or changes anything."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(document, appearance, parent)
        self.setObjectName("wrong-ways-card")
        self.setAccessibleName("Wrong ways to mask")
        self._title = QLabel("Wrong ways to mask")
        self._mark = card_label("warning", "wrong-ways-mark", wraps=False)
        self._mark.setText("a comparison, never saved")
        self._mark.setToolTip("The experiment masks the right way, whatever is shown here")
        self.hide_link = QPushButton("Hide")
        self.hide_link.setObjectName("hide-wrong-ways")
        self.hide_link.setProperty("look", "link")
        self.hide_link.setToolTip("Put the comparison away")
        self.hide_link.setAccessibleName("Hide the wrong ways to mask")
        self.hide_link.clicked.connect(lambda: WrongWays.of(document).show(False))
        self.maps = MapGrid(appearance, least=200)
        self.maps.setObjectName("wrong-ways-maps")
        self.maps.setAccessibleName("Weights under the right and the wrong ways to mask")
        self.maps.cell_picked.connect(self._on_cell_picked)
        self.maps.cell_hovered.connect(self._on_cell_hovered)
        self._told = [card_label("caption", name) for name in ("told-zeroed", "told-after")]
        self._arrange()

    def units(self, experiment: Experiment) -> Collection[Unit]:
        layer, head = self.shown_head(experiment)
        path = Unit("weights", layer, head).path
        return {*masked_ways_units(experiment, layer, head), *units_of(experiment, path)}

    def show_numbers(self, evaluation: Evaluation) -> None:
        experiment, (layer, head) = evaluation.experiment, self.shown_head(evaluation.experiment)
        ways = masked_ways(experiment, evaluation.arrays.__getitem__, layer, head)
        row, key = self.shown_pair(experiment, _worst_row(ways))
        path = Unit("weights", layer, head).path
        numbers = NumberStyle(2, self.appearance.decimal_point, self.appearance.text_scale)
        base = matrix_content(experiment, evaluation.arrays, path, self.appearance.theme, numbers)
        assert base is not None
        titles = ("right: −∞ before softmax", "wrong: 0 before softmax", "wrong: 0 after softmax")
        weights = (ways.right, ways.zeroed, ways.after)
        maps = (self._map(title, base, ways, it, row) for title, it in zip(titles, weights, strict=True))
        self._mark.setText(f"{self.of_which}a comparison, never saved")
        self.maps.show_maps(tuple(maps), row, key)
        for label, text in zip(self._told, self._texts(experiment, ways), strict=True):
            label.setText(text)
            label.setVisible(bool(text))

    def apply_appearance(self) -> None:
        self._title.setFont(self.appearance.font("mathematics", 15, bold=True))
        self.maps.apply_appearance()

    def _arrange(self) -> None:
        heading = QHBoxLayout()
        heading.setSpacing(8)
        for part in (self._title, self._mark):
            heading.addWidget(part)
        heading.addStretch(1)
        heading.addWidget(self.hide_link)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(7)
        layout.addLayout(heading)
        layout.addWidget(self.maps)
        for label in self._told:
            layout.addWidget(label)
        layout.addStretch(1)

    def _map(self, title: str, base: MatrixContent, ways: MaskedWays, weights: Array, row: int) -> Map:
        total, leak = (self._share(float(part[row])) for part in (weights.sum(axis=1), ways.leaked(weights)))
        hatched = ~ways.visible
        picture = dataclasses.replace(
            base.picture,
            values=weights,
            scale=WEIGHTS,
            hatched=hatched if hatched.any() else None,
            empty_where_hatched=weights is not ways.zeroed,
            pinned=None,
            _memo={},
        )
        captions = (
            f"marked row: sums to {total}, {leak} on blocked keys",
            f"row: sum {total}, leaked {leak}",
            f"{total}, {leak}",
        )
        tip = "the weight that the query gives to the key"
        return Map(title, captions, dataclasses.replace(base, picture=picture), weights is ways.right, tip)

    def _texts(self, experiment: Experiment, ways: MaskedWays) -> tuple[str, str]:
        if ways.visible.all():
            return "This mask blocks no pair, so all three agree. Switch a rule on in Input, or click a cell of it.", ""
        leaked, sums = ways.leaked(ways.zeroed), ways.after.sum(axis=1)
        if not (np.isfinite(leaked).all() and np.isfinite(sums).all()):
            return "Some scores are infinite: softmax of them is not a number.", ""
        worst, least = _worst_row(ways), int(sums.argmin())
        names = [shortened(token_label(experiment.query_tokens, row)) for row in (worst, least)]
        return (
            f"0 before softmax: e⁰ = 1, so blocked keys get real weight, {self._share(float(leaked[worst]))} of the "
            f"row of “{names[0]}” in all, and its other weights are too small.",
            "0 after softmax: what blocked keys had is missing, so rows no longer sum to 1: "
            f"that of “{names[1]}” sums to {self._share(float(sums[least]))}.",
        )

    def _share(self, share: float) -> str:
        mark = self.appearance.decimal_point
        if 0.0 < share < _SMALLEST or not np.isfinite(share):
            return significant_text(share, 1, mark)
        return f"{share:.2f}".replace(".", mark)

    def _on_cell_picked(self, spot: Spot) -> None:
        self.document.cursor.select(self._cell(spot))

    def _on_cell_hovered(self, spot: Spot | None) -> None:
        self.document.cursor.hover(None if spot is None else self._cell(spot))

    def _cell(self, spot: Spot) -> Cell:
        layer, head = self.shown_head(self.document.evaluation.experiment)
        return Cell(Unit("weights", layer, head).path, spot.row, spot.column)


def _worst_row(ways: MaskedWays) -> int:
    """Return the row in which blocked keys get most, the last of equals: where there is something to see."""
    leaked = np.nan_to_num(ways.leaked(ways.zeroed))
    return len(leaked) - 1 - int(leaked[::-1].argmax())
