"""What scrolls in the Heads workspace: the grid of all heads and the cards beside it, kept up to date here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.viewpoint import Viewpoint
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.content import NumberStyle, matrix_content
from attnexplorer.figures.flow import End
from attnexplorer.figures.head_grid import Grid
from attnexplorer.figures.head_sharing import Sharing
from attnexplorer.views.heads import large_map
from attnexplorer.views.heads.arrangement import Arrangement
from attnexplorer.views.heads.choices import METRICS, Choices, order_of
from attnexplorer.views.heads.content import (
    Kept,
    flow_content,
    isolated_end,
    output_change,
    output_content,
    pair_cell,
    token_row,
)
from attnexplorer.views.heads.flow_view import FlowCard, FlowChoices
from attnexplorer.views.heads.head_grid import HeadGridView, Mark
from attnexplorer.views.heads.head_numbers import MOST_COMPARED, HeadNumbers
from attnexplorer.views.heads.mixing import Mixing
from attnexplorer.views.heads.output_card import OutputCard
from attnexplorer.views.heads.placing import Placing
from attnexplorer.views.heads.sharing_view import SharingCard
from attnexplorer.views.heads.sight import Sight, units_in_sight
from attnexplorer.views.heads.similarity_view import SimilarityCard
from attnexplorer.views.heads.tiles import PictureStyle
from attnexplorer.views.heads.tiling import Tiling
from attnexplorer.views.matrix_card import MatrixCard
from attnexplorer.views.matrix_menu import MatrixMenu
from attnexplorer.views.opaque import paints_all_of_itself
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.whole_errors import with_whole_errors


@with_whole_errors
class HeadsScene(QWidget):
    """Holds the grid and the cards, lays them out, and asks only for what can be seen."""

    height_changed = Signal(int)
    limits_told = Signal(str)
    open_requested = Signal()
    """The chosen head is to be opened in the Pipeline."""

    def __init__(self, context: TableContext) -> None:
        super().__init__()
        paints_all_of_itself(self)
        self._context, self._document = context, context.document
        self._choices = Choices()
        self._numbers = NumberStyle(2, context.appearance.decimal_point, context.appearance.text_scale)
        self._order: tuple[int, ...] = ()
        self._kept = Kept()
        self._hovered_end: End | None = None
        self._viewpoint = Viewpoint(self._document, lambda experiment: self._watched(experiment), self)
        self.mixing = Mixing(self._document)
        self.numbers = HeadNumbers(self)
        self._tiling = Tiling(self._viewpoint, self.numbers, self.mixing)
        self.grid = HeadGridView(self)
        self.flow = FlowCard(context.appearance, self)
        self.output = OutputCard(context.appearance, self)
        self.sharing = SharingCard(context.appearance, self)
        self.similarity = SimilarityCard(context.appearance, self)
        cards: dict[str, QWidget] = {
            "flow": self.flow,
            "output": self.output,
            "sharing": self.sharing,
            "similarity": self.similarity,
        }
        self._arrangement = Arrangement(self, self.grid, cards)
        self._menu = MatrixMenu(self._document, context.appearance, self)
        self.setProperty("look", "ground")
        self._follow()

    @property
    def order(self) -> tuple[int, ...]:
        """The heads in the order of their tiles."""
        return self._order

    @property
    def map(self) -> MatrixCard | None:
        """The card of the enlarged head, once there are numbers for it."""
        return self._arrangement.map

    @property
    def _placing(self) -> Placing | None:
        return self._arrangement.placing

    @property
    def _tiles(self) -> int:
        return len(self._order) + self._choices.with_mean

    def choose(self, choices: Choices) -> None:
        """Show another stage, other limits or another order."""
        self._choices = choices
        if self.isVisible():
            self._viewpoint.request()

    def set_room(self, width: int, height: int) -> None:
        """Lay everything out for a width, and a height beyond which it scrolls."""
        if self._arrangement.set_room(width, height):
            self.resize(width, self.height())
            self._lay_out()

    def look_again(self) -> None:
        """Ask for what has come into view, if it is not there."""
        if self.isVisible() and self._viewpoint.is_there():
            self._update_numbers()

    def _follow(self) -> None:
        document = self._document
        self.flow.choices_changed.connect(self._on_flow_choices_changed)
        self.numbers.changed.connect(self._on_numbers_changed)
        self._viewpoint.changed.connect(self._on_viewpoint_changed)
        document.display.changed.connect(self._on_display_changed)
        document.cursor.hover_changed.connect(self._on_cursor_changed)
        document.cursor.selection_changed.connect(self._on_cursor_changed)
        self._context.appearance.changed.connect(self._on_appearance_changed)
        self.flow.choose(FlowChoices(**document.display.group("flow_")))

    def _place_of(self, experiment: Experiment) -> tuple[int, int]:
        layer = min(self._document.display["layer"], len(experiment.layers) - 1)
        return layer, min(self._document.display["head"], experiment.layers[layer].attention.heads - 1)

    def _watched(self, experiment: Experiment) -> Collection[Unit]:
        """Return what is in view: of tiles out of view nothing is computed, unless the order or a mean needs it."""
        layer, head = self._place_of(experiment)
        heads = range(experiment.layers[layer].attention.heads)
        sight = Sight(
            tuple(each for each in heads if self._tile_in_view(each)),
            every_stage=self._tiling.colouring(self._choices).limits == "shared",
            every_weight=self._needs_all_weights(len(heads)),
            outputs=self._arrangement.shows("output"),
        )
        return units_in_sight(experiment, layer, head, self._choices.stage, sight)

    def _needs_all_weights(self, heads: int) -> bool:
        choices = self._choices
        flows = self.flow.drawn.currentData() != "head" and self._arrangement.shows("flow")
        return choices.sort != "head" or choices.with_mean or flows or self._compares(heads)

    def _compares(self, heads: int) -> bool:
        """Tell whether distances between so many heads are in sight."""
        return heads <= MOST_COMPARED and self._arrangement.shows("similarity")

    def _tile_in_view(self, head: int) -> bool:
        return head not in self._order or self._arrangement.shows_tile(self._order.index(head))

    def _on_viewpoint_changed(self) -> None:
        if self.isVisible():
            self._refresh()

    def _on_flow_choices_changed(self) -> None:
        self._document.display.choose_group("flow_", asdict(self.flow.choices))

    def _on_display_changed(self, name: str) -> None:
        if name.startswith("flow_"):
            self.flow.choose(FlowChoices(**self._document.display.group("flow_")))
        if (name.startswith("flow_") or name in ("layer", "head")) and self.isVisible():
            self._viewpoint.request()

    def _on_appearance_changed(self) -> None:
        self._numbers = NumberStyle(2, self._context.appearance.decimal_point, self._context.appearance.text_scale)
        for card in (self.flow, self.output, self.sharing, self.similarity):
            card.apply_appearance()
        if self.map is not None:
            self.map.apply_appearance()
        self._arrangement.forget()
        if self.isVisible():
            self._refresh()

    def _on_numbers_changed(self) -> None:
        if self.isVisible():
            self._show_numbers(self._viewpoint.evaluation)

    def _on_cursor_changed(self, _cell: Cell | None) -> None:
        if self.isVisible():
            evaluation = self._viewpoint.evaluation
            self._show_mark(evaluation.experiment)
            self._show_flow(evaluation)
            self._show_output(evaluation)

    def _refresh(self) -> None:
        if not self._viewpoint.is_there():
            # Another layer, head or stage was chosen meanwhile; its evaluation is on the way.
            return
        evaluation = self._viewpoint.evaluation
        experiment = evaluation.experiment
        self._update_numbers()
        self._show_map(evaluation)
        self._show_flow(evaluation)
        self._show_sharing(experiment)
        self._show_numbers(evaluation)
        self._show_mark(experiment)

    def _update_numbers(self) -> None:
        plain, base = self._viewpoint.plain, self._viewpoint.base
        layer, _ = self._place_of(plain.experiment)
        heads = plain.experiment.layers[layer].attention.heads
        self.numbers.update(plain, layer, distances=self._compares(heads), base=base)

    def _show_numbers(self, evaluation: Evaluation) -> None:
        """Show what depends on numbers that are found little by little."""
        experiment = evaluation.experiment
        layer, head = self._place_of(experiment)
        heads = experiment.layers[layer].attention.heads
        order = order_of(heads, self._choices, [self.numbers.metrics(each) for each in range(heads)])
        if len(order) != len(self._order) or self.numbers.complete or self._choices.sort == "head":
            self._order = order
        if heads > MOST_COMPARED:
            self.similarity.show_none(f"It is found for up to {MOST_COMPARED} heads.")
        elif heads > 1:
            of = "of B: " if self._viewpoint.base is not None else ""
            self.similarity.show_distances(self.numbers.distances(heads), head, of)
        self._place_if_needed(experiment)
        self._show_tiles(evaluation)
        self._show_output(evaluation)

    def _show_tiles(self, evaluation: Evaluation) -> None:
        if self._placing is None:
            return
        place, choices = self._place_of(evaluation.experiment), self._choices
        layout, theme = self._placing.grid, self._context.appearance.theme
        style = PictureStyle(theme, self._numbers, layout.pool)
        scales = self._tiling.scales(evaluation, place[0], choices)
        dotted = self.flow.drawn.currentData() == "all"
        shown = self._tiling.tiles(evaluation, place, self._order, choices, scales, style, dotted=dotted)
        leading = METRICS.index(choices.sort) if choices.sort != "head" else 0
        if evaluation.experiment.source is not None:
            leading = int(choices.sort == "on_first")
        self.grid.show_grid(Grid(shown, theme, leading), layout)
        self.limits_told.emit(self._tiling.told(place[0], choices, scales, style))

    def _show_map(self, evaluation: Evaluation) -> None:
        layer, head = self._place_of(evaluation.experiment)
        unit, own = Unit(self._choices.stage, layer, head), self._document.evaluation
        if unit not in own.arrays:
            return
        enlarged = self.map
        if enlarged is None:
            enlarged = self._arrangement.map = self._new_map(own, unit.path)
        # A card sees to A, B and B − A itself.
        enlarged.refresh(own, unit.path, self._numbers)
        scale = self._tiling.scales(evaluation, layer, self._choices).get(head)
        if scale is not None:
            large_map.show_scale(enlarged, scale)
        self._head_tag.setText(f"head {head + 1}")

    def _new_map(self, evaluation: Evaluation, path: str) -> MatrixCard:
        theme = self._context.appearance.theme
        content = matrix_content(evaluation.experiment, evaluation.arrays, path, theme, self._numbers)
        assert content is not None
        card = MatrixCard(self._context, content, editable=True, parent=self)
        card.setObjectName("head-map")
        self._head_tag = large_map.head_tag()
        self._head_tag.clicked.connect(self.open_requested)
        card.add_tool(self._head_tag)
        card.menu_requested.connect(lambda at: self._menu.open(card.table, at))
        card.show()
        QWidget.setTabOrder(self.grid, card.table)
        return card

    def _show_flow(self, evaluation: Evaluation) -> None:
        experiment = evaluation.experiment
        layer, head = self._place_of(experiment)
        self.flow.offer(experiment.layers[layer].attention.heads)
        drawn, theme = self.flow.drawn.currentData(), self._context.appearance.theme
        viewpoint, heads = self._viewpoint, experiment.layers[layer].attention.heads
        units = [Unit("weights", layer, each) for each in ((head,) if drawn == "head" else range(heads))]
        differing = viewpoint.base is not None
        obstacle = viewpoint.obstacle(Unit("weights", layer, head)) or viewpoint.same(units)
        content = flow_content(
            evaluation, layer, head, drawn, theme, self._kept, differing=differing, obstacle=obstacle
        )
        if content is None:
            return
        cursor = self._document.cursor
        queries, keys = len(experiment.query_tokens), len(experiment.key_tokens)
        hovered = self._hovered_end
        if hovered is not None and hovered.token >= (queries if hovered.side == "query" else keys):
            hovered = None
        self.flow.show_content(content, isolated_end(hovered, (cursor.hovered, cursor.selected), layer, queries))

    def _show_output(self, evaluation: Evaluation) -> None:
        experiment = evaluation.experiment
        layer, head = self._place_of(experiment)
        plain = self._viewpoint.plain
        if not self._arrangement.shows("output") or Unit("head_output", layer, head) not in plain.arrays:
            return
        norms = [self.numbers.mean_norm(each) for each in range(experiment.layers[layer].attention.heads)]
        cursor = self._document.cursor
        row = token_row(cursor.hovered or cursor.selected, experiment)
        style = (self._context.appearance.theme, self._numbers)
        before = self.output.height_depends
        content = output_content(plain, layer, head, row, norms, style, self._kept)
        if self._viewpoint.base is not None:
            content = output_change(content, self._viewpoint.base, layer, head, row, self._kept)
        self.output.show_content(content)
        self._show_row_mark(experiment, layer, head)
        if self.output.height_depends != before:
            self._lay_out()

    def _show_row_mark(self, experiment: Experiment, layer: int, head: int) -> None:
        cell, d_v = self._document.cursor.shown, experiment.layers[layer].attention.d_v
        inside = cell is not None and cell.path == f"layers.{layer}.attention.W_O" and cell.row // d_v == head
        self.output.rows.show_mark((cell.row % d_v, cell.column) if cell is not None and inside else None)

    def _show_sharing(self, experiment: Experiment) -> None:
        layer, head = self._place_of(experiment)
        attention = experiment.layers[layer].attention
        theme = self._context.appearance.theme
        self.sharing.show_sharing(Sharing(attention.heads, attention.kv_heads, head, theme))

    def _show_mark(self, experiment: Experiment) -> None:
        layer, _ = self._place_of(experiment)
        pair = pair_cell(self._document.cursor.shown, layer)
        if pair is None or self._placing is None:
            self.grid.show_mark(None)
            return
        unit, row, column = pair
        tile = self._order.index(unit.head) if unit.head in self._order else -1
        pool = self._placing.grid.pool
        self.grid.show_mark(Mark(row // pool, column // pool, tile))

    def _card_names(self, heads: int) -> tuple[str, ...]:
        return ("map", "flow", "output", "sharing", "similarity") if heads > 1 else ("map", "flow", "output")

    def _place_if_needed(self, experiment: Experiment) -> None:
        if self._arrangement.is_stale(experiment, len(self._order), self._tiles):
            self._lay_out()

    def _lay_out(self) -> None:
        if not self._order:
            return
        evaluation, names = self._viewpoint.evaluation, self._card_names(len(self._order))
        scale = self._context.appearance.text_scale
        if self._arrangement.lay_out(evaluation.experiment, names, self._tiles, scale) and self._placing is not None:
            self._show_tiles(evaluation)
            self.height_changed.emit(self._placing.height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._context.appearance.theme.ground))
        painter.end()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._viewpoint.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._viewpoint.stop()
        self.numbers.stop()
        self.flow.stop()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._lay_out()
