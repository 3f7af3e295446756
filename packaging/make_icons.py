#!/usr/bin/env python3
"""Draw the program's icon at every size: a causal attention map, its own weights as colours."""

from __future__ import annotations

import math
import sys
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
SCORES = ((0.0,), (0.4, 1.4), (1.6, 0.2, 0.7), (0.3, 2.2, 0.1, 0.9))
FOLDER = Path(__file__).resolve().parent.parent / "resources" / "icons"
GROUND, CARD, LOW, HIGH = "#123a75", "#1c4f9c", "#3f7fd0", "#ffffff"


def weights(scores: tuple[float, ...]) -> list[float]:
    """Return the softmax of a row."""
    exponentials = [math.exp(score) for score in scores]
    return [value / sum(exponentials) for value in exponentials]


def mixed(weight: float) -> QColor:
    """Return the colour of a weight."""
    low, high = QColor(LOW), QColor(HIGH)
    share = weight**0.7
    parts = ((a + (b - a) * share) for a, b in zip(low.getRgb()[:3], high.getRgb()[:3], strict=True))
    return QColor(*(round(part) for part in parts))


def paint(painter: QPainter, size: int, count: int) -> None:
    """Paint the icon: a rounded ground with a triangle of weights, `count` rows of it."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(GROUND))
    painter.drawRoundedRect(QRectF(0, 0, size, size), size * 0.2, size * 0.2)
    margin, gap = size * 0.15, size * 0.035
    cell = (size - 2 * margin - gap * (count - 1)) / count
    for row in range(count):
        known = weights(SCORES[row])
        for column in range(count):
            painter.setBrush(mixed(known[column]) if column <= row else QColor(CARD))
            x, y = margin + column * (cell + gap), margin + row * (cell + gap)
            painter.drawRoundedRect(QRectF(x, y, cell, cell), cell * 0.18, cell * 0.18)


def main() -> int:
    """Write the icons."""
    application = QGuiApplication.instance() or QGuiApplication([*sys.argv[:1], "-platform", "offscreen"])
    FOLDER.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        paint(painter, size, 3 if size < 32 else 4)
        painter.end()
        image.save(str(FOLDER / f"attnexplorer-{size:03}.png"))
    drawing = QSvgGenerator()
    drawing.setFileName(str(FOLDER / "attnexplorer.svg"))
    drawing.setSize(QSize(256, 256))
    drawing.setViewBox(QRectF(0, 0, 256, 256))
    drawing.setTitle("Attention Explorer")
    painter = QPainter(drawing)
    paint(painter, 256, 4)
    painter.end()
    application.processEvents()
    return 0


if __name__ == "__main__":
    sys.exit(main())
