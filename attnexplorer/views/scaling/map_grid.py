"""Matrices side by side as small maps of one cell size, painted by the routine of all tables; read-only."""

from __future__ import annotations

import html
import math
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from attnexplorer.compute.numbers import exact_text
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.opaque import paints_all_of_itself
from attnexplorer.views.scaling.map_layout import GAP, Frame, Map, Spot, frame_of, same_shape
from attnexplorer.views.scaling.map_painting import MARK, Marks, paint_chosen, paint_map
from attnexplorer.views.whole_errors import with_whole_errors


@with_whole_errors
class MapGrid(Speaking, QWidget):
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
        self._appearance = appearance
        self._picks, self._least, self._most = picks, least, most
        self._maps: tuple[Map, ...] = ()
        self._row, self._column = 0, 0
        self._hovered: Spot | None = None
        self._frame: tuple[float, Frame] | None = None
        paints_all_of_itself(self)
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
        if not same_shape(maps, before):
            self._lay_out_anew()
        elif marks == (row, column):
            self._repaint_changed(before)
            return
        self.say_value()
        self.update()

    def spoken(self) -> str:
        """Return the marked cell, where there is one, and the title and caption of every map."""
        parts = [f"{it.title}: {it.captions[0]}" for it in self._maps]
        marked = next((index for index, it in enumerate(self._maps) if it.marks_row), None)
        if self._picks == "cell" and marked is not None:
            rows, columns = self._maps[marked].content.shape
            if self._row < rows and self._column < columns:
                parts.insert(0, self._number(Spot(marked, self._row, self._column)))
        return "; ".join(parts)

    def apply_appearance(self) -> None:
        """Take over type that has changed."""
        self._lay_out_anew()
        self.update()

    def cell_rect(self, spot: Spot) -> QRectF:
        """Return where a cell is."""
        frame = self.frame()
        return frame.cell.rect(spot.row, spot.column).translated(frame.corner(spot.map))

    def frame(self, width: float | None = None) -> Frame:
        """Return where everything is at a width, the present one unless given."""
        wanted = float(self.width()) if width is None else width
        if self._frame is None or self._frame[0] != wanted:
            self._frame = (wanted, frame_of(self._maps, wanted, self._per_line(wanted), self._appearance))
        return self._frame[1]

    def changing_part(self, index: int) -> QRegion:
        """Return where a map looks otherwise when its numbers change; labels, which take longer than cells, do not."""
        frame = self.frame()
        cells = frame.cells(index, self._maps[index].content.shape).adjusted(-1, -1, MARK, 1)
        return QRegion(frame.heading(index).toAlignedRect()) + QRegion(cells.toAlignedRect())

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
        painter.fillRect(event.rect(), QColor(self._appearance.theme.card))
        frame = self.frame()
        for index, place in enumerate(frame.places):
            if event.region().intersects(place.toAlignedRect()):
                it = self._maps[index]
                if it.chosen:
                    focused = self._picks == "map" and self.hasFocus()
                    paint_chosen(painter, place, self._appearance.theme, focused=focused)
                paint_map(painter, it, index, frame, self._appearance, event.region(), self._marks_in(index))
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

    def _repaint_changed(self, before: tuple[Map, ...]) -> None:
        changed = [index for index, (old, new) in enumerate(zip(before, self._maps, strict=True)) if old is not new]
        if changed:
            self.say_value()
        for index in changed:
            self.update(self.changing_part(index))
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
        text = f"{it.title}\n{self._number(spot)}\n{it.tip}".rstrip()
        return f"<p style='white-space:pre'>{html.escape(text)}</p>"

    def _number(self, spot: Spot) -> str:
        content = self._maps[spot.map].content
        blocked = content.blocked_by(spot.row, spot.column)
        value = exact_text(float(content.picture.values[spot.row, spot.column]), content.picture.decimal_point)
        place = f"{content.rows.texts[spot.row]} → {content.columns.texts[spot.column]}"
        return f"{place}: {value}{f' ({blocked})' if blocked else ''}"

    def _spot_at(self, at: QPointF) -> Spot | None:
        frame, index = self.frame(), self._map_at(at)
        if index is None:
            return None
        inside = at - frame.corner(index)
        row, column = math.floor(inside.y() / frame.cell.height), math.floor(inside.x() / frame.cell.width)
        rows, columns = self._maps[index].content.shape
        return Spot(index, row, column) if 0 <= row < rows and 0 <= column < columns else None

    def _map_at(self, at: QPointF) -> int | None:
        return next((index for index, place in enumerate(self.frame().places) if place.contains(at)), None)

    def _per_line(self, width: float) -> int:
        fitting = int((width + GAP) // (self._least * self._appearance.text_scale + GAP))
        return max(1, min(fitting, self._most, max(len(self._maps), 1)))

    def _marks_in(self, index: int) -> Marks:
        it, hovered = self._maps[index], self._hovered
        cells, marked = self._picks == "cell", it.marks_row
        under = None
        if hovered is not None and cells and marked == self._maps[hovered.map].marks_row:
            under = (hovered.row, hovered.column)
        focused = (self._row, self._column) if cells and marked and self.hasFocus() else None
        return Marks(self._row if marked else None, focused, under)
