"""A second experiment, A, beside the document's own, B: its evaluation, and which of the two is to be seen."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Signal

from attnexplorer.compute.engine import Evaluation
from attnexplorer.document.recompute import Recomputation, Watch
from attnexplorer.experiment.model import Experiment

Shown = Literal["A", "B", "B-A"]
TEXTS: dict[Shown, str] = {"A": "A", "B": "B", "B-A": "B − A"}


class Comparison(QObject):
    """Keeps A and evaluates of it what is watched, with an engine of its own. Nothing here changes an experiment."""

    changed = Signal()
    """A was kept or left, another one of the two is to be seen, or numbers of A are there."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._base: Recomputation | None = None
        self._experiment: Experiment | None = None
        self._name = ""
        self._shown: Shown = "B"
        self._state = object()
        self._watches: dict[object, Watch] = {}

    @property
    def active(self) -> bool:
        """Whether there is an A."""
        return self._base is not None

    @property
    def experiment(self) -> Experiment | None:
        """A, or None."""
        return self._experiment

    @property
    def name(self) -> str:
        """What A is called."""
        return self._name

    @property
    def shown(self) -> Shown:
        """Which is to be seen; always B while there is no A."""
        return self._shown

    @property
    def read_only(self) -> bool:
        """Whether what is seen is not the experiment that edits go to."""
        return self._shown != "B"

    @property
    def state(self) -> object:
        """Something that stands for A and for what is to be seen: another object once either is another."""
        return self._state

    @property
    def text(self) -> str:
        """What is to be seen, as a caption: "B − A, A = tired"."""
        if not self.active:
            return ""
        return f"A = {self._name}" if self._shown == "A" else f"{TEXTS[self._shown]}, A = {self._name}"

    @property
    def base(self) -> Evaluation | None:
        """The last finished evaluation of A, or None."""
        return None if self._base is None else self._base.latest

    def keep(self, experiment: Experiment, name: str, shown: Shown = "B") -> None:
        """Make an experiment A, in place of the one before."""
        self._stop()
        self._experiment, self._name, self._shown = experiment, name, shown
        base = Recomputation(experiment, self)
        base.evaluated.connect(self.changed)
        for key, watch in self._watches.items():
            base.watch(key, watch)
        self._base = base
        self._announce()

    def leave(self) -> None:
        """Forget A; B is seen, as before."""
        if self._base is not None:
            self._stop()
            self._announce()

    def show(self, shown: Shown) -> None:
        """Have A, B or their difference seen."""
        if self._base is not None and shown != self._shown:
            self._shown = shown
            self._announce()

    def seen(self, evaluation: Evaluation) -> Evaluation:
        """Return the evaluation whose experiment is seen: A's while A is, else the given one, B's."""
        return self._base.latest if self._base is not None and self._shown == "A" else evaluation

    def watch(self, key: object, watch: Watch) -> None:
        """Have the units of A that `watch` names evaluated from now on, whenever there is an A."""
        self._watches[key] = watch
        if self._base is not None:
            self._base.watch(key, watch)

    def unwatch(self, key: object) -> None:
        """Stop evaluating A for a view that is hidden or gone."""
        self._watches.pop(key, None)
        if self._base is not None:
            self._base.unwatch(key)

    def request(self) -> None:
        """Evaluate what is watched soon: a view shows something else now."""
        if self._base is not None:
            self._base.request()

    def finish(self) -> None:
        """Wait until everything requested of A is evaluated."""
        if self._base is not None:
            self._base.finish()

    def stop(self) -> None:
        """Stop all work, silently."""
        self._stop()

    def _stop(self) -> None:
        if self._base is not None:
            self._base.stop()
            self._base.deleteLater()
        self._base, self._experiment, self._name, self._shown = None, None, "", "B"

    def _announce(self) -> None:
        self._state = object()
        self.changed.emit()
