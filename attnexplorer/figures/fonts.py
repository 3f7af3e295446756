"""The three bundled faces, so that screen and paper look the same everywhere."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from PySide6.QtGui import QFont, QFontDatabase

from attnexplorer.assets import resource

Face = Literal["text", "number", "mathematics"]

_FILES = (
    "Inter-Regular.otf",
    "Inter-SemiBold.otf",
    "JetBrainsMono-Regular.ttf",
    "JetBrainsMono-Bold.ttf",
    "STIX-Regular.otf",
    "STIX-Bold.otf",
    "STIX-Italic.otf",
)
_ALTERNATES = QFont.Tag.fromString("calt")
"""By these the faces draw an arrow for ``->`` and a cross for the x of ``3x4``; a token is shown as it is spelt."""
_FAMILIES: dict[Face, str] = {"text": "Inter", "number": "JetBrains Mono", "mathematics": "STIX"}


@lru_cache(maxsize=1)
def register_fonts() -> None:
    """Make the bundled faces known to Qt; needs a running QGuiApplication."""
    for name in _FILES:
        QFontDatabase.addApplicationFont(str(resource("fonts", name)))


@lru_cache(maxsize=256)
def font(face: Face, pixels: float, *, bold: bool = False, italic: bool = False) -> QFont:
    """Return a bundled face at a size in pixels. Text that it lacks (CJK, Arabic, emoji) comes from the system."""
    register_fonts()
    made = QFont(_FAMILIES[face])
    made.setPixelSize(max(1, round(pixels)))
    made.setBold(bold)
    if bold and face == "text":
        made.setWeight(QFont.Weight.DemiBold)
    made.setItalic(italic)
    made.setFeature(_ALTERNATES, 0)
    made.setStyleHint(QFont.StyleHint.Monospace if face == "number" else QFont.StyleHint.AnyStyle)
    return made
