"""Numbers drawn once and kept as small images: on screen, copying one is several times as fast as setting type."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPaintEngine, QPainter, QTransform

_MOST = 4096
"""Images kept of one font in one colour; 4,000 numbers of two decimals lie between -20 and 20."""
_MOST_KINDS = 12
"""Fonts and colours of which images are kept; others come when the size of type or the theme is changed."""
_MARGIN = 1
_KIND = QTransform.TransformationType


class NumberImages(dict[str, QImage]):
    """The images of texts in one font and colour, made when they are asked for.

    Drawn `left` pixels left of where the text begins and `above` pixels above its baseline, both whole numbers, an
    image gives the very pixels that the text would give there.
    """

    left = _MARGIN

    def __init__(self, number_font: QFont, colour: QColor, ratio: int) -> None:
        super().__init__()
        metrics = QFontMetricsF(number_font)
        self._font, self._colour, self._ratio = number_font, colour, ratio
        self._character = metrics.horizontalAdvance("0")
        self.above = math.ceil(metrics.ascent())
        self._height = self.above + math.ceil(metrics.descent())

    def __missing__(self, text: str) -> QImage:
        if len(self) >= _MOST:
            self.clear()
        image = self[text] = self._drawn(text)
        return image

    def _drawn(self, text: str) -> QImage:
        width = math.ceil(self._character * len(text)) + 2 * _MARGIN
        image = QImage(width * self._ratio, self._height * self._ratio, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(self._ratio)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setFont(self._font)
        painter.setPen(self._colour)
        painter.drawText(QPointF(_MARGIN, self.above), text)
        painter.end()
        return image


_kept: dict[tuple[str, str, int], NumberImages] = {}


def number_images(number_font: QFont, colour: str, ratio: int) -> NumberImages:
    """Return the images of a font in a colour, `ratio` pixels of the device a pixel."""
    key = (number_font.key(), colour, ratio)
    # Taken out and put in again, so that the first one is that which was not asked for the longest.
    images = _kept.pop(key, None)
    if images is None:
        images = NumberImages(number_font, QColor(colour), ratio)
        if len(_kept) >= _MOST_KINDS:
            del _kept[next(iter(_kept))]
    _kept[key] = images
    return images


def image_ratio(painter: QPainter) -> int | None:
    """Return the device's pixels a pixel where images do as well as text; None on paper and between whole ratios."""
    if painter.paintEngine().type() != QPaintEngine.Type.Raster:
        return None
    ratio = painter.device().devicePixelRatio()
    in_place = painter.transform().type() in (_KIND.TxNone, _KIND.TxTranslate)
    return int(ratio) if in_place and ratio == int(ratio) else None
