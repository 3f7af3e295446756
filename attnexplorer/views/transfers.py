"""What a matrix's menu asks for and only the window can do, as it needs files: importing into it and writing it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from attnexplorer.document.document import Document


class Transfers(QObject):
    """One a document; the window that shows it listens."""

    import_requested = Signal(str)
    """Emitted with the path of the matrix."""
    export_requested = Signal(str)

    as_shown = False
    """Whether copies have the digits that are on screen rather than all of them."""

    @classmethod
    def of(cls, document: Document) -> Transfers:
        """Return the one of a document."""
        found = document.findChild(cls)
        return found if found is not None else cls(document)
