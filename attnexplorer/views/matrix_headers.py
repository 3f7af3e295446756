"""The headers of a matrix table: token names with position colours, painted by the routine that figures use."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from attnexplorer.figures.labels import BAR, Labels, every, longest, paint_column_label, paint_row_label
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.whole_errors import with_whole_errors

_ROOM = 17.0
"""Pixels that a line of label text takes across its reading direction."""
LONGEST_ROW_LABEL = 92
LONGEST_COLUMN_LABEL = 64


@with_whole_errors
class MatrixHeader(QHeaderView):
    """A row or column header with sections of one fixed size, painted in one loop."""

    def __init__(self, orientation: Qt.Orientation, appearance: Appearance, parent: QWidget) -> None:
        super().__init__(orientation, parent)
        self._appearance = appearance
        self._labels = Labels(())
        self._upright = False
        self._scale = 0.0
        self._measured: tuple[Labels, float, float] | None = None
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(1)
        self.setHighlightSections(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_labels(self, labels: Labels, extent: float) -> None:
        """Show labels on sections of `extent` pixels."""
        scale = self._appearance.text_scale
        if labels != self._labels or int(extent) != self.defaultSectionSize() or scale != self._scale:
            self._labels, self._scale = labels, scale
            self.setDefaultSectionSize(int(extent))
            self._upright = self._needs_turning(extent)
            self.setFixedWidth(self.breadth()) if self._rows else self.setFixedHeight(self.breadth())
            self.viewport().update()

    def breadth(self, extent: float | None = None) -> int:
        """Return the width of a row header or the height of a column header, in pixels, at a size of the sections."""
        if not self._labels.texts:
            return 0
        upright = self._upright if extent is None else self._needs_turning(extent)
        bar = BAR + 2 if self._labels.coloured else 0
        width = self._longest() + 2
        if self._rows:
            return round(min(width, LONGEST_ROW_LABEL * self._appearance.text_scale) + bar + 8)
        turned = min(width + 6, LONGEST_COLUMN_LABEL * self._appearance.text_scale)
        return round((turned if upright else 17 * self._appearance.text_scale) + bar)

    @property
    def _rows(self) -> bool:
        return self.orientation() == Qt.Orientation.Vertical

    def _font(self) -> QFont:
        return self._appearance.font("text", 12 if self._labels.coloured else 11)

    def _longest(self) -> float:
        """Return the width of the longest label; kept, since cards are laid out by trying many sizes."""
        labels, scale = self._labels, self._appearance.text_scale
        if self._measured is None or self._measured[0] is not labels or self._measured[1] != scale:
            self._measured = (labels, scale, longest(labels, self._font()))
        return self._measured[2]

    def _needs_turning(self, extent: float) -> bool:
        return self._labels.coloured and self._longest() + 4 > extent

    def sizeHint(self) -> QSize:
        return QSize(self.breadth(), 0) if self._rows else QSize(0, self.breadth())

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._labels.texts:
            return
        painter = QPainter(self.viewport())
        painter.setFont(self._font())
        extent = self.defaultSectionSize()
        span = self.viewport().height() if self._rows else self.viewport().width()
        room = _ROOM * self._appearance.text_scale
        level_room = self._longest() + 4
        step = every(extent, room if self._rows or self._upright else level_room)
        # Of a label that reaches over its neighbours a part may be seen where its own cells are not.
        first = max(0, self.offset() // extent - step)
        last = min(len(self._labels.texts), (self.offset() + span) // extent + 1 + step)
        for index in range(first, last):
            start = index * extent - self.offset()
            self._paint_label(painter, index, float(start), float(extent), step)
        painter.end()

    def _paint_label(self, painter: QPainter, index: int, start: float, extent: float, step: int) -> None:
        theme, whole = self._appearance.theme, extent * len(self._labels.texts)
        if self._rows:
            bounds = QRectF(0, -self.offset(), self.width(), whole)
            paint_row_label(painter, self._labels, index, QRectF(0, start, self.width(), extent), theme, step, bounds)
            return
        rect, bounds = QRectF(start, 0, extent, self.height()), QRectF(-self.offset(), 0, whole, self.height())
        paint_column_label(painter, self._labels, index, rect, theme, self._upright, step, bounds)
