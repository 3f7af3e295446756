"""The floor of the other workspaces: bare NumPy for the heads in sight; the same maps, numbers and arrows painted.

As lean as `floor`: no window, no frames around anything, no labels of tokens, none of the lines of the flow (which the
window paints in every other frame at most), no bars and no curves; places are prepared beforehand.
"""

from __future__ import annotations

import numpy as np
from floor import Array, softmax
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.colours import argb, needs_light_text
from attnexplorer.figures.matrix import Block, CellSize, MatrixPicture, character_width, number_look


class AllHeads:
    """The arrays of one layer without mask, of every head."""

    def __init__(self, experiment: Experiment) -> None:
        attention = experiment.layers[0].attention
        self.X = np.array(experiment.embedding.E)
        self.W_Q = [np.array(W) for W in attention.W_Q]
        self.keys = [self.X @ W for W in attention.W_K]
        self.values = [self.X @ W for W in attention.W_V]
        self.queries = [self.X @ W for W in self.W_Q]
        self.scores = [query @ key.T for query, key in zip(self.queries, self.keys, strict=True)]
        self.scale = attention.scale_factor
        self.weights = [softmax(scores * self.scale) for scores in self.scores]

    def from_query(self) -> None:
        """Compute what follows from W_Q of head 0."""
        self.queries[0] = self.X @ self.W_Q[0]
        self.scores[0] = self.queries[0] @ self.keys[0].T
        self.from_scale((0,))

    def move_key(self) -> None:
        """Change a number of a key of head 0, which is given, and compute what follows."""
        self.keys[0][0, 0] += 0.01
        self.scores[0] = self.queries[0] @ self.keys[0].T
        self.from_scale((0,))

    def from_scale(self, heads: tuple[int, ...]) -> None:
        """Compute the weights of heads anew."""
        for head in heads:
            self.weights[head] = softmax(self.scores[head] * self.scale)

    def write(self, heads: tuple[int, ...]) -> list[Array]:
        """Compute what heads write for the tokens."""
        return [self.weights[head] @ self.values[head] for head in heads]


class MapImage:
    """Draws one map of weights, with its numbers where they can be read."""

    def __init__(self, picture: MatrixPicture, cell: CellSize, pool: int = 1) -> None:
        rows, columns = picture.values.shape
        self._pool, self._area = pool, QRectF(0, 0, columns * cell.width, rows * cell.height)
        self._image = QImage(round(self._area.width()), round(self._area.height()), QImage.Format.Format_RGB32)
        self._colours = argb(np.linspace(0.0, 1.0, 257)[None], picture.scale, picture.theme)[0]
        self._light = needs_light_text(self._colours[None])[0]
        theme = picture.theme
        self._pens = ((False, QColor(theme.cell_dark_text)), (True, QColor(theme.cell_light_text)))
        self._look = number_look(picture, cell, Block(0, 0, rows, columns))
        if self._look is not None:
            base = (cell.height + self._look.font.pixelSize() * 0.72) / 2
            self._digit = character_width(self._look.font)
            self._places = [
                ((column + 0.5) * cell.width, row * cell.height + base)
                for row in range(rows)
                for column in range(columns)
            ]

    @property
    def numbers(self) -> int:
        """How many numbers are drawn."""
        return 0 if self._look is None else len(self._places)

    def draw(self, weights: Array) -> None:
        """Draw weights from 0 to 1."""
        values = weights if self._pool == 1 else _largest_of_blocks(weights, self._pool)
        steps = (values * 256 + 0.5).astype(np.intp)
        colours = self._colours[steps]
        rows, columns = colours.shape
        painter = QPainter(self._image)
        painter.drawImage(self._area, QImage(colours.data, columns, rows, columns * 4, QImage.Format.Format_RGB32))
        if self._look is not None:
            self._draw_numbers(painter, values, self._light[steps].ravel().tolist())
        painter.end()

    def _draw_numbers(self, painter: QPainter, values: Array, light: list[bool]) -> None:
        assert self._look is not None
        flat = values.ravel().tolist()
        text = f"%.{self._look.decimals}f " * len(flat) % tuple(flat)
        texts = (f" {text}".replace(" 0.", " .") if self._look.narrow else text).split()
        painter.setFont(self._look.font)
        for wanted, pen in self._pens:
            painter.setPen(pen)
            for shown, (x, y), is_light in zip(texts, self._places, light, strict=True):
                if is_light is wanted:
                    painter.drawText(QPointF(x - len(shown) * self._digit / 2, y), shown)


class MetricTexts:
    """Finds the four numbers of a head and writes them below its map."""

    def __init__(self, tokens: int, made: QFont, width: int) -> None:
        self._back = np.maximum(np.arange(tokens)[:, None] - np.arange(tokens), 0)
        self._font, self._image = made, QImage(max(width, 8), 32, QImage.Format.Format_RGB32)
        self._image.fill(0xFFFFFFFF)

    def draw(self, weights: Array) -> None:
        """Draw entropy, distance back, and the shares on oneself and on the first token."""
        entropy = -float((weights * np.log2(np.maximum(weights, 1e-300))).sum(axis=1).mean())
        back = float((weights * self._back).sum(axis=1).mean())
        numbers = (entropy, back, float(np.trace(weights)) / len(weights), float(weights[:, 0].mean()))
        painter = QPainter(self._image)
        painter.setFont(self._font)
        for place, (name, number) in enumerate(zip(("H", "back", "self", "first"), numbers, strict=True)):
            x, y = place % 2 * self._image.width() / 2, 12 + place // 2 * 14
            painter.drawText(QPointF(x, y), name)
            painter.drawText(QPointF(x + 30, y), f"{number:.2f}")
        painter.end()


class PlaneImage:
    """Draws rows of vectors as arrows in the plane of their principal components, some of them with a label."""

    def __init__(self, width: int, height: int, made: QFont, labels: int) -> None:
        self._image = QImage(width, height, QImage.Format.Format_RGB32)
        self._font, self._labels = made, labels

    def draw(self, vectors: Array) -> None:
        """Draw the arrows of all rows."""
        basis = np.linalg.svd(vectors, full_matrices=False)[2][:2]
        places = vectors @ basis.T
        width, height = self._image.width(), self._image.height()
        places *= 0.45 * min(width, height) / np.abs(places).max()
        painter = QPainter(self._image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        centre = QPointF(width / 2, height / 2)
        for number, (x, y) in enumerate(places.tolist()):
            tip = centre + QPointF(x, -y)
            painter.drawLine(centre, tip)
            painter.drawPolygon([tip, tip + QPointF(5, 3), tip + QPointF(5, -3)])
            if number < self._labels:
                painter.drawText(tip, f"q t{number + 1}")
        painter.end()


def _largest_of_blocks(values: Array, pool: int) -> Array:
    side = -(-len(values) // pool) * pool
    whole = np.zeros((side, side))
    whole[: len(values), : len(values)] = values
    largest: Array = whole.reshape(side // pool, pool, side // pool, pool).max(axis=(1, 3))
    return largest
