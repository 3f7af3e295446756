"""Shuffling the tokens, and what is said afterwards: what went with them into the new order, and what did not."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton

from attnexplorer.compute.numbers import significant_text
from attnexplorer.document.background import BackgroundThread
from attnexplorer.document.recompute import LONG
from attnexplorer.experiment.edits.orders import shuffled
from attnexplorer.experiment.edits.tokens import shuffle_tokens
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.input.notice import Edit
from attnexplorer.views.input.section import Section, caption
from attnexplorer.views.input.token_chips import link

if TYPE_CHECKING:
    from attnexplorer.compute.following import Following


class _Shuffle(NamedTuple):
    """The experiment before and after a shuffle, the seed of it, and the head that is looked at."""

    before: Experiment
    after: Experiment
    seed: int
    layer: int
    head: int


class _Telling(QObject):
    """Tells what a thread has found. It has no parent, so that it outlives the window that the thread worked for."""

    found = Signal(object)


class Shuffling(QObject):
    """A link and the sentences below it, for a section. Each shuffle takes the next seed."""

    def __init__(self, section: Section) -> None:
        super().__init__(section)
        self._section = section
        self._seed = 1
        self._after: Experiment | None = None
        self._background = BackgroundThread(self)
        self._telling = _Telling()
        self._telling.found.connect(self._on_found, Qt.ConnectionType.QueuedConnection)
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
        self._compare(_Shuffle(before, self._after, seed, self._section.layer, int(document.display["head"])))
        self.refresh()

    def _compare(self, shuffle: _Shuffle) -> None:
        """Say what followed; where finding that takes long, later, and until then that it is being found."""
        # Not needed before the first shuffle, and a window should be there fast.
        from attnexplorer.compute.following import seconds_to_follow

        if seconds_to_follow(shuffle.before, shuffle.layer, shuffle.head) <= LONG:
            self.told.setText(self._sentences(shuffle, _followed(shuffle)))
            return
        self.told.setText(f"Shuffled with seed {shuffle.seed}.\nWhat went with the tokens is being found.")

        telling = self._telling

        def work() -> None:
            try:
                found: tuple[Following, ...] | Exception = _followed(shuffle)
            except Exception as error:
                # It would be lost in the thread, and nothing would ever be said.
                found = error
            telling.found.emit((shuffle, found))

        self._background.start(work)

    def _on_found(self, done: tuple[_Shuffle, tuple[Following, ...] | Exception]) -> None:
        shuffle, found = done
        if isinstance(found, Exception):
            raise found
        if shuffle.after is self._after:
            self.told.setText(self._sentences(shuffle, found))

    def _sentences(self, shuffle: _Shuffle, found: tuple[Following, ...]) -> str:
        from attnexplorer.compute.following import places_matter

        lines = [f"Shuffled with seed {shuffle.seed}."]
        lines += [_counted(found, follows=True), _counted(found, follows=False), self._verdict(found)]
        causes = places_matter(shuffle.after)
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


def _followed(shuffle: _Shuffle) -> tuple[Following, ...]:
    from attnexplorer.compute.following import what_follows

    before = shuffle.before
    order = tuple(place for place in shuffled(len(before.query_tokens), shuffle.seed) if place is not None)
    return what_follows(before, shuffle.after, order, shuffle.layer, shuffle.head)


def _counted(found: tuple[Following, ...], *, follows: bool) -> str:
    symbols = [it.symbol for it in found if it.follows == follows]
    if not symbols:
        return ""
    return f"{'Went with the tokens' if follows else 'Did not'}: {', '.join(symbols)}."
