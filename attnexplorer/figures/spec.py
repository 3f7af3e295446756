"""What a figure shows and how it is set: one frozen value that command line, dialog and scripts share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.theme import THEMES, Theme, ThemeName

Aspect = Literal["16:9", "4:3"]
Shown = Literal["A", "B", "B-A"]
Sweep = Literal["scale", "mask", "rows", "tokens"]
SWEEPS: tuple[Sweep, ...] = get_args(Sweep)

LARGEST_CM = 500.0
SMALLEST_CM = 0.5
DPI_RANGE = (20.0, 2400.0)
FONT_RANGE = (2.0, 200.0)
CM_PER_INCH = 2.54
POINTS_PER_INCH = 72.0
ASPECTS: dict[Aspect, tuple[float, float]] = {"16:9": (33.867, 19.05), "4:3": (25.4, 19.05)}
"""Width and height of a slide in cm."""


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """Everything that a figure depends on, apart from the experiment. Layers, heads, rows and columns count from 0.

    Parameters
    ----------
    what
        The name of a kind (`heads`, `flow`, `pipeline`, …), of a stage or parameter (`weights`, `W_Q`), or the path of
        a matrix.
    stage
        What `heads`, `flow`, `explain` and `compare` show.
    head
        None: all heads.
    row, column
        The cell that `explain` explains, the row that `scaling` looks at.
    width_cm, height_cm
        The size of the whole figure. With neither, it is as large as it needs to be at its size of type.
    width_px, height_px
        The same in pixels at `dpi`.
    font_size
        The size of labels in points, as printed; the cells take the room that is left. None: type grows and shrinks
        with the figure, and is 9 pt if no size is given.
    title
        None: said by what is shown; empty: none.
    caption
        None: no caption; empty: said by the experiment; else this text.
    decimals
        Decimals of the numbers in the cells.
    highlight
        Row and column of what is framed; None for one of them frames the whole column or row.
    cell_gap
        The gap between cells, in pixels of the layout (12 of them are the size of a label).
    rows_shown
        Only so many rows of a matrix over queries are uncovered; None: all.
    axes
        The two columns that `geometry` draws; None: the first two, or the principal components.
    vectors
        The kinds of vectors that `geometry` draws: query, key, value, output, input; those of one width share a plane.
        Empty: queries and keys, and beside them outputs and values.
    slide
        The shape of the slides of a deck or of a PPTX file.
    stages
        The pages of a walkthrough, by their names; none: all.
    heads
        Which heads a grid of heads shows, in this order; none: all, as they come.
    shown
        Where two experiments are compared, which of them, or what changed, a grid of heads shows.
    """

    what: str = "weights"
    stage: str = "weights"
    layer: int = 0
    head: int | None = 0
    row: int | None = None
    column: int | None = None
    width_cm: float | None = None
    height_cm: float | None = None
    width_px: int | None = None
    height_px: int | None = None
    dpi: float = 300.0
    font_size: float | None = None
    theme: ThemeName = "light"
    transparent: bool = False
    labels: bool = True
    numbers: bool = True
    colour_bar: bool = False
    title: str | None = None
    caption: str | None = None
    decimals: int = 2
    decimal_point: str = "."
    highlight: tuple[int | None, int | None] | None = None
    cell_gap: float = 1.0
    rows_shown: int | None = None
    axes: tuple[int, int] | None = None
    vectors: tuple[str, ...] = ()
    slide: Aspect = "16:9"
    stages: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()
    shown: Shown = "B"

    @property
    def colours(self) -> Theme:
        """The theme itself."""
        return THEMES[self.theme]

    @property
    def wanted_points(self) -> tuple[float | None, float | None]:
        """The wanted width and height in points; None where the figure decides."""
        return self._points(self.width_cm, self.width_px), self._points(self.height_cm, self.height_px)

    def _points(self, cm: float | None, pixels: int | None) -> float | None:
        if cm is not None:
            return cm / CM_PER_INCH * POINTS_PER_INCH
        return None if pixels is None else pixels / self.dpi * POINTS_PER_INCH


def check_spec(spec: FigureSpec) -> None:
    """Refuse a size, resolution or size of type that makes no sense.

    Raises
    ------
    FigureError
        With one sentence that names it and what was expected.
    """
    _check_range(spec.dpi, *DPI_RANGE, "the resolution", "dpi")
    for name, points in zip(("width", "height"), spec.wanted_points, strict=True):
        if points is not None:
            _check_range(points / POINTS_PER_INCH * CM_PER_INCH, SMALLEST_CM, LARGEST_CM, f"the {name}", "cm")
    if spec.font_size is not None:
        _check_range(spec.font_size, *FONT_RANGE, "the size of type", "pt")
    _check_range(spec.decimals, 0, 8, "the number of decimals", "")
    _check_range(spec.cell_gap, 0, 8, "the gap between cells", "")
    if spec.rows_shown is not None and spec.rows_shown < 0:
        raise FigureError(f"{spec.rows_shown} rows cannot be shown; 0 or more were expected")
    twice = next((head for place, head in enumerate(spec.heads) if head in spec.heads[:place]), None)
    if twice is not None:
        raise FigureError(f"head {twice} is named twice")


def _check_range(value: float, low: float, high: float, name: str, unit: str) -> None:
    if not math.isfinite(value) or not low <= value <= high:
        unit = f" {unit}" if unit else ""
        raise FigureError(f"{name} is {value:g}{unit}, but {low:g} to {high:g}{unit} was expected")
