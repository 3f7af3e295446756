"""Stacked bars: how softmax shares out a row, a segment a key in the colour of its position. On screen and on paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter

from attnexplorer.figures.colours import contrast
from attnexplorer.figures.fonts import font
from attnexplorer.figures.theme import Theme, position_colour

_PADDING = 6.0
_GAP_FROM = 4.0
"""Segments at least this many pixels wide are set off from the one before them by a line."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One stacked bar.

    Parameters
    ----------
    label
        What stands left of it.
    shares
        A share a key, in the order of the keys; 0 for a key that is left out. None: no bar, `instead` is said there.
    chosen
        Whether the label is set in bold.
    """

    label: str
    shares: tuple[float, ...] | None
    chosen: bool = False
    instead: str = ""


@dataclass(frozen=True, slots=True)
class BarsPicture:
    """Stacked bars with all that their picture depends on; `names` are the keys'."""

    bars: tuple[Bar, ...]
    names: tuple[str, ...]
    theme: Theme
    decimal_point: str = "."


@dataclass(frozen=True, slots=True)
class BarsLayout:
    """Sizes in pixels: a bar and the gap below it, the column of labels, the whole width, and the size of type."""

    width: float
    label_width: float
    bar_height: float = 19.0
    gap: float = 6.0
    font_pixels: float = 11.5

    @property
    def pitch(self) -> float:
        """The distance from one bar to the next."""
        return self.bar_height + self.gap

    @property
    def extent(self) -> float:
        """The width of a bar that is full."""
        return max(0.0, self.width - self.label_width)

    def height(self, bars: int) -> float:
        """Return the height of so many bars."""
        return max(0.0, bars * self.pitch - self.gap)

    def rect(self, bar: int) -> QRectF:
        """Return the rectangle of a full bar."""
        return QRectF(self.label_width, bar * self.pitch, self.extent, self.bar_height)


class Segment(NamedTuple):
    """The part of a bar that belongs to one key."""

    key: int
    share: float
    rect: QRectF


def segments(bar: Bar, rect: QRectF) -> tuple[Segment, ...]:
    """Return the segments of a bar, from the left; a key without a share has none.

    Shares that do not add up to 1 (pins) are shown as they are; what reaches beyond the bar is cut off.
    """
    shares = [max(share, 0.0) for share in bar.shares or ()]
    edges = [rect.left() + min(edge, 1.0) * rect.width() for edge in accumulate(shares, initial=0.0)]
    return tuple(
        Segment(key, share, QRectF(edges[key], rect.top(), edges[key + 1] - edges[key], rect.height()))
        for key, share in enumerate(shares)
        if share > 0.0
    )


def segment_at(picture: BarsPicture, layout: BarsLayout, place: QPointF) -> tuple[int, Segment] | None:
    """Return the bar and the segment at a place, or None."""
    for index, bar in enumerate(picture.bars):
        rect = layout.rect(index)
        if rect.contains(place):
            hit = (segment for segment in segments(bar, rect) if segment.rect.contains(place))
            return next(((index, segment) for segment in hit), None)
    return None


def label_column(labels: Sequence[str], font_pixels: float) -> float:
    """Return the width that a column of such labels needs, bold ones too."""
    metrics = QFontMetricsF(font("text", font_pixels, bold=True))
    return max((metrics.horizontalAdvance(label) for label in labels), default=0.0) + 2 * _PADDING


def paint_bars(painter: QPainter, picture: BarsPicture, layout: BarsLayout) -> None:
    """Paint the bars with the top left corner of the first one's label at the painter's origin."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for index, bar in enumerate(picture.bars):
        rect = layout.rect(index)
        _paint_label(painter, bar, QRectF(0.0, rect.top(), layout.label_width, rect.height()), picture.theme, layout)
        if bar.shares is None:
            _paint_instead(painter, bar, rect, picture.theme, layout)
        else:
            _paint_bar(painter, picture, bar, rect, layout)


def share_text(share: float, decimal_point: str = ".") -> str:
    """Return a share as it stands in a segment: "52.9%"."""
    return f"{share * 100:.1f}%".replace(".", decimal_point)


_SHORTEST = len("0.0%")


def segment_text(name: str, share: float, room: float, metrics: QFontMetricsF, decimal_point: str = ".") -> str:
    """Return what fits a segment: name and share, the share alone, or nothing."""
    if room < _SHORTEST:
        return ""
    percentage = share_text(share, decimal_point)
    # A segment of n pixels never holds more than n characters: long names need not be measured.
    for text in (f"{name} {percentage}", percentage):
        if len(text) <= room and metrics.horizontalAdvance(text) <= room:
            return text
    return ""


def text_on(colour: QColor) -> QColor:
    """Return black or white, whichever can be read better on a colour: position colours are the same in all themes."""
    return QColor.fromRgba(_text_on(colour.rgba()))


@lru_cache(maxsize=4096)
def _text_on(colour: int) -> int:
    choices = (QColor(Qt.GlobalColor.white), QColor(Qt.GlobalColor.black))
    return max(choices, key=lambda text: contrast(text, QColor.fromRgba(colour))).rgba()


def _paint_label(painter: QPainter, bar: Bar, rect: QRectF, theme: Theme, layout: BarsLayout) -> None:
    painter.setFont(font("text", layout.font_pixels, bold=bar.chosen))
    painter.setPen(QColor(theme.text))
    painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, bar.label)


def _paint_instead(painter: QPainter, bar: Bar, rect: QRectF, theme: Theme, layout: BarsLayout) -> None:
    painter.fillRect(rect, QColor(theme.hatch_ground))
    painter.fillRect(rect, QBrush(QColor(theme.hatch_line), Qt.BrushStyle.BDiagPattern))
    made = font("text", layout.font_pixels)
    text = QFontMetricsF(made).elidedText(bar.instead, Qt.TextElideMode.ElideRight, rect.width() - 2 * _PADDING)
    painter.setFont(made)
    painter.setPen(QColor(theme.text))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def _paint_bar(painter: QPainter, picture: BarsPicture, bar: Bar, rect: QRectF, layout: BarsLayout) -> None:
    painter.fillRect(rect, QColor(picture.theme.hatch_ground))
    made = _segment_font(layout)
    painter.setFont(made)
    metrics = QFontMetricsF(made)
    for segment in segments(bar, rect):
        colour, width = position_colour(segment.key), segment.rect.width()
        painter.fillRect(segment.rect, colour)
        if width < _GAP_FROM:
            continue
        if segment.rect.left() > rect.left():
            line = QRectF(segment.rect.left(), rect.top(), 1.0, rect.height())
            painter.fillRect(line, QColor(picture.theme.card))
        name, room = picture.names[segment.key], width - 2 * _PADDING
        text = segment_text(name, segment.share, room, metrics, picture.decimal_point)
        if text:
            painter.setPen(text_on(colour))
            painter.drawText(segment.rect, Qt.AlignmentFlag.AlignCenter, text)


def _segment_font(layout: BarsLayout) -> QFont:
    return font("text", layout.font_pixels)
