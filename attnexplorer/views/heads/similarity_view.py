"""How alike the heads are: the distance between every two, as a small map."""

from __future__ import annotations

import html

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from attnexplorer.compute.numbers import cell_text, full_text
from attnexplorer.figures.colours import ColourScale
from attnexplorer.figures.fonts import font
from attnexplorer.figures.labels import every
from attnexplorer.figures.matrix import Block, CellSize, MatrixPicture, paint_cells
from attnexplorer.figures.theme import LIGHT, Theme
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.heads.card import Card, small
from attnexplorer.views.whole_errors import with_whole_errors

DISTANCES = ColourScale("sequential", 0.0, 1.0)
_LARGEST, _SMALLEST = 26.0, 7.0
_WIDEST = 320.0


@with_whole_errors
class SimilarityView(Speaking, QWidget):
    """Shows the distances, a row and a column a head; a click chooses the head of the row.

    The arrow keys up and down choose a head, those to the left and right the one that it is compared with.
    """

    head_chosen = Signal(int)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._picture = _picture(np.zeros((1, 1)), LIGHT, ".")
        self._distances: NDArray[np.float64] = np.zeros((1, 1))
        self._chosen = self._other = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setObjectName("similarity")
        self.setAccessibleName("Distance between every two heads")
        self.setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.installEventFilter(self)

    @property
    def distances(self) -> NDArray[np.float64]:
        """What is shown; NaN where it is still being found."""
        return self._distances

    def show_distances(self, distances: NDArray[np.float64], chosen: int, theme: Theme, decimal_point: str) -> None:
        """Show distances. Shape: [heads, heads]."""
        same = np.array_equal(distances, self._distances, equal_nan=True) and theme is self._picture.theme
        if not same:
            if distances.shape != self._distances.shape:
                self.updateGeometry()
            self._distances, self._picture = distances, _picture(distances, theme, decimal_point)
        if not same or chosen != self._chosen:
            self._chosen, self._other = chosen, min(self._other, len(distances) - 1)
            self.say_value()
            self.update()

    def spoken(self) -> str:
        """Return the distance from the chosen head to the one that it is compared with."""
        return self._told(self._chosen, self._other) if self._chosen < len(self._distances) else ""

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Return the place of a pair of heads."""
        return self._cell().rect(row, column).translated(self._corner())

    def _corner(self) -> QPointF:
        side = 18.0 * self._appearance.text_scale
        return QPointF(side, side - 2)

    def _cell(self, width: int | None = None) -> CellSize:
        heads = len(self._distances)
        room = (self.width() if width is None else width) - self._corner().x()
        room = min(room, _WIDEST * self._appearance.text_scale)
        side = max(_SMALLEST, min(_LARGEST * self._appearance.text_scale, room / max(heads, 1)))
        return CellSize(int(side), int(side))

    def _pair_at(self, place: QPointF) -> tuple[int, int] | None:
        cell, corner, heads = self._cell(), self._corner(), len(self._distances)
        row, column = int((place.y() - corner.y()) // cell.height), int((place.x() - corner.x()) // cell.width)
        return (row, column) if 0 <= row < heads and 0 <= column < heads else None

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return round(self._corner().y() + len(self._distances) * self._cell(width).height) + 2

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, cell, corner, heads = QPainter(self), self._cell(), self._corner(), len(self._distances)
        theme = self._picture.theme
        step = every(cell.width, 16 * self._appearance.text_scale)
        for head in range(heads):
            if head % step and head != self._chosen:
                continue
            if head != self._chosen and abs(head - self._chosen) < step:
                continue
            painter.setFont(font("text", 10 * self._appearance.text_scale, bold=head == self._chosen))
            painter.setPen(QColor(theme.accent if head == self._chosen else theme.muted))
            across = QRectF(corner.x() + (head + 0.5) * cell.width - 12, 0, 24, corner.y() - 1)
            down = QRectF(0, corner.y() + (head + 0.5) * cell.height - 8, corner.x() - 4, 16)
            painter.drawText(across, Qt.AlignmentFlag.AlignCenter, str(head + 1))
            painter.drawText(down, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(head + 1))
        painter.translate(corner)
        if np.isnan(self._distances).any():
            # No number stands in for one that is not known yet.
            area = cell.rect(0, 0, heads, heads)
            painter.fillRect(area, QColor(theme.hatch_ground))
            painter.fillRect(area, QBrush(QColor(theme.hatch_line), Qt.BrushStyle.BDiagPattern))
        else:
            paint_cells(painter, self._picture, cell, Block(0, 0, heads, heads))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), 1.5))
        painter.drawRect(cell.rect(self._chosen, 0, 1, heads).adjusted(0, 0, -1, -1))
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme.text), 2.0))
            painter.drawRect(cell.rect(self._chosen, self._other).adjusted(0, 0, -1, -1))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pair = self._pair_at(event.position())
        if pair is not None and event.button() == Qt.MouseButton.LeftButton:
            self.head_chosen.emit(pair[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        down = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        across = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        last = len(self._distances) - 1
        if across:
            self._other = min(max(self._other + across, 0), last)
            self.say_value()
            self.update()
        elif down and 0 <= self._chosen + down <= last:
            self.head_chosen.emit(self._chosen + down)
        elif not down:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            pair = self._pair_at(event.pos().toPointF())
            QToolTip.showText(event.globalPos(), "" if pair is None else html.escape(self._told(*pair)), self)
            return True
        return False

    def _told(self, row: int, column: int) -> str:
        distance = float(self._distances[row, column])
        number = full_text(distance, self._picture.decimal_point)
        if not np.isfinite(distance):
            number = "being computed" if np.isnan(distance) else "no distance, as their weights are not finite"
        return f"Heads {row + 1} and {column + 1}: {number}"


class SimilarityCard(Card):
    """The map, and which two heads are most alike."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__("similarity-card", "Likeness", appearance, parent)
        self.view = SimilarityView(appearance)
        self.view.setToolTip("Mean Jensen–Shannon distance of the rows: 0 the same weights, 1 no key in common")
        self.body.addWidget(self.view)
        note = "Mean Jensen–Shannon distance of their rows: 0 the same, 1 no key in common."
        self.body.addWidget(small(note, wrap=True))
        self.body.addStretch(1)

    def show_distances(self, distances: NDArray[np.float64], chosen: int, of: str = "") -> None:
        """Show distances, and say what they are of. Shape: [heads, heads]."""
        point = self.appearance.decimal_point
        self.view.show_distances(distances, chosen, self.appearance.theme, point)
        self.say(of + most_alike(distances, point))
        self.view.show()

    def show_none(self, reason: str) -> None:
        """Show no distances, and say why."""
        self.view.hide()
        self.say(reason)


def most_alike(distances: NDArray[np.float64], decimal_point: str) -> str:
    """Return which two heads are nearest to each other; that distances are being found, as long as they are."""
    heads = len(distances)
    if np.isnan(distances).any():
        return "distances are being computed"
    pairs = np.where(np.tri(heads, dtype=bool), np.inf, distances)
    first, second = np.unravel_index(int(pairs.argmin()), pairs.shape)
    if np.isinf(pairs[first, second]):
        return "there are no two heads with finite weights"
    number = cell_text(float(pairs[first, second]), 2, decimal_point=decimal_point)
    return f"most alike: heads {first + 1} and {second + 1}, {number} apart"


def _picture(distances: NDArray[np.float64], theme: Theme, decimal_point: str) -> MatrixPicture:
    # What is infinitely far away has no distance.
    return MatrixPicture(np.where(np.isinf(distances), np.nan, distances), DISTANCES, theme, 2, decimal_point)
