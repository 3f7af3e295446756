"""The canvas of the Heads workspace: what pointer and keys do on the grid and the cards."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Signal

from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.figures.flow import End
from attnexplorer.figures.head_grid import Hit
from attnexplorer.views.heads import tiles
from attnexplorer.views.heads.content import pair_cell
from attnexplorer.views.heads.flow_telling import strongest
from attnexplorer.views.heads.scene import HeadsScene
from attnexplorer.views.heads.telling import told_hit
from attnexplorer.views.table_context import TableContext


class HeadsCanvas(HeadsScene):
    """Chooses heads, mutes them, and moves the window's one cursor."""

    edit_held = Signal(str)
    """An edit was asked for while something else than B is shown: the sentence that says so."""

    def __init__(self, context: TableContext) -> None:
        super().__init__(context)
        self._connect()

    def _connect(self) -> None:
        grid, document = self.grid, self._document
        grid.tell = self._told
        grid.tile_chosen.connect(lambda tile: self._choose_head(self._head_of(tile)))
        grid.tile_opened.connect(self._on_tile_opened)
        grid.cell_chosen.connect(self._on_cell_chosen)
        grid.cell_hovered.connect(self._on_cell_hovered)
        grid.hover_left.connect(lambda: document.cursor.hover(None))
        grid.mute_requested.connect(lambda tile: self._mix(self.mixing.toggle_mute, tile))
        grid.solo_requested.connect(lambda tile: self._mix(self.mixing.toggle_solo, tile))
        self.flow.end_hovered.connect(self._on_end_hovered)
        self.flow.end_chosen.connect(self._on_end_chosen)
        self.output.bars.head_chosen.connect(self._choose_head)
        self.sharing.view.head_chosen.connect(self._choose_head)
        self.similarity.view.head_chosen.connect(self._choose_head)
        self.output.rows.cell_hovered.connect(lambda row, column: document.cursor.hover(self._row_cell(row, column)))
        self.output.rows.cell_chosen.connect(lambda row, column: document.cursor.select(self._row_cell(row, column)))
        self.output.rows.hover_left.connect(lambda: document.cursor.hover(None))
        self.open_requested.connect(self._open)

    def _head_of(self, tile: int) -> int:
        return self._order[tile]

    def _choose_head(self, head: int) -> None:
        """Make a head the one that is shown everywhere; the selected pair goes along to it."""
        document = self._document
        layer, _ = self._place_of(document.experiment)
        document.display.choose("head", head)
        pair = pair_cell(document.cursor.selected, layer)
        if pair is not None:
            document.cursor.select(Cell(Unit(pair[0].stage, layer, head).path, pair[1], pair[2]))

    def _on_tile_opened(self, tile: int) -> None:
        self._choose_head(self._head_of(tile))
        self._open()

    def _open(self) -> None:
        self._document.display.choose("workspace", "pipeline")

    def _pair_of(self, tile: int, row: int, column: int) -> Cell | None:
        """Return the cell that a drawn cell stands for: the one of the largest size where it stands for several."""
        if self._placing is None or tile >= len(self._order):
            return None
        layer, _ = self._place_of(self._viewpoint.evaluation.experiment)
        unit, pool = Unit(self._choices.stage, layer, self._head_of(tile)), self._placing.grid.pool
        array = self._viewpoint.evaluation.arrays.get(unit)
        if array is None:
            return None
        row, column = row * pool, column * pool
        return Cell(unit.path, *tiles.largest_in(array, row, column, pool))

    def _on_cell_chosen(self, tile: int, row: int, column: int) -> None:
        cell = self._pair_of(tile, row, column)
        self._document.display.choose("head", self._head_of(tile))
        if cell is not None:
            self._document.cursor.select(cell)

    def _on_cell_hovered(self, tile: int, row: int, column: int) -> None:
        self._document.cursor.hover(self._pair_of(tile, row, column))

    def _told(self, hit: Hit) -> str:
        layer, _ = self._place_of(self._viewpoint.evaluation.experiment)
        if hit.tile >= len(self._order):
            return f"The mean over all {len(self._order)} heads, muted ones too: no head's own weights"
        cell = self._pair_of(hit.tile, hit.row, hit.column) if hit.part == "map" else None
        head = self._head_of(hit.tile)
        return told_hit(self._viewpoint.evaluation, layer, head, hit, cell, self.numbers, self._numbers)

    def _mix(self, press: Callable[[int, int], None], tile: int) -> None:
        if self._viewpoint.held:
            self.edit_held.emit(self._viewpoint.held)
            return
        layer, _ = self._place_of(self._document.experiment)
        press(layer, self._head_of(tile))

    def _row_cell(self, row: int, column: int) -> Cell:
        layer, head = self._place_of(self._viewpoint.evaluation.experiment)
        d_v = self._viewpoint.evaluation.experiment.layers[layer].attention.d_v
        return Cell(f"layers.{layer}.attention.W_O", head * d_v + row, column)

    def _cell_of_end(self, end: End | None) -> Cell | None:
        """Return the pair of a token and the one that it is most tied to, of the head that is shown."""
        layer, head = self._place_of(self._viewpoint.evaluation.experiment)
        array = self._viewpoint.evaluation.arrays.get(Unit("weights", layer, head))
        if end is None or array is None:
            return None
        other, _ = strongest([np.abs(array)], end)
        row, column = (end.token, other) if end.side == "query" else (other, end.token)
        return Cell(Unit(self._choices.stage, layer, head).path, row, column)

    def _on_end_hovered(self, end: End | None) -> None:
        if end != self._hovered_end:
            self._hovered_end = end
            self._document.cursor.hover(self._cell_of_end(end))
            self._show_flow(self._viewpoint.evaluation)

    def _on_end_chosen(self, end: End | None) -> None:
        self._document.cursor.select(self._cell_of_end(end))
