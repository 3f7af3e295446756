"""PDF: vector cells and embedded fonts, a page as large as its figure; the same bytes for the same figure."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QBuffer, QByteArray, QHashSeed, QIODevice, QMarginsF, QSizeF, QUuid
from PySide6.QtGui import QPageSize, QPainter, QPdfWriter

from attnexplorer.figures.carrying import attachment_name, holds_capture
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Figure, paint_figure
from attnexplorer.figures.spec import POINTS_PER_INCH

_RESOLUTION = 1200
_LARGEST_POINTS = 14_400.0
"""Viewers show no page that is larger, which is 508 cm."""
_NAMESPACE = QUuid("5c5e2f8f-5c8b-4b57-9d0e-8a4b8b0c4a11")

# What the writer takes from the clock, replaced by as many bytes so that the table of objects stays right.
_DATES = re.compile(rb"\(D:\d{14}(?:Z|[+-]\d\d'\d\d'?)\)|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)")


def pdf_bytes(figures: Sequence[Figure], carried: bytes | None = None) -> bytes:
    """Return figures as the bytes of a PDF file, a page a figure."""
    with _fixed_order():
        return _written(figures, carried)


def _written(figures: Sequence[Figure], carried: bytes | None) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_RESOLUTION)
    writer.setTitle(figures[0].title)
    writer.setCreator("Attention Explorer")
    writer.setDocumentId(QUuid.createUuidV5(_NAMESPACE, figures[0].title.encode("utf-8", "replace")))
    _set_page(writer, figures[0])
    if carried:
        kind = "application/zip" if holds_capture(carried) else "application/json"
        writer.addFileAttachment(attachment_name(carried), QByteArray(carried), kind)
    with QPainter(writer) as painter:
        if not painter.isActive():
            raise FigureError("the PDF file could not be made")
        for number, figure in enumerate(figures):
            if number:
                _set_page(writer, figure)
                writer.newPage()
            painter.save()
            _paint_page(painter, figure)
            painter.restore()
    buffer.close()
    return _DATES.sub(_without_time, bytes(buffer.data().data()))


@contextlib.contextmanager
def _fixed_order() -> Iterator[None]:
    """Have the writer put its fonts in the same order every time: it takes that from a table with a random seed."""
    QHashSeed.setDeterministicGlobalSeed()
    try:
        yield
    finally:
        QHashSeed.resetRandomGlobalSeed()


def _set_page(writer: QPdfWriter, figure: Figure) -> None:
    width, height = figure.points
    if max(width, height) > _LARGEST_POINTS:
        raise FigureError("a page of a PDF file is at most 508 cm wide and high")
    size = QPageSize(
        QSizeF(max(3.0, width), max(3.0, height)), QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch
    )
    writer.setPageSize(size)
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))


def _paint_page(painter: QPainter, figure: Figure) -> None:
    device = painter.device()
    # Pages are whole points: the ground covers what is left over at the edges.
    if figure.ground:
        painter.fillRect(0, 0, device.width(), device.height(), figure.theme.card)
    scale = figure.points_per_pixel * _RESOLUTION / POINTS_PER_INCH
    painter.scale(scale, scale)
    paint_figure(painter, figure)


def _without_time(found: re.Match[bytes]) -> bytes:
    """Return the same number of bytes with every digit of the time at its first value."""
    text = found.group()
    start = b"(D:20000101000000" if text.startswith(b"(") else b"2000-01-01T00:00:00"
    return start + re.sub(rb"\d", b"0", text[len(start) :])
