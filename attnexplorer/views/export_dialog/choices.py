"""How a figure is set, apart from what it shows: what the dialog remembers, and what a preset holds."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

from attnexplorer.figures.carrying import MOST_BYTES
from attnexplorer.figures.command_words import ANIMATIONS
from attnexplorer.figures.export import FORMATS, SCREEN_DPI, Export, Format
from attnexplorer.figures.spec import SWEEPS, Aspect, FigureSpec, Sweep
from attnexplorer.figures.theme import ThemeName
from attnexplorer.views.export_dialog.sizes import BY_NAME, CUSTOM_CM, CUSTOM_PX, NATURAL

_ALLOWED: Mapping[str, tuple[str, ...]] = {
    "form": FORMATS,
    "size": tuple(BY_NAME),
    "theme": get_args(ThemeName),
    "sweep": SWEEPS,
    "slide": get_args(Aspect),
}


@dataclass(frozen=True, slots=True)
class Choices:
    """What is chosen.

    Parameters
    ----------
    width, height
        Of a size of one's own, in its unit; None: it follows from the figure.
    dpi, animation_dpi
        The resolution of a picture, and of an animation.
    font_size
        Of labels in points; None: it grows with the figure.
    titled, captioned
        Whether there is a title, and a caption.
    carry
        Whether the file carries the experiment.
    """

    form: Format = "png"
    size: str = NATURAL
    width: float | None = 16.0
    height: float | None = None
    dpi: int = 300
    animation_dpi: int = round(SCREEN_DPI)
    font_size: float | None = None
    theme: ThemeName = "light"
    transparent: bool = False
    numbers: bool = True
    decimals: int = 2
    labels: bool = True
    colour_bar: bool = False
    titled: bool = True
    captioned: bool = False
    cell_gap: float = 1.0
    slide: Aspect = "16:9"
    sweep: Sweep = "scale"
    seconds: float = 4.0
    loops: int = 0
    carry: bool = True

    @property
    def is_animation(self) -> bool:
        """Whether the format has several pictures."""
        return self.form in ANIMATIONS

    @property
    def form_name(self) -> str:
        """What the format is called."""
        return "WebP" if self.form == "webp" else self.form.upper()

    @property
    def export(self) -> Export:
        """How the figure becomes a file."""
        carry = MOST_BYTES if self.carry and not self.is_animation else 0
        return Export(self.form, carry, self.sweep, self.seconds, self.loops)

    def applied_to(self, shown: FigureSpec, title: str, caption: str, decimal_point: str) -> FigureSpec:
        """Return what is shown, set as chosen; an empty title or caption is said by the figure."""
        return replace(
            shown,
            **self._extent(),
            dpi=float(self.animation_dpi if self.is_animation else self.dpi),
            font_size=self.font_size,
            theme=self.theme,
            transparent=self.transparent,
            labels=self.labels,
            numbers=self.numbers,
            colour_bar=self.colour_bar,
            title=(title.strip() or None) if self.titled else "",
            caption=caption.strip() if self.captioned else None,
            decimals=self.decimals,
            decimal_point=decimal_point,
            cell_gap=self.cell_gap,
            slide=self.slide,
        )

    def _extent(self) -> dict[str, Any]:
        if self.size == CUSTOM_PX:
            pixels = [None if side is None else round(side) for side in (self.width, self.height)]
            return {"width_px": pixels[0], "height_px": pixels[1]}
        if self.size == CUSTOM_CM:
            return {"width_cm": self.width, "height_cm": self.height}
        size = BY_NAME[self.size]
        return {"width_cm": size.width_cm, "height_cm": size.height_cm}


def as_text(choices: Choices) -> str:
    """Return choices as they are kept."""
    return json.dumps(asdict(choices))


def from_text(text: str, theme: ThemeName = "light") -> Choices:
    """Return choices that were kept; what is damaged or of the wrong kind counts as not chosen.

    The first figure has the theme of the window.
    """
    usual = Choices(theme=theme)
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return usual
    if not isinstance(found, dict):
        return usual
    good = {name: found[name] for name in usual.__dataclass_fields__ if name in found and _fits(name, found[name])}
    return replace(usual, **good)


def _fits(name: str, value: Any) -> bool:
    if name in _ALLOWED:
        return value in _ALLOWED[name] if isinstance(value, str) else False
    if name in ("width", "height", "font_size") and value is None:
        return True
    usual = getattr(Choices(), name)
    if isinstance(usual, bool):
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int if isinstance(usual, int) else (int, float)):
        return False
    return math.isfinite(value) and 0 <= value < 1e6
