"""Which query heads share which key and value heads, as a diagram of two rows."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from attnexplorer.figures.fonts import font
from attnexplorer.figures.head_grid_painting import tag_colours
from attnexplorer.figures.theme import Theme


@dataclass(frozen=True, slots=True)
class Sharing:
    """The query heads, the KV heads, and which query head is chosen."""

    heads: int
    kv_heads: int
    chosen: int
    theme: Theme


@dataclass(frozen=True, slots=True)
class SharingLayout:
    """Sizes in pixels."""

    width: float
    heads: int
    kv_heads: int
    scale: float = 1.0

    @property
    def row(self) -> float:
        """The height of a row."""
        return 18.0 * self.scale

    @property
    def height(self) -> float:
        """The height of the diagram."""
        return 2 * self.row + self.between

    @property
    def between(self) -> float:
        """The room between the rows."""
        return 10.0 * self.scale

    @property
    def pitch(self) -> float:
        """The distance from one query head to the next."""
        return min(64.0 * self.scale, self.width / max(self.heads, 1))

    def query(self, head: int) -> QRectF:
        """Return the place of a query head."""
        return QRectF(head * self.pitch, 0, self.pitch, self.row).adjusted(1, 0, -1, 0)

    def shared(self, kv_head: int) -> QRectF:
        """Return the place of a KV head, below all the query heads that use it."""
        group = self.heads // self.kv_heads * self.pitch
        return QRectF(kv_head * group, self.row + self.between, group, self.row).adjusted(1, 0, -1, 0)

    def head_at(self, place: QPointF) -> int | None:
        """Return the query head at a place, or None."""
        head = int(place.x() // self.pitch)
        return head if place.x() >= 0 and head < self.heads and 0 <= place.y() <= self.row else None


def paint_sharing(painter: QPainter, sharing: Sharing, layout: SharingLayout) -> None:
    """Paint the diagram with its top left corner at the painter's origin."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
    size = sharing.heads // sharing.kv_heads
    for head in range(sharing.heads):
        start, end = layout.query(head), layout.shared(head // size)
        painter.setPen(QPen(QColor(sharing.theme.hatch_line), 1.0))
        x = start.center().x()
        painter.drawLine(QPointF(x, start.bottom()), QPointF(x, end.top()))
    for head in range(sharing.heads):
        text, short = f"Q{head + 1}", str(head + 1)
        _paint_pill(painter, layout.query(head), (text, short), head // size, sharing, layout, head == sharing.chosen)
    for kv_head in range(sharing.kv_heads):
        texts = (f"K, V {kv_head + 1}", f"KV{kv_head + 1}", str(kv_head + 1))
        mine = sharing.chosen // size == kv_head
        _paint_pill(painter, layout.shared(kv_head), texts, kv_head, sharing, layout, mine)


def _paint_pill(
    painter: QPainter,
    rect: QRectF,
    texts: tuple[str, ...],
    position: int,
    sharing: Sharing,
    layout: SharingLayout,
    chosen: bool,
) -> None:
    ground, colour = tag_colours(position, sharing.theme)
    painter.setBrush(ground)
    painter.setPen(QPen(QColor(sharing.theme.accent), 1.5) if chosen else Qt.PenStyle.NoPen)
    radius = min(rect.height(), rect.width()) / 2
    painter.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), radius, radius)
    made = font("text", 10.5 * layout.scale, bold=chosen)
    metrics = QFontMetricsF(made)
    text = next((text for text in texts if metrics.horizontalAdvance(text) + 4 <= rect.width()), "")
    painter.setFont(made)
    painter.setPen(colour)
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
