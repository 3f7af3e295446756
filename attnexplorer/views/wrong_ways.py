"""Whether the wrong ways to mask are shown beside the right one. A switch of the window: never saved, never undone."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from attnexplorer.document.document import Document


class WrongWays(QObject):
    """One a document."""

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._shown = False

    @classmethod
    def of(cls, document: Document) -> WrongWays:
        """Return the one of a document."""
        found = document.findChild(cls)
        return found if found is not None else cls(document)

    @property
    def shown(self) -> bool:
        """Whether the comparison is on screen."""
        return self._shown

    def show(self, shown: bool) -> None:
        """Show the comparison, which is in the Pipeline, or put it away."""
        if shown != self._shown:
            self._shown = shown
            if shown:
                self._document.display.choose("workspace", "pipeline")
            self.changed.emit()
