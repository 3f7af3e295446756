"""Cards of the Pipeline that are there only when asked for or of use: made, and imported, when they are first shown."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from attnexplorer.experiment.model import Experiment
from attnexplorer.views.pipeline_card import PipelineCard
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.wrong_ways import WrongWays

_WITH_DISTANCE = ("rope", "alibi")


class PipelineExtras(QObject):
    """Shows and hides the further cards below the four maps over queries and keys, each as wide as the canvas."""

    changed = Signal()
    """The canvas must be laid out anew."""
    revealed = Signal(QWidget)
    """A card was asked for, and should be brought into view."""

    def __init__(self, context: TableContext, canvas: QWidget) -> None:
        super().__init__(canvas)
        self._context, self._canvas = context, canvas
        self._wrong_ways = WrongWays.of(context.document)
        self._wrong_ways.changed.connect(self._on_wrong_ways_changed)
        self.cards: dict[str, PipelineCard] = {}
        self.concealed = False
        """Whether the maps above are hidden from an audience, and with them what is about them."""

    def settle(self, experiment: Experiment) -> bool:
        """Show the cards that an experiment calls for, and hide the others; tell whether that changed anything."""
        wanted = {"wrong ways": self._wrong_ways.shown, "distance": experiment.position.kind in _WITH_DISTANCE}
        before = [name for name, card in self.cards.items() if not card.isHidden()]
        for name, shown in wanted.items():
            if shown and name not in self.cards:
                self.cards[name] = self._made(name)
            if name in self.cards:
                self.cards[name].setVisible(shown and not self.concealed)
        return before != [name for name, card in self.cards.items() if not card.isHidden()]

    def place(self, left: int, top: int, width: int, gap: int) -> int:
        """Give the cards their places from `top` on; return the bottom of the last one, or `top` less the gap."""
        for name in ("wrong ways", "distance"):
            card = self.cards.get(name)
            if card is not None and not card.isHidden():
                height = max(card.heightForWidth(width), card.minimumSizeHint().height())
                card.setGeometry(left, top, width, height)
                top += height + gap
        return top - gap

    def _made(self, name: str) -> PipelineCard:
        document, appearance = self._context.document, self._context.appearance
        card: PipelineCard
        if name == "distance":
            from attnexplorer.views.distance_card import DistanceCard

            card = DistanceCard(document, appearance, self._canvas)
        else:
            from attnexplorer.views.wrong_ways_card import WrongWaysCard

            card = WrongWaysCard(document, appearance, self._canvas)
        card.height_changed.connect(self.changed)
        return card

    def _on_wrong_ways_changed(self) -> None:
        if self._canvas.isVisible() and self.settle(self._context.document.evaluation.experiment):
            self.changed.emit()
        if self._wrong_ways.shown and "wrong ways" in self.cards:
            self.revealed.emit(self.cards["wrong ways"])
