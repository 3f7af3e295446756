"""The two themes: every colour that screen and paper use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from PySide6.QtGui import QColor

ThemeName = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one theme, as #rrggbb.

    `negative`, `positive` and `weight` are the stops of the colour scales, from the neutral colour outwards.
    """

    name: ThemeName
    ground: str
    card: str
    border: str
    text: str
    muted: str
    accent: str
    accent_soft: str
    on_accent: str
    hatch_ground: str
    hatch_line: str
    hatch_soft: str
    not_a_number: str
    plus_infinity: str
    minus_infinity: str
    good: str
    warning: str
    warning_soft: str
    bad: str
    bad_soft: str
    edit: str
    edit_soft: str
    cell_dark_text: str
    cell_light_text: str
    negative: tuple[str, ...]
    positive: tuple[str, ...]
    weight: tuple[str, ...]
    positions: tuple[str, ...]


_POSITIONS = (
    "#4c78a8",
    "#d8701e",
    "#519c48",
    "#b279a2",
    "#d6616b",
    "#3a9a94",
    "#9c755f",
    "#8f8f2b",
    "#db6685",
    "#5f6bbd",
    "#7f7f7f",
    "#a48831",
)
"""Each can be told from the ground of both themes."""
_LUMINANCE = 0.2
"""That of the colours beyond the palette: far from the light ground and from the dark one."""

LIGHT = Theme(
    name="light",
    ground="#f3f4f7",
    card="#ffffff",
    border="#dce0e8",
    text="#1a2230",
    muted="#5b6576",
    accent="#1f5fc0",
    accent_soft="#e2ecfb",
    on_accent="#ffffff",
    hatch_ground="#eceef2",
    hatch_line="#7f899b",
    hatch_soft="#aeb6c4",
    not_a_number="#f7d774",
    plus_infinity="#7d3fa8",
    minus_infinity="#1c7a5c",
    good="#1d7a34",
    warning="#8a5a00",
    warning_soft="#fcefcf",
    bad="#b3261e",
    bad_soft="#fbe3e1",
    edit="#1d7a34",
    edit_soft="#e2f4e6",
    cell_dark_text="#03050a",
    cell_light_text="#ffffff",
    negative=("#ffffff", "#c9dcf0", "#7fb0db", "#2f74b8", "#0f3f7d"),
    positive=("#ffffff", "#f4d3d5", "#e0979f", "#bb3b4c", "#7d0f26"),
    weight=("#ffffff", "#cfe1f2", "#6fabd8", "#1f67b0", "#08306b"),
    positions=_POSITIONS,
)

DARK = Theme(
    name="dark",
    ground="#14171c",
    card="#1d2229",
    border="#323a46",
    text="#e7ebf1",
    muted="#9ba6b6",
    accent="#6ea8fe",
    accent_soft="#24364f",
    on_accent="#0d1520",
    hatch_ground="#252b34",
    hatch_line="#6b7686",
    hatch_soft="#505b6b",
    not_a_number="#c79a2a",
    plus_infinity="#c184ee",
    minus_infinity="#35b58f",
    good="#5fc97a",
    warning="#f0c060",
    warning_soft="#40351a",
    bad="#ff8a80",
    bad_soft="#4a2524",
    edit="#5fc97a",
    edit_soft="#1f3b28",
    cell_dark_text="#03050a",
    cell_light_text="#ffffff",
    negative=("#272d36", "#27466a", "#3273b5", "#62a6ea", "#b5d8fb"),
    positive=("#272d36", "#5e2f38", "#a84453", "#e57582", "#fbc3c8"),
    weight=("#272d36", "#24476c", "#2c78bd", "#62aeee", "#cfe8ff"),
    positions=_POSITIONS,
)

THEMES: dict[ThemeName, Theme] = {"light": LIGHT, "dark": DARK}


@lru_cache(maxsize=4096)
def position_colour(position: int) -> QColor:
    """Return the colour of a position, the same everywhere; beyond the palette hues are spread by the golden ratio."""
    if position < len(_POSITIONS):
        return QColor(_POSITIONS[position])
    hue, low, high = (position * 0.6180339887) % 1.0, 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        below = luminance(QColor.fromHslF(hue, 0.42, middle)) < _LUMINANCE
        low, high = (middle, high) if below else (low, middle)
    return QColor.fromHslF(hue, 0.42, high)


def luminance(colour: QColor) -> float:
    """Return the relative luminance of a colour, from 0 to 1. Source: WCAG 2.1."""
    channels = (colour.redF(), colour.greenF(), colour.blueF())
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
