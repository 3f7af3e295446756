"""A matrix as a table that is also a heatmap, to look at and to select in."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.matrix import Block, CellSize, MatrixPicture, paint_cells
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.matrix_headers import MatrixHeader
from attnexplorer.views.matrix_model import MatrixModel
from attnexplorer.views.opaque import paints_all_of_itself
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.table_marks import paint_light, paint_selection
from attnexplorer.views.whole_errors import with_whole_errors

FRAME = 1
_QUIET = 0.38


@with_whole_errors
class MatrixGrid(QTableView):
    """Shows one matrix, with its headers, its selection, and the cells that are lit."""

    menu_requested = Signal(QPoint)

    def __init__(
        self, context: TableContext, content: MatrixContent, *, editable: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document, self._appearance, self._lights = context.document, context.appearance, context.lights
        self._model = MatrixModel(content, editable=editable)
        self._cell = CellSize(46, 26)
        self._names_rows = self._names_columns = True
        self._quiet = False
        self._faint: tuple[MatrixPicture, MatrixPicture] | None = None
        self._set_up_headers()
        self.setModel(self._model)
        self._set_up_sight()
        self._lights.changed.connect(self._on_lights_changed)

    @property
    def document(self) -> Document:
        """The document that edits go to."""
        return self._document

    @property
    def appearance(self) -> Appearance:
        """The look of the window."""
        return self._appearance

    @property
    def content(self) -> MatrixContent:
        """What is on screen."""
        return self._model.content

    @property
    def path(self) -> str:
        """The path of the matrix that is on screen."""
        return self._model.content.path

    @property
    def cell_size(self) -> CellSize:
        """The size of a cell."""
        return self._cell

    def show_content(self, content: MatrixContent) -> None:
        """Show new numbers, and new labels or another matrix where they differ."""
        before = self._model.content
        if content.path != before.path or content.shape != before.shape:
            self._exchange(content)
        else:
            self._model.content = content
        self._refresh_headers()
        self.viewport().update()

    @property
    def strength(self) -> float:
        """How strong the colours of the cells are: faint where a pin keeps the matrix from the output."""
        return _QUIET if self._quiet else 1.0

    def set_quiet(self, quiet: bool) -> None:
        """Show that a pin stands between this matrix and the output: it is painted faintly."""
        if quiet != self._quiet:
            self._quiet = quiet
            self.viewport().update()

    def set_cell_size(self, width: int, height: int) -> None:
        """Give every cell a size in pixels."""
        if (width, height) != (self._cell.width, self._cell.height):
            self._cell = CellSize(width, height)
            self._refresh_headers()
            self.viewport().update()

    def name_axes(self, *, rows: bool, columns: bool) -> None:
        """Show or hide the names of rows and columns; the bars in the positions' colours stay."""
        if (rows, columns) != (self._names_rows, self._names_columns):
            self._names_rows, self._names_columns = rows, columns
            self._refresh_headers()

    def chrome(self, width: int, height: int) -> QSize:
        """Return what the headers and the frame take beside cells of this size."""
        return QSize(
            self.verticalHeader().breadth(height) + 2 * FRAME, self.horizontalHeader().breadth(width) + 2 * FRAME
        )

    def selected_block(self) -> Block | None:
        """Return the selected rectangle, or None."""
        ranges = self.selectionModel().selection().toList()
        if not ranges:
            return None
        return Block(
            min(r.top() for r in ranges),
            min(r.left() for r in ranges),
            max(r.bottom() for r in ranges) + 1,
            max(r.right() for r in ranges) + 1,
        )

    def select_block(self, block: Block) -> None:
        """Select a rectangle and make its first cell the current one."""
        self._select(block, block.top, block.left)

    def select_all(self) -> None:
        """Select every cell."""
        self.selectAll()

    def verticalHeader(self) -> MatrixHeader:
        header = super().verticalHeader()
        assert isinstance(header, MatrixHeader)
        return header

    def horizontalHeader(self) -> MatrixHeader:
        header = super().horizontalHeader()
        assert isinstance(header, MatrixHeader)
        return header

    def settle(self) -> None:
        """Arrange everything for the present size at once, which Qt would do only after the next picture."""
        self.executeDelayedItemsLayout()
        self.updateGeometries()

    def _seen_picture(self) -> MatrixPicture:
        """Return the picture of the content, faint where the matrix is quiet; made anew for a new content only."""
        picture = self.content.picture
        if not self._quiet:
            return picture
        if self._faint is None or self._faint[0] is not picture:
            self._faint = (picture, replace(picture, strength=_QUIET, _memo={}))
        return self._faint[1]

    def _set_up_headers(self) -> None:
        self.setHorizontalHeader(MatrixHeader(Qt.Orientation.Horizontal, self._appearance, self))
        self.setVerticalHeader(MatrixHeader(Qt.Orientation.Vertical, self._appearance, self))
        self.setCornerButtonEnabled(False)

    def _set_up_sight(self) -> None:
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.viewport().setAutoFillBackground(False)
        paints_all_of_itself(self.viewport())

    def finish_typing(self) -> None:
        """Take over what is being typed into a cell; here nothing can be."""

    def _refresh_headers(self) -> None:
        content = self._model.content
        rows = content.rows if self._names_rows else content.rows.without_names()
        columns = content.columns if self._names_columns else content.columns.without_names()
        headers = self.verticalHeader(), self.horizontalHeader()
        before = [header.breadth() for header in headers]
        headers[0].show_labels(rows, self._cell.height)
        headers[1].show_labels(columns, self._cell.width)
        if [header.breadth() for header in headers] != before:
            self.updateGeometries()

    def _exchange(self, content: MatrixContent) -> None:
        """Show another matrix, or one of another shape, with the same cells selected as far as they are there."""
        self.finish_typing()
        path, block, current, cursor = self.path, self.selected_block(), self.currentIndex(), self._document.cursor
        place = (current.row(), current.column())
        self._model.show(content)
        rows, columns = content.shape
        if current.isValid() and block is not None and rows and columns:
            top, left = min(block.top, rows - 1), min(block.left, columns - 1)
            inside = Block(top, left, min(block.bottom, rows), min(block.right, columns))
            self._select(inside, min(place[0], rows - 1), min(place[1], columns - 1))
        elif current.isValid() and rows and columns:
            self._go_to(min(place[0], rows - 1), min(place[1], columns - 1))
        for cell, point in ((cursor.selected, cursor.select), (cursor.hovered, cursor.hover)):
            if cell is not None and cell.path == path != content.path and cell.row < rows and cell.column < columns:
                point(Cell(content.path, cell.row, cell.column))

    def _select(self, block: Block, row: int, column: int) -> None:
        flags = QItemSelectionModel.SelectionFlag
        first, last = self._model.index(block.top, block.left), self._model.index(block.bottom - 1, block.right - 1)
        self._go_to(row, column)
        self.selectionModel().select(QItemSelection(first, last), flags.ClearAndSelect)

    def _go_to(self, row: int, column: int) -> None:
        """Make a cell the current one; the selection stays."""
        flag = QItemSelectionModel.SelectionFlag.NoUpdate
        self.selectionModel().setCurrentIndex(self._model.index(row, column), flag)

    def _visible_block(self, region: QRect) -> Block:
        rows, columns = self.content.shape
        x, y = self.horizontalHeader().offset(), self.verticalHeader().offset()
        width, height = int(self._cell.width), int(self._cell.height)
        return Block(
            max(0, (region.top() + y) // height),
            max(0, (region.left() + x) // width),
            min(rows, (region.bottom() + y) // height + 1),
            min(columns, (region.right() + x) // width + 1),
        )

    def _on_lights_changed(self, paths: set[str]) -> None:
        if self.path in paths:
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        # The whole viewport is painted: parts would save little and defeat the memory of what was prepared.
        region = self.viewport().rect()
        painter.fillRect(region, QColor(self._appearance.theme.card))
        painter.translate(-self.horizontalHeader().offset(), -self.verticalHeader().offset())
        paint_cells(painter, self._seen_picture(), self._cell, self._visible_block(region))
        for light in self._lights.on(self.path):
            paint_light(painter, self._appearance.theme, self._cell, light)
        self._paint_selection(painter)
        painter.end()

    def _paint_selection(self, painter: QPainter) -> None:
        block = self.selected_block()
        selected = self._document.cursor.selected
        if block is None or (not self.hasFocus() and (selected is None or selected.path != self.path)):
            return
        current = self.currentIndex()
        cell = (current.row(), current.column()) if current.isValid() else None
        paint_selection(painter, self._appearance.theme, self._cell, block, cell)

    def cell_at(self, position: QPoint) -> tuple[int, int] | None:
        """Return row and column at a place in the viewport, or None."""
        index = self.indexAt(position)
        return (index.row(), index.column()) if index.isValid() else None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_requested.emit(event.globalPos())
