"""What all tables of a window share."""

from __future__ import annotations

from dataclasses import dataclass

from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.views.appearance import Appearance


@dataclass(frozen=True, slots=True)
class TableContext:
    """The document, the look of the window, and which cells are lit."""

    document: Document
    appearance: Appearance
    lights: Lights
