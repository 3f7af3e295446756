"""The Scaling workspace: slider, comparison, curves, gradients and the d_k laboratory, on one scrolled page."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from attnexplorer.compute.metrics import row_metrics
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.viewpoint import Viewpoint
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.scaling.comparison import ComparisonCard
from attnexplorer.views.scaling.curves_card import CurvesCard
from attnexplorer.views.scaling.gradient_view import GradientCard
from attnexplorer.views.scaling.heads_card import HeadsCard, head_units
from attnexplorer.views.scaling.knobs import KnobsCard
from attnexplorer.views.scaling.laboratory import LaboratoryCard
from attnexplorer.views.scaling.map_layout import Spot
from attnexplorer.views.scaling.page import CardPage, Place
from attnexplorer.views.scaling.shown import Against, ScaledHead, Shown, displayed, shown, shown_units
from attnexplorer.views.sight import is_in_sight
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.whole_errors import with_whole_errors

_WIDE = 1240


@with_whole_errors
class ScalingWorkspace(QScrollArea):
    """Shows one row of one head under any scale. Cards that are scrolled out of sight cost nothing."""

    def __init__(self, context: TableContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._appearance = context.document, context.appearance
        self._arrangement = ""
        self._viewpoint = Viewpoint(self._document, self._watched, self)
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(0)
        self._settling.timeout.connect(self._on_settled)
        self._make_cards()
        cards = (self.knobs, self.comparison, self.curves, self.heads, self.gradient, self.laboratory)
        self._page = CardPage(cards)
        self._page.setProperty("look", "ground")
        self._page.height_changed.connect(self._on_page_height_changed)
        self._arrange("narrow", heads=False)
        self.setWidget(self._page)
        self.setWidgetResizable(False)
        self.setProperty("look", "ground")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._connect()
        self._apply_appearance()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._viewpoint.start()
        self._apply_appearance()
        self._settling.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._viewpoint.stop()
        self._settling.stop()
        self.laboratory.rest()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange_for_width()
        self._page.set_width(self.viewport().width())
        self._settling.start()

    def _make_cards(self) -> None:
        document, appearance = self._document, self._appearance
        self.knobs = KnobsCard(document, appearance)
        self.comparison = ComparisonCard(appearance)
        self.curves = CurvesCard(appearance)
        self.heads = HeadsCard(appearance)
        self.gradient = GradientCard(appearance)
        self.laboratory = LaboratoryCard(document, appearance)

    def _connect(self) -> None:
        self._document.experiment_changed.connect(self._on_experiment_changed)
        self._viewpoint.changed.connect(self._refresh)
        self._document.cursor.selection_changed.connect(self._refresh)
        self._document.display.changed.connect(self._on_display_changed)
        self._appearance.changed.connect(self._on_appearance_changed)
        self.verticalScrollBar().valueChanged.connect(self._settle)
        self.curves.factor_requested.connect(self.knobs.control.request)
        self.comparison.row_chosen.connect(self._select_row)
        self.comparison.bars.key_hovered.connect(self._on_key_hovered)
        self.comparison.maps.cell_hovered.connect(self._on_cell_hovered)
        self.comparison.maps.cell_picked.connect(lambda spot: self._select(spot.row, spot.column))
        self.gradient.maps.cell_picked.connect(self._on_gradient_cell_picked)
        self.heads.head_chosen.connect(lambda head: self._document.display.choose("head", head))

    def _arrange_for_width(self) -> None:
        width, scale = self.viewport().width(), self._appearance.text_scale
        name = "wide" if width >= _WIDE * scale else "narrow"
        layer, _ = displayed(self._document.experiment, self._document)
        self._arrange(name, heads=self._document.experiment.layers[layer].attention.heads > 1)

    def _arrange(self, name: str, *, heads: bool) -> None:
        """Put the cards into lines; the card of all heads is there only where there are several."""
        arrangement = f"{name} {heads}"
        if arrangement == self._arrangement:
            return
        self._arrangement = arrangement
        self._page.show_lines(
            [[Place(getattr(self, card), share) for card, share in line] for line in _lines(name, heads)]
        )

    def _on_page_height_changed(self, height: int) -> None:
        self._page.resize(self._page.width(), height)
        self._settle()

    def _watched(self, experiment: Experiment) -> Collection[Unit]:
        units = shown_units(experiment, self._document)
        layer, head = displayed(experiment, self._document)
        if Unit("weights", layer, head).path not in experiment.pins:
            units.add(Unit("weights", layer, head))
        return units | head_units(experiment, layer) if is_in_sight(self.heads) else units

    def _refresh(self) -> None:
        it = self._shown() if self.isVisible() and self._viewpoint.is_there() else None
        if it is None:
            return
        with np.errstate(all="ignore"):
            self._show(it, self._chosen(it), self._against(it))

    def _shown(self) -> Shown | None:
        return shown(self._document, self._viewpoint.plain)

    def _against(self, it: Shown) -> Against | None:
        """Return what the shown head is compared with while B − A is to be seen, as far as A has the like."""
        base = self._viewpoint.base
        other = None if base is None else shown(self._document, base)
        if other is None or self._viewpoint.obstacle(Unit("weights", it.layer, it.head)):
            return None
        return Against(other, self._chosen(other))

    def _show(self, it: Shown, chosen: ScaledHead, against: Against | None) -> None:
        if is_in_sight(self.knobs):
            self._show_knobs(it)
        if is_in_sight(self.comparison):
            obstacle = self._viewpoint.obstacle(Unit("weights", it.layer, it.head))
            self.comparison.show_row(it, chosen, against, f"{obstacle} What is shown is B." if obstacle else "")
        if is_in_sight(self.curves):
            self.curves.show_row(it, row_metrics(chosen.weights[it.row : it.row + 1]), against)
        if is_in_sight(self.heads):
            self.heads.show_row(it, against)
        if is_in_sight(self.gradient):
            self.gradient.show_row(it, chosen, against)

    def _show_knobs(self, it: Shown) -> None:
        """Show the scale of B, which is the one that the slider sets, whatever is compared with it."""
        evaluation = self._document.evaluation
        own = it if it.evaluation is evaluation else shown(self._document, evaluation)
        if own is not None:
            self.knobs.show_row(own, of_b=bool(self._viewpoint.held))

    def _chosen(self, it: Shown) -> ScaledHead:
        """Return the head at the scale that is set; the evaluation's own weights where they are not pinned."""
        factor = it.attention.scale_factor
        unit = Unit("weights", it.layer, it.head)
        pins = it.experiment.pins
        if any(Unit(stage, it.layer, it.head).path in pins for stage in ("scores", "scaled", "masked", "weights")):
            return it.at_scale(factor)
        weights = it.evaluation.arrays.get(unit)
        if weights is None:
            return it.at_scale(factor)
        return ScaledHead(factor, weights, np.asarray(it.array_of(Unit("visible", it.layer)), dtype=np.bool_))

    def _settle(self) -> None:
        self._settling.start()

    def _on_settled(self) -> None:
        """Bring what has come into sight up to date; let what went out of sight rest."""
        if not self.isVisible():
            return
        self._viewpoint.request()
        self._refresh()
        if is_in_sight(self.laboratory):
            self.laboratory.begin()
        else:
            self.laboratory.rest()

    def _on_experiment_changed(self) -> None:
        if self.isVisible():
            self.knobs.refresh_scale()
            self._arrange_for_width()
            self.laboratory.show_document()

    def _on_display_changed(self, name: str) -> None:
        if name in ("layer", "head") and self.isVisible():
            self._on_experiment_changed()
            self._viewpoint.request()

    def _on_appearance_changed(self) -> None:
        if self.isVisible():
            self._apply_appearance()
            self._arrange_for_width()

    def _apply_appearance(self) -> None:
        for card in (self.knobs, self.comparison, self.curves, self.heads, self.gradient, self.laboratory):
            card.apply_appearance()
        self.knobs.refresh_scale()
        self._refresh()

    def _select_row(self, row: int) -> None:
        it = self._shown()
        self._select(row, 0 if it is None else it.key)

    def _select(self, row: int, key: int) -> None:
        it = self._shown()
        if it is not None:
            self._document.cursor.select(Cell(it.weights_path, row, key))

    def _on_gradient_cell_picked(self, spot: Spot) -> None:
        it = self._shown()
        if it is not None:
            self._select(spot.row if spot.map == 1 else it.row, spot.column)

    def _on_cell_hovered(self, spot: Spot | None) -> None:
        it = self._shown()
        if it is not None:
            cell = None if spot is None else Cell(it.weights_path, spot.row, spot.column)
            self._document.cursor.hover(cell)

    def _on_key_hovered(self, key: int) -> None:
        it = self._shown()
        if it is not None:
            self._document.cursor.hover(None if key < 0 else Cell(it.weights_path, it.row, key))


def _lines(name: str, heads: bool) -> list[list[tuple[str, int]]]:
    """Return the cards of each line with their shares of the width."""
    several = [[("heads", 1)]] if heads else []
    if name == "wide":
        return [
            [("knobs", 1)],
            [("comparison", 2), ("curves", 1)],
            *several,
            [("gradient", 5), ("laboratory", 6)],
        ]
    return [[("knobs", 1)], [("comparison", 1)], [("curves", 1)], *several, [("gradient", 1)], [("laboratory", 1)]]
