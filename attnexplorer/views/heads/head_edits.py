"""Edits of heads and layers, as a menu: each entry one undo step, and the head that it is about stays chosen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu

from attnexplorer.document.document import Document
from attnexplorer.experiment.edits.blocks import create_W_O, remove_W_O
from attnexplorer.experiment.edits.heads import (
    Keep,
    duplicate_head,
    move_head,
    remove_head,
    set_heads,
    set_kv_heads,
)
from attnexplorer.experiment.edits.layers import add_layer, remove_layer
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.input.notice import Edit, EditNotice

Change = Callable[[Experiment], Experiment]


class HeadEdits:
    """Makes edits through a notice, which names first what they would drop."""

    def __init__(self, document: Document, notice: EditNotice, kept: Callable[[], Keep]) -> None:
        """`kept` returns what merged key and value heads become."""
        self._document, self._notice, self._kept = document, notice, kept

    def fill(self, menu: QMenu) -> None:
        """Put the edits that there are now into a menu."""
        menu.clear()
        layer, head = self._document.display["layer"], self._document.display["head"]
        attention = self._document.experiment.layers[layer].attention
        heads, name = attention.heads, f"head {head + 1}"
        menu.addAction("Add a head", self.add_head)
        menu.addAction(f"Duplicate {name}", partial(self.duplicate, head))
        menu.addAction(f"Remove {name}", partial(self.remove, head)).setEnabled(heads > 1)
        menu.addAction(f"Move {name} to the left", partial(self.move, head, head - 1)).setEnabled(head > 0)
        menu.addAction(f"Move {name} to the right", partial(self.move, head, head + 1)).setEnabled(head < heads - 1)
        if heads > 1:
            self._fill_sharing(menu.addMenu("Share keys and values"))
        menu.addSeparator()
        if attention.W_O is None:
            menu.addAction("Create W_O from the identity", self.create_output)
        else:
            menu.addAction("Remove W_O", self.remove_output)
        menu.addSeparator()
        menu.addAction(f"Add a layer after layer {layer + 1}", self.add_layer)
        layers = len(self._document.experiment.layers)
        menu.addAction(f"Remove layer {layer + 1}", self.remove_layer).setEnabled(layers > 1)

    def share(self, kv_heads: int) -> bool:
        """Have the heads share so many keys and values; False if that was refused."""
        layer, keep = self._layer, self._kept()
        text = f"Set the KV heads to {kv_heads}"
        return self._notice.make(Edit(text, lambda it: set_kv_heads(it, layer, kv_heads, keep), "Change"))

    def add_head(self) -> None:
        """Add a head with seeded random numbers as the last one."""
        layer, count = self._layer, self._heads + 1
        self._make("Add a head", lambda it: set_heads(it, layer, count), "Add", head=count - 1)

    def duplicate(self, head: int) -> None:
        """Copy a head just after itself."""
        layer = self._layer
        change: Change = lambda it: duplicate_head(it, layer, head)  # noqa: E731
        self._make(f"Duplicate head {head + 1}", change, "Duplicate", head=head + 1)

    def remove(self, head: int) -> None:
        """Remove a head."""
        layer = self._layer
        self._make(f"Remove head {head + 1}", lambda it: remove_head(it, layer, head), "Remove", head=max(head - 1, 0))

    def move(self, start: int, end: int) -> None:
        """Move a head to another place."""
        layer = self._layer
        text = f"Move head {start + 1} to place {end + 1}"
        self._make(text, lambda it: move_head(it, layer, start, end), "Move", head=end)

    def create_output(self) -> None:
        """Give the layer a W_O."""
        layer = self._layer
        self._make("Create W_O", lambda it: create_W_O(it, layer), "Create")

    def remove_output(self) -> None:
        """Take the layer's W_O away."""
        layer = self._layer
        self._make("Remove W_O", lambda it: remove_W_O(it, layer), "Remove")

    def add_layer(self) -> None:
        """Add a layer after the one that is shown, and show it."""
        layer = self._layer
        self._make("Add a layer", lambda it: add_layer(it, layer + 1), "Add", head=0, layer=layer + 1)

    def remove_layer(self) -> None:
        """Remove the layer that is shown."""
        layer = self._layer
        text = f"Remove layer {layer + 1}"
        self._make(text, lambda it: remove_layer(it, layer), "Remove", head=0, layer=max(layer - 1, 0))

    def _fill_sharing(self, menu: QMenu) -> None:
        attention = self._document.experiment.layers[self._layer].attention
        heads = attention.heads
        for number in (number for number in range(heads, 0, -1) if heads % number == 0):
            group = heads // number
            text = "Every head has its own" if group == 1 else "All heads share one" if number == 1 else ""
            kv_heads = f"{number} KV heads" if number > 1 else "1 KV head"
            text = text or f"{group} heads each share one"
            action = menu.addAction(f"{text} ({kv_heads})", partial(self.share, number))
            action.setCheckable(True)
            action.setChecked(number == attention.kv_heads)

    @property
    def _layer(self) -> int:
        return int(self._document.display["layer"])

    @property
    def _heads(self) -> int:
        return self._document.experiment.layers[self._layer].attention.heads

    def _make(self, text: str, change: Change, verb: str, head: int | None = None, layer: int | None = None) -> None:
        display = self._document.display

        def done() -> None:
            if layer is not None:
                display.choose("layer", layer)
            if head is not None:
                display.choose("head", head)

        several = len(self._document.experiment.layers) > 1 and layer is None
        place = f", layer {self._layer + 1}" if several else ""
        self._notice.make(Edit(f"{text}{place}", change, verb, done=done))
