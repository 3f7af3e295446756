"""Stacked bars of a row of weights on screen; the segment under the pointer is told and lights up its cell."""

from __future__ import annotations

import html

from PySide6.QtCore import QEvent, QObject, QSize, Signal
from PySide6.QtGui import QAccessible, QColor, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from attnexplorer.compute.numbers import full_text
from attnexplorer.figures.bars import BarsLayout, BarsPicture, Segment, label_column, paint_bars, segment_at
from attnexplorer.figures.theme import LIGHT
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.opaque import paints_all_of_itself
from attnexplorer.views.whole_errors import with_whole_errors

WIDEST_LABEL = "× 0.00001"


@with_whole_errors
class WeightBars(Speaking, QWidget):
    """Shows a picture of stacked bars; painting is that of the figures."""

    spoken_role = QAccessible.Role.Chart
    key_hovered = Signal(int)
    """The key whose segment the pointer is over; -1 when it is over none."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._picture = BarsPicture((), (), LIGHT)
        self._hovered = -1
        self.setObjectName("weight-bars")
        self.setAccessibleName("Softmax of the row under three scales")
        paints_all_of_itself(self)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        appearance.changed.connect(self.updateGeometry)
        self.installEventFilter(self)

    @property
    def picture(self) -> BarsPicture:
        """What is shown."""
        return self._picture

    def show_picture(self, picture: BarsPicture) -> None:
        """Show a picture; nothing is painted again if it is the same."""
        if picture != self._picture:
            count, self._picture = len(self._picture.bars), picture
            if len(picture.bars) != count:
                self.updateGeometry()
            self.say_value()
            self.update()

    def spoken(self) -> str:
        """Return the largest share of every bar in words."""
        return _spoken(self._picture)

    def bars_layout(self) -> BarsLayout:
        """Return where the bars are."""
        scale = self._appearance.text_scale
        labels = [bar.label for bar in self._picture.bars]
        # Room for any number, so that the bars keep their length while the slider is dragged.
        room = label_column([*labels, WIDEST_LABEL], 11.5 * scale)
        return BarsLayout(self.width(), room, 19 * scale, 6, 11.5 * scale)

    def sizeHint(self) -> QSize:
        return QSize(400, round(self.bars_layout().height(len(self._picture.bars))))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._appearance.theme.card))
        paint_bars(painter, self._picture, self.bars_layout())
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hit = segment_at(self._picture, self.bars_layout(), event.position())
        self._hover(-1 if hit is None else hit[1].key)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            hit = segment_at(self._picture, self.bars_layout(), event.pos().toPointF())
            QToolTip.showText(event.globalPos(), "" if hit is None else self._told(*hit), self)
            return True
        return False

    def _told(self, bar: int, segment: Segment) -> str:
        name = self._picture.names[segment.key]
        text = f"{name}: {full_text(segment.share, self._picture.decimal_point)}\n{self._picture.bars[bar].label}"
        return f"<p style='white-space:pre'>{html.escape(text)}</p>"

    def _hover(self, key: int) -> None:
        if key != self._hovered:
            self._hovered = key
            self.key_hovered.emit(key)


def _spoken(picture: BarsPicture) -> str:
    """Return the largest share of every bar in words."""
    parts = []
    for bar in picture.bars:
        if bar.shares is None:
            parts.append(f"{bar.label}: {bar.instead}")
        else:
            largest = max(range(len(bar.shares)), key=bar.shares.__getitem__)
            parts.append(f"{bar.label}: most to {picture.names[largest]}, {bar.shares[largest] * 100:.1f}%")
    return "; ".join(parts)
