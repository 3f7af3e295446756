"""Named sizes of figures: shares of a slide, columns of a paper, and the user's own."""

from __future__ import annotations

from typing import Literal, NamedTuple

Unit = Literal["cm", "px"]


class Size(NamedTuple):
    """A named size; a height of None follows from the figure."""

    name: str
    label: str
    width_cm: float | None = None
    height_cm: float | None = None


NATURAL, CUSTOM_CM, CUSTOM_PX = "natural", "cm", "px"
SIZES = (
    Size(NATURAL, "As large as it needs to be"),
    Size("slide", "Slide 16 : 9, full", 33.867, 19.05),
    Size("half-slide", "Slide 16 : 9, half", 16.933, 19.05),
    Size("third-slide", "Slide 16 : 9, a third", 11.289, 19.05),
    Size("slide-4-3", "Slide 4 : 3, full", 25.4, 19.05),
    Size("half-slide-4-3", "Slide 4 : 3, half", 12.7, 19.05),
    Size("third-slide-4-3", "Slide 4 : 3, a third", 8.467, 19.05),
    Size("column", "LaTeX, one of two columns", 8.6),
    Size("two-columns", "LaTeX, both columns", 17.8),
    Size("text", "LaTeX article, the text", 12.1),
    Size(CUSTOM_CM, "Another size, in cm"),
    Size(CUSTOM_PX, "Another size, in pixels"),
)
BY_NAME = {size.name: size for size in SIZES}
