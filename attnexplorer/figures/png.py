"""PNG: sharp cells at any resolution, the resolution in the file, the experiment in a text chunk."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage, QPainter

from attnexplorer.figures.carrying import png_chunk, text_chunk
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Figure, paint_figure
from attnexplorer.figures.spec import CM_PER_INCH, POINTS_PER_INCH

MOST_PIXELS = 100_000_000
LARGEST_SIDE = 30_000
_METRES_PER_INCH = CM_PER_INCH / 100
_IHDR_END = 33
_COMPRESSION = 60
"""Qt's scale from 0, most compressed, to 100; a figure hardly shrinks any more beyond this."""


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
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.scale(scale, scale)
    paint_figure(painter, figure)
    painter.end()
    return image


def png_bytes(figure: Figure, dpi: float, carried: bytes | None = None) -> bytes:
    """Return a figure as the bytes of a PNG file."""
    size = pixel_size(figure, dpi)
    image = figure_image(figure, figure.points_per_pixel / POINTS_PER_INCH * dpi, size)
    for set_dots in (image.setDotsPerMeterX, image.setDotsPerMeterY):
        set_dots(round(dpi / _METRES_PER_INCH))
    data = image_png(image)
    chunks = text_chunk(b"Software", b"Attention Explorer") + (png_chunk(carried) if carried else b"")
    return data[:_IHDR_END] + chunks + data[_IHDR_END:]


def image_png(image: QImage) -> bytes:
    """Return the bytes of a PNG file of an image."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG", _COMPRESSION):  # type: ignore[call-overload]
        raise FigureError("the image could not be made into a PNG file")
    return bytes(buffer.data().data())
