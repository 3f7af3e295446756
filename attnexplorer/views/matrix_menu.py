"""The menu of a matrix: fills, turns, pins, copy and paste. Every entry is one undo step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from attnexplorer.compute.explaining.context import token_label
from attnexplorer.compute.stages import PAIR_STAGES, unit_at
from attnexplorer.document.document import Document
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment import matrices
from attnexplorer.experiment.arrays import Matrix, frozen
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.expressions import NumberError, parse_number
from attnexplorer.experiment.paths import get
from attnexplorer.experiment.pinning import PINNABLE
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.copying import fill_copy_menu
from attnexplorer.views.mask_painting import is_blocked, painted
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.scale_texts import shortened
from attnexplorer.views.transfers import Transfers
from attnexplorer.views.wrong_ways import WrongWays

Shape = tuple[int, int]
_SEEDED: tuple[tuple[str, Callable[[Shape, int], Matrix]], ...] = (
    ("Random normal", matrices.random_normal),
    ("Xavier", matrices.xavier),
    ("Orthogonal", matrices.orthogonal),
)


class MatrixMenu:
    """Builds the menu for a table when it is opened."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget) -> None:
        self._document, self._appearance, self._parent = document, appearance, parent
        self._seed = 1

    def open(self, table: MatrixTable, at: QPoint) -> None:
        """Show the menu at a place of the screen."""
        menu = self.build(table, table.indexAt(table.viewport().mapFromGlobal(at)))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def build(self, table: MatrixTable, index: QModelIndex | None = None) -> QMenu:
        """Return the menu of a table, opened at a cell; by the keyboard at the one that is selected."""
        cell = index if index is not None and index.isValid() else table.currentIndex()
        menu = QMenu(self._parent)
        menu.setObjectName("matrix-menu")
        self._add_clipboard(menu, table)
        if table.editable:
            menu.addSeparator()
            self._add_fills(menu, table)
            self._add_changes(menu, table)
        if self._document.takes_edits:
            self._add_pins(menu, table)
            self._add_mask(menu, table, cell)
        self._add_transfers(menu, table)
        return menu

    def _add_clipboard(self, menu: QMenu, table: MatrixTable) -> None:
        menu.addAction("Select all", table.select_all)
        menu.addAction("Copy", table.copy_selection)
        fill_copy_menu(menu.addMenu("Copy as"), table)
        if table.editable:
            menu.addAction("Cut", table.cut_selection)
            menu.addAction("Paste", table.paste)
            menu.addAction("Clear", table.clear_selection)
            menu.addAction("Fill down", table.fill_down)
            menu.addAction("Fill right", table.fill_right)

    def _add_fills(self, menu: QMenu, table: MatrixTable) -> None:
        shape = table.content.shape
        fills = menu.addMenu("Fill the matrix with")
        self._add_fill(fills, table, "Zeros", lambda: matrices.zeros(shape))
        self._add_fill(fills, table, "Ones", lambda: matrices.ones(shape))
        self._add_fill(fills, table, "Identity", lambda: matrices.identity(*shape))
        for name, make in _SEEDED:
            self._add_fill(fills, table, f"{name}, seed {self._seed}", partial(self._seeded, make, shape))

    def _seeded(self, make: Callable[[Shape, int], Matrix], shape: Shape) -> Matrix:
        made = make(shape, self._seed)
        self._seed += 1
        return made

    def _add_fill(self, menu: QMenu, table: MatrixTable, name: str, make: Callable[[], Matrix]) -> None:
        noun = name if name.startswith("Xavier") else name[0].lower() + name[1:]
        text = f"Fill {matrix_name(self._document.experiment, table.path)} with {noun}"
        menu.addAction(name, lambda: self._set(table, make, text))

    def _add_changes(self, menu: QMenu, table: MatrixTable) -> None:
        values = frozen(table.content.picture.values)
        name = matrix_name(self._document.experiment, table.path)
        if values.shape[1] >= 2:
            menu.addAction("Rotate columns 1 and 2 by…", lambda: self._rotate(table, name))
        menu.addAction("Multiply by…", lambda: self._multiply(table, name))
        if values.shape[0] == values.shape[1]:
            transpose = f"Transpose {name}"
            menu.addAction("Transpose", lambda: self._set(table, lambda: matrices.transposed(values), transpose))

    def _rotate(self, table: MatrixTable, name: str) -> None:
        degrees = self._ask("Rotate", "Angle in degrees, against the clock:", "90")
        if degrees is not None:
            values = frozen(table.content.picture.values)
            self._set(table, lambda: matrices.rotated(values, 0, 1, degrees), f"Rotate {name} by {degrees:g}°")

    def _multiply(self, table: MatrixTable, name: str) -> None:
        factor = self._ask("Multiply", "Multiply every number by:", "2")
        if factor is not None:
            values = frozen(table.content.picture.values)
            self._set(table, lambda: matrices.scaled(values, factor), f"Multiply {name} by {factor:g}")

    def _add_pins(self, menu: QMenu, table: MatrixTable) -> None:
        unit = unit_at(table.path)
        if unit is None or unit.stage not in PINNABLE or table.held:
            return
        menu.addSeparator()
        menu.addAction(
            "Pin to these numbers", lambda: self._try(table, lambda: self._document.pin_as_shown(table.path))
        )
        release = menu.addAction("Release the pin", lambda: self._document.release(table.path))
        release.setEnabled(table.path in self._document.experiment.pins)

    def _add_mask(self, menu: QMenu, table: MatrixTable, cell: QModelIndex | QPersistentModelIndex) -> None:
        unit = unit_at(table.path)
        if unit is None or unit.layer is None or unit.stage not in PAIR_STAGES:
            return
        if cell.isValid() and not table.held:
            self._add_block(menu, table, unit.layer, cell.row(), cell.column())
        if unit.stage == "masked":
            ways = WrongWays.of(self._document)
            menu.addSeparator()
            action = menu.addAction("Compare wrong ways to mask", lambda: ways.show(not ways.shown))
            action.setCheckable(True)
            action.setChecked(ways.shown)

    def _add_block(self, menu: QMenu, table: MatrixTable, layer: int, query: int, key: int) -> None:
        experiment = self._document.experiment
        if query >= len(experiment.query_tokens) or key >= len(experiment.key_tokens):
            return  # what is on screen is about to change
        block = not is_blocked(experiment, layer, query, key)
        verb, path = "Block" if block else "Allow", f"layers.{layer}.attention.mask"
        names = (token_label(experiment.query_tokens, query), token_label(experiment.key_tokens, key))
        pair = " → ".join(f"“{shortened(name)}”" for name in names)

        def change() -> None:
            edited = painted(self._document.experiment, layer, query, key, block)
            self._document.set_value(path, get(edited, path), f"{verb} query {query + 1}, key {key + 1}")

        menu.addSeparator()
        several = " for all heads" if experiment.layers[layer].attention.heads > 1 else ""
        menu.addAction(f"{verb} {pair}{several}".replace("&", "&&"), lambda: self._try(table, change))

    def _add_transfers(self, menu: QMenu, table: MatrixTable) -> None:
        transfers, path = Transfers.of(self._document), table.path
        menu.addSeparator()
        if table.editable:
            menu.addAction("Import…", lambda: transfers.import_requested.emit(path))
        menu.addAction("Export…", lambda: transfers.export_requested.emit(path))

    def _set(self, table: MatrixTable, make: Callable[[], Matrix], text: str) -> None:
        shape = table.content.shape
        self._try(table, lambda: self._document.set_matrix(table.path, np.asarray(make()).reshape(shape), text))

    def _try(self, table: MatrixTable, edit: Callable[[], None]) -> None:
        try:
            edit()
        except ExperimentError as refusal:
            table.complain(str(refusal), 0, 0)

    def _ask(self, title: str, question: str, proposed: str) -> float | None:
        while True:
            text, accepted = QInputDialog.getText(self._parent, title, question, text=proposed)
            if not accepted:
                return None
            try:
                return parse_number(text, self._appearance.decimal_point)
            except NumberError as error:
                question, proposed = str(error), text
