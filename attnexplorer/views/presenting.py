"""Stages hidden from an audience and revealed one by one. A switch of the window: never saved, never undone."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from attnexplorer.document.document import Document

FIRST = 1
"""So many steps are there from the start: what the experiment begins with is what is talked about."""


class Presenting(QObject):
    """One a document. The Pipeline says how many steps it has; each is a matrix, or several above one another."""

    changed = Signal()

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self._document = document
        self._steps = FIRST
        self._shown: int | None = None

    @classmethod
    def of(cls, document: Document) -> Presenting:
        """Return the one of a document."""
        found = document.findChild(cls)
        return found if found is not None else cls(document)

    @property
    def hides(self) -> bool:
        """Whether anything is hidden."""
        return self._shown is not None

    @property
    def hidden(self) -> int:
        """How many steps are hidden."""
        return 0 if self._shown is None else self._steps - self._shown

    @property
    def shown(self) -> int:
        """How many steps are shown."""
        return self._steps if self._shown is None else self._shown

    def set_steps(self, steps: int) -> None:
        """Say how many steps there are; what was revealed stays so."""
        self._steps = steps
        if self._shown is not None and self._shown >= steps:
            self._shown = None
            self.changed.emit()

    def hide_all(self) -> None:
        """Hide every step but the first, and go to the Pipeline, where they are."""
        self._document.display.choose("workspace", "pipeline")
        self._show(FIRST)

    def reveal(self) -> None:
        """Show one more step."""
        if self._shown is not None:
            self._show(self._shown + 1)

    def hide_last(self) -> None:
        """Hide the step that was revealed last; the last of all where nothing is hidden."""
        self._show(max(FIRST, self.shown - 1))

    def show_all(self) -> None:
        """Hide nothing any more."""
        self._show(None)

    def _show(self, shown: int | None) -> None:
        wanted = None if shown is not None and shown >= self._steps > FIRST else shown
        if wanted != self._shown:
            self._shown = wanted
            self.changed.emit()
