"""The flow of attention: queries left, keys right, a line for every weight, the wider and stronger the larger it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from attnexplorer.figures.fonts import font
from attnexplorer.figures.labels import Labels, every
from attnexplorer.figures.theme import Theme, position_colour

Side = Literal["query", "key"]
THRESHOLDS = (0.0, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5)
_READABLE = 240
"""How many lines can still be told apart."""
_THIN = 1.6
_DOT = 3.0
_TOP = 4.0


class End(NamedTuple):
    """A token at one end of the lines."""

    side: Side
    token: int


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """The weights of one head, [queries, keys], and its colour."""

    weights: NDArray[np.floating]
    colour: str


@dataclass(frozen=True, slots=True)
class FlowPicture:
    """Everything the picture depends on.

    Parameters
    ----------
    threshold
        Weights below it have no line; 0 hides only those that are 0.
    isolated
        The token whose lines, all of them, stand out; the others fade.
    by_position
        Whether lines have the colours of the keys they draw from; else that of their head.
    full
        The weight of the widest and strongest line.
    """

    flows: tuple[Flow, ...]
    queries: Labels
    keys: Labels
    theme: Theme
    threshold: float = 0.0
    isolated: End | None = None
    by_position: bool = False
    full: float = 1.0

    def without_isolation(self) -> FlowPicture:
        """Return the picture with no token standing out."""
        return self if self.isolated is None else replace(self, isolated=None)


@dataclass(frozen=True, slots=True)
class FlowLayout:
    """Sizes in pixels: the whole picture, the columns of labels, and the distance from token to token on each side."""

    width: float
    height: float
    query_labels: float
    key_labels: float
    query_pitch: float
    key_pitch: float
    font_pixels: float

    @property
    def left(self) -> float:
        """Where lines begin."""
        return self.query_labels + 2 * _DOT + 4

    @property
    def right(self) -> float:
        """Where lines end."""
        return self.width - self.key_labels - 2 * _DOT - 4

    def point(self, end: End) -> QPointF:
        """Return where the lines of a token meet."""
        if end.side == "query":
            return QPointF(self.left, _TOP + (end.token + 0.5) * self.query_pitch)
        return QPointF(self.right, _TOP + (end.token + 0.5) * self.key_pitch)

    def end_at(self, picture: FlowPicture, place: QPointF) -> End | None:
        """Return the token at a place, its label and its dot included, or None between the two sides."""
        side: Side | None = "query" if place.x() <= self.left + 12 else "key" if place.x() >= self.right - 12 else None
        if side is None:
            return None
        count, pitch = _side(picture, self, side)
        token = int((place.y() - _TOP) // pitch)
        return End(side, token) if 0 <= token < count else None


class Lines(NamedTuple):
    """Lines to draw, the weakest first: index of the flow, query, key and weight of each."""

    flow: NDArray[np.intp]
    query: NDArray[np.intp]
    key: NDArray[np.intp]
    weight: NDArray[np.float64]


def flow_layout(picture: FlowPicture, width: float, height: float, scale: float = 1.0) -> FlowLayout:
    """Return a layout that fills a rectangle; labels get smaller type before any of them is left out."""
    queries, keys = len(picture.queries.texts), len(picture.keys.texts)
    room = height - 2 * _TOP
    query_pitch, key_pitch = (min(26.0 * scale, room / max(count, 1)) for count in (queries, keys))
    pixels = min(12.0, max(9.0, min(query_pitch, key_pitch) / scale - 1)) * scale
    metrics = QFontMetricsF(font("text", pixels, bold=True))
    widest = max(0.0, width * 0.3)
    left, right = (
        min(widest, max((metrics.horizontalAdvance(text) for text in labels.texts), default=0.0) + 4)
        for labels in (picture.queries, picture.keys)
    )
    return FlowLayout(width, height, left, right, query_pitch, key_pitch, pixels)


def lines_of(picture: FlowPicture) -> Lines:
    """Return the lines at or above the threshold."""
    least = max(picture.threshold, np.finfo(np.float64).tiny)
    return _sorted([_found(flow.weights, flow.weights >= least, index) for index, flow in enumerate(picture.flows)])


def isolated_lines(picture: FlowPicture) -> Lines:
    """Return all lines of the isolated token, those below the threshold too."""
    found = []
    for index, flow in enumerate(picture.flows):
        wanted = np.zeros(flow.weights.shape, dtype=np.bool_)
        if picture.isolated is not None:
            token = picture.isolated.token
            wanted[(token, slice(None)) if picture.isolated.side == "query" else (slice(None), token)] = True
        found.append(_found(flow.weights, wanted & (flow.weights > 0), index))
    return _sorted(found)


def hidden_share(picture: FlowPicture) -> float:
    """Return which share of all weight the threshold hides."""
    # Captured or pinned weights may be so large that their sum is not finite; no share can be told of such.
    with np.errstate(over="ignore", invalid="ignore"):
        total = sum(float(flow.weights.sum()) for flow in picture.flows)
        hidden = sum(float(flow.weights.sum(where=flow.weights < picture.threshold)) for flow in picture.flows)
    return hidden / total if total and np.isfinite(total) else 0.0


def readable_threshold(weights: tuple[NDArray[np.floating], ...]) -> float:
    """Return the smallest of `THRESHOLDS` that leaves few enough lines to be told apart."""
    for threshold in THRESHOLDS:
        least = max(threshold, np.finfo(np.float64).tiny)
        if sum(int(np.count_nonzero(matrix >= least)) for matrix in weights) <= _READABLE:
            return threshold
    return THRESHOLDS[-1]


def paint_flow(painter: QPainter, picture: FlowPicture, layout: FlowLayout) -> None:
    """Paint the whole picture with its top left corner at the painter's origin."""
    paint_lines(painter, picture.without_isolation(), layout, faint=picture.isolated is not None)
    paint_isolated(painter, picture, layout)
    paint_ends(painter, picture, layout)


def paint_lines(painter: QPainter, picture: FlowPicture, layout: FlowLayout, *, faint: bool) -> None:
    """Paint the lines at or above the threshold; faint ones make way for those of an isolated token."""
    painter.setOpacity(0.18 if faint else 1.0)
    _stroke(painter, picture, layout, lines_of(picture), strong=False)
    painter.setOpacity(1.0)


def paint_isolated(painter: QPainter, picture: FlowPicture, layout: FlowLayout) -> None:
    """Paint the lines of the isolated token."""
    if picture.isolated is not None:
        _stroke(painter, picture, layout, isolated_lines(picture), strong=True)


def paint_ends(painter: QPainter, picture: FlowPicture, layout: FlowLayout) -> None:
    """Paint the tokens of both sides: a dot in the position's colour, and the label where there is room for it."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    for side in ("query", "key"):
        count, pitch = _side(picture, layout, side)
        step = every(pitch, layout.font_pixels + 1)
        chosen = picture.isolated.token if picture.isolated is not None and picture.isolated.side == side else -1
        for token in range(count):
            _paint_dot(painter, layout, End(side, token), pitch)
            near = chosen >= 0 and abs(token - chosen) * pitch < layout.font_pixels + 1
            if token == chosen or (token % step == 0 and not near):
                _paint_label(painter, picture, layout, End(side, token), bold=token == chosen)


_LARGEST_SHARE = 4.0
"""Weights are at most 1; what is pinned or captured may be anything, and its line must still be a line."""


def line_width(weight: float, layout: FlowLayout, flows: int = 1) -> float:
    """Return the width of the line of a weight, in pixels; narrower where many heads lie side by side."""
    widest = min(9.0, 0.2 + 0.5 * min(layout.query_pitch, layout.key_pitch))
    return 0.5 + min(weight, _LARGEST_SHARE) * max(1.5, widest / (1 + 0.25 * (flows - 1)))


def line_opacity(weight: float) -> float:
    """Return how strong the line of a weight is, 0 to 1."""
    return float(min(1.0, 0.12 + 0.78 * weight**0.8))


def _side(picture: FlowPicture, layout: FlowLayout, side: Side) -> tuple[int, float]:
    if side == "query":
        return len(picture.queries.texts), layout.query_pitch
    return len(picture.keys.texts), layout.key_pitch


def _found(weights: NDArray[np.floating], wanted: NDArray[np.bool_], flow: int) -> Lines:
    query, key = np.nonzero(wanted)
    return Lines(np.full(len(query), flow), query, key, weights[query, key].astype(np.float64))


def _sorted(found: list[Lines]) -> Lines:
    if not found:
        nothing = np.zeros(0, dtype=np.intp)
        return Lines(nothing, nothing, nothing, np.zeros(0))
    together = [np.concatenate(columns) for columns in zip(*found, strict=True)]
    order = np.argsort(together[3], kind="stable")
    return Lines(*(column[order] for column in together))


def _stroke(painter: QPainter, picture: FlowPicture, layout: FlowLayout, lines: Lines, *, strong: bool) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    by_position = picture.by_position or (strong and len(picture.flows) == 1)
    # Even the faintest of a few lines can be seen; hundreds of them must not grow into a wall.
    least = min(0.3, 12.0 / max(len(lines.weight), 1)) if strong else 0.0
    start, end = layout.left + _DOT, layout.right - _DOT
    middle = (start + end) / 2
    # The lines of several heads lie beside each other, within the room of their token.
    spread = 0.7 * min(layout.query_pitch, layout.key_pitch) / len(picture.flows) if picture.flows else 0.0
    beside = spread * (lines.flow - (len(picture.flows) - 1) / 2)
    left = (_TOP + (lines.query + 0.5) * layout.query_pitch + beside).tolist()
    right = (_TOP + (lines.key + 0.5) * layout.key_pitch + beside).tolist()
    own = [QColor(flow.colour) for flow in picture.flows]
    columns = (lines.flow.tolist(), lines.key.tolist(), lines.weight.tolist(), left, right)
    last: tuple[object, ...] = ()
    for flow, key, weight, y0, y1 in zip(*columns, strict=True):
        share = weight / picture.full
        opacity, wide = max(least, line_opacity(share)), line_width(share, layout, len(picture.flows))
        # Lines of one pixel are painted five times as fast as wider ones; thin ones get their width as opacity.
        alpha = round(255 * (min(1.0, opacity * wide) if wide < _THIN else opacity))
        look = (key if by_position else flow, alpha, 1.0 if wide < _THIN else wide)
        if look != last:
            # Neighbours in the order of weights often look the same.
            last = look
            colour = QColor(position_colour(key) if by_position else own[flow])
            colour.setAlpha(alpha)
            painter.setPen(QPen(colour, look[2], Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        path = QPainterPath(QPointF(start, y0))
        path.cubicTo(middle, y0, middle, y1, end, y1)
        painter.drawPath(path)


def _paint_dot(painter: QPainter, layout: FlowLayout, end: End, pitch: float) -> None:
    radius = min(_DOT, pitch / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(position_colour(end.token))
    painter.drawEllipse(layout.point(end), radius, radius)


def _paint_label(painter: QPainter, picture: FlowPicture, layout: FlowLayout, end: End, *, bold: bool) -> None:
    labels = picture.queries if end.side == "query" else picture.keys
    made = font("text", layout.font_pixels, bold=bold)
    at, high = layout.point(end), layout.font_pixels + 4
    if end.side == "query":
        rect = QRectF(0, at.y() - high / 2, layout.query_labels, high)
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    else:
        rect = QRectF(layout.width - layout.key_labels, at.y() - high / 2, layout.key_labels, high)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.setFont(made)
    painter.setPen(QColor(picture.theme.muted if end.token in labels.faded else picture.theme.text))
    text = QFontMetricsF(made).elidedText(labels.texts[end.token], Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, flags, text)
