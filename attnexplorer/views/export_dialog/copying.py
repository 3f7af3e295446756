"""A figure on the clipboard: as pixels for programs that take pictures, as SVG for those that draw."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication

from attnexplorer.figures.figure import Figure
from attnexplorer.figures.png import figure_image, pixel_size
from attnexplorer.figures.spec import CM_PER_INCH, POINTS_PER_INCH
from attnexplorer.figures.svg import svg_bytes

SVG_TYPE = "image/svg+xml"


def copy_figure(figure: Figure, dpi: float) -> None:
    """Put a figure on the clipboard, as an image of a resolution and as SVG.

    Raises
    ------
    FigureError
        If the image would be too large.
    """
    image = figure_image(figure, figure.points_per_pixel / POINTS_PER_INCH * dpi, pixel_size(figure, dpi))
    per_metre = round(dpi / CM_PER_INCH * 100)
    image.setDotsPerMeterX(per_metre)
    image.setDotsPerMeterY(per_metre)
    data = QMimeData()
    data.setImageData(image)
    data.setData(SVG_TYPE, QByteArray(svg_bytes(figure)))
    QGuiApplication.clipboard().setMimeData(data)
