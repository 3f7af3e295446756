"""The flow of attention on screen: the token under the pointer stands out, a slider hides weak lines."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QElapsedTimer, QEvent, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPixmap, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSlider, QToolButton, QWidget

from attnexplorer.compute.numbers import cell_text, percent
from attnexplorer.figures.flow import (
    End,
    Flow,
    FlowLayout,
    FlowPicture,
    flow_layout,
    hidden_share,
    paint_ends,
    paint_isolated,
    paint_lines,
    readable_threshold,
)
from attnexplorer.figures.labels import Labels
from attnexplorer.figures.theme import LIGHT
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.heads.card import Card, small
from attnexplorer.views.input.fields import ChoiceBox

STEPS = 100
HIGHEST = 0.5
"""The threshold at the right end of the slider."""
_PITCH, _LEAST_PITCH = 23.0, 10.0
_TALLEST = 660
PAUSE = 60
"""Milliseconds between two pictures of many lines."""
_SLOW = 0.003
"""Lines that take longer than this many seconds to paint are many."""


@dataclass(frozen=True, slots=True, eq=False)
class FlowContent:
    """Weights by what they are drawn for, with a colour each, and the labels of both sides."""

    weights: tuple[NDArray[np.floating], ...]
    colours: tuple[str, ...]
    name: str
    queries: Labels
    keys: Labels


class FlowView(QWidget):
    """Paints the flow; the lines that do not stand out are kept as a picture, so that hovering is cheap."""

    end_hovered = Signal(object)
    end_chosen = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._picture = FlowPicture((), Labels(()), Labels(()), LIGHT)
        self.slow = False
        """Whether the lines took long to paint."""
        self._pixmaps: dict[str, tuple[tuple[object, ...], QPixmap]] = {}
        self.setObjectName("flow")
        self.setAccessibleName("Flow of attention from queries, left, to keys, right")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def picture(self) -> FlowPicture:
        """What is shown."""
        return self._picture

    def show_picture(self, picture: FlowPicture) -> None:
        """Show a picture; nothing is painted again if it is the same."""
        if picture != self._picture:
            self._picture = picture
            self.update()

    def layout_now(self) -> FlowLayout:
        """Return where everything is."""
        return flow_layout(self._picture, self.width(), self.height(), self._appearance.text_scale)

    def height_wanted(self) -> int:
        """Return the height at which every token has its room."""
        tokens = max(len(self._picture.queries.texts), len(self._picture.keys.texts), 1)
        scale = self._appearance.text_scale
        pitch = max(_LEAST_PITCH, min(_PITCH, 340.0 / tokens)) * scale
        return round(min(_TALLEST * scale, tokens * pitch + 8))

    def sizeHint(self) -> QSize:
        return QSize(300, self.height_wanted())

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 40)

    def paintEvent(self, event: QPaintEvent) -> None:
        layout, picture = self.layout_now(), self._picture
        plain, faint = picture.without_isolation(), picture.isolated is not None
        painter = QPainter(self)
        lines = self._kept("lines", (plain, layout, faint), lambda p: self._paint_lines(p, plain, layout, faint=faint))
        painter.drawPixmap(0, 0, lines)
        paint_isolated(painter, picture, layout)
        # Labels and dots do not depend on the weights: while a slider is dragged they stay as they are.
        looks = (picture.queries, picture.keys, picture.theme, picture.isolated, layout)
        painter.drawPixmap(0, 0, self._kept("ends", looks, lambda p: paint_ends(p, picture, layout)))
        painter.end()

    def _paint_lines(self, painter: QPainter, picture: FlowPicture, layout: FlowLayout, *, faint: bool) -> None:
        start = time.perf_counter()
        paint_lines(painter, picture, layout, faint=faint)
        self.slow = time.perf_counter() - start > _SLOW

    def _kept(self, name: str, depends: tuple[object, ...], paint: Callable[[QPainter], None]) -> QPixmap:
        """Return a picture of this size, painted anew only if what it depends on has changed."""
        ratio = self.devicePixelRatioF()
        known = self._pixmaps.get(name)
        if known is None or known[0] != (ratio, *depends):
            pixmap = QPixmap(self.size() * ratio)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            paint(painter)
            painter.end()
            known = self._pixmaps[name] = ((ratio, *depends), pixmap)
        return known[1]

    def _end_at(self, place: QPointF) -> End | None:
        return self.layout_now().end_at(self._picture, place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.end_hovered.emit(self._end_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.end_chosen.emit(self._end_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self.end_hovered.emit(None)


class FlowCard(Card):
    """The flow with its choices: what is drawn, in which colours, and from which weight on."""

    end_hovered = Signal(object)
    end_chosen = Signal(object)
    choices_changed = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__("flow-card", "Flow", appearance, parent)
        self.view = FlowView(appearance)
        self.drawn = ChoiceBox("flow-drawn", (("head", "this head"), ("all", "all heads"), ("mean", "mean")))
        self.colours = ChoiceBox("flow-colours", (("head", "by head"), ("position", "by token")))
        self.threshold = _QuietSlider(Qt.Orientation.Horizontal)
        self.hidden = small()
        self.auto = QToolButton()
        self._content: FlowContent | None = None
        self._chosen_threshold: float | None = None
        self._isolated: End | None = None
        self._since = QElapsedTimer()
        self._since.start()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(PAUSE)
        self._later.timeout.connect(self._refresh)
        self._lay_out()
        self.view.end_hovered.connect(self.end_hovered)
        self.view.end_chosen.connect(self.end_chosen)
        self.drawn.chosen.connect(lambda _: self.choices_changed.emit())
        self.colours.chosen.connect(lambda _: self._refresh())
        self.threshold.valueChanged.connect(self._on_threshold_changed)
        self.auto.clicked.connect(self._on_auto_clicked)

    @property
    def shown_threshold(self) -> float:
        """The weight from which on there are lines."""
        return self.view.picture.threshold

    def show_content(self, content: FlowContent, isolated: End | None) -> None:
        """Show weights, with one token standing out; many lines wait for a pause in the stream."""
        before = self._content
        self._content, self._isolated = content, isolated
        if before is None or (before.queries, before.keys) != (content.queries, content.keys):
            self._refresh()
            self.view.updateGeometry()
        elif self.view.slow and not _alike(content, before) and self._since.elapsed() < PAUSE:
            if not self._later.isActive():
                self._later.start()
        elif not self._later.isActive() or _alike(content, before):
            self._refresh()

    def stop(self) -> None:
        """Show nothing later."""
        self._later.stop()

    def offer(self, heads: int) -> None:
        """Offer all heads and their mean where there are several."""
        self.drawn.setVisible(heads > 1)
        self._drawn_label.setVisible(heads > 1)
        if heads == 1 and self.drawn.currentData() != "head":
            self.drawn.setCurrentIndex(0)

    def _refresh(self) -> None:
        content = self._content
        if content is None:
            return
        self._since.restart()
        old = self.view.picture.flows
        same = len(old) == len(content.weights) and all(
            flow.weights is weights and flow.colour == colour
            for flow, weights, colour in zip(old, content.weights, content.colours, strict=True)
        )
        flows = old if same else tuple(map(Flow, content.weights, content.colours))
        threshold = self._chosen_threshold
        if threshold is None:
            threshold = self.view.picture.threshold if same else readable_threshold(content.weights)
        by_position = self.colours.currentData() == "position"
        theme = self.appearance.theme
        picture = FlowPicture(flows, content.queries, content.keys, theme, threshold, self._isolated, by_position)
        self.view.show_picture(picture)
        self._say(picture, content)

    def _say(self, picture: FlowPicture, content: FlowContent) -> None:
        point = self.appearance.decimal_point
        self.threshold.show_threshold(picture.threshold)
        share = percent(hidden_share(picture), 1 if hidden_share(picture) < 0.0995 else 0, point)
        limit = cell_text(picture.threshold, 3, decimal_point=point)
        self.hidden.setText(f"under {limit} hidden: {share} of the weight" if picture.threshold else "nothing hidden")
        self.auto.setVisible(self._chosen_threshold is not None)
        self.say(f"{content.name} · {told(picture, point)}" if picture.isolated is not None else content.name)

    def _on_threshold_changed(self, step: int) -> None:
        self._chosen_threshold = step * HIGHEST / STEPS
        self._refresh()

    def _on_auto_clicked(self) -> None:
        self._chosen_threshold = None
        if self._content is not None:
            self.view.show_picture(replace(self.view.picture, threshold=readable_threshold(self._content.weights)))
            self._refresh()

    def _lay_out(self) -> None:
        self.drawn.setAccessibleName("Heads that are drawn")
        self.drawn.setToolTip("Draw the chosen head, all heads in a colour each, or the mean over all heads")
        self.colours.setAccessibleName("Colours of the lines")
        self.colours.setToolTip("Give lines the colour of their head, or of the token they draw from")
        self.threshold.setObjectName("flow-threshold")
        self.threshold.setRange(0, STEPS)
        self.threshold.setAccessibleName("Smallest weight that has a line")
        self.threshold.setToolTip("Hide the lines of weights below this; a token that stands out shows all its lines")
        self.hidden.setObjectName("flow-hidden")
        self.auto.setObjectName("flow-auto")
        self.auto.setText("auto")
        self.auto.setProperty("look", "link")
        self.auto.setToolTip("Hide just so many lines that the others can be told apart")
        self.auto.setAccessibleName("Choose the threshold automatically")
        first = QHBoxLayout()
        first.setSpacing(6)
        self._drawn_label = small("Draw")
        for widget in (self._drawn_label, self.drawn, small("Colours"), self.colours):
            first.addWidget(widget)
        first.addStretch(1)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(small("Threshold"))
        line.addWidget(self.threshold, 1)
        line.addWidget(self.auto)
        line.addWidget(self.hidden)
        self.body.addWidget(self.view, 1)
        self.body.addLayout(first)
        self.body.addLayout(line)


class _QuietSlider(QSlider):
    """A slider that the wheel turns only while it has the focus."""

    def show_threshold(self, threshold: float) -> None:
        """Show a threshold, without a signal."""
        self.blockSignals(True)
        self.setValue(round(threshold * STEPS / HIGHEST))
        self.blockSignals(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def _alike(first: FlowContent, second: FlowContent) -> bool:
    """Tell whether two contents are of the very same weights."""
    return len(first.weights) == len(second.weights) and all(map(operator.is_, first.weights, second.weights))


def strongest(weights: Sequence[NDArray[np.floating]], end: End) -> tuple[int, float]:
    """Return the token at the other end of a token's strongest line, and the weight; of several heads, the largest."""
    if not weights:
        return 0, 0.0
    rows = [matrix[end.token] if end.side == "query" else matrix[:, end.token] for matrix in weights]
    largest = np.max(rows, axis=0)
    other = int(largest.argmax())
    return other, float(largest[other])


def told(picture: FlowPicture, decimal_point: str) -> str:
    """Return in words what the isolated token is most tied to."""
    end = picture.isolated
    if end is None:
        return ""
    other, weight = strongest([flow.weights for flow in picture.flows], end)
    number = cell_text(weight, 2, decimal_point=decimal_point)
    if end.side == "query":
        if not weight:
            return f"“{picture.queries.texts[end.token]}” sees nothing"
        return f"“{picture.queries.texts[end.token]}” draws {number} from “{picture.keys.texts[other]}”"
    if not weight:
        return f"nobody draws from “{picture.keys.texts[end.token]}”"
    return f"“{picture.keys.texts[end.token]}” gives most to “{picture.queries.texts[other]}”, {number}"
