"""Zooming a large matrix in its table: cells grow about the pointer, and the table scrolls by being dragged."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent

from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.plot.zooming import STEP, factor_of_key, factor_of_wheel, is_fit_key
from attnexplorer.views.whole_errors import with_whole_errors

_LOWEST, _READABLE, _HIGHEST = 1.0, 27.0, 60.0
_ENLARGED_FROM = (34, 22)
"""Fitted cells of this size or larger show their numbers well enough."""
_LEAST_FITTED = 2
"""Cells are not fitted smaller than this; then a part is seen only, and they may be zoomed smaller than that."""
_SQUARE_TO = 12
_FULL = (46, 30)
"""The size of a cell in which there is room for any number."""
_ALT = Qt.KeyboardModifier.AltModifier


@with_whole_errors
class TableZoom(QObject):
    """Zooms by Ctrl and the wheel, and by Alt with plus, minus and 0, which alone would be typed into a cell.

    The middle button scrolls what is zoomed. A matrix whose fitted cells can be read already is left alone.
    """

    changed = Signal()
    """It can be zoomed now, or is, or no longer."""

    def __init__(self, table: MatrixTable) -> None:
        super().__init__(table)
        self._table = table
        self._fitted = _FULL
        self._shape = table.content.shape
        self._height: float | None = None
        self._dragged: QPoint | None = None
        self._told = (False, False)
        table.installEventFilter(self)
        table.viewport().installEventFilter(self)

    @property
    def zoomable(self) -> bool:
        """Whether the fitted cells are so small that there is something to be enlarged."""
        return self._fitted[0] < _ENLARGED_FROM[0] or self._fitted[1] < _ENLARGED_FROM[1]

    @property
    def zoomed(self) -> bool:
        """Whether the cells have another size than the fitted one."""
        return self._height is not None

    def set_fitted(self, size: tuple[int, int]) -> None:
        """Say which size fits; a matrix that is zoomed keeps its own, unless it has another shape now."""
        self._fitted = size
        if self._shape != self._table.content.shape or not self.zoomable:
            self._shape, self._height = self._table.content.shape, None
        if self._height is None:
            self._table.set_cell_size(*size)
        self._tell()

    def fit(self) -> None:
        """Give the cells the fitted size again."""
        self._height = None
        self._table.set_cell_size(*self._fitted)
        self._tell()

    def enlarge(self) -> None:
        """Make cells so large that numbers can be read: about the selected cell if it is in sight, else the middle."""
        seen = self._table.viewport().rect()
        current = self._table.visualRect(self._table.currentIndex()).center()
        about = current if self._table.currentIndex().isValid() and seen.contains(current) else seen.center()
        height = self._table.cell_size.height
        self.zoom(max(_READABLE / height, STEP), about)

    def zoom(self, factor: float, about: QPoint) -> None:
        """Make cells larger or smaller; the number at a place of the viewport stays there."""
        if not self.zoomable:
            return
        before = self._table.cell_size
        bars = self._table.horizontalScrollBar(), self._table.verticalScrollBar()
        across = (bars[0].value() + about.x()) / before.width
        down = (bars[1].value() + about.y()) / before.height
        height = min(max((self._height or before.height) * factor, _LOWEST), _HIGHEST)
        if height <= self._fitted[1] and self._fitted[1] > _LEAST_FITTED:
            self.fit()
            return
        self._height = height
        least = self._fitted[0] if self._fitted[0] > self._fitted[1] else 1
        self._table.set_cell_size(max(_width(height), least), max(1, round(height)))
        # Else the scroll bars would learn of the new size only later.
        self._table.updateGeometries()
        after = self._table.cell_size
        bars[0].setValue(round(across * after.width - about.x()))
        bars[1].setValue(round(down * after.height - about.y()))
        self._tell()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent):
            return self._on_wheel(event)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._on_key(event)
        return isinstance(event, QMouseEvent) and watched is self._table.viewport() and self._on_mouse(event)

    def _on_wheel(self, event: QWheelEvent) -> bool:
        if not self.zoomable or not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        self.zoom(factor_of_wheel(event), event.position().toPoint())
        event.accept()
        return True

    def _on_key(self, event: QKeyEvent) -> bool:
        factor = factor_of_key(event, _ALT)
        if not self.zoomable:
            return False
        if factor is not None:
            self.zoom(factor, self._table.viewport().rect().center())
        elif is_fit_key(event, _ALT):
            self.fit()
        return factor is not None or is_fit_key(event, _ALT)

    def _on_mouse(self, event: QMouseEvent) -> bool:
        kind, place = event.type(), event.position().toPoint()
        if kind == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.MiddleButton and self.zoomed:
            self._dragged = place
            self._table.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        elif self._dragged is None:
            return False
        elif kind == QEvent.Type.MouseMove:
            self._scroll(place - self._dragged)
            self._dragged = place
        elif kind == QEvent.Type.MouseButtonRelease:
            self._dragged = None
            self._table.viewport().unsetCursor()
        return True

    def _scroll(self, by: QPoint) -> None:
        for bar, pixels in ((self._table.horizontalScrollBar(), by.x()), (self._table.verticalScrollBar(), by.y())):
            bar.setValue(bar.value() - pixels)

    def _tell(self) -> None:
        if (self.zoomable, self.zoomed) != self._told:
            self._told = self.zoomable, self.zoomed
            self.changed.emit()


def _width(height: float) -> int:
    """Return the width of cells of a height: square while small, then wider than high, as numbers are."""
    if height <= _SQUARE_TO:
        width = height
    elif height <= _FULL[1]:
        width = _SQUARE_TO + (height - _SQUARE_TO) * (_FULL[0] - _SQUARE_TO) / (_FULL[1] - _SQUARE_TO)
    else:
        width = height * _FULL[0] / _FULL[1]
    return max(1, round(width))
