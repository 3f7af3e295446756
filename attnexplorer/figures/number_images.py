"""Numbers drawn once and kept as small images: on screen, copying one is several times as fast as setting type."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPaintEngine, QPainter, QTransform

_MOST = 4096
"""Images kept of one font in one colour; 4,000 numbers of two decimals lie between -20 and 20."""
_MOST_KINDS = 12
"""Fonts and colours of which images are kept; others come when the size of type or the theme is changed."""
_MOST_BYTES = 20 << 20
"""Bytes of images kept altogether, on a screen with one pixel a pixel: of many sizes of type, those seen last stay."""
_AT_ONCE = 4
"""Fonts and colours that have room beside one another, so that two of one picture never make each other go."""
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
        self.bytes = 0

    def __missing__(self, text: str) -> QImage:
        image = self._drawn(text)
        self.bytes += image.sizeInBytes()
        if len(self) >= _MOST or self.bytes > _MOST_BYTES // _AT_ONCE * self._ratio**2:
            self.clear()
            self.bytes = image.sizeInBytes()
        self[text] = image
        return image

    def _drawn(self, text: str) -> QImage:
        width = math.ceil(self._character * len(text)) + 2 * _MARGIN
        image = QImage(width * self._ratio, self._height * self._ratio, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(self._ratio)
        image.fill(Qt.GlobalColor.transparent)
        with QPainter(image) as painter:
            painter.setFont(self._font)
            painter.setPen(self._colour)
            painter.drawText(QPointF(_MARGIN, self.above), text)
        return image


_kept: dict[tuple[str, str, int], NumberImages] = {}


def number_images(number_font: QFont, colour: str, ratio: int) -> NumberImages:
    """Return the images of a font in a colour, `ratio` pixels of the device a pixel."""
    key = (number_font.key(), colour, ratio)
    # Taken out and put in again, so that the first one is that which was not asked for the longest.
    images = _kept.pop(key, None)
    if images is None:
        images = NumberImages(number_font, QColor(colour), ratio)
    room = _MOST_BYTES * ratio**2 - images.bytes
    while _kept and (len(_kept) >= _MOST_KINDS or sum(it.bytes for it in _kept.values()) > room):
        del _kept[next(iter(_kept))]
    _kept[key] = images
    return images


def forget_number_images() -> None:
    """Let go of all images: another theme or size of type needs others."""
    _kept.clear()


def image_ratio(painter: QPainter) -> int | None:
    """Return the device's pixels a pixel where images do as well as text; None on paper and between whole ratios."""
    if painter.paintEngine().type() != QPaintEngine.Type.Raster:
        return None
    ratio = painter.device().devicePixelRatio()
    in_place = painter.transform().type() in (_KIND.TxNone, _KIND.TxTranslate)
    return int(ratio) if in_place and ratio == int(ratio) else None
