"""The flow of attention on screen: the token under the pointer stands out, a slider hides weak lines."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QElapsedTimer, QEvent, QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from attnexplorer.compute.numbers import cell_text, limit_text, percent
from attnexplorer.figures.flow import (
    End,
    Flow,
    FlowLayout,
    FlowPicture,
    Side,
    flow_layout,
    hidden_share,
    paint_ends,
    paint_isolated,
    paint_lines,
    readable_threshold,
)
from attnexplorer.figures.labels import Labels
from attnexplorer.figures.theme import LIGHT
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.heads.card import Card, small
from attnexplorer.views.heads.flow_telling import told, told_change
from attnexplorer.views.heads.threshold_slider import HIGHEST, STEPS, ThresholdSlider
from attnexplorer.views.input.fields import ChoiceBox
from attnexplorer.views.opaque import paints_all_of_itself
from attnexplorer.views.whole_errors import with_whole_errors

_KEYPAD = Qt.KeyboardModifier.KeypadModifier
_PITCH, _LEAST_PITCH = 23.0, 10.0
_TALLEST = 660
PAUSE = 60
"""Milliseconds between two pictures of many lines, at least."""
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
    signed: bool = False
    """Whether each two of the weights are what is more and what is less of one head."""


@dataclass(frozen=True, slots=True)
class FlowChoices:
    """Whose weights are drawn, what their colours stand for, and the chosen threshold; None for the readable one."""

    drawn: str = "head"
    colours: str = "head"
    threshold: float | None = None


@with_whole_errors
class FlowView(Speaking, QWidget):
    """Paints the flow; the lines that do not stand out are kept as a picture, so that hovering is cheap.

    Arrow keys go from token to token and from side to side, Enter selects, Esc has none stand out.
    """

    end_hovered = Signal(object)
    end_chosen = Signal(object)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._picture = FlowPicture((), Labels(()), Labels(()), LIGHT)
        self._seconds = {"lines": 0.0, "isolated": 0.0}
        self._pixmaps: dict[str, tuple[tuple[object, ...], QPixmap]] = {}
        self.setObjectName("flow")
        self.setAccessibleName("Flow of attention from queries, left, to keys, right")
        paints_all_of_itself(self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    @property
    def picture(self) -> FlowPicture:
        """What is shown."""
        return self._picture

    @property
    def slow(self) -> bool:
        """Whether the lines took long to paint."""
        return sum(self._seconds.values()) > _SLOW

    @property
    def pause(self) -> int:
        """Milliseconds between two pictures of many lines, so that they take an eighth of the time at most."""
        return max(PAUSE, round(7e3 * sum(self._seconds.values())))

    def show_picture(self, picture: FlowPicture) -> None:
        """Show a picture; nothing is painted again if it is the same."""
        if picture != self._picture:
            self._picture = picture
            self.say_value()
            self.update()

    def spoken(self) -> str:
        """Return what the token that stands out is most tied to."""
        return told(self._picture, self._appearance.decimal_point)

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
        painter.fillRect(event.rect(), QColor(self._appearance.theme.card))
        lines = self._kept("lines", (plain, layout, faint), lambda p: self._paint_lines(p, plain, layout, faint=faint))
        painter.drawPixmap(0, 0, lines)
        start = time.perf_counter()
        paint_isolated(painter, picture, layout)
        self._seconds["isolated"] = time.perf_counter() - start
        # Labels and dots do not depend on the weights: while a slider is dragged they stay as they are.
        looks = (picture.queries, picture.keys, picture.theme, picture.isolated, layout)
        painter.drawPixmap(0, 0, self._kept("ends", looks, lambda p: paint_ends(p, picture, layout)))
        if self.hasFocus():
            painter.setPen(QPen(QColor(picture.theme.accent), 1.0))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _paint_lines(self, painter: QPainter, picture: FlowPicture, layout: FlowLayout, *, faint: bool) -> None:
        start = time.perf_counter()
        paint_lines(painter, picture, layout, faint=faint)
        self._seconds["lines"] = time.perf_counter() - start

    def _kept(self, name: str, depends: tuple[object, ...], paint: Callable[[QPainter], None]) -> QPixmap:
        """Return a picture of this size, painted anew only if what it depends on has changed."""
        ratio = self.devicePixelRatioF()
        known = self._pixmaps.get(name)
        if known is None or known[0] != (ratio, *depends):
            pixmap = QPixmap(self.size() * ratio)
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(Qt.GlobalColor.transparent)
            with QPainter(pixmap) as painter:
                paint(painter)
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, end = event.key(), self._picture.isolated
        wanted = _end_by_key(self._picture, event)
        if wanted is not None:
            self.end_hovered.emit(wanted)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and end is not None:
            self.end_chosen.emit(end)
        elif key == Qt.Key.Key_Escape and end is not None:
            self.end_hovered.emit(None)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
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
        self.threshold = ThresholdSlider(Qt.Orientation.Horizontal)
        self.hidden = small()
        self.auto = QToolButton()
        self._content: FlowContent | None = None
        self._choices = FlowChoices()
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
        self.drawn.chosen.connect(lambda drawn: self._choose(drawn=drawn))
        self.colours.chosen.connect(lambda colours: self._choose(colours=colours))
        self.threshold.valueChanged.connect(self._on_threshold_changed)
        self.auto.clicked.connect(self._on_auto_clicked)

    @property
    def choices(self) -> FlowChoices:
        """What is chosen."""
        return self._choices

    def choose(self, choices: FlowChoices) -> None:
        """Show choices that were made elsewhere."""
        before, self._choices = self._choices, choices
        self.drawn.setCurrentIndex(self.drawn.findData(choices.drawn))
        self.colours.setCurrentIndex(self.colours.findData(choices.colours))
        if self._content is not None:
            if choices.threshold is None and before.threshold is not None:
                readable = readable_threshold(self._content.weights)
                self.view.show_picture(replace(self.view.picture, threshold=readable))
            self._refresh()

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
        elif self.view.slow and not _alike(content, before) and self._since.elapsed() < self.view.pause:
            if not self._later.isActive():
                self._later.start(self.view.pause)
        elif not self._later.isActive() or _alike(content, before):
            self._refresh()

    def stop(self) -> None:
        """Show nothing later."""
        self._later.stop()

    def offer(self, heads: int) -> None:
        """Offer all heads and their mean where there are several."""
        self.drawn.setVisible(heads > 1)
        self._drawn_label.setVisible(heads > 1)
        if heads == 1 and self._choices.drawn != "head":
            self._choose(drawn="head")

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
        threshold = self._choices.threshold
        if threshold is None:
            threshold = self.view.picture.threshold if same else readable_threshold(content.weights)
        by_position = self.colours.currentData() == "position" and not content.signed
        self.colours.setEnabled(not content.signed)
        theme = self.appearance.theme
        full = max((float(it.max(initial=0.0)) for it in content.weights), default=0.0) if content.signed else 1.0
        looks = (theme, threshold, self._isolated, by_position, full or 1.0)
        picture = FlowPicture(flows, content.queries, content.keys, *looks)
        self.view.show_picture(picture)
        self._say(picture, content)

    def _say(self, picture: FlowPicture, content: FlowContent) -> None:
        point = self.appearance.decimal_point
        self.threshold.show_threshold(picture.threshold)
        share = percent(hidden_share(picture), 1 if hidden_share(picture) < 0.0995 else 0, point)
        limit = cell_text(picture.threshold, 3, decimal_point=point)
        whole = "change" if content.signed else "weight"
        self.hidden.setText(f"under {limit} hidden: {share} of the {whole}" if picture.threshold else "nothing hidden")
        self.auto.setVisible(self._choices.threshold is not None)
        tell = told_change if content.signed else told
        # What the widest line stands for: a difference is drawn as wide as itself, however small it is.
        name = f"{content.name}, up to {limit_text(picture.full, point)}" if content.signed else content.name
        self.say(f"{name} · {tell(picture, point)}" if picture.isolated is not None else name)

    def _on_threshold_changed(self, step: int) -> None:
        self._choose(threshold=step * HIGHEST / STEPS)

    def _on_auto_clicked(self) -> None:
        self._choose(threshold=None)

    def _choose(self, **changes: Any) -> None:
        self.choose(replace(self._choices, **changes))
        self.choices_changed.emit()

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


def _alike(first: FlowContent, second: FlowContent) -> bool:
    """Tell whether two contents are of the very same weights."""
    return len(first.weights) == len(second.weights) and all(map(operator.is_, first.weights, second.weights))


def _end_by_key(picture: FlowPicture, event: QKeyEvent) -> End | None:
    """Return the token that an arrow key goes to from the one that stands out; None for another key."""
    key, end = Qt.Key(event.key()), picture.isolated
    steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
    sides: dict[Qt.Key, Side] = {Qt.Key.Key_Left: "query", Qt.Key.Key_Right: "key"}
    if key not in (*steps, *sides, Qt.Key.Key_Home, Qt.Key.Key_End) or event.modifiers() & ~_KEYPAD:
        return None
    side: Side = sides.get(key, "query" if end is None else end.side)
    last = len((picture.queries if side == "query" else picture.keys).texts) - 1
    token = 0 if end is None else end.token + steps.get(key, 0)
    token = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}.get(key, token)
    return End(side, min(max(token, 0), last)) if last >= 0 else None
