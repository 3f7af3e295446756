"""One matrix as a piece of a figure: title, labels, cells, colour bar and what is framed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPainter, QPen

from attnexplorer.figures.colour_bar import ColourBar
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.figure import Figure, Group, Placed
from attnexplorer.figures.fonts import font
from attnexplorer.figures.labels import BAR, Labels, every, longest, paint_column_label, paint_row_label
from attnexplorer.figures.matrix import Block, CellSize, number_look
from attnexplorer.figures.paper import CellStyle, paint_paper_cells
from attnexplorer.figures.typeset import Style, TextLine, marked_up

LABEL_PIXELS = 12.0
TITLE_PIXELS = 18.0
_LONGEST_LABEL = 120.0
_LABEL_GAP = 4.0
_LEVEL_HEIGHT = 15.0
_LEAST_ROOM = 13.0
_BAR_GAP = 14.0

_USUAL_STYLE = CellStyle()

LabelChoice = Literal["names", "colours", "none"]


@dataclass(frozen=True, slots=True)
class MatrixPanel:
    """A matrix with what stands around it. Sizes are in pixels of the layout.

    Parameters
    ----------
    heading
        The title, or None.
    row_labels, column_labels
        Names, only the colours of positions, or nothing.
    highlight
        Row and column of what is framed; None for one of them: the whole column or row.
    rows_shown
        How many rows are uncovered; None: all.
    heading_above_cells
        Whether the title begins where the cells do, not where the labels of the rows do.
    """

    content: MatrixContent
    cell: CellSize
    heading: TextLine | None = None
    row_labels: LabelChoice = "names"
    column_labels: LabelChoice = "names"
    style: CellStyle = _USUAL_STYLE
    highlight: tuple[int | None, int | None] | None = None
    rows_shown: int | None = None
    bar: ColourBar | None = None
    heading_above_cells: bool = False

    @property
    def number_pixels(self) -> float | None:
        """How large the numbers are, 0 if they do not fit the cells; None if none are asked for."""
        if not self.style.numbers:
            return None
        look = number_look(self.content.picture, self.cell, Block(0, 0, *self.content.shape))
        return 0.0 if look is None else float(look.font.pixelSize())

    @property
    def corner(self) -> QPointF:
        """Where the first cell stands."""
        top = 0.0 if self.heading is None else self.heading.height + _LABEL_GAP
        return QPointF(self._left, top + self._above)

    @property
    def width(self) -> float:
        """The width of all of it."""
        cells = self._left + self.content.shape[1] * self.cell.width
        heading = 0.0 if self.heading is None else self.heading.width + self._heading_left
        return max(heading, cells + (0.0 if self.bar is None else _BAR_GAP + self.bar.width))

    @property
    def height(self) -> float:
        """The height of all of it."""
        cells = self.content.shape[0] * self.cell.height
        return self.corner.y() + max(cells, 0.0 if self.bar is None else self.bar.height)

    @property
    def upright(self) -> bool:
        """Whether column labels are turned, because they do not fit their columns."""
        return _label_room(self._columns) + 4 > self.cell.width

    def paint(self, painter: QPainter) -> None:
        """Paint the panel with its top left corner at the painter's origin."""
        painter.save()
        if self.heading is not None:
            painter.translate(self._heading_left, 0)
            self.heading.paint(painter)
            painter.translate(-self._heading_left, 0)
        painter.setFont(_label_font())
        self._paint_labels(painter)
        painter.translate(self.corner)
        rows, columns = self.content.shape
        shown = rows if self.rows_shown is None else min(rows, self.rows_shown)
        paint_paper_cells(painter, self.content.picture, self.cell, Block(0, 0, shown, columns), self.style)
        self._paint_covered(painter, shown)
        self._paint_highlight(painter)
        if self.bar is not None:
            painter.translate(columns * self.cell.width + _BAR_GAP, 0)
            self.bar.paint(painter)
        painter.restore()

    @property
    def _heading_left(self) -> float:
        return self._left if self.heading_above_cells else 0.0

    @property
    def _rows(self) -> Labels:
        return _chosen(self.content.rows, self.row_labels)

    @property
    def _columns(self) -> Labels:
        return _chosen(self.content.columns, self.column_labels)

    @property
    def _left(self) -> float:
        if not self._rows.texts:
            return 0.0
        name = min(_label_room(self._rows), _LONGEST_LABEL)
        return (name + 2 * _LABEL_GAP if name else 0.0) + _bar_room(self._rows)

    @property
    def _above(self) -> float:
        if not self._columns.texts:
            return 0.0
        name = min(_label_room(self._columns), _LONGEST_LABEL)
        level = _LEVEL_HEIGHT if name else 0.0
        return (name + 2 * _LABEL_GAP if self.upright and name else level) + _bar_room(self._columns)

    def _paint_labels(self, painter: QPainter) -> None:
        corner, cell = self.corner, self.cell
        theme = self.content.picture.theme
        rows, columns = self._rows, self._columns
        if rows.texts:
            step = every(cell.height, _LEAST_ROOM)
            for row in range(self.content.shape[0]):
                rect = QRectF(0, corner.y() + row * cell.height, corner.x(), cell.height - self.style.gap)
                paint_row_label(painter, rows, row, rect, theme, step)
        if columns.texts:
            upright, above = self.upright, self._above
            step = every(cell.width, _LEAST_ROOM) if upright else 1
            for column in range(self.content.shape[1]):
                left = corner.x() + column * cell.width
                rect = QRectF(left, corner.y() - above, cell.width - self.style.gap, above)
                paint_column_label(painter, columns, column, rect, theme, upright, step)

    def _paint_covered(self, painter: QPainter, shown: int) -> None:
        rows, columns = self.content.shape
        if shown < rows:
            rect = self.cell.rect(shown, 0, rows - shown, columns).adjusted(0, 0, -1, -1)
            painter.fillRect(rect, QColor(self.content.picture.theme.ground))

    def _paint_highlight(self, painter: QPainter) -> None:
        if self.highlight is None or self.highlight == (None, None):
            return
        row, column = self.highlight
        rows, columns = self.content.shape
        rect = self.cell.rect(row or 0, column or 0, rows if row is None else 1, columns if column is None else 1)
        gap = self.style.gap
        painter.setBrush(QBrush(Qt.BrushStyle.NoBrush))
        painter.setPen(QPen(QColor(self.content.picture.theme.accent), 2.0, j=Qt.PenJoinStyle.MiterJoin))
        painter.drawRect(rect.adjusted(-0.5, -0.5, 0.5 - gap, 0.5 - gap))


def smallest_numbers(panels: Iterable[MatrixPanel], *, too_many: bool = False) -> float | None:
    """Return how large the smallest numbers of some matrices are; None if none are asked for.

    It is 0 if some do not fit their cells, or with `too_many` for a figure of a size that can be used.
    """
    sizes = [size for size in (panel.number_pixels for panel in panels) if size is not None]
    return 0.0 if sizes and too_many else min(sizes, default=None)


def heading_line(symbol: str, words: str, text: str, muted: str, pixels: float = TITLE_PIXELS) -> TextLine:
    """Return the title of a panel: its symbol, and what it is in smaller type. `symbol` is marked up."""
    runs = marked_up(symbol, Style("mathematics", pixels, text, bold=True))
    said = marked_up(f"  {words}" if symbol else words, Style("text", round(pixels * 0.68), muted)) if words else ()
    return TextLine((*runs, *said), least_height=pixels * 1.35)


def matrix_image(panel: MatrixPanel, scale: float = 2.0) -> QImage:
    """Return a panel as an image with a margin, `scale` times as many pixels each way."""
    from attnexplorer.figures.png import figure_image

    margin = 12.0
    theme = panel.content.picture.theme
    width, height = panel.width + 2 * margin, panel.height + 2 * margin
    group = Group(width, height, (Placed(margin, margin, panel),))
    return figure_image(Figure(width, height, group, theme, 0.75), scale)


def _label_font() -> QFont:
    return font("text", LABEL_PIXELS)


@lru_cache(maxsize=128)
def _label_room(labels: Labels) -> float:
    """Return the width of the longest label; measuring thousands of them again and again would take minutes."""
    return longest(labels, _label_font())


def _chosen(labels: Labels, choice: LabelChoice) -> Labels:
    if choice == "none":
        return Labels(())
    return labels if choice == "names" else labels.without_names()


def _bar_room(labels: Labels) -> float:
    return BAR + 4.0 if labels.coloured else 0.0
