"""The section of the widths and the numbers of heads, and of the rule by which matrices grow."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from PySide6.QtWidgets import QLabel, QWidget

from attnexplorer.document.document import Document
from attnexplorer.experiment.edits.growth import Growth, GrowthKind
from attnexplorer.experiment.edits.heads import Keep, set_heads, set_kv_heads
from attnexplorer.experiment.edits.widths import LARGEST_COUNT, set_d_k, set_d_model, set_d_source, set_d_v
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.fields import ChoiceBox, CountBox
from attnexplorer.views.input.notice import Edit
from attnexplorer.views.input.section import Section, add_row, form, plain, show_row

LARGEST_SEED = 2**31 - 1
GROWTHS = (("random", "Random"), ("zeros", "Zeros"), ("identity", "Identity"))
KEEPS = (("first", "Keep first"), ("mean", "Mean"))
EDIT_NAMES = {"Heads": "the heads", "KV heads": "the KV heads"}
Change = Callable[[Experiment, int], Experiment]


class SizeSection(Section):
    """Sets widths and heads of the layer that is shown; numbers that remain are kept."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__("Size", document, appearance, parent)
        self._grid = form()
        self._labels: dict[str, QLabel] = {}
        self.d_model = self._count("d<sub>model</sub>", "d_model", "The width of the embeddings", self._d_model)
        self.d_source = self._count("d<sub>source</sub>", "d_source", "The width of the source vectors", self._d_source)
        self.d_k = self._count("d<sub>k</sub>", "d_k", "The width of queries and keys", self._d_k)
        self.d_v = self._count("d<sub>v</sub>", "d_v", "The width of values", self._d_v)
        self.heads = self._count("Heads", "heads", "The number of query heads", self._heads)
        self.kv_heads = self._count(
            "KV heads", "kv_heads", "The number of key and value heads; query heads share them evenly", self._kv_heads
        )
        self.keep = ChoiceBox("keep", KEEPS)
        self._keep_label = add_row(self._grid, "Fewer KV heads", self.keep, "What a group that is merged becomes")
        self.kind = ChoiceBox("growth", GROWTHS)
        add_row(self._grid, "New numbers", self.kind, "What matrices are filled with where they grow")
        self.seed = CountBox("seed", 0, LARGEST_SEED)
        self._seed_label = add_row(self._grid, "Seed", self.seed, "Equal seeds give equal random numbers")
        self.kind.chosen.connect(lambda kind: show_row(self._seed_label, kind == "random"))
        self.body.addLayout(self._grid)

    def growth(self) -> Growth:
        """Return the rule by which new numbers are made."""
        return Growth(cast(GrowthKind, self.kind.currentData()), self.seed.value())

    def parts(self, experiment: Experiment) -> tuple[Any, ...]:
        attention = self.shown_layer(experiment).attention
        widths = (experiment.d_model, attention.d_k, attention.d_v, attention.heads, attention.kv_heads)
        return (*widths, experiment.source, experiment.position.kind, self.layer, len(experiment.layers))

    def show_experiment(self, experiment: Experiment) -> None:
        attention, source = self.shown_layer(experiment).attention, experiment.source
        self.name_layer(experiment)
        self.d_model.show_number(experiment.d_model)
        self.d_k.show_number(attention.d_k)
        self.d_v.show_number(attention.d_v)
        self.heads.show_number(attention.heads)
        self.kv_heads.show_number(attention.kv_heads)
        self.d_k.setSingleStep(2 if experiment.position.kind == "rope" else 1)
        divisors = [number for number in range(1, attention.heads + 1) if attention.heads % number == 0]
        self.kv_heads.set_choices(divisors)
        own = source is not None and source.X is not None
        show_row(self._labels["d_source"], own)
        if source is not None and source.X is not None:
            self.d_source.show_number(source.X.shape[1])
        show_row(self._keep_label, attention.kv_heads > 1)

    def _count(self, label: str, name: str, tip: str, change: Change) -> CountBox:
        box = CountBox(name, 1, LARGEST_COUNT)
        box.entered.connect(partial(self._on_entered, plain(label), change))
        self._labels[name] = add_row(self._grid, label, box, tip)
        return box

    def _on_entered(self, name: str, change: Change, number: int, going_on: bool) -> None:
        text = f"Set {EDIT_NAMES.get(name, name)} to {number}"
        if name not in ("d_model", "d_source"):
            text = self.in_layer(text)
        gesture = self.gesture_of(going_on)
        self.edit(Edit(text, lambda experiment: change(experiment, number), "Change", gesture))

    def _d_model(self, experiment: Experiment, number: int) -> Experiment:
        return set_d_model(experiment, number, self.growth())

    def _d_source(self, experiment: Experiment, number: int) -> Experiment:
        return set_d_source(experiment, number, self.growth())

    def _d_k(self, experiment: Experiment, number: int) -> Experiment:
        return set_d_k(experiment, self.layer, number, self.growth())

    def _d_v(self, experiment: Experiment, number: int) -> Experiment:
        return set_d_v(experiment, self.layer, number, self.growth())

    def _heads(self, experiment: Experiment, number: int) -> Experiment:
        return set_heads(experiment, self.layer, number, self.growth())

    def _kv_heads(self, experiment: Experiment, number: int) -> Experiment:
        return set_kv_heads(experiment, self.layer, number, cast(Keep, self.keep.currentData()))
