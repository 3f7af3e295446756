"""Matrices side by side as small maps of one cell size, painted by the routine of all tables; read-only."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QRegion,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from attnexplorer.compute.numbers import full_text
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.labels import BAR, every, longest, paint_column_label, paint_row_label
from attnexplorer.figures.matrix import Block, CellSize, paint_cells
from attnexplorer.views.appearance import Appearance

_GAP, _PADDING = 10.0, 8.0
_LARGEST_CELL = (80.0, 28.0)
_FRAMED_FROM = 6.0
_MARK = 8
"""Room right of the cells for what points at a row."""
_LONGEST_COLUMN = 56.0
_NAMED_ROOM, _NAMED_CELL = 200.0, 12.0
"""Tokens are named beside a map with so much room or with cells so wide beside the names; else the map gets the room.
"""
_LABEL_SHARE = 0.36
"""Row labels take at most this share of a map's place."""


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A matrix with a title and with captions, the fullest first; `tip` says what a number of it is."""

    title: str
    captions: tuple[str, ...]
    content: MatrixContent
    chosen: bool = False
    tip: str = ""
    marks_row: bool = True


class Spot(NamedTuple):
    """A cell of one of the maps."""

    map: int
    row: int
    column: int


class Frame(NamedTuple):
    """Where the maps are: the place of each, the size of a cell, the room of row and column labels."""

    places: tuple[QRectF, ...]
    cell: CellSize
    label_width: float
    label_height: float
    upright: bool
    named: bool


class MapGrid(QWidget):
    """Shows maps in lines. Cells are picked (or whole maps) by pointer and arrow keys; nothing is edited.

    Parameters
    ----------
    picks
        Whether a press and the arrow keys choose a cell or a map.
    least, most
        The least width of a map in pixels, and the most maps in a line.
    """

    cell_hovered = Signal(object)
    """The spot under the pointer, or None."""
    cell_picked = Signal(object)
    map_picked = Signal(int)

    def __init__(
        self,
        appearance: Appearance,
        *,
        picks: Literal["cell", "map"] = "cell",
        least: float = 130.0,
        most: int = 3,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._appearance, self._theme = appearance, appearance.theme
        self._picks, self._least, self._most = picks, least, most
        self._maps: tuple[Map, ...] = ()
        self._row, self._column = 0, 0
        self._hovered: Spot | None = None
        self._frame: tuple[float, Frame] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.installEventFilter(self)

    @property
    def maps(self) -> tuple[Map, ...]:
        """What is shown."""
        return self._maps

    def show_maps(self, maps: tuple[Map, ...], row: int, column: int = 0) -> None:
        """Show maps, and mark a row and a cell of it in those that mark rows."""
        before, marks = self._maps, (self._row, self._column)
        self._maps, self._row, self._column = maps, row, column
        if not _same_shape(maps, before):
            self._lay_out_anew()
        elif marks == (row, column):
            self._repaint_changed(before)
            return
        self._describe()
        self.update()

    def apply_appearance(self) -> None:
        """Take over type that has changed."""
        self._lay_out_anew()
        self.update()

    def cell_rect(self, spot: Spot) -> QRectF:
        """Return where a cell is."""
        frame = self.frame()
        return frame.cell.rect(spot.row, spot.column).translated(self._corner(frame, spot.map))

    def frame(self, width: float | None = None) -> Frame:
        """Return where everything is at a width, the present one unless given."""
        wanted = float(self.width()) if width is None else width
        if self._frame is None or self._frame[0] != wanted:
            self._frame = (wanted, self._framed(wanted))
        return self._frame[1]

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        places = self.frame(float(width)).places
        return math.ceil(places[-1].bottom()) + 1 if places else 0

    def sizeHint(self) -> QSize:
        return QSize(300, self.heightForWidth(300))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame, self._theme = self.frame(), self._appearance.theme
        for index, place in enumerate(frame.places):
            if event.region().intersects(place.toAlignedRect()):
                self._paint_map(painter, frame, index, event.region())
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot, index = self._spot_at(event.position()), self._map_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
        elif self._picks == "map" and index is not None:
            self.map_picked.emit(index)
        elif spot is not None:
            self.cell_picked.emit(spot)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._spot_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None or not self._maps:
            super().keyPressEvent(event)
        elif self._picks == "map":
            self._pick_next_map(*step)
        else:
            self._pick_next_cell(*step)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            spot = self._spot_at(event.pos().toPointF())
            QToolTip.showText(event.globalPos(), "" if spot is None else self._told(spot), self)
            return True
        return False

    def _describe(self) -> None:
        self.setAccessibleDescription("; ".join(f"{it.title}: {it.captions[0]}" for it in self._maps))

    def _repaint_changed(self, before: tuple[Map, ...]) -> None:
        changed = [index for index, (old, new) in enumerate(zip(before, self._maps, strict=True)) if old is not new]
        if changed:
            self._describe()
        # Labels stay as they are: painting them would cost more than the cells.
        frame = self.frame()
        for index in changed:
            self.update(self._heading_rect(frame, index).toAlignedRect())
            self.update(self._cells_rect(frame, index).adjusted(-1, -1, _MARK, 1).toAlignedRect())
            if self._maps[index].chosen != before[index].chosen:
                self.update()

    def _lay_out_anew(self) -> None:
        self._frame = None
        self.updateGeometry()

    def _pick_next_map(self, down: int, across: int) -> None:
        here = next((index for index, it in enumerate(self._maps) if it.chosen), 0)
        target = here + across + down * self._per_line(self.width())
        if 0 <= target < len(self._maps):
            self.map_picked.emit(target)

    def _pick_next_cell(self, down: int, across: int) -> None:
        index = next((index for index, it in enumerate(self._maps) if it.marks_row), 0)
        rows, columns = self._maps[index].content.shape
        row = min(max(self._row + down, 0), rows - 1)
        self.cell_picked.emit(Spot(index, row, min(max(self._column + across, 0), columns - 1)))

    def _hover(self, spot: Spot | None) -> None:
        if spot != self._hovered:
            self._hovered = spot
            self.cell_hovered.emit(spot)
            self.update()

    def _told(self, spot: Spot) -> str:
        it = self._maps[spot.map]
        picture = it.content.picture
        blocked = it.content.blocked_by(spot.row, spot.column)
        value = full_text(float(picture.values[spot.row, spot.column]), picture.decimal_point)
        place = f"{it.content.rows.texts[spot.row]} → {it.content.columns.texts[spot.column]}"
        text = f"{it.title}\n{place}: {value}{f' ({blocked})' if blocked else ''}\n{it.tip}".rstrip()
        return f"<p style='white-space:pre'>{html.escape(text)}</p>"

    def _spot_at(self, at: QPointF) -> Spot | None:
        frame, index = self.frame(), self._map_at(at)
        if index is None:
            return None
        inside = at - self._corner(frame, index)
        row, column = math.floor(inside.y() / frame.cell.height), math.floor(inside.x() / frame.cell.width)
        rows, columns = self._maps[index].content.shape
        return Spot(index, row, column) if 0 <= row < rows and 0 <= column < columns else None

    def _map_at(self, at: QPointF) -> int | None:
        return next((index for index, place in enumerate(self.frame().places) if place.contains(at)), None)

    def _per_line(self, width: float) -> int:
        fitting = int((width + _GAP) // (self._least * self._appearance.text_scale + _GAP))
        return max(1, min(fitting, self._most, max(len(self._maps), 1)))

    def _line(self) -> float:
        return round(17.0 * self._appearance.text_scale)

    def _framed(self, width: float) -> Frame:
        if not self._maps:
            return Frame((), CellSize(1, 1), 0, 0, False, False)
        per_line = self._per_line(width)
        place = (width - _GAP * (per_line - 1)) / per_line
        columns = max(it.content.shape[1] for it in self._maps)
        face, scale = self._appearance.font("text", 12), self._appearance.text_scale
        room = place - 2 * _PADDING
        names = max(longest(it.content.rows, face) for it in self._maps)
        label_width = min(names + 8, _LABEL_SHARE * place) + BAR + 4
        if not names or not _named(room, (room - label_width) / columns, scale):
            names, label_width = 0.0, BAR + 4
        side = (room - label_width) / columns
        side = math.floor(side) if side >= 5 else side
        cell = CellSize(min(side, _LARGEST_CELL[0] * scale), min(side, _LARGEST_CELL[1] * scale))
        above = max(longest(it.content.columns, face) for it in self._maps) if names else 0.0
        upright = above + 4 > cell.width
        label_height = (min(above + 8, _LONGEST_COLUMN * scale) if upright else 18 * scale) if above else 0.0
        heading = 2 * self._line() + _PADDING
        tops: list[QRectF] = []
        top = 0.0
        for start in range(0, len(self._maps), per_line):
            line = self._maps[start : start + per_line]
            rows = max(it.content.shape[0] for it in line)
            height = heading + label_height + BAR + 2 + rows * cell.height + _PADDING
            tops += [QRectF(index * (place + _GAP), top, place, height) for index in range(len(line))]
            top += height + _GAP
        return Frame(tuple(tops), cell, label_width, label_height + BAR + 2, upright, names > 0)

    def _corner(self, frame: Frame, index: int) -> QPointF:
        place = frame.places[index]
        above = _PADDING + 2 * self._line() + frame.label_height
        return QPointF(place.left() + _PADDING + frame.label_width, place.top() + above)

    def _heading_rect(self, frame: Frame, index: int) -> QRectF:
        place = frame.places[index]
        left, width = place.left() + _PADDING, place.width() - 2 * _PADDING
        return QRectF(left, place.top() + _PADDING / 2, width, 2 * self._line())

    def _cells_rect(self, frame: Frame, index: int) -> QRectF:
        rows, columns = self._maps[index].content.shape
        return frame.cell.rect(0, 0, rows, columns).translated(self._corner(frame, index))

    def _paint_map(self, painter: QPainter, frame: Frame, index: int, region: QRegion) -> None:
        it, place, corner = self._maps[index], frame.places[index], self._corner(frame, index)
        self._paint_border(painter, place, it.chosen)
        self._paint_heading(painter, self._heading_rect(frame, index), it)
        cells = self._cells_rect(frame, index)
        beside = QRectF(corner.x() - frame.label_width, cells.top(), frame.label_width - 2, cells.height())
        above = QRectF(cells.left(), corner.y() - frame.label_height, cells.width(), frame.label_height - 2)
        if any(region.intersects(rect.toRect()) for rect in (beside, above)):
            self._paint_labels(painter, frame, it, corner)
        painter.translate(corner)
        rows, columns = it.content.shape
        painter.save()
        # One rectangle to clip to instead of the many that change together: images are then scaled the fast way.
        painter.setClipRect(frame.cell.rect(0, 0, rows, columns).toAlignedRect())
        paint_cells(painter, it.content.picture, frame.cell, Block(0, 0, rows, columns))
        painter.restore()
        self._paint_marks(painter, frame.cell, index)
        painter.translate(-corner)

    def _paint_border(self, painter: QPainter, place: QRectF, chosen: bool) -> None:
        theme = self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        if chosen:
            width = 2.0 if self._picks == "map" and self.hasFocus() else 1.2
            painter.setPen(QPen(QColor(theme.accent), width))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), 6, 6)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_heading(self, painter: QPainter, heading: QRectF, it: Map) -> None:
        theme, line = self._theme, self._line()
        rect = QRectF(heading.left(), heading.top(), heading.width(), line)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        face = self._appearance.font("text", 12.5, bold=True)
        painter.setFont(face)
        painter.setPen(QColor(theme.accent if it.chosen else theme.text))
        elide = Qt.TextElideMode.ElideRight
        painter.drawText(rect, flags, QFontMetricsF(face).elidedText(it.title, elide, rect.width()))
        quiet = self._appearance.font("text", 11)
        metrics = QFontMetricsF(quiet)
        fitting = (text for text in it.captions if metrics.horizontalAdvance(text) <= rect.width())
        text = next(fitting, metrics.elidedText(it.captions[-1], elide, rect.width()))
        painter.setFont(quiet)
        painter.setPen(QColor(theme.muted))
        painter.drawText(rect.translated(0, line), flags, text)

    def _paint_labels(self, painter: QPainter, frame: Frame, it: Map, corner: QPointF) -> None:
        theme, cell, scale = self._theme, frame.cell, self._appearance.text_scale
        painter.setFont(self._appearance.font("text", 12))
        rows = it.content.shape[0]
        row_labels, column_labels = it.content.rows, it.content.columns
        if not frame.named:
            row_labels, column_labels = row_labels.without_names(), column_labels.without_names()
        bounds = QRectF(corner.x() - frame.label_width, corner.y(), frame.label_width, rows * cell.height)
        step = every(cell.height, 17 * scale)
        for row in range(len(row_labels.texts)):
            rect = QRectF(bounds.left(), corner.y() + row * cell.height, frame.label_width, cell.height)
            paint_row_label(painter, row_labels, row, rect, theme, step, bounds)
        step = every(cell.width, 17 * scale) if frame.upright else 1
        for column in range(len(column_labels.texts)):
            left = corner.x() + column * cell.width
            rect = QRectF(left, corner.y() - frame.label_height, cell.width, frame.label_height)
            paint_column_label(painter, column_labels, column, rect, theme, frame.upright, step)

    def _paint_marks(self, painter: QPainter, cell: CellSize, index: int) -> None:
        theme, it = self._theme, self._maps[index]
        rows, columns = it.content.shape
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if it.marks_row and self._row < rows:
            self._paint_row_mark(painter, cell, columns)
            if self._picks == "cell" and self.hasFocus():
                painter.setPen(QPen(QColor(theme.text), 2.0))
                painter.drawRect(cell.rect(self._row, self._column).adjusted(0.5, 0.5, -0.5, -0.5))
        hovered = self._hovered
        if hovered is not None and self._picks == "cell" and hovered.row < rows and hovered.column < columns:
            same_axes = it.marks_row == self._maps[hovered.map].marks_row
            if same_axes:
                painter.setPen(QPen(QColor(theme.text), 1.5))
                painter.drawRect(cell.rect(hovered.row, hovered.column).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_row_mark(self, painter: QPainter, cell: CellSize, columns: int) -> None:
        """Frame the row or, where a frame would hide it, point at it from the right."""
        rect, colour = cell.rect(self._row, 0, 1, columns), QColor(self._theme.accent)
        if cell.height >= _FRAMED_FROM:
            painter.setPen(QPen(colour, 1.5))
            painter.drawRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5))
            return
        tip = QPointF(rect.right() + 1, rect.center().y())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([tip, tip + QPointF(6, -4), tip + QPointF(6, 4)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _named(room: float, cell: float, scale: float) -> bool:
    return room >= _NAMED_ROOM * scale or cell >= _NAMED_CELL * scale


def _same_shape(one: tuple[Map, ...], other: tuple[Map, ...]) -> bool:
    return len(one) == len(other) and all(
        a.content.shape == b.content.shape
        and (a.content.rows is b.content.rows or a.content.rows == b.content.rows)
        and (a.content.columns is b.content.columns or a.content.columns == b.content.columns)
        for a, b in zip(one, other, strict=True)
    )
