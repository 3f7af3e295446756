"""The chosen head enlarged: the matrix card of the Pipeline, in the colours of the grid beside it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QToolButton

from attnexplorer.figures.colours import ColourScale
from attnexplorer.views.matrix_card import MatrixCard

_LARGEST_CELL, _TALLEST_CELL, _TALLEST_MAP = 46, 30, 560
_SCROLL_ROOM = 80
_READABLE = 24


def head_tag() -> QToolButton:
    """Return the button that names the head and opens it in the Pipeline."""
    tag = QToolButton()
    tag.setObjectName("head-tag")
    tag.setProperty("look", "link")
    tag.setToolTip("Open this head in the Pipeline, where its matrices are edited")
    tag.setAccessibleName("Open this head in the Pipeline")
    return tag


def show_scale(card: MatrixCard, scale: ColourScale) -> None:
    """Give a card the colour scale of the grid in place of its own, unless another experiment is compared in it."""
    content = card.table.content
    if content.picture.scale != scale and not card.table.held:
        card.table.show_content(replace(content, picture=replace(content.picture, scale=scale, _memo={})))


def height_for(card: MatrixCard, width: int) -> int:
    """Return the height that a card wants at a width."""
    return card.size_for(*_cell_for(card, width), _TALLEST_MAP + _SCROLL_ROOM, width).height()


def fit(card: MatrixCard, width: int) -> None:
    """Give the cells the size that goes with a width."""
    card.table.set_cell_size(*_cell_for(card, width))


def _cell_for(card: MatrixCard, width: int) -> tuple[int, int]:
    rows, columns = card.table.content.shape
    room = width - card.chrome_width(_LARGEST_CELL, _TALLEST_CELL)
    across = max(2, min(_LARGEST_CELL, room // max(columns, 1)))
    down = max(2, min(across, _TALLEST_CELL, _TALLEST_MAP // max(rows, 1)))
    return (across, down) if across >= _READABLE else (down, down)
