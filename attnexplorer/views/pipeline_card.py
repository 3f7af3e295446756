"""What the further cards of the Pipeline share: hidden they evaluate nothing, out of sight they show nothing new."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QHideEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.stages import PAIR_STAGES, unit_at
from attnexplorer.compute.units import Unit
from attnexplorer.document.document import Document
from attnexplorer.document.viewpoint import Viewpoint
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.sight import is_in_sight
from attnexplorer.views.soon import soon
from attnexplorer.views.whole_errors import with_whole_errors


@with_whole_errors
class PipelineCard(QFrame):
    """A card on the displayed head; a subclass says by `units` what it reads and by `show_numbers` what it shows."""

    height_changed = Signal()
    """The card needs another height at its width."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.document, self.appearance = document, appearance
        self._viewpoint = Viewpoint(document, self.units, self)
        self._stale, self._needed = True, 0
        self.setProperty("look", "card")
        self._viewpoint.changed.connect(self.request)
        document.cursor.selection_changed.connect(self.request)
        document.display.changed.connect(self._on_display_changed)
        appearance.changed.connect(self._on_appearance_changed)
        self.installEventFilter(self)

    def units(self, experiment: Experiment) -> Collection[Unit]:
        """Return what must be evaluated for the card."""
        raise NotImplementedError

    def applies(self, experiment: Experiment) -> bool:
        """Return whether an experiment has what the card shows; where A does not, B is shown in its place."""
        return True

    def show_numbers(self, evaluation: Evaluation) -> None:
        """Show an evaluation that has all the units."""
        raise NotImplementedError

    def apply_appearance(self) -> None:
        """Take over fonts and colours that have changed."""

    def request(self) -> None:
        """Bring the card up to date: now if it can be seen, else once it can."""
        self._stale = True
        if is_in_sight(self):
            self._refresh()

    @property
    def of_which(self) -> str:
        """Whose numbers the card shows, in front of its caption; nothing while nothing is compared."""
        of_b = self._looked_at is self.document.evaluation
        return self._viewpoint.of_which and ("of B: " if of_b else "of A: ")

    @property
    def _looked_at(self) -> Evaluation:
        plain = self._viewpoint.plain
        return plain if self.applies(plain.experiment) else self.document.evaluation

    def shown_head(self, experiment: Experiment) -> tuple[int, int]:
        """Return the displayed layer and head as far as an experiment has them."""
        layer = min(int(self.document.display["layer"]), len(experiment.layers) - 1)
        return layer, min(int(self.document.display["head"]), experiment.layers[layer].attention.heads - 1)

    def shown_pair(self, experiment: Experiment, otherwise: int | None = None) -> tuple[int, int]:
        """Return the selected pair of query and key, else the query `otherwise`, or the last, and the first key."""
        queries, keys = len(experiment.query_tokens), len(experiment.key_tokens)
        cell = self.document.cursor.selected
        unit = None if cell is None else unit_at(cell.path)
        if cell is not None and unit is not None and unit.stage in PAIR_STAGES and cell.row < queries:
            return cell.row, min(cell.column, keys - 1)
        return queries - 1 if otherwise is None else otherwise, 0

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._stale = True
        self._viewpoint.start()
        # With a style sheet Qt may forget a label's font when the card gets another parent.
        self.apply_appearance()
        # Also before it has its place, which depends on what is in it.
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._viewpoint.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._stale:
            # It has come into sight; what is in it must not change while it is painted.
            soon(self, self.request)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            needed = self.heightForWidth(self.width())
            if needed != self._needed:
                self._needed = needed
                self.height_changed.emit()
        return False

    def _refresh(self) -> None:
        evaluation = self._looked_at
        if all(unit in evaluation.arrays for unit in self.units(evaluation.experiment)):
            self._stale = False
            self.show_numbers(evaluation)

    def _on_display_changed(self, name: str) -> None:
        if name in ("layer", "head") and self.isVisible():
            self._viewpoint.request()
            self.request()

    def _on_appearance_changed(self) -> None:
        self.apply_appearance()
        self.request()


def card_label(look: str, name: str, *, wraps: bool = True) -> QLabel:
    """Return a label of plain text with a look and an object name."""
    label = QLabel()
    label.setProperty("look", look)
    label.setObjectName(name)
    label.setWordWrap(wraps)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label
