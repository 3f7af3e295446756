"""The tiles of all heads painted: a frame, a title with its buttons, the heatmap, and the numbers below it."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QRegion

from attnexplorer.figures.fonts import Face, font
from attnexplorer.figures.head_grid import BELOW_MAP, METRIC_LINE, PADDING, Grid, GridLayout, Tile, metric_texts
from attnexplorer.figures.matrix import Block, CellSize, paint_cells
from attnexplorer.figures.theme import Theme, position_colour

FADED = 0.3
"""How opaque the map of a muted head is."""


def paint_grid(painter: QPainter, grid: Grid, layout: GridLayout, region: QRegion) -> None:
    """Paint what touches a region, with the top left corner of the first tile at the painter's origin."""
    for index, tile in enumerate(grid.tiles):
        if region.intersects(layout.tile_rect(index)):
            _paint_tile(painter, grid, tile, index, layout, region)


def tag_colours(position: int, theme: Theme) -> tuple[QColor, QColor]:
    """Return ground and text of the tag of a KV head."""
    colour, card, share = position_colour(position), QColor(theme.card), 0.22 if theme.name == "light" else 0.34
    pairs = ((colour.red(), card.red()), (colour.green(), card.green()), (colour.blue(), card.blue()))
    return QColor(*(round(a * share + b * (1 - share)) for a, b in pairs)), QColor(theme.text)


def _paint_tile(painter: QPainter, grid: Grid, tile: Tile, index: int, layout: GridLayout, region: QRegion) -> None:
    if not region.intersected(layout.tile_rect(index)).subtracted(layout.numbers_rect(index)).isEmpty():
        _paint_chrome(painter, grid, tile, index, layout)
        _paint_header(painter, grid, tile, index, layout)
    else:
        painter.fillRect(layout.numbers_rect(index), QColor(grid.theme.card))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setOpacity(FADED if tile.muted else 1.0)
    _paint_map(painter, tile, index, layout)
    painter.setOpacity(1.0)
    _paint_metrics(painter, grid, tile, index, layout)


def _paint_chrome(painter: QPainter, grid: Grid, tile: Tile, index: int, layout: GridLayout) -> None:
    theme, rect = grid.theme, QRectF(layout.tile_rect(index))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setBrush(QColor(theme.card))
    painter.setPen(QPen(QColor(theme.accent if tile.chosen else theme.border), 2.0 if tile.chosen else 1.0))
    inset = 1.0 if tile.chosen else 0.5
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), 7, 7)
    if tile.chosen and grid.focused:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.text), 1.0, Qt.PenStyle.DotLine))
        painter.drawRoundedRect(rect.adjusted(3.5, 3.5, -3.5, -3.5), 5, 5)


def _paint_header(painter: QPainter, grid: Grid, tile: Tile, index: int, layout: GridLayout) -> None:
    theme, rect = grid.theme, layout.tile_rect(index)
    line = QRectF(rect.left() + PADDING + 1, layout.button_rect(index, "mute").top(), 10, layout.header - 6)
    made = font("text", 12 * layout.scale, bold=True)
    right = float(layout.button_rect(index, "mute").left() if tile.has_buttons else rect.right() - PADDING)
    painter.setFont(made)
    painter.setPen(QColor(theme.text))
    line.setRight(right - 4)
    if tile.dot:
        painter.setBrush(QColor(tile.dot))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(QPointF(line.left() + 3, line.center().y()), 3.5, 3.5)
        line.setLeft(line.left() + 11)
        painter.setPen(QColor(theme.text))
    title = QFontMetricsF(made).elidedText(tile.title, Qt.TextElideMode.ElideRight, line.width())
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
    if tile.tag:
        line.setLeft(line.left() + QFontMetricsF(made).horizontalAdvance(title) + 5)
        _paint_tag(painter, tile, line, theme, layout)
    if tile.has_buttons:
        bad, warning = (theme.bad, theme.bad_soft), (theme.warning, theme.warning_soft)
        _paint_button(painter, layout.button_rect(index, "mute"), "M", tile.muted, bad, grid, layout)
        _paint_button(painter, layout.button_rect(index, "solo"), "S", tile.soloed, warning, grid, layout)


def _paint_tag(painter: QPainter, tile: Tile, room: QRectF, theme: Theme, layout: GridLayout) -> None:
    made = font("text", 10 * layout.scale)
    width = QFontMetricsF(made).horizontalAdvance(tile.tag) + 10
    if width > room.width():
        return
    ground, text = tag_colours(tile.tag_position, theme)
    place = QRectF(room.right() - width, room.top(), width, room.height())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(place, place.height() / 2, place.height() / 2)
    painter.setFont(made)
    painter.setPen(text)
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, tile.tag)


def _paint_button(
    painter: QPainter, rect: QRect, letter: str, on: bool, colours: tuple[str, str], grid: Grid, layout: GridLayout
) -> None:
    painter.setPen(QPen(QColor(colours[0] if on else grid.theme.border), 1.0))
    painter.setBrush(QColor(colours[1]) if on else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    painter.setFont(font("text", 10 * layout.scale, bold=on))
    painter.setPen(QColor(colours[0] if on else grid.theme.muted))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, letter)


def _paint_map(painter: QPainter, tile: Tile, index: int, layout: GridLayout) -> None:
    rect = layout.map_rect(index)
    if tile.picture is None:
        return
    rows, columns = tile.picture.values.shape
    painter.save()
    # One rectangle to clip to instead of the many that change together: images are then scaled the fast way.
    painter.setClipRect(rect)
    painter.translate(rect.topLeft())
    paint_cells(painter, tile.picture, CellSize(layout.cell, layout.cell), Block(0, 0, rows, columns))
    painter.restore()


def _paint_metrics(painter: QPainter, grid: Grid, tile: Tile, index: int, layout: GridLayout) -> None:
    """Write labels, then numbers: changing the font costs as much as writing a word."""
    rect, theme = layout.tile_rect(index), grid.theme
    shown = metric_texts(tile, layout, grid.leading)
    columns = max(1, min(layout.metric_columns, len(shown)))
    width, line = (rect.width() - 2 * PADDING) / columns, round(METRIC_LINE * layout.scale)
    left, top = rect.left() + PADDING + 1, layout.map_rect(index).bottom() + 1 + BELOW_MAP
    corners = [(left + place % columns * width, top + place // columns * line) for place in range(len(shown))]
    size = 10 * layout.scale
    painter.setFont(font("text", size))
    painter.setPen(QColor(theme.muted))
    base = _baseline("text", size, line)
    for metric, (x, y) in zip(shown, corners, strict=True):
        painter.drawText(QPointF(x, y + base), metric.label)
    painter.setFont(font("number", size))
    painter.setPen(QColor(theme.muted if tile.muted else theme.text))
    base = _baseline("number", size, line)
    for metric, (x, y) in zip(shown, corners, strict=True):
        painter.drawText(QPointF(x + _width_before_number(metric.label, size), y + base), metric.text)


@lru_cache(maxsize=64)
def _baseline(face: Face, size: float, line: int) -> float:
    """Return how far below the top of a line text stands that is centred in it."""
    measured = QFontMetricsF(font(face, size))
    return (line - measured.height()) / 2 + measured.ascent()


@lru_cache(maxsize=64)
def _width_before_number(label: str, size: float) -> float:
    return QFontMetricsF(font("text", size)).horizontalAdvance(label + " ")
