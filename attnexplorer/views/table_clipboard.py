"""Copy, paste, clear and fill of rectangular blocks, to and from spreadsheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QGuiApplication

from attnexplorer.compute.numbers import full_text, shape_text
from attnexplorer.compute.stages import unit_at
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.expressions import NumberError, parse_block
from attnexplorer.figures.matrix import Block

if TYPE_CHECKING:
    from attnexplorer.views.matrix_table import MatrixTable

_MOST_CHARACTERS = 40_000_000


class TableClipboard:
    """Moves blocks of numbers between a table and the clipboard."""

    def __init__(self, table: MatrixTable) -> None:
        self._table = table

    def copy(self) -> None:
        """Copy the selection as tab-separated rows, in full precision, with the locale's decimal mark."""
        block = self._table.selected_block()
        if block is None:
            return
        mark = self._table.appearance.decimal_point
        values = self._table.content.picture.values[block.slices]
        rows = ["\t".join(full_text(float(value), mark) for value in row) for row in values]
        QGuiApplication.clipboard().setText("\n".join(rows))

    def paste(self) -> None:
        """Paste with the first cell at the current one; one number fills the whole selection."""
        table, current = self._table, self._table.currentIndex()
        if not current.isValid():
            return
        try:
            numbers = self._numbers(QGuiApplication.clipboard().text())
            block = self._target(numbers.shape)
            self._set(block, np.broadcast_to(numbers, _shape(block)), "Paste into")
        except (NumberError, ExperimentError) as refusal:
            table.complain(str(refusal), current.row(), current.column())
        else:
            table.select_block(block)

    def clear(self) -> None:
        """Set the selected numbers of a parameter to 0; release the selected cells of a pinned stage."""
        block, table = self._table.selected_block(), self._table
        if block is None:
            return
        if unit_at(table.path) is None:
            self._set(block, np.zeros(_shape(block)), "Clear")
            return
        rows, columns = np.indices(_shape(block)).reshape(2, -1)
        cells = list(zip((rows + block.top).tolist(), (columns + block.left).tolist(), strict=True))
        table.document.release(table.path, cells)

    def fill(self, *, down: bool) -> None:
        """Copy the first selected row down, or the first selected column to the right."""
        block = self._table.selected_block()
        if block is None:
            return
        values = self._table.content.picture.values[block.slices]
        first = values[:1] if down else values[:, :1]
        try:
            self._set(block, np.broadcast_to(first, values.shape), "Fill")
        except ExperimentError as refusal:
            self._table.complain(str(refusal), block.top, block.left)

    def _numbers(self, text: str) -> np.ndarray:
        if len(text) > _MOST_CHARACTERS:
            raise NumberError(f"The clipboard holds {len(text):,} characters; that is no block for a matrix.")
        return np.array(parse_block(text, self._table.appearance.decimal_point), dtype=np.float64)

    def _target(self, shape: tuple[int, ...]) -> Block:
        table, current = self._table, self._table.currentIndex()
        selected = table.selected_block()
        if shape == (1, 1) and selected is not None:
            return selected
        rows, columns = table.content.shape
        top, left = (selected.top, selected.left) if selected is not None else (current.row(), current.column())
        if top + shape[0] > rows or left + shape[1] > columns:
            place = f"from row {top + 1}, column {left + 1} only {shape_text(rows - top, columns - left)} fit"
            name = matrix_name(table.document.experiment, table.path)
            raise NumberError(f"The pasted block is {shape_text(shape[0], shape[1])}, but in {name} {place}.")
        return Block(top, left, top + shape[0], left + shape[1])

    def _set(self, block: Block, values: np.ndarray, verb: str) -> None:
        table = self._table
        rows, columns = np.indices(_shape(block)).reshape(2, -1)
        text = f"{verb} {matrix_name(table.document.experiment, table.path)}"
        table.document.set_cells(table.path, rows + block.top, columns + block.left, values.ravel(), text=text)


def _shape(block: Block) -> tuple[int, int]:
    return block.bottom - block.top, block.right - block.left
