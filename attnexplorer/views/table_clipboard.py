"""Copy, paste, clear and fill of rectangular blocks, to and from spreadsheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QGuiApplication

from attnexplorer.compute.numbers import full_text, shape_text
from attnexplorer.compute.stages import unit_at
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.expressions import NumberError, parse_block
from attnexplorer.experiment.pinning import BLOCKABLE
from attnexplorer.figures.matrix import Block

if TYPE_CHECKING:
    from attnexplorer.views.matrix_table import MatrixTable

MINUS_INFINITY = ("-inf", "-∞", "−inf", "−∞")
"""How it is typed that a pair is blocked, where a stage may be pinned to that."""


Numbers = NDArray[np.float64]


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
            text = QGuiApplication.clipboard().text()
            # The shape first: thousands of rows that do not fit need not be read.
            block = self._target(_shape_of_text(text))
            numbers = self._numbers(text)
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
            self._fill_with(block, np.zeros(_shape(block)), "Clear")
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
        self._fill_with(block, np.broadcast_to(first, values.shape), "Fill")

    def _fill_with(self, block: Block, values: Numbers, verb: str) -> None:
        try:
            self._set(block, values, verb)
        except ExperimentError as refusal:
            self._table.complain(str(refusal), block.top, block.left)

    def _numbers(self, text: str) -> Numbers:
        mark = self._table.appearance.decimal_point
        if not takes_minus_infinity(self._table.path):
            return np.array(parse_block(text, mark), dtype=np.float64)
        blocked = [[cell.strip().lower() in MINUS_INFINITY for cell in row] for row in _cells(text)]
        finite = "\n".join(
            "\t".join("0" if is_blocked else cell for cell, is_blocked in zip(row, row_blocked, strict=True))
            for row, row_blocked in zip(_cells(text), blocked, strict=True)
        )
        numbers = np.array(parse_block(finite, mark), dtype=np.float64)
        numbers[np.array(blocked)] = -np.inf
        return numbers

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

    def _set(self, block: Block, values: Numbers, verb: str) -> None:
        table = self._table
        rows, columns = np.indices(_shape(block)).reshape(2, -1)
        text = f"{verb} {matrix_name(table.document.experiment, table.path)}"
        table.document.set_cells(table.path, rows + block.top, columns + block.left, values.ravel(), text=text)


def takes_minus_infinity(path: str) -> bool:
    """Tell whether cells of a matrix may be pinned to −∞, which blocks the pair."""
    unit = unit_at(path)
    return unit is not None and unit.stage in BLOCKABLE


def _cells(text: str) -> list[list[str]]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    return [line.split("\t") for line in lines.split("\n")]


def _shape_of_text(text: str) -> tuple[int, int]:
    cells = _cells(text)
    return len(cells), len(cells[0])


def _shape(block: Block) -> tuple[int, int]:
    return block.bottom - block.top, block.right - block.left
