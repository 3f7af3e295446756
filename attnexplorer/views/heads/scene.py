"""What scrolls in the Heads workspace: the grid of all heads and the cards beside it, kept up to date here."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QRect, Signal
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.content import NumberStyle, matrix_content
from attnexplorer.figures.flow import End
from attnexplorer.figures.head_grid import Grid, Tile
from attnexplorer.figures.head_sharing import Sharing
from attnexplorer.figures.matrix import MatrixPicture
from attnexplorer.figures.theme import position_colour
from attnexplorer.views.heads import large_map, tiles
from attnexplorer.views.heads.choices import METRICS, Choices, order_of
from attnexplorer.views.heads.content import (
    Kept,
    flow_content,
    isolated_end,
    output_content,
    pair_cell,
    token_row,
)
from attnexplorer.views.heads.flow_view import FlowCard
from attnexplorer.views.heads.head_grid import HeadGridView, Mark
from attnexplorer.views.heads.head_numbers import HeadNumbers
from attnexplorer.views.heads.mixing import Mixing
from attnexplorer.views.heads.output_card import OutputCard
from attnexplorer.views.heads.placing import Placing, Wishes, place
from attnexplorer.views.heads.sharing_view import SharingCard
from attnexplorer.views.heads.sight import Sight, units_in_sight
from attnexplorer.views.heads.similarity_view import SimilarityCard
from attnexplorer.views.matrix_card import MatrixCard
from attnexplorer.views.matrix_menu import MatrixMenu
from attnexplorer.views.table_context import TableContext


class HeadsScene(QWidget):
    """Holds the grid and the cards, lays them out, and asks only for what can be seen."""

    height_changed = Signal(int)
    limits_told = Signal(str)
    open_requested = Signal()
    """The chosen head is to be opened in the Pipeline."""

    def __init__(self, context: TableContext) -> None:
        super().__init__()
        self._context, self._document = context, context.document
        self._choices = Choices()
        self._numbers = NumberStyle(2, context.appearance.decimal_point)
        self._order: tuple[int, ...] = ()
        self._placing: Placing | None = None
        self._room = (0, 0)
        self._placed_for: object = None
        self._kept, self._pictures = Kept(), tiles.TilePictures()
        self._hovered_end: End | None = None
        self.mixing = Mixing(self._document)
        self.numbers = HeadNumbers(self)
        self.grid = HeadGridView(self)
        self.map: MatrixCard | None = None
        self.flow = FlowCard(context.appearance, self)
        self.output = OutputCard(context.appearance, self)
        self.sharing = SharingCard(context.appearance, self)
        self.similarity = SimilarityCard(context.appearance, self)
        self._menu = MatrixMenu(self._document, context.appearance, self)
        self.setProperty("look", "ground")
        self._follow()

    @property
    def order(self) -> tuple[int, ...]:
        """The heads in the order of their tiles."""
        return self._order

    def choose(self, choices: Choices) -> None:
        """Show another stage, other limits or another order."""
        self._choices = choices
        if self.isVisible():
            self._document.recomputation.request()

    def set_room(self, width: int, height: int) -> None:
        """Lay everything out for a width, and a height beyond which it scrolls."""
        if (width, height) != self._room:
            self._room = (width, height)
            self.resize(width, self.height())
            self._lay_out()

    def look_again(self) -> None:
        """Ask for what has come into view, if it is not there."""
        if not self.isVisible():
            return
        evaluation = self._document.evaluation
        if any(unit not in evaluation.arrays for unit in self._watched(evaluation.experiment)):
            self._document.recomputation.request()
        else:
            layer, _ = self._place_of(evaluation.experiment)
            self.numbers.update(evaluation, layer, distances=self._in_view("similarity"))

    def _follow(self) -> None:
        document = self._document
        self.flow.choices_changed.connect(document.recomputation.request)
        self.numbers.changed.connect(self._on_numbers_changed)
        document.evaluated.connect(self._on_document_evaluated)
        document.display.changed.connect(self._on_display_changed)
        document.cursor.hover_changed.connect(self._on_cursor_changed)
        document.cursor.selection_changed.connect(self._on_cursor_changed)
        self._context.appearance.changed.connect(self._on_appearance_changed)

    def _place_of(self, experiment: Experiment) -> tuple[int, int]:
        layer = min(self._document.display["layer"], len(experiment.layers) - 1)
        return layer, min(self._document.display["head"], experiment.layers[layer].attention.heads - 1)

    def _watched(self, experiment: Experiment) -> Collection[Unit]:
        """Return what is in view: of tiles out of view nothing is computed, unless the order or a mean needs it."""
        layer, head = self._place_of(experiment)
        heads = range(experiment.layers[layer].attention.heads)
        sight = Sight(
            tuple(each for each in heads if self._tile_in_view(each)),
            every_stage=self._choices.effective_limits == "shared",
            every_weight=self._needs_all_weights(),
            outputs=self._in_view("output"),
        )
        return units_in_sight(experiment, layer, head, self._choices.stage, sight)

    def _needs_all_weights(self) -> bool:
        choices = self._choices
        flows = self.flow.drawn.currentData() != "head" and self._in_view("flow")
        return choices.sort != "head" or choices.with_mean or flows or self._in_view("similarity")

    def _in_view(self, name: str) -> bool:
        placed = None if self._placing is None else self._placing.places.get(name)
        return self._placing is None or (placed is not None and self._can_be_seen(placed))

    def _tile_in_view(self, head: int) -> bool:
        if self._placing is None or head not in self._order:
            return True
        layout = self._placing.grid
        rect = layout.tile_rect(self._order.index(head)).translated(self._placing.places["grid"].topLeft())
        return self._can_be_seen(rect)

    def _can_be_seen(self, rect: QRect) -> bool:
        seen = self.visibleRegion().boundingRect()
        return seen.isEmpty() or seen.intersects(rect)

    def _on_document_evaluated(self, evaluation: Evaluation) -> None:
        if self.isVisible():
            self._refresh(evaluation)

    def _on_display_changed(self, name: str) -> None:
        if name in ("layer", "head") and self.isVisible():
            self._document.recomputation.request()

    def _on_appearance_changed(self) -> None:
        self._numbers = NumberStyle(2, self._context.appearance.decimal_point)
        for card in (self.flow, self.output, self.sharing, self.similarity):
            card.apply_appearance()
        if self.map is not None:
            self.map.apply_appearance()
        self._placing = None
        if self.isVisible():
            self._refresh(self._document.evaluation)

    def _on_numbers_changed(self) -> None:
        if self.isVisible():
            self._show_numbers(self._document.evaluation)

    def _on_cursor_changed(self, _cell: Cell | None) -> None:
        if self.isVisible():
            evaluation = self._document.evaluation
            self._show_mark(evaluation.experiment)
            self._show_flow(evaluation)
            self._show_output(evaluation)

    def _refresh(self, evaluation: Evaluation) -> None:
        experiment = evaluation.experiment
        if any(unit not in evaluation.arrays for unit in self._watched(experiment)):
            # Another layer, head or stage was chosen meanwhile; its evaluation is on the way.
            self._document.recomputation.request()
            return
        layer, _ = self._place_of(experiment)
        self.numbers.update(evaluation, layer, distances=self._in_view("similarity"))
        self._show_map(evaluation)
        self._show_flow(evaluation)
        self._show_sharing(experiment)
        self._show_numbers(evaluation)
        self._show_mark(experiment)

    def _show_numbers(self, evaluation: Evaluation) -> None:
        """Show what depends on numbers that are found little by little."""
        experiment = evaluation.experiment
        layer, head = self._place_of(experiment)
        heads = experiment.layers[layer].attention.heads
        order = order_of(heads, self._choices, [self.numbers.metrics(each) for each in range(heads)])
        if len(order) != len(self._order) or self.numbers.complete or self._choices.sort == "head":
            self._order = order
        if heads > 1:
            self.similarity.show_distances(self.numbers.distances(heads), head)
        self._place_if_needed(experiment)
        self._show_tiles(evaluation)
        self._show_output(evaluation)

    def _show_tiles(self, evaluation: Evaluation) -> None:
        if self._placing is None:
            return
        layer, _ = self._place_of(evaluation.experiment)
        layout, theme = self._placing.grid, self._context.appearance.theme
        style = tiles.PictureStyle(theme, self._numbers, layout.pool)
        pictures = self._pictures.of_heads(evaluation, layer, self._order, self._choices, style)
        shown = [self._tile(evaluation, each, pictures.get(each)) for each in self._order]
        if self._choices.with_mean:
            mean = self._pictures.of_mean(evaluation, layer, style)
            shown.append(Tile(f"mean of {len(self._order)}", mean, mixing=False))
        leading = METRICS.index(self._choices.sort) if self._choices.sort != "head" else 0
        if evaluation.experiment.source is not None:
            leading = int(self._choices.sort == "on_first")
        self.grid.show_grid(Grid(tuple(shown), theme, leading), layout)
        self._tell_limits(evaluation, layer, layout.pool)

    def _tile(self, evaluation: Evaluation, head: int, picture: MatrixPicture | None) -> Tile:
        experiment = evaluation.experiment
        layer, chosen = self._place_of(experiment)
        attention = experiment.layers[layer].attention
        kv_head = attention.kv_head_of(head)
        return Tile(
            str(head + 1),
            picture,
            tiles.metric_list(
                self.numbers.metrics(head), self._numbers.decimal_point, two_sequences=experiment.source is not None
            ),
            f"KV {kv_head + 1}" if attention.kv_heads < attention.heads else "",
            kv_head,
            head in attention.muted_heads,
            head in self.mixing.soloed(layer),
            head == chosen,
            dot=position_colour(head).name() if self.flow.drawn.currentData() == "all" else "",
        )

    def _tell_limits(self, evaluation: Evaluation, layer: int, pool: int) -> None:
        arrays = self._stage_arrays(evaluation, layer)
        text = tiles.limits_text(arrays, self._choices, self._numbers.decimal_point)
        if pool > 1:
            text += f" · every dot of a small map is the largest of {pool} × {pool} numbers"
        self.limits_told.emit(text)

    def _show_map(self, evaluation: Evaluation) -> None:
        layer, head = self._place_of(evaluation.experiment)
        unit = Unit(self._choices.stage, layer, head)
        array = evaluation.arrays.get(unit)
        if array is None:
            return
        if self.map is None:
            self.map = self._new_map(evaluation, unit.path)
        arrays = self._stage_arrays(evaluation, layer)
        scale = tiles.scales_of(arrays, self._choices)[head]
        self.map.refresh(evaluation, unit.path, self._numbers)
        large_map.show_scale(self.map, scale)
        self._head_tag.setText(f"head {head + 1}")

    def _stage_arrays(self, evaluation: Evaluation, layer: int) -> dict[int, Array]:
        """Return the arrays of the shown stage by head, as far as they are evaluated."""
        heads = range(evaluation.experiment.layers[layer].attention.heads)
        arrays = ((head, evaluation.arrays.get(Unit(self._choices.stage, layer, head))) for head in heads)
        return {head: array for head, array in arrays if array is not None}

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
        content = flow_content(evaluation, layer, head, drawn, theme, self._kept)
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
        if not self._in_view("output") or Unit("head_output", layer, head) not in evaluation.arrays:
            return
        norms = [self.numbers.mean_norm(each) for each in range(experiment.layers[layer].attention.heads)]
        cursor = self._document.cursor
        row = token_row(cursor.hovered or cursor.selected, experiment)
        style = (self._context.appearance.theme, self._numbers)
        before = self.output.height_depends
        self.output.show_content(output_content(evaluation, layer, head, row, norms, style, self._kept))
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

    def _place_if_needed(self, experiment: Experiment) -> None:
        depends = (len(experiment.query_tokens), len(experiment.key_tokens), len(self._order), self._choices.with_mean)
        names = (experiment.query_tokens, experiment.key_tokens, experiment.source is None)
        if self._placing is None or (depends, names) != self._placed_for:
            self._placed_for = (depends, names)
            self._lay_out()

    def _lay_out(self) -> None:
        if self.map is None or not self._order or not self._room[0]:
            return
        experiment = self._document.evaluation.experiment
        layout = self._wishes(experiment)
        self._placing = place(*self._room, layout)
        self.grid.setGeometry(self._placing.places["grid"])
        for name, card in self._cards().items():
            rect = self._placing.places.get(name)
            card.setVisible(rect is not None)
            if rect is None:
                continue
            if name == "map":
                # Before the geometry: cells that are too large for it would leave scroll bars behind.
                large_map.fit(self.map, rect.width())
            card.setGeometry(rect)
        self._show_tiles(self._document.evaluation)
        self.height_changed.emit(self._placing.height)

    def _wishes(self, experiment: Experiment) -> Wishes:
        heads = len(self._order)
        cards = ("map", "flow", "output", "sharing", "similarity") if heads > 1 else ("map", "flow", "output")
        shape = (len(experiment.query_tokens), len(experiment.key_tokens))
        metrics = 4 if experiment.source is None else 2
        scale = self._context.appearance.text_scale
        return Wishes(heads + self._choices.with_mean, shape, metrics, scale, cards, self._height_of)

    def _cards(self) -> dict[str, QWidget]:
        cards: dict[str, QWidget] = {
            "flow": self.flow,
            "output": self.output,
            "sharing": self.sharing,
            "similarity": self.similarity,
        }
        return cards if self.map is None else {"map": self.map, **cards}

    def _height_of(self, name: str, width: int) -> int:
        if name == "map":
            assert self.map is not None
            return large_map.height_for(self.map, width)
        card = self._cards()[name]
        layout = card.layout()
        card.resize(width, card.height())
        if layout is None:
            return card.sizeHint().height()
        layout.activate()
        return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._context.appearance.theme.ground))
        painter.end()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._document.recomputation.watch(self, self._watched)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._document.recomputation.unwatch(self)
        self.numbers.stop()
        self.flow.stop()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._lay_out()
