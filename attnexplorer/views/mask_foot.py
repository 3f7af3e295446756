"""The line below the mask: what blocks the pair that is pointed at, where the diagonal lies, how much is blocked."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel

from attnexplorer.compute.masks import diagonal
from attnexplorer.compute.stages import PAIR_STAGES, unit_at
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.views.matrix_card import MatrixCard


class MaskFoot(QObject):
    """Writes the line of one card, and follows the hovered or else the selected pair of its layer and head."""

    def __init__(self, document: Document, card: MatrixCard) -> None:
        super().__init__(card)
        self._document, self._card = document, card
        self._label: QLabel = card.add_foot()
        self._label.setObjectName("mask-foot")
        self._blocked: tuple[object, str] = (None, "")
        document.cursor.selection_changed.connect(self.refresh)
        document.cursor.hover_changed.connect(self.refresh)
        document.evaluated.connect(self.refresh)
        document.comparison.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Write the line anew."""
        if self._card.isVisible():
            text = self._told(self._document.cursor.shown) or self._whole()
            if text != self._label.text():
                self._label.setText(text)

    def _told(self, cell: Cell | None) -> str:
        """Return what blocks a pair of the head that is shown; nothing for any other cell."""
        unit, own = None if cell is None else unit_at(cell.path), unit_at(self._card.path)
        if cell is None or unit is None or own is None or unit.stage not in PAIR_STAGES or unit[1:] != own[1:]:
            return ""
        content = self._card.table.content
        inside = cell.row < content.shape[0] and cell.column < content.shape[1]
        return content.blocked_by(cell.row, cell.column) if inside else ""

    def _whole(self) -> str:
        experiment, own = self._document.evaluation.experiment, unit_at(self._card.path)
        if own is None or own.layer is None or own.layer >= len(experiment.layers):
            return ""
        place = diagonal(
            experiment.layers[own.layer].attention.mask, len(experiment.query_tokens), len(experiment.key_tokens)
        )
        return place or self._count()

    def _count(self) -> str:
        hatched = self._card.table.content.picture.hatched
        if hatched is None:
            return "no pair blocked"
        if self._blocked[0] is not hatched:
            count = int(hatched.sum())
            self._blocked = (hatched, f"{count} of {hatched.size} pairs blocked")
        return self._blocked[1]
