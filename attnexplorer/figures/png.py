"""PNG: sharp cells at any resolution, the resolution in the file, the experiment in a text chunk."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from attnexplorer.figures.carrying import PNG_SIGNATURE, chunk, png_chunk, text_chunk
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Figure, paint_figure
from attnexplorer.figures.spec import CM_PER_INCH, POINTS_PER_INCH

MOST_PIXELS = 100_000_000
LARGEST_SIDE = 30_000
_METRES_PER_INCH = CM_PER_INCH / 100
_LEVEL = 6
_UP = 2
"""The number of the filter that takes each row's difference to the one above."""
_ALIKE = 0.95
"""The share of equal bytes from which on a row is stored as its difference to the one above."""
_STRIP = 256


def pixel_size(figure: Figure, dpi: float) -> tuple[int, int]:
    """Return the size of a figure in pixels.

    Raises
    ------
    FigureError
        If it would need more memory than is sensible.
    """
    width, height = (max(1, round(points / POINTS_PER_INCH * dpi)) for points in figure.points)
    if width > LARGEST_SIDE or height > LARGEST_SIDE or width * height > MOST_PIXELS:
        limit = f"{MOST_PIXELS // 1_000_000} million pixels, {LARGEST_SIDE:,} a side"
        raise FigureError(f"the figure would be {width:,} × {height:,} pixels, but at most {limit}, are possible")
    return width, height


def figure_image(figure: Figure, scale: float, size: tuple[int, int] | None = None) -> QImage:
    """Return a figure as an image, `scale` pixels a pixel of the layout."""
    width, height = size or (round(figure.width * scale), round(figure.height * scale))
    opaque = figure.ground
    form = QImage.Format.Format_RGB32 if opaque else QImage.Format.Format_ARGB32_Premultiplied
    image = QImage(width, height, form)
    if image.isNull():
        raise FigureError(f"there is not enough memory for an image of {width:,} × {height:,} pixels")
    image.fill(figure.theme.card if opaque else Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.scale(scale, scale)
        paint_figure(painter, figure)
    return image


def png_bytes(figure: Figure, dpi: float, carried: bytes | None = None) -> bytes:
    """Return a figure as the bytes of a PNG file."""
    size = pixel_size(figure, dpi)
    image = figure_image(figure, figure.points_per_pixel / POINTS_PER_INCH * dpi, size)
    chunks = text_chunk(b"Software", b"Attention Explorer") + (png_chunk(carried) if carried else b"")
    return image_png(image, dpi, chunks)


def image_png(image: QImage, dpi: float | None = None, chunks: bytes = b"") -> bytes:
    """Return the bytes of a PNG file of an image, with more chunks in it.

    A row that is nearly the one above is stored as its difference: in pictures of cells most rows then are zeros. Rows
    of text stay as they are, since the same digits come again in them. The file is made faster, and smaller, than Qt
    makes it.
    """
    form = QImage.Format.Format_RGBA8888 if image.hasAlphaChannel() else QImage.Format.Format_RGB888
    converted = image.convertToFormat(form)
    width, height = converted.width(), converted.height()
    channels = 4 if image.hasAlphaChannel() else 3
    lines = np.frombuffer(converted.constBits(), dtype=np.uint8).reshape(height, converted.bytesPerLine())
    header = struct.pack(">IIBBBBB", width, height, 8, 6 if channels == 4 else 2, 0, 0, 0)
    resolution = b""
    if dpi is not None:
        resolution = chunk(b"pHYs", struct.pack(">IIB", *(round(dpi / _METRES_PER_INCH),) * 2, 1))
    return b"".join(
        (
            *(PNG_SIGNATURE, chunk(b"IHDR", header), resolution, chunks),
            *(chunk(b"IDAT", _packed(lines[:, : width * channels])), chunk(b"IEND", b"")),
        )
    )


def _packed(lines: NDArray[np.uint8]) -> bytes:
    """Return filtered rows, compressed a strip at a time so that no second picture is in memory."""
    packing = zlib.compressobj(_LEVEL)
    parts = []
    for start in range(0, len(lines), _STRIP):
        strip = lines[start : start + _STRIP]
        above = (
            lines[start - 1 : start - 1 + len(strip)] if start else np.vstack([np.zeros_like(strip[:1]), strip[:-1]])
        )
        filtered = np.empty((strip.shape[0], strip.shape[1] + 1), dtype=np.uint8)
        filtered[:, 0] = _UP
        np.subtract(strip, above, out=filtered[:, 1:])
        different = np.count_nonzero(filtered[:, 1:], axis=1) > (1 - _ALIKE) * strip.shape[1]
        filtered[different, 0] = 0
        filtered[different, 1:] = strip[different]
        parts.append(packing.compress(filtered.tobytes()))
    return b"".join([*parts, packing.flush()])
