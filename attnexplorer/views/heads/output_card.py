"""What each head adds to the output: a bar a head, and of one head its rows of W_O and the vector that it writes."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QToolTip, QWidget

from attnexplorer.compute.numbers import exact_text
from attnexplorer.figures.head_bars import HeadBars, HeadBarsLayout, paint_head_bars
from attnexplorer.figures.matrix import MatrixPicture
from attnexplorer.figures.theme import LIGHT
from attnexplorer.views.accessible import Speaking
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.heads.card import Card, small
from attnexplorer.views.heads.strip import MatrixStrip
from attnexplorer.views.opaque import paints_all_of_itself
from attnexplorer.views.whole_errors import with_whole_errors


@dataclass(frozen=True, slots=True, eq=False)
class OutputContent:
    """The bars; of the chosen head its rows of W_O (None where there is no W_O) and what it writes for a token."""

    bars: HeadBars
    rows: MatrixPicture | None
    row_labels: tuple[str, ...]
    written: MatrixPicture | None
    token: str
    differing: bool = False
    """Whether all of it is what differs between two experiments."""


_PARTS = "what each head adds to the output: mean length of its vectors"
_CHANGES = "by how much what each head adds differs: mean length of the differences"


@with_whole_errors
class HeadBarsView(Speaking, QWidget):
    """Shows the bars; a click, or the arrow keys, choose a head."""

    spoken_role = QAccessible.Role.Chart
    head_chosen = Signal(int)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._bars = HeadBars((), frozenset(), 0, LIGHT)
        paints_all_of_itself(self)
        self.setObjectName("head-bars")
        self.setAccessibleName("How much each head adds to the output")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.installEventFilter(self)

    @property
    def bars(self) -> HeadBars:
        """What is shown."""
        return self._bars

    def show_bars(self, bars: HeadBars) -> None:
        """Show bars; nothing is painted again if they are the same."""
        if bars != self._bars:
            self._bars = bars
            self.say_value()
            self.update()

    def spoken(self) -> str:
        """Return the number of the chosen head."""
        return self.told(self._bars.chosen)

    def bars_layout(self) -> HeadBarsLayout:
        """Return where the bars are."""
        return HeadBarsLayout(self.width() - 2, self.height(), len(self._bars.values), 10 * self._appearance.text_scale)

    def told(self, head: int) -> str:
        """Return the number of a head in words."""
        if not 0 <= head < len(self._bars.values):
            return ""
        value = self._bars.values[head]
        if value is None:
            return f"Head {head + 1}: being computed"
        length = f"Head {head + 1}: mean length {exact_text(value, self._bars.decimal_point)}"
        return f"{length}; muted, it adds nothing" if head in self._bars.muted else length

    def sizeHint(self) -> QSize:
        return QSize(200, round(92 * self._appearance.text_scale))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._appearance.theme.card))
        painter.translate(1, 0)
        paint_head_bars(painter, self._bars, self.bars_layout())
        if self.hasFocus():
            painter.setPen(self.palette().highlight().color())
            painter.drawRect(self.bars_layout().place(self._bars.chosen).adjusted(0, 0, -1, -1))
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self.bars_layout().head_at(event.position())
        if head is not None and event.button() == Qt.MouseButton.LeftButton:
            self.head_chosen.emit(head)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        head = self._bars.chosen + step
        if step and 0 <= head < len(self._bars.values):
            self.head_chosen.emit(head)
        elif not step:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            head = self.bars_layout().head_at(event.pos().toPointF())
            QToolTip.showText(event.globalPos(), "" if head is None else self.told(head), self)
            return True
        return False


class OutputCard(Card):
    """Bars, rows of W_O and the written vector."""

    create_requested = Signal()

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__("output-card", "W<sub>O</sub>", appearance, parent)
        self.bars = HeadBarsView(appearance)
        self.rows_caption, self.written_caption, self.note = small(), small(), small(wrap=True)
        self.rows = MatrixStrip("output-rows", appearance)
        self.written = MatrixStrip("output-written", appearance)
        self.written.align_with(self.rows)
        self.rows.setAccessibleName("The rows of W_O that belong to the head")
        self.written.setAccessibleName("What the head writes")
        self.rows.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.note.setObjectName("output-note")
        self.create_button = QToolButton()
        self.create_button.setObjectName("create-W_O")
        self.create_button.setText("Create W_O")
        self.create_button.setProperty("look", "link")
        self.create_button.setToolTip("Give the layer a W_O, at first the identity, so that no number changes")
        self.create_button.setAccessibleName("Create W_O from the identity")
        self.create_button.clicked.connect(self.create_requested)
        self.tools.addWidget(self.create_button)
        for widget in (self.bars, self.note, self.rows_caption, self.rows, self.written_caption, self.written):
            self.body.addWidget(widget)
        self.body.addStretch(1)

    @property
    def height_depends(self) -> tuple[object, ...]:
        """What decides how high the card wants to be."""
        shapes = [None if it.picture is None else it.picture.values.shape for it in (self.rows, self.written)]
        return (*shapes, self.note.text())

    def show_content(self, content: OutputContent) -> None:
        """Show the parts of all heads, and one head's in full."""
        bars = content.bars
        self.bars.show_bars(bars)
        head, has_rows = bars.chosen, content.rows is not None
        self.say(_CHANGES if content.differing else _PARTS)
        self.title.setText("W<sub>O</sub>" if has_rows else "concat")
        self.create_button.setVisible(not has_rows and not content.differing)
        for widget in (self.rows, self.rows_caption):
            widget.setVisible(has_rows)
        self.rows.show_picture(content.rows, content.row_labels)
        self.written.show_picture(content.written)
        self.rows_caption.setText(f"Rows of W_O that belong to head {head + 1}")
        self._note(bars, has_rows)
        muted = " if it were not muted" if head in bars.muted else ""
        where = "" if has_rows else " into its own columns"
        self.written_caption.setText(f"Head {head + 1} writes{where} for “{content.token}”{muted}")
        self.written_caption.setVisible(content.written is not None)
        self.written.setVisible(content.written is not None)

    def _note(self, bars: HeadBars, has_rows: bool) -> None:
        muted = sorted(bars.muted)
        sentences = []
        if not has_rows:
            several = len(bars.values) > 1
            beside = "the outputs of the heads stand side by side" if several else "the head's own output is the output"
            sentences.append(f"There is no W_O: {beside}.")
        if len(muted) == 1:
            sentences.append(f"Head {muted[0] + 1} is muted: it adds nothing.")
        elif muted:
            sentences.append(f"{len(muted)} heads are muted: they add nothing.")
        self.note.setText(" ".join(sentences))
        self.note.setVisible(bool(sentences))
