"""Blocking and allowing pairs by clicking, or dragging over, cells of the masked scores."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QToolButton, QWidget

from attnexplorer.compute.masks import rules_that_block
from attnexplorer.compute.stages import unit_at
from attnexplorer.document.commands import ALONE, Gesture
from attnexplorer.document.document import Document
from attnexplorer.experiment.edits import masks
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import get
from attnexplorer.views.matrix_card import MatrixCard

_ON = "Clicking a cell blocks or allows that pair; drag to do so with several. Space does it for the selected cell."
_OFF = "Clicking a cell only selects it."


class MaskPainting(QObject):
    """Makes the table of a card paint the mask: what a first cell becomes, the cells dragged over become too."""

    def __init__(self, document: Document, parent: QWidget) -> None:
        super().__init__(parent)
        self._document = document
        self._gesture: Gesture = ALONE
        self._blocks = True

    def adopt(self, card: MatrixCard) -> None:
        """Let the card's cells be painted, with a small switch in its title line."""
        table = card.table
        switch = QToolButton(card)
        switch.setObjectName("paint-mask")
        switch.setText("paint on")
        switch.setCheckable(True)
        switch.setProperty("look", "link")
        switch.setAccessibleName("Clicking a cell blocks or allows the pair")

        def turn(on: bool) -> None:
            table.paints_pairs = on
            switch.setText("paint on" if on else "paint off")
            switch.setToolTip(_ON if on else _OFF)

        switch.toggled.connect(turn)
        switch.setChecked(True)
        card.add_tool(switch)
        table.pair_pressed.connect(lambda row, column: self._press(card, row, column))
        table.pair_dragged.connect(lambda row, column: self._paint(card, row, column))
        table.pair_released.connect(self._release)

    def _press(self, card: MatrixCard, query: int, key: int) -> None:
        self._gesture = self._document.new_gesture()
        try:
            self._blocks = not self._is_blocked(_layer(card.path), query, key)
        except (ExperimentError, IndexError):
            return  # the tokens or layers have just changed, and what is on screen is about to
        self._paint(card, query, key)

    def _release(self) -> None:
        self._gesture = ALONE

    def _paint(self, card: MatrixCard, query: int, key: int) -> None:
        layer = _layer(card.path)
        path = f"layers.{layer}.attention.mask"
        verb = "Block" if self._blocks else "Allow"
        try:
            edited = painted(self._document.experiment, layer, query, key, self._blocks)
            name = f"{verb} query {query + 1}, key {key + 1}"
            self._document.set_value(path, get(edited, path), name, self._gesture)
        except ExperimentError as refusal:
            card.table.complain(str(refusal), query, key)

    def _is_blocked(self, layer: int, query: int, key: int) -> bool:
        return is_blocked(self._document.experiment, layer, query, key)


def is_blocked(experiment: Experiment, layer: int, query: int, key: int) -> bool:
    """Tell whether a rule of a layer's mask, padding among them, or a word of its own blocks a pair."""
    mask = experiment.layers[layer].attention.mask
    return bool(rules_that_block(mask, experiment.key_padding, len(experiment.query_tokens), query, key))


def painted(experiment: Experiment, layer: int, query: int, key: int, block: bool) -> Experiment:
    """Block or allow a pair, with a word of its own only where the rules say otherwise."""
    cleared = masks.clear_pair(experiment, layer, query, key)
    mask = cleared.layers[layer].attention.mask
    by_rule = bool(rules_that_block(mask, cleared.key_padding, len(cleared.query_tokens), query, key))
    if by_rule == block:
        return cleared
    return (masks.block_pair if block else masks.allow_pair)(cleared, layer, query, key)


def _layer(path: str) -> int:
    unit = unit_at(path)
    if unit is None or unit.layer is None:
        raise ValueError(f"{path} is no stage of a layer")
    return unit.layer
