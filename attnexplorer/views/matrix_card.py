"""A card: the title of a matrix, what may be done with it, and its table."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.numbers import shape_text
from attnexplorer.compute.stages import unit_at
from attnexplorer.compute.units import Unit
from attnexplorer.document.comparison import TEXTS
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.content import MatrixContent, NumberStyle, parameter_at, units_of
from attnexplorer.figures.titles import card_title, html
from attnexplorer.views.comparing import depends_on, held_sentence, seen_of, shown_matrix, units_of_base
from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.whole_errors import with_whole_errors

MARGIN = 8
_HEADER = 25
_SPACING = 3
_BORDER = 1
_SCROLL_BAR = 10
_FOOT = 15
_FOOT_RISE = 7
"""By how much a foot reaches up to the table, into the margin that is there without it."""


@with_whole_errors
class MatrixCard(QFrame):
    """Shows one matrix with its title, shape and marks. `refresh` takes new numbers from an evaluation."""

    menu_requested = Signal(QPoint)
    size_changed = Signal()
    """What a comparison shows now has another shape or other labels, and may need another size."""

    def __init__(
        self,
        context: TableContext,
        content: MatrixContent,
        *,
        editable: bool,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("look", "card")
        self._context = context
        self._comparison = context.document.comparison
        self._shown: tuple[Any, ...] = ()
        self._asked: tuple[Evaluation, str, NumberStyle] | None = None
        self.table = MatrixTable(context, content, editable=editable, parent=self)
        # Made where they stay: with a style sheet, moving a widget costs as much as making it.
        self._header = QWidget(self)
        self._title, self._caption = QLabel(self._header), ElidedLabel(self._header)
        self._tag, self._shape = QToolButton(self._header), QLabel(self._header)
        self._instead = QLabel(self)
        self._tools = QHBoxLayout()
        self._foot: ElidedLabel | None = None
        self._lay_out()
        self._tag.clicked.connect(self._on_tag_clicked)
        self.table.menu_requested.connect(self.menu_requested)
        self._comparison.changed.connect(self._on_comparison_changed)

    @property
    def path(self) -> str:
        """The path of the matrix on the card."""
        return self.table.path

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What takes the focus, in the order in which Tab is to go through it."""
        return (self.table, *(widget for widget in self._line if not isinstance(widget, QLabel)))

    def add_tool(self, tool: QWidget) -> None:
        """Put a small tool into the title line."""
        self._tools.addWidget(tool)
        self._line.append(tool)

    def add_foot(self) -> QLabel:
        """Return a quiet line below the table, for what is said about its cells."""
        self._foot = ElidedLabel(self)
        self._foot.setProperty("look", "caption")
        self._foot.setTextFormat(Qt.TextFormat.PlainText)
        return self._foot

    def refresh(self, evaluation: Evaluation, path: str, numbers: NumberStyle) -> None:
        """Show a matrix of an evaluation; nothing is done where nothing that it shows has changed."""
        if self._asked is None or path != self._asked[1]:
            self._comparison.request()
        self._asked = (evaluation, path, numbers)
        depends = self._depends(evaluation, path, numbers)
        if len(depends) == len(self._shown) and all(a is b for a, b in zip(depends, self._shown, strict=True)):
            return
        theme = self._context.appearance.theme
        shown = shown_matrix(self._comparison, evaluation, path, theme, numbers)
        if shown is None:
            return
        self._shown = depends
        self.table.hold(held_sentence(self._comparison))
        self.table.show_content(shown.content)
        self._instead.setText(shown.instead)
        self._instead.setVisible(bool(shown.instead))
        self._say(seen_of(self._comparison, evaluation, path), path)

    def set_quiet(self, quiet: bool) -> None:
        """Show that a pin keeps this matrix from the output."""
        self.table.set_quiet(quiet)
        self.setToolTip("A pin stands after this matrix: changing it does not change the output." if quiet else "")

    def stop_watching(self) -> None:
        """Need nothing of A any more: the card is hidden, or about to be deleted, which hides it without an event."""
        self._comparison.unwatch(self)

    @property
    def type_scale(self) -> float:
        """How much larger than usual type, and with it every cell, is."""
        return self._context.appearance.text_scale

    def apply_appearance(self) -> None:
        """Take over fonts and colours that have changed."""
        self._title.setFont(self._context.appearance.font("mathematics", 16, bold=True))
        self._shown = ()

    def size_for(self, width: int, height: int, most_height: int, most_width: int = 1 << 20) -> QSize:
        """Return the card's size for cells of a size; a table larger than what is left for it scrolls."""
        rows, columns = self.table.content.shape
        chrome = self.table.chrome(width, height)
        wanted = QSize(columns * width + chrome.width(), rows * height + chrome.height())
        room = QSize(most_width - self._frame_width(), most_height)
        # A scroll bar takes room itself, which may call for the other one.
        down = wanted.height() > room.height()
        across = wanted.width() + (_SCROLL_BAR if down else 0) > room.width()
        down = wanted.height() + (_SCROLL_BAR if across else 0) > room.height()
        table_width = min(wanted.width() + (_SCROLL_BAR if down else 0), room.width())
        table_height = min(wanted.height() + (_SCROLL_BAR if across else 0), room.height())
        least = sum(part.sizeHint().width() + 5 for part in self._line if not part.isHidden())
        return QSize(
            max(table_width, least) + self._frame_width(),
            table_height + self._header_height() + _SPACING + self._foot_height() + 2 * MARGIN + 2 * _BORDER,
        )

    def chrome_width(self, cell_width: int, cell_height: int) -> int:
        """Return what a card takes beside the cells, in width."""
        return self.table.chrome(cell_width, cell_height).width() + self._frame_width()

    def _frame_width(self) -> int:
        return 2 * MARGIN + 2 * _BORDER

    def _header_height(self) -> int:
        return round(_HEADER * self._context.appearance.text_scale)

    def _foot_height(self) -> int:
        return 0 if self._foot is None else round(_FOOT * self._context.appearance.text_scale) - _FOOT_RISE

    def _depends(self, evaluation: Evaluation, path: str, numbers: NumberStyle) -> tuple[Any, ...]:
        experiment = evaluation.experiment
        arrays = [evaluation.arrays.get(unit) for unit in units_of(experiment, path)]
        if not arrays:
            arrays = [parameter_at(experiment, path)]
        return (
            *arrays,
            experiment.pins.get(path),
            experiment.query_tokens,
            experiment.key_tokens,
            experiment.key_padding,
            _named_after(experiment, path),
            experiment.position,
            self._context.appearance.theme,
            numbers,
            *depends_on(self._comparison, path),
        )

    def _say(self, evaluation: Evaluation, path: str) -> None:
        symbol, caption = card_title(evaluation.experiment, path)
        self._title.setText(html(symbol))
        self._caption.setText(caption)
        self._shape.setText(shape_text(*self.table.content.shape))
        name = matrix_name(evaluation.experiment, path)
        self.table.setAccessibleName(f"{name}, {self._shape.text()}")
        self._show_tag(unit_at(path) is None, path in evaluation.experiment.pins)

    def _show_tag(self, parameter: bool, pinned: bool) -> None:
        if self._comparison.read_only:
            self._show_compared_tag()
            return
        self._tag.setVisible(pinned or (parameter and self.table.editable))
        self._tag.setText("pinned ×" if pinned else "edit")
        self._tag.setEnabled(pinned)
        self._tag.setToolTip("Release the pin: compute this again" if pinned else "Every number here can be changed")
        self._look_tag("tag-pinned" if pinned else "tag-edit")

    def _show_compared_tag(self) -> None:
        self._tag.setVisible(True)
        self._tag.setText(TEXTS[self._comparison.shown])
        self._tag.setEnabled(False)
        self._tag.setToolTip(f"{self._comparison.text}; B is the experiment that is open")
        self._look_tag("tag-compared")

    def _look_tag(self, look: str) -> None:
        if self._tag.property("look") != look:
            self._tag.setProperty("look", look)
            self._tag.style().polish(self._tag)

    def _of_base(self, experiment: Experiment) -> tuple[Unit, ...]:
        return () if self._asked is None else units_of_base(experiment, self._asked[1])

    def _on_comparison_changed(self) -> None:
        if self._asked is not None and self.isVisible():
            before = _extent(self.table.content)
            self.refresh(*self._asked)
            if _extent(self.table.content) != before:
                self.size_changed.emit()

    def _on_tag_clicked(self) -> None:
        self._context.document.release(self.path)

    def _lay_out(self) -> None:
        appearance = self._context.appearance
        self._title.setFont(appearance.font("mathematics", 16, bold=True))
        self._title.setTextFormat(Qt.TextFormat.RichText)
        for label in (self._caption, self._shape):
            label.setProperty("look", "caption")
        self._instead.setProperty("look", "absent")
        self._instead.setObjectName("instead")
        self._instead.setWordWrap(True)
        self._instead.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._instead.hide()
        header = QHBoxLayout(self._header)
        header.setSpacing(5)
        header.setContentsMargins(0, 0, 0, 0)
        header.addWidget(self._title)
        header.addWidget(self._caption, 1)
        header.addLayout(self._tools)
        header.addWidget(self._tag)
        header.addWidget(self._shape)
        self._tag.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._line: list[QWidget] = [self._title, self._tag, self._shape]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # What is typed next is meant for the card that was pressed last.
        self.table.setFocus(Qt.FocusReason.MouseFocusReason)
        super().mousePressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inset = MARGIN + _BORDER
        width, top = self.width() - 2 * inset, inset - 2
        self._header.setGeometry(inset, top, width, self._header_height())
        below = inset + self._header_height() + _SPACING
        foot = self._foot_height()
        self.table.setGeometry(inset, below, width, self.height() - below - foot - inset)
        if self._foot is not None:
            self._foot.setGeometry(inset, self.height() - foot - inset, width, foot + _FOOT_RISE)
        self._instead.setGeometry(self.table.geometry())
        self._instead.raise_()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._comparison.watch(self, self._of_base)
        self._on_comparison_changed()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.stop_watching()


def _extent(content: MatrixContent) -> tuple[Any, ...]:
    return content.shape, content.rows, content.columns


def _named_after(experiment: Experiment, path: str) -> Any:
    """Return the parameter that a card's title tells, so that the title follows it."""
    unit = unit_at(path)
    if unit is None or unit.layer is None or unit.stage not in ("scaled", "masked"):
        return None
    return experiment.layers[unit.layer].attention
