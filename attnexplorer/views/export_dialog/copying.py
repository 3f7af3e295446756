"""A figure on the clipboard: as pixels for programs that take pictures, as SVG for those that draw."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QByteArray, QMimeData
from PySide6.QtGui import QGuiApplication

from attnexplorer.document.document import Document
from attnexplorer.figures.figure import Figure
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.png import figure_image, pixel_size
from attnexplorer.figures.spec import CM_PER_INCH, POINTS_PER_INCH
from attnexplorer.figures.svg import svg_bytes
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.export_dialog.choices import from_text
from attnexplorer.views.export_dialog.memory import Memory
from attnexplorer.views.export_dialog.subjects import Seen, first_subject, subjects

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


def copy_shown(document: Document, seen: Seen, memory: Memory, appearance: Appearance) -> None:
    """Put what a window shows on the clipboard, set as the last figure was.

    Raises
    ------
    FigureError
        If there is no such figure, or the image would be too large.
    """
    found = subjects(document, seen)
    subject = found[first_subject(found, seen, document.comparison.shown)]
    choices = replace(from_text(memory.figure_choices, appearance.theme.name), form="png")
    spec = choices.applied_to(subject.spec, "", "", appearance.decimal_point)
    copy_figure(lay_out(spec, document.experiment, document.comparison.experiment), spec.dpi)
