"""The chosen head enlarged: the matrix card of the Pipeline, in the colours of the grid beside it."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QToolButton

from attnexplorer.figures.colours import ColourScale
from attnexplorer.views.matrix_card import MatrixCard
from attnexplorer.views.table_zoom import TableZoom

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
    """Give a card the colour scale of the grid in place of its own."""
    content = card.table.content
    if content.picture.scale != scale and content.picture.scale.kind == scale.kind:
        card.table.show_content(replace(content, picture=replace(content.picture, scale=scale, _memo={})))


def height_for(card: MatrixCard, width: int) -> int:
    """Return the height that a card wants at a width."""
    return card.size_for(*_cell_for(card, width), _TALLEST_MAP + _SCROLL_ROOM, width).height()


def fit(card: MatrixCard, width: int) -> None:
    """Give the cells the size that goes with a width, unless they are zoomed."""
    _zoom_of(card).set_fitted(_cell_for(card, width))


def _zoom_of(card: MatrixCard) -> TableZoom:
    """Return what zooms a card, with the button for it; made when the card is placed for the first time."""
    found = card.table.findChild(TableZoom)
    if found is not None:
        return found
    zoom, button = TableZoom(card.table), QToolButton()
    button.setObjectName("map-zoom")
    button.setProperty("look", "link")
    button.hide()
    button.clicked.connect(lambda: zoom.fit() if zoom.zoomed else zoom.enlarge())
    zoom.changed.connect(lambda: _show_button(button, zoom))
    card.add_tool(button)
    return zoom


def _show_button(button: QToolButton, zoom: TableZoom) -> None:
    enlarge, fit = ("Enlarge", "Make the numbers readable"), ("Fit", "Show the whole map again (Alt 0)")
    text, does = fit if zoom.zoomed else enlarge
    button.setText(text)
    button.setAccessibleName(f"{text}: {does[0].lower()}{does[1:]}")
    button.setToolTip(f"{does}. Ctrl and the wheel zoom, Alt with + and − too; the middle button drags what is zoomed.")
    button.setVisible(zoom.zoomable)


def _cell_for(card: MatrixCard, width: int) -> tuple[int, int]:
    rows, columns = card.table.content.shape
    room = width - card.chrome_width(_LARGEST_CELL, _TALLEST_CELL)
    across = max(2, min(_LARGEST_CELL, room // max(columns, 1)))
    down = max(2, min(across, _TALLEST_CELL, _TALLEST_MAP // max(rows, 1)))
    return (across, down) if across >= _READABLE else (down, down)
