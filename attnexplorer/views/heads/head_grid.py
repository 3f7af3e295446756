"""The grid of all heads on screen: one widget that paints every tile, and turns pointer and keys into requests."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
)
from PySide6.QtWidgets import QToolTip, QWidget

from attnexplorer.figures.head_grid import Grid, GridLayout, Hit, Tile
from attnexplorer.figures.head_grid_painting import paint_grid
from attnexplorer.figures.theme import LIGHT
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.whole_errors import with_whole_errors

_MARK_FROM = 5
"""Cells at least this many pixels wide are marked in all tiles, smaller ones in the tile that is meant."""


class Mark(NamedTuple):
    """A drawn cell that is marked, and the tile that is meant; -1 for none of them."""

    row: int
    column: int
    tile: int


@with_whole_errors
class HeadGridView(Speaking, QWidget):
    """Shows a grid. Arrow keys go from head to head, Enter opens one, M mutes and S solos it."""

    tile_chosen = Signal(int)
    tile_opened = Signal(int)
    cell_chosen = Signal(int, int, int)
    cell_hovered = Signal(int, int, int)
    hover_left = Signal()
    mute_requested = Signal(int)
    solo_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = Grid((), LIGHT)
        self._layout = GridLayout(0, 1, 100, 10, 1, 1)
        self._mark: Mark | None = None
        self._pointed: Hit | None = None
        self.tell: Callable[[Hit], str] = lambda hit: ""
        """Returns the tool tip for what is under the pointer."""
        self.setObjectName("head-grid")
        self.setAccessibleName("Heads")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.installEventFilter(self)

    @property
    def grid(self) -> Grid:
        """What is shown."""
        return self._grid

    @property
    def grid_layout(self) -> GridLayout:
        """Where it is shown."""
        return self._layout

    @property
    def chosen(self) -> int:
        """The tile of the chosen head; -1 if it is not among the tiles."""
        return next((index for index, tile in enumerate(self._grid.tiles) if tile.chosen), -1)

    def show_grid(self, grid: Grid, layout: GridLayout) -> None:
        """Show tiles; only those that differ are painted again."""
        before = self._grid
        if layout != self._layout or len(grid.tiles) != len(before.tiles) or grid.theme is not before.theme:
            changed = QRegion(self.rect())
        else:
            changed = QRegion()
            for index, (old, new) in enumerate(zip(before.tiles, grid.tiles, strict=True)):
                if _chrome(old) != _chrome(new) or grid.leading != before.leading:
                    changed += layout.tile_rect(index)
                elif old.picture is not new.picture or old.metrics != new.metrics:
                    changed += layout.numbers_rect(index)
        self._grid, self._layout = grid, layout
        if not changed.isEmpty():
            self.say_value()
            self.update(changed)

    def show_mark(self, mark: Mark | None) -> None:
        """Mark a drawn cell."""
        if mark != self._mark:
            region = self._mark_region(self._mark)
            self._mark = mark
            self.update(region + self._mark_region(mark))

    def part_at(self, hit: Hit) -> QRect:
        """Return the rectangle of what was hit."""
        if hit.part == "map":
            return self._layout.cell_rect(hit.tile, hit.row, hit.column)
        return self._layout.tile_rect(hit.tile) if hit.part == "tile" else self._layout.button_rect(hit.tile, hit.part)

    def spoken(self) -> str:
        """Return the chosen head and its numbers."""
        chosen = self.chosen
        if chosen < 0:
            return ""
        tile = self._grid.tiles[chosen]
        states = [state for state, on in (("muted", tile.muted), ("solo", tile.soloed)) if on]
        parts = [f"head {tile.title}", *([tile.tag] if tile.tag else []), *states]
        parts += [f"{metric.label} {metric.text}" for metric in tile.metrics]
        return ", ".join(parts)

    def _mark_region(self, mark: Mark | None) -> QRegion:
        region = QRegion()
        for rect in self._mark_rects(mark):
            region += rect.adjusted(-3, -3, 3, 3)
        return region

    def _mark_rects(self, mark: Mark | None) -> list[QRect]:
        if mark is None or mark.row >= self._layout.rows or mark.column >= self._layout.columns:
            return []
        every = self._layout.cell >= _MARK_FROM
        tiles = [tile for tile in range(len(self._grid.tiles)) if every or tile == mark.tile]
        return [self._layout.cell_rect(tile, mark.row, mark.column) for tile in tiles]

    def _paint_mark(self, painter: QPainter, mark: Mark) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        meant = None if mark.tile < 0 else self._layout.cell_rect(mark.tile, mark.row, mark.column)
        for rect in self._mark_rects(mark):
            colour, width = (self._grid.theme.text, 2.0) if rect == meant else (self._grid.theme.accent, 1.0)
            painter.setPen(QPen(QColor(colour), width))
            painter.drawRect(rect.adjusted(0, 0, -1, -1) if width == 1.0 else rect.adjusted(-1, -1, 0, 0))

    def _hit(self, event: QMouseEvent) -> Hit | None:
        return self._layout.hit(self._grid, event.position())

    def _point_at(self, hit: Hit | None) -> None:
        before, self._pointed = self._pointed, hit
        if hit is not None and hit.part == "map":
            self.cell_hovered.emit(hit.tile, hit.row, hit.column)
        elif before is not None and before.part == "map":
            self.hover_left.emit()
        for each in (before, hit):
            if each is not None and each.part in ("mute", "solo"):
                self.update(self.part_at(each))
        cursor = Qt.CursorShape.ArrowCursor if hit is None else Qt.CursorShape.PointingHandCursor
        if self.cursor().shape() != cursor:
            self.setCursor(cursor)

    def _go(self, tile: int) -> None:
        if 0 <= tile < len(self._grid.tiles) and self._grid.tiles[tile].mixing:
            self.tile_chosen.emit(tile)

    def sizeHint(self) -> QSize:
        return QSize(self._layout.width, self._layout.height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        grid = Grid(self._grid.tiles, self._grid.theme, self._grid.leading, self.hasFocus())
        paint_grid(painter, grid, self._layout, event.region())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self._mark is not None:
            self._paint_mark(painter, self._mark)
        if self._pointed is not None and self._pointed.part in ("mute", "solo"):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            painter.setPen(QPen(QColor(grid.theme.accent), 1.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            rect = self.part_at(self._pointed).toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(rect, 4, 4)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        hit = self._hit(event)
        if hit is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if hit.part == "mute":
            self.mute_requested.emit(hit.tile)
        elif hit.part == "solo":
            self.solo_requested.emit(hit.tile)
        elif hit.part == "map" and self._grid.tiles[hit.tile].mixing:
            self.cell_chosen.emit(hit.tile, hit.row, hit.column)
        else:
            self._go(hit.tile)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        hit = self._hit(event)
        if hit is not None and hit.part in ("mute", "solo"):
            # Two quick presses are two presses.
            self.mousePressEvent(event)
        elif hit is not None and self._grid.tiles[hit.tile].mixing and event.button() == Qt.MouseButton.LeftButton:
            self.tile_opened.emit(hit.tile)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self._hit(event))

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        chosen, across = self.chosen, self._layout.across
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -across, Qt.Key.Key_Down: across}
        last = max((index for index, tile in enumerate(self._grid.tiles) if tile.mixing), default=-1)
        key = event.key()
        if event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier):
            super().keyPressEvent(event)
        elif key in steps:
            self._go(chosen + steps[Qt.Key(key)])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go(0 if key == Qt.Key.Key_Home else last)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and chosen >= 0:
            self.tile_opened.emit(chosen)
        elif key == Qt.Key.Key_M and chosen >= 0:
            self.mute_requested.emit(chosen)
        elif key == Qt.Key.Key_S and chosen >= 0:
            self.solo_requested.emit(chosen)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            hit = self._layout.hit(self._grid, event.pos().toPointF())
            text = "" if hit is None else html.escape(self.tell(hit))
            area = QRect() if hit is None else self.part_at(hit)
            QToolTip.showText(event.globalPos(), text and f"<p style='white-space:pre'>{text}</p>", self, area)
            return True
        return False


_chrome = attrgetter(*(field.name for field in fields(Tile) if field.name not in ("picture", "metrics")))
"""Returns what is painted of a tile around its map and its metrics."""
