"""Shuffling the tokens, and what is said afterwards: what went with them into the new order, and what did not."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QLabel, QPushButton

from attnexplorer.compute.numbers import significant_text
from attnexplorer.experiment.edits.orders import shuffled
from attnexplorer.experiment.edits.tokens import shuffle_tokens
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.input.notice import Edit
from attnexplorer.views.input.section import Section, caption
from attnexplorer.views.input.token_chips import link

if TYPE_CHECKING:
    from attnexplorer.compute.following import Following


class Shuffling(QObject):
    """A link and the sentences below it, for a section. Each shuffle takes the next seed."""

    def __init__(self, section: Section) -> None:
        super().__init__(section)
        self._section = section
        self._seed = 1
        self._after: Experiment | None = None
        self.link: QPushButton = link("Shuffle the tokens", "", "shuffle")
        self.told: QLabel = caption()
        self.told.setObjectName("shuffle-told")
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.told.hide()
        self.link.clicked.connect(self._on_clicked)
        self._name_seed()

    @property
    def widgets(self) -> tuple[QPushButton, QLabel]:
        """The link and the sentences, to be put below each other."""
        return self.link, self.told

    def refresh(self) -> None:
        """Show the sentences only while the experiment is the one they are about."""
        self.told.setVisible(self._after is not None and self._section.document.experiment is self._after)

    def _on_clicked(self) -> None:
        document, seed = self._section.document, self._seed
        before = document.experiment
        edit = partial(shuffle_tokens, side="sequence", seed=seed)
        if not self._section.edit(Edit(f"Shuffle the tokens, seed {seed}", edit, "Shuffle")):
            return
        self._seed += 1
        self._name_seed()
        self._after = document.experiment
        self.told.setText(self._sentences(before, self._after, seed))
        self.refresh()

    def _sentences(self, before: Experiment, after: Experiment, seed: int) -> str:
        # Not needed before the first shuffle, and a window should be there fast.
        from attnexplorer.compute.following import places_matter, what_follows

        layer, head = self._section.layer, int(self._section.document.display["head"])
        order = tuple(place for place in shuffled(len(before.query_tokens), seed) if place is not None)
        found = what_follows(before, after, order, layer, head)
        lines = [f"Shuffled with seed {seed}."]
        lines += [_counted(found, follows=True), _counted(found, follows=False), self._verdict(found)]
        causes = places_matter(after)
        if causes and not found[-1].follows:
            lines.append(f"Places count: {', '.join(causes)}.")
        return "\n".join(line for line in lines if line)

    def _verdict(self, found: tuple[Following, ...]) -> str:
        difference = found[-1].difference
        mark = self._section.appearance.decimal_point
        apart = significant_text(difference, 2, mark)
        if found[-1].follows:
            return f"The outputs are the same rows in the new order; largest difference {apart}."
        if difference != difference:
            return "The outputs are not all numbers."
        return f"The outputs are not the same rows: they differ by up to {apart}."

    def _name_seed(self) -> None:
        told = f"Put the tokens into a random order, seed {self._seed}; what belongs to a token goes with it"
        self.link.setToolTip(told)


def _counted(found: tuple[Following, ...], *, follows: bool) -> str:
    symbols = [it.symbol for it in found if it.follows == follows]
    if not symbols:
        return ""
    return f"{'Went with the tokens' if follows else 'Did not'}: {', '.join(symbols)}."
