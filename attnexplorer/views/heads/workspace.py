"""The Heads workspace: all heads of the layer side by side, one enlarged, how they flow, and what each adds."""

from __future__ import annotations

from dataclasses import asdict

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.views.comparing import held_sentence
from attnexplorer.views.dialogs.message_bar import MessageArea
from attnexplorer.views.heads.canvas import HeadsCanvas
from attnexplorer.views.heads.choices import PREFIX, Choices
from attnexplorer.views.heads.head_edits import HeadEdits
from attnexplorer.views.heads.head_tools import HeadTools
from attnexplorer.views.input.notice import EditNotice
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.whole_errors import with_whole_errors


class HeadsWorkspace(QWidget):
    """The bar of choices and edits, why an edit was refused, and the canvas, which scrolls."""

    def __init__(self, context: TableContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = context.document
        self.setProperty("look", "ground")
        self.tools = HeadTools()
        self.notice = EditNotice(context.document)
        self.canvas = HeadsCanvas(context)
        self.edits = HeadEdits(context.document, self.notice, lambda: self.canvas.sharing.kept)
        self.area = _CanvasScroll(self.canvas)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tools)
        line = self._notice_line()
        column.addWidget(line)
        self.area.heed_notice(line)
        column.addWidget(self.area, 1)
        self.tools.changed.connect(self._on_tools_changed)
        self.tools.menu_opened.connect(self.edits.fill)
        self.canvas.limits_told.connect(self.tools.say_limits)
        self.canvas.output.create_requested.connect(self.edits.create_output)
        self.canvas.sharing.kv_heads_entered.connect(self._on_kv_heads_entered)
        self.notice.cancelled.connect(self._show_kv_heads)
        self.canvas.edit_held.connect(self.notice.refuse)
        context.document.comparison.changed.connect(self._hold)
        context.document.evaluated.connect(self._on_document_evaluated)
        context.document.display.changed.connect(self._on_display_changed)
        self._take_choices()

    def _notice_line(self) -> QWidget:
        line = QWidget()
        row = QVBoxLayout(line)
        row.setContentsMargins(12, 0, 12, 0)
        row.addWidget(self.notice)
        return line

    def _on_tools_changed(self) -> None:
        self._document.display.choose_group(PREFIX, asdict(self.tools.choices))

    def _on_display_changed(self, name: str) -> None:
        if name.startswith(PREFIX):
            self._take_choices()

    def _take_choices(self) -> None:
        choices = Choices(**self._document.display.group(PREFIX))
        if choices != self.tools.choices:
            self.tools.choose(choices)
        self.canvas.choose(choices)

    def _on_document_evaluated(self, evaluation: Evaluation) -> None:
        experiment = evaluation.experiment
        layer = min(self._document.display["layer"], len(experiment.layers) - 1)
        heads = experiment.layers[layer].attention.heads
        self.tools.offer(heads, two_sequences=experiment.source is not None)

    def _hold(self) -> None:
        """Offer edits only while what they change is shown."""
        comparison = self._document.comparison
        held = held_sentence(comparison)
        self.notice.clear()
        self.tools.hold(held, differing=comparison.shown == "B-A")
        for widget in (self.canvas.sharing.kv_heads, self.canvas.sharing.keep, self.canvas.output.create_button):
            widget.setEnabled(not held)

    def _on_kv_heads_entered(self, number: int, _going_on: bool) -> None:
        if not self.edits.share(number):
            self._show_kv_heads()

    def _show_kv_heads(self) -> None:
        """Show the present number again in place of one that was refused."""
        attention = self._document.experiment.layers[self._document.display["layer"]].attention
        self.canvas.sharing.kv_heads.show_number(attention.kv_heads)


@with_whole_errors
class _CanvasScroll(QScrollArea):
    """Scrolls the canvas, which is as wide as there is room."""

    def __init__(self, canvas: HeadsCanvas) -> None:
        super().__init__()
        self._canvas = canvas
        self._notice: QWidget | None = None
        self._notice = QWidget(self)
        self.setWidget(canvas)
        self.setWidgetResizable(False)
        self.setProperty("look", "ground")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        canvas.height_changed.connect(lambda height: canvas.resize(self._room.width(), height))
        self.verticalScrollBar().valueChanged.connect(canvas.look_again)

    def heed_notice(self, line: QWidget) -> None:
        """Lay out for the room without a line above and without messages, so that these rearrange nothing."""
        self._notice = line

    @property
    def _room(self) -> QSize:
        """The room without messages, and without the scroll bar, which they may bring along."""
        width = self.width() - self.verticalScrollBar().sizeHint().width()
        if self._notice is None:
            return QSize(width, self.viewport().height())
        messages = self.window().findChild(MessageArea)
        whole = (messages or self).parentWidget() or self
        return QSize(width, whole.height() - self.y() + self._notice_height())

    def _notice_height(self) -> int:
        """Return the height that the line takes; its own may still be the former one."""
        layout = None if self._notice is None else self._notice.layout()
        if layout is None:
            return 0
        wide = layout.hasHeightForWidth()
        return layout.totalHeightForWidth(self.width()) if wide else layout.totalSizeHint().height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self._room
        self._canvas.set_room(room.width(), room.height())
