"""Which query heads share which keys and values: the diagram, and the number of KV heads."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from attnexplorer.experiment.edits.heads import Keep
from attnexplorer.figures.head_sharing import Sharing, SharingLayout, paint_sharing
from attnexplorer.figures.theme import LIGHT
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.heads.card import Card, small
from attnexplorer.views.input.fields import ChoiceBox, CountBox
from attnexplorer.views.whole_errors import with_whole_errors


@with_whole_errors
class SharingView(Speaking, QWidget):
    """Shows the diagram; a click, or the arrow keys, choose a query head."""

    head_chosen = Signal(int)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._sharing = Sharing(1, 1, 0, LIGHT)
        self.setObjectName("sharing")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Query heads over the key and value heads that they use")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def sharing(self) -> Sharing:
        """What is shown."""
        return self._sharing

    def show_sharing(self, sharing: Sharing) -> None:
        """Show a diagram."""
        if sharing != self._sharing:
            self._sharing = sharing
            self.say_value()
            self.update()

    def spoken(self) -> str:
        """Return which KV head the chosen query head uses, and the sharing in words."""
        sharing = self._sharing
        kv_head = sharing.chosen // (sharing.heads // sharing.kv_heads)
        whole = sharing_text(sharing.heads, sharing.kv_heads)
        return f"query head {sharing.chosen + 1} uses KV head {kv_head + 1}; {whole}"

    def sharing_layout(self) -> SharingLayout:
        """Return where everything is."""
        sharing = self._sharing
        return SharingLayout(self.width(), sharing.heads, sharing.kv_heads, self._appearance.text_scale)

    def sizeHint(self) -> QSize:
        return QSize(200, round(self.sharing_layout().height) + 1)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        layout = self.sharing_layout()
        paint_sharing(painter, self._sharing, layout)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._sharing.theme.text), 2.0))
            painter.drawRoundedRect(layout.query(self._sharing.chosen).adjusted(1, 1, -1, -1), 6, 6)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self.sharing_layout().head_at(event.position())
        if head is not None and event.button() == Qt.MouseButton.LeftButton:
            self.head_chosen.emit(head)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if step and 0 <= self._sharing.chosen + step < self._sharing.heads:
            self.head_chosen.emit(self._sharing.chosen + step)
        elif not step:
            super().keyPressEvent(event)


class SharingCard(Card):
    """The diagram, in words too, with the number of KV heads and what merged ones become."""

    kv_heads_entered = Signal(int, bool)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__("sharing-card", "Sharing", appearance, parent)
        self.view = SharingView(appearance)
        self.kv_heads = CountBox("heads-kv", 1, 4096)
        self.kv_heads.setAccessibleName("KV heads")
        self.kv_heads.setToolTip("The number of key and value heads; it must divide the number of heads")
        self.keep = ChoiceBox("heads-keep", (("first", "keep first"), ("mean", "mean")))
        self.keep.setAccessibleName("What merged KV heads become")
        self.keep.setToolTip("With fewer KV heads, each new one is the first of those it replaces, or their mean")
        self.kv_heads.entered.connect(self.kv_heads_entered)
        line = QHBoxLayout()
        line.setSpacing(6)
        self._keep_label = small("merged")
        line.addWidget(small("KV heads"))
        line.addWidget(self.kv_heads)
        line.addSpacing(6)
        line.addWidget(self._keep_label)
        line.addWidget(self.keep)
        line.addStretch(1)
        self.body.addWidget(self.view)
        self.body.addLayout(line)
        self.body.addStretch(1)

    @property
    def kept(self) -> Keep:
        """What merged KV heads become."""
        return cast(Keep, self.keep.currentData())

    def show_sharing(self, sharing: Sharing) -> None:
        """Show which heads share."""
        self.view.show_sharing(sharing)
        heads, kv_heads = sharing.heads, sharing.kv_heads
        self.say(sharing_text(heads, kv_heads))
        self.kv_heads.set_choices([number for number in range(1, heads + 1) if heads % number == 0])
        self.kv_heads.show_number(kv_heads)
        for widget in (self.keep, self._keep_label):
            widget.setVisible(kv_heads > 1)


def sharing_text(heads: int, kv_heads: int) -> str:
    """Return the sharing in words."""
    if heads == kv_heads:
        return "each head has keys and values of its own" if heads > 1 else "one head, one K and V"
    if kv_heads == 1:
        return f"multi-query: all {heads} heads share one K, V"
    return f"grouped-query: {heads // kv_heads} heads share each K, V"
