"""The section that says which tokens keys and values come from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtWidgets import QWidget

from attnexplorer.document.document import Document
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.source import make_cross_attention, make_self_attention
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.notice import Edit
from attnexplorer.views.input.section import Section
from attnexplorer.views.input.segmented import Choice, SegmentedControl

SAME, SECOND = "same", "second"
CHOICES = (
    Choice(SAME, "Same tokens", "Self-attention: queries, keys and values come from the same tokens"),
    Choice(SECOND, "Second sequence", "Cross-attention: keys and values come from tokens of their own"),
)


class SourceSection(Section):
    """Turns self-attention into cross-attention, at first over a copy of the tokens, and back."""

    def __init__(
        self,
        document: Document,
        appearance: Appearance,
        growth: Callable[[], Growth],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Keys and values from", document, appearance, parent)
        self._growth = growth
        self.choice = SegmentedControl("Keys and values from", CHOICES)
        self.choice.setObjectName("source")
        self.choice.chosen.connect(self._on_chosen)
        self.body.addWidget(self.choice)

    def parts(self, experiment: Experiment) -> tuple[Any, ...]:
        return (experiment.source,)

    def show_experiment(self, experiment: Experiment) -> None:
        self.choice.choose(SAME if experiment.source is None else SECOND)

    def _on_chosen(self, choice: str) -> None:
        growth = self._growth()
        if choice == SAME:
            edit = Edit("Keys and values from the same tokens", partial(make_self_attention, growth=growth), "Change")
        else:
            tokens = self.document.experiment.sequence.tokens
            change = partial(make_cross_attention, tokens=tokens, growth=growth)
            edit = Edit("Keys and values from a second sequence", change, "Change")
        self.edit(edit)
