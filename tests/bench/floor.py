"""The floor: what an edit costs at least. Bare NumPy for the stages that are shown, one QPainter pass for the tables.

Written by itself, as lean as it can be: no undo, no experiment, no window; only images and numbers are drawn, without
headers, gaps, marks, or anything beside the tables. What does not depend on the numbers is prepared beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from real_window import seen_part

from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.colours import argb, needs_light_text
from attnexplorer.figures.matrix import Block, character_width, number_look
from attnexplorer.views.matrix_table import MatrixTable

Array = NDArray[np.float64]


class Stages:
    """The arrays of one layer without mask and W_O: of head 0, and of the others what the concatenation shows."""

    def __init__(self, experiment: Experiment) -> None:
        attention = experiment.layers[0].attention
        self.X = np.array(experiment.embedding.E)
        self.W_Q = np.array(attention.W_Q[0])
        projected = [(self.X @ W_K, self.X @ W_V) for W_K, W_V in zip(attention.W_K, attention.W_V, strict=True)]
        self.key, self.value = projected[0]
        # Scores do not depend on the scale: those of the other heads are there.
        self._others = [
            ((self.X @ W_Q) @ key.T, value) for W_Q, (key, value) in zip(attention.W_Q[1:], projected[1:], strict=True)
        ]
        self.scale, self._width = attention.scale_factor, attention.d_v
        self.concat = np.zeros((len(self.X), attention.d_v * attention.heads))
        self.from_query()
        self.from_scale()

    def from_query(self) -> None:
        """Compute what follows from W_Q of head 0."""
        self.query = self.X @ self.W_Q
        self.scores = self.query @ self.key.T
        self._from_scores()

    def from_scale(self) -> None:
        """Compute what follows from the scale, which is that of every head."""
        self._from_scores()
        for head, (scores, value) in enumerate(self._others, start=1):
            outputs = softmax(scores * self.scale) @ value
            self.concat[:, head * self._width : (head + 1) * self._width] = outputs

    def _from_scores(self) -> None:
        self.scaled = self.masked = self.scores * self.scale
        self.weights = softmax(self.scaled)
        self.head_output = self.weights @ self.value
        self.concat[:, : self._width] = self.head_output

    def array(self, path: str) -> Array:
        """Return the array that a table shows."""
        name = next(part for part in path.split(".") if hasattr(self, part))
        found: Array = getattr(self, name)
        return found


def softmax(scores: Array) -> Array:
    """Return the softmax of each row."""
    weights = scores - scores.max(axis=1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


class TableImage:
    """Draws the numbers of one table into an image of the size that is on screen."""

    def __init__(self, table: MatrixTable, stages: Stages) -> None:
        seen, cell, picture = seen_part(table), table.cell_size, table.content.picture
        x, y = table.horizontalHeader().offset() + seen.left(), table.verticalHeader().offset() + seen.top()
        rows, columns = picture.values.shape
        top, left = int(y // cell.height), int(x // cell.width)
        bottom = min(rows, int((y + seen.height() - 1) // cell.height) + 1)
        right = min(columns, int((x + seen.width() - 1) // cell.width) + 1)
        self._stages, self._path, self._block = stages, table.path, (slice(top, bottom), slice(left, right))
        self._area = QRectF(
            left * cell.width - x, top * cell.height - y, (right - left) * cell.width, (bottom - top) * cell.height
        )
        self._image = QImage(seen.size(), QImage.Format.Format_RGB32)
        self._sequential = picture.scale.kind == "sequential"
        self._prepare_colours(table)
        look = number_look(picture, cell, Block(top, left, bottom, right))
        self._font, self._decimals, self._narrow = look or (None, 0, False)
        if self._font is not None:
            self._digit = character_width(self._font)
            zero = f"{0:.{self._decimals}f}"
            self._zeros = (f" −{zero} ", f" {zero} ")
            base = (cell.height + self._font.pixelSize() * 0.72) / 2
            self._centres = [
                (self._area.left() + (column + 0.5) * cell.width, self._area.top() + row * cell.height + base)
                for row in range(bottom - top)
                for column in range(right - left)
            ]
            shown = picture.texts(Block(top, left, bottom, right), self._decimals, self._narrow)
            if self.texts(picture.values[self._block]) != [text for row in shown for text in row]:
                raise ValueError(f"The floor would write other numbers than the window does in {table.path}.")

    @property
    def numbers(self) -> int:
        """How many numbers are drawn."""
        return 0 if self._font is None else len(self._centres)

    def draw(self) -> None:
        """Draw the image from the stages' present numbers."""
        values = self._stages.array(self._path)
        if self._sequential:
            steps = (values[self._block] * 256 + 0.5).astype(np.intp)
        else:
            largest = max(values.max(), -values.min())
            steps = (values[self._block] * (128 / largest) + 128.5).astype(np.intp)
        colours = self._table[steps]
        rows, columns = colours.shape
        painter = QPainter(self._image)
        painter.drawImage(self._area, QImage(colours.data, columns, rows, columns * 4, QImage.Format.Format_RGB32))
        if self._font is not None:
            self._draw_numbers(painter, values[self._block], self._light[steps].ravel().tolist())
        painter.end()

    def texts(self, values: Array) -> list[str]:
        """Return the numbers of a block as text."""
        flat = values.ravel().tolist()
        text = (f" %.{self._decimals}f " * len(flat) % tuple(flat)).replace("-", "−").replace(*self._zeros)
        return text.replace(" 0.", " .").replace("−0.", "−.").split() if self._narrow else text.split()

    def _draw_numbers(self, painter: QPainter, values: Array, light: list[bool]) -> None:
        assert self._font is not None
        painter.setFont(self._font)
        texts, half = self.texts(values), self._digit / 2
        for wanted, pen in self._pens:
            painter.setPen(pen)
            for text, (x, y), is_light in zip(texts, self._centres, light, strict=True):
                if is_light is wanted:
                    painter.drawText(QPointF(x - len(text) * half, y), text)

    def _prepare_colours(self, table: MatrixTable) -> None:
        picture = table.content.picture
        low, high = picture.scale.low, picture.scale.high
        self._table = argb(np.linspace(low, high, 257)[None], picture.scale, picture.theme)[0]
        self._light = needs_light_text(self._table[None])[0]
        theme = picture.theme
        self._pens = ((False, QColor(theme.cell_dark_text)), (True, QColor(theme.cell_light_text)))


def images_of(tables: Sequence[MatrixTable], stages: Stages) -> list[TableImage]:
    """Return an image for each table."""
    return [TableImage(table, stages) for table in tables]
