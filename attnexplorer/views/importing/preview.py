"""The first cells of a matrix that is about to be imported, as they will look."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from attnexplorer.compute.numbers import decimals_for
from attnexplorer.figures.colours import diverging_for
from attnexplorer.figures.matrix import Block, CellSize, MatrixPicture, paint_cells
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.whole_errors import with_whole_errors

MOST_ROWS, MOST_COLUMNS = 9, 9
_CELL = (48, 24)


@with_whole_errors
class MatrixPreview(QWidget):
    """Paints up to nine rows and columns with their numbers, by the routine that paints every matrix."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._picture: MatrixPicture | None = None
        self.setObjectName("import-preview")
        self.setAccessibleName("Preview")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def picture(self) -> MatrixPicture | None:
        """What is shown."""
        return self._picture

    def show_matrix(self, matrix: NDArray[np.float64] | None) -> None:
        """Show the beginning of a matrix, a list of numbers as one row; None shows nothing."""
        self._picture = None
        if matrix is not None:
            table = np.atleast_2d(matrix)
            part = table[:MOST_ROWS, :MOST_COLUMNS]
            appearance = self._appearance
            decimals, scale = max(decimals_for(part), 2), appearance.text_scale
            self._picture = MatrixPicture(
                part, diverging_for(table), appearance.theme, decimals, appearance.decimal_point, scale
            )
        self.updateGeometry()
        self.update()

    def _cell(self) -> CellSize:
        scale = self._appearance.text_scale
        return CellSize(round(_CELL[0] * scale), round(_CELL[1] * scale))

    def sizeHint(self) -> QSize:
        cell = self._cell()
        return QSize(round(MOST_COLUMNS * cell.width), round(MOST_ROWS * cell.height))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None:
            return
        rows, columns = self._picture.values.shape
        painter = QPainter(self)
        paint_cells(painter, self._picture, self._cell(), Block(0, 0, rows, columns))
        painter.end()
