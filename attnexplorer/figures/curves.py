"""Plots with axes, on screen and on paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen
from PySide6.QtSvg import QSvgGenerator

from attnexplorer.figures.axes import WHOLE, Axis, Tick, Window, part_of
from attnexplorer.figures.fonts import font
from attnexplorer.figures.series import RADIUS, Colour, Line, Places, Series, Values, paint_series
from attnexplorer.figures.theme import Theme

_SPACE = 6.0
_LONGEST_VALUE = "100.0%"


@dataclass(frozen=True, slots=True)
class Marker:
    """An upright line at x with a dot at y."""

    x: float
    y: float
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with all that its picture depends on.

    Parameters
    ----------
    title, caption
        What is shown, in bold, and what it is measured in or over, quietly, where there is room.
    value
        What stands at the right end of the title line.
    guides
        Values of x with a quiet upright line.
    marker
        What is set, or None.
    """

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    theme: Theme
    caption: str = ""
    value: str = ""
    guides: Values = ()
    marker: Marker | None = None


@dataclass(frozen=True, slots=True)
class PlotLayout:
    """The size of a plot and of its type, in pixels."""

    width: float
    height: float
    font_pixels: float = 11.5

    @property
    def title_font(self) -> QFont:
        """The face of the title."""
        return font("mathematics", self.font_pixels * 1.25, bold=True)

    @property
    def label_font(self) -> QFont:
        """The face of the ticks."""
        return font("text", self.font_pixels * 0.92)

    @property
    def text_font(self) -> QFont:
        """The face of captions and names."""
        return font("text", self.font_pixels)


def part_of_plot(plot: Plot, across: Window, up: Window) -> Plot:
    """Return a plot of which only a part is looked at: shares of its two axes."""
    return replace(plot, x=part_of(plot.x, across), y=part_of(plot.y, up))


def plot_area(plot: Plot, layout: PlotLayout) -> QRectF:
    """Return the rectangle between the axes."""
    metrics = QFontMetricsF(layout.label_font)
    left = max((metrics.horizontalAdvance(tick.texts[0]) for tick in plot.y.ticks), default=0.0) + _SPACE + 2
    above = _title_height(layout) + (_title_height(layout) if any(_names(plot)) else 0.0) + _SPACE
    below = metrics.height() + _SPACE
    right = RADIUS + 3
    return QRectF(left, above, max(1.0, layout.width - left - right), max(1.0, layout.height - above - below))


def place_on(plot: Plot, layout: PlotLayout, x: float, y: float) -> QPointF:
    """Return where a point lies."""
    area = plot_area(plot, layout)
    return QPointF(area.left() + plot.x.fraction(x) * area.width(), area.bottom() - plot.y.fraction(y) * area.height())


def paint_plot(painter: QPainter, plot: Plot, layout: PlotLayout) -> None:
    """Paint a plot with its top left corner at the painter's origin."""
    paint_ground(painter, plot, layout)
    paint_setting(painter, plot, layout)


def paint_ground(painter: QPainter, plot: Plot, layout: PlotLayout) -> None:
    """Paint all of a plot that does not depend on its value and its marker."""
    paint_frame(painter, plot, layout)
    paint_plotted(painter, plot, layout)


def frame_of(plot: Plot) -> Plot:
    """Return a plot of which only that is left on which `paint_frame` depends."""
    named = tuple(Line((), (), colour, name=name) for name, colour in _names(plot))
    return replace(plot, series=named, value=_LONGEST_VALUE if plot.value else "", marker=None)


def paint_frame(painter: QPainter, plot: Plot, layout: PlotLayout) -> None:
    """Paint heading, names and axes of a plot, which stay while its numbers change."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_heading(painter, plot, layout)
    _paint_names(painter, plot, layout)
    _paint_axes(painter, plot, layout, plot_area(plot, layout))


def paint_plotted(painter: QPainter, plot: Plot, layout: PlotLayout) -> None:
    """Paint what is plotted between the axes."""
    area = plot_area(plot, layout)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.save()
    _cut_off(painter, plot, area)
    for series in plot.series:
        paint_series(painter, series, plot.theme, Places(plot.x, plot.y, area))
    painter.restore()


def paint_setting(painter: QPainter, plot: Plot, layout: PlotLayout) -> None:
    """Paint the value and the marker of a plot over the rest of it."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(_value_font(layout))
    painter.setPen(QColor(plot.theme.accent))
    right = QRectF(0, 0, layout.width - 1, _title_height(layout))
    painter.drawText(right, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, plot.value)
    if plot.marker is not None:
        area = plot_area(plot, layout)
        painter.save()
        _cut_off(painter, plot, area)
        _paint_marker(painter, plot.marker, plot.theme, Places(plot.x, plot.y, area))
        painter.restore()


def plot_image(plot: Plot, layout: PlotLayout, scale: float = 2.0) -> QImage:
    """Return a plot on the card's colour as an image, `scale` times as many pixels each way."""
    image = QImage(round(layout.width * scale), round(layout.height * scale), QImage.Format.Format_RGB32)
    image.fill(QColor(plot.theme.card))
    with QPainter(image) as painter:
        painter.scale(scale, scale)
        paint_plot(painter, plot, layout)
    return image


def plot_png(plot: Plot, layout: PlotLayout, scale: float = 2.0) -> bytes:
    """Return a plot as a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    # Qt's stubs want bytes for the format, Qt itself a str.
    plot_image(plot, layout, scale).save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def plot_svg(plot: Plot, layout: PlotLayout) -> bytes:
    """Return a plot as an SVG file of the layout's size, with real lines and text."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    # Only in this version is what lies beyond a part cut off.
    versions = QSvgGenerator.SvgVersion
    generator = QSvgGenerator(versions.Svg11 if _is_part(plot) else versions.SvgTiny12)
    generator.setOutputDevice(buffer)
    size = QSizeF(layout.width, layout.height)
    generator.setSize(size.toSize())
    generator.setViewBox(QRectF(QPointF(0, 0), QSizeF(size.toSize())))
    # One pixel is one unit of the drawing, whatever the screen is.
    generator.setResolution(96)
    generator.setTitle(plot.title)
    with QPainter(generator) as painter:
        paint_plot(painter, plot, layout)
    return bytes(buffer.data().data())


def _is_part(plot: Plot) -> bool:
    return (plot.x.window, plot.y.window) != (WHOLE, WHOLE)


def _cut_off(painter: QPainter, plot: Plot, area: QRectF) -> None:
    """Let nothing be painted beyond the axes where only a part is looked at; else it ends there by itself."""
    if _is_part(plot):
        painter.setClipRect(area.adjusted(-1, -2, 1, 1), Qt.ClipOperation.IntersectClip)


def _value_font(layout: PlotLayout) -> QFont:
    return font("number", layout.font_pixels, bold=True)


def _title_height(layout: PlotLayout) -> float:
    return round(layout.font_pixels * 1.6)


def _names(plot: Plot) -> Iterator[tuple[str, Colour]]:
    return ((series.name, series.colour) for series in plot.series if series.name)


def _paint_heading(painter: QPainter, plot: Plot, layout: PlotLayout) -> None:
    theme, height = plot.theme, _title_height(layout)
    title = _drawn_left(painter, plot.title, layout.title_font, theme.text, QRectF(0, 0, layout.width, height))
    # Room for any value, so that nothing else depends on the present one.
    room = value_rect(plot, layout).left() - title - 2 * _SPACE
    if plot.caption and room > layout.font_pixels * 3:
        rect = QRectF(title + _SPACE, 0, room, height)
        text = QFontMetricsF(layout.text_font).elidedText(plot.caption, Qt.TextElideMode.ElideRight, room)
        _drawn_left(painter, text, layout.text_font, theme.muted, rect)


def _drawn_left(painter: QPainter, text: str, face: QFont, colour: str, rect: QRectF) -> float:
    """Draw text and return its right end."""
    painter.setFont(face)
    painter.setPen(QColor(colour))
    painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
    return rect.left() + QFontMetricsF(face).horizontalAdvance(text)


def _paint_names(painter: QPainter, plot: Plot, layout: PlotLayout) -> None:
    height, left = _title_height(layout), 0.0
    for name, colour in _names(plot):
        side = layout.font_pixels * 0.7
        swatch = QRectF(left, height + (height - side) / 2, side, side)
        painter.fillRect(swatch, QColor(getattr(plot.theme, colour)))
        rect = QRectF(swatch.right() + 4, height, layout.width - swatch.right() - 4, height)
        left = _drawn_left(painter, name, layout.text_font, plot.theme.muted, rect) + 2 * _SPACE


def _paint_axes(painter: QPainter, plot: Plot, layout: PlotLayout, area: QRectF) -> None:
    theme = plot.theme
    painter.setPen(QPen(QColor(theme.border), 1.0, Qt.PenStyle.DashLine))
    for guide in plot.guides:
        x = area.left() + plot.x.fraction(guide) * area.width()
        if not area.left() <= x <= area.right():
            continue
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
    painter.setPen(QPen(QColor(theme.hatch_line), 1.0))
    painter.drawLines([area.topLeft(), area.bottomLeft(), area.bottomLeft(), area.bottomRight()])
    if plot.x.kind == "log" and plot.x.foot and not _is_part(plot):
        _paint_break(painter, area, area.left() + plot.x.foot * area.width())
    painter.setFont(layout.label_font)
    for tick, text, rect in tick_labels(plot, layout):
        painter.setPen(QPen(QColor(theme.hatch_line), 1.0))
        x = area.left() + plot.x.fraction(tick.value) * area.width()
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 3))
        painter.setPen(QColor(theme.muted))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, text)
    _paint_y_labels(painter, plot, layout, area)


def _paint_break(painter: QPainter, area: QRectF, x: float) -> None:
    """Mark where an axis, linear from 0, becomes logarithmic: a curve may bend there without a reason of its own."""
    for left in (x - 3.0, x):
        painter.drawLine(QPointF(left, area.bottom() + 4), QPointF(left + 3, area.bottom() - 4))


def value_rect(plot: Plot, layout: PlotLayout) -> QRectF:
    """Return where the value of a plot stands, at the right end of the title line; any value fits."""
    width = QFontMetricsF(_value_font(layout)).horizontalAdvance(_LONGEST_VALUE) if plot.value else 0.0
    return QRectF(layout.width - width, 0, width, _title_height(layout))


def tick_labels(plot: Plot, layout: PlotLayout) -> list[tuple[Tick, str, QRectF]]:
    """Return the labels below the plot that have room, each with its text and its rectangle."""
    metrics, area = QFontMetricsF(layout.label_font), plot_area(plot, layout)
    placed: list[tuple[Tick, str, QRectF]] = []
    for tick in plot.x.ticks:
        x = area.left() + plot.x.fraction(tick.value) * area.width()
        for text in tick.texts:
            width = metrics.horizontalAdvance(text)
            left = min(max(x - width / 2, 0.0), layout.width - width)
            rect = QRectF(left, area.bottom() + 4, width, metrics.height())
            spaced = rect.adjusted(-_SPACE, 0, _SPACE, 0)
            if not any(spaced.intersects(other) for _, _, other in placed):
                placed.append((tick, text, rect))
                break
    return placed


def _paint_y_labels(painter: QPainter, plot: Plot, layout: PlotLayout, area: QRectF) -> None:
    height = QFontMetricsF(layout.label_font).height()
    painter.setPen(QColor(plot.theme.muted))
    free: list[QRectF] = []
    for tick in plot.y.ticks:
        y = area.bottom() - plot.y.fraction(tick.value) * area.height()
        rect = QRectF(0, y - height / 2, area.left() - _SPACE, height)
        if not any(rect.intersects(other) for other in free):
            free.append(rect)
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(rect, flags | Qt.TextFlag.TextDontClip, tick.texts[0])


def _paint_marker(painter: QPainter, marker: Marker, theme: Theme, places: Places) -> None:
    area = places.area
    x = area.left() + places.x.fraction(marker.x) * area.width()
    painter.setPen(QPen(QColor(theme.text), 2.0 if marker.bold else 1.2))
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
    if np.isfinite(marker.y):
        painter.setPen(QPen(QColor(theme.card), 1.5))
        painter.setBrush(QColor(theme.accent))
        painter.drawEllipse(places.of((marker.x,), (marker.y,))[0], RADIUS + 1, RADIUS + 1)
