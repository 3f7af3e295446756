"""Matrices in a row with what is done between them, such as X × W_Q = Q, all centred on the middle of their cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attnexplorer.figures.arrows import Operator
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.figure import Group, Placed
from attnexplorer.figures.matrix_figure import LabelChoice, MatrixPanel, heading_line
from attnexplorer.figures.theme import Theme
from attnexplorer.figures.typeset import TextLine

WIDEST_MAP, WIDEST_VECTOR = 150.0, 110.0
"""How long a row of tokens, and one of the columns of vectors, is where there are many, in pixels."""
MOST_NUMBERS = 16
"""With more rows or columns the numbers would make a figure that no page can hold."""
_GAP = 7.0
_HEADING_PIXELS = 15.0


@dataclass(frozen=True, slots=True)
class Part:
    """A matrix of an equation.

    Parameters
    ----------
    symbol, words
        Its heading: the symbol is marked up.
    before
        What is done before it, marked up; on an arrow where it is no operator.
    rows, columns
        What stands beside and above it.
    """

    content: MatrixContent
    symbol: str
    words: str
    before: str
    arrow: bool
    rows: LabelChoice
    columns: LabelChoice

    def heading(self, theme: Theme) -> TextLine:
        """Return what stands above the matrix."""
        return heading_line(self.symbol, self.words, theme.text, theme.muted, _HEADING_PIXELS)


def equation(theme: Theme, parts: Sequence[Part], panels: Sequence[MatrixPanel]) -> Group:
    """Return the panels of the parts in a row, with what is done between them."""
    above = max(_middle(panel) for panel in panels)
    below = max(panel.height - _middle(panel) for panel in panels)
    placed, x = [], 0.0
    for part, panel in zip(parts, panels, strict=True):
        if part.before:
            operator = Operator(part.before, theme, part.arrow)
            placed.append(Placed(x, above - operator.height / 2, operator))
            x += operator.width + _GAP
        placed.append(Placed(x, above - _middle(panel), panel))
        x += panel.width + _GAP
    return Group(x - _GAP, above + below, tuple(placed))


def _middle(panel: MatrixPanel) -> float:
    return panel.corner.y() + panel.content.shape[0] * panel.cell.height / 2
