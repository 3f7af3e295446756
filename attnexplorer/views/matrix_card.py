"""A card: the title of a matrix, what may be done with it, and its table."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.numbers import shape_text
from attnexplorer.compute.stages import unit_at
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.content import MatrixContent, NumberStyle, matrix_content, units_of
from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.matrix_table import MatrixTable, TableContext
from attnexplorer.views.titles import card_title

MARGIN = 8
_HEADER = 25
_SPACING = 3
_BORDER = 1
_SCROLL_BAR = 10


class MatrixCard(QFrame):
    """Shows one matrix with its title, shape and marks. `refresh` takes new numbers from an evaluation."""

    menu_requested = Signal(QPoint)

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
        self._shown: tuple[Any, ...] = ()
        self.table = MatrixTable(context, content, editable=editable, parent=self)
        self._title, self._caption, self._shape, self._tag = QLabel(), ElidedLabel(), QLabel(), QToolButton()
        self._tools = QHBoxLayout()
        self._lay_out()
        self._tag.clicked.connect(self._on_tag_clicked)
        self.table.menu_requested.connect(self.menu_requested)

    @property
    def path(self) -> str:
        """The path of the matrix on the card."""
        return self.table.path

    def add_tool(self, tool: QWidget) -> None:
        """Put a small tool into the title line."""
        self._tools.addWidget(tool)
        self._line.append(tool)

    def refresh(self, evaluation: Evaluation, path: str, numbers: NumberStyle) -> None:
        """Show a matrix of an evaluation; nothing is done where nothing that it shows has changed."""
        depends = self._depends(evaluation, path, numbers)
        if len(depends) == len(self._shown) and all(a is b for a, b in zip(depends, self._shown, strict=True)):
            return
        theme = self._context.appearance.theme
        content = matrix_content(evaluation.experiment, evaluation.arrays, path, theme, numbers)
        if content is None:
            return
        self._shown = depends
        self.table.show_content(content)
        self._say(evaluation, path)

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
            table_height + self._header_height() + _SPACING + 2 * MARGIN + 2 * _BORDER,
        )

    def chrome_width(self, cell_width: int, cell_height: int) -> int:
        """Return what a card takes beside the cells, in width."""
        return self.table.chrome(cell_width, cell_height).width() + self._frame_width()

    def _frame_width(self) -> int:
        return 2 * MARGIN + 2 * _BORDER

    def _header_height(self) -> int:
        return round(_HEADER * self._context.appearance.text_scale)

    def _depends(self, evaluation: Evaluation, path: str, numbers: NumberStyle) -> tuple[Any, ...]:
        experiment = evaluation.experiment
        arrays = [evaluation.arrays.get(unit) for unit in units_of(experiment, path)]
        if not arrays:
            arrays = [self._context.document.matrix(path)]
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
        )

    def _say(self, evaluation: Evaluation, path: str) -> None:
        symbol, caption = card_title(evaluation.experiment, path)
        self._title.setText(symbol)
        self._caption.setText(caption)
        self._shape.setText(shape_text(*self.table.content.shape))
        name = matrix_name(evaluation.experiment, path)
        self.table.setAccessibleName(f"{name}, {self._shape.text()}")
        self._show_tag(unit_at(path) is None, path in evaluation.experiment.pins)

    def _show_tag(self, parameter: bool, pinned: bool) -> None:
        self._tag.setVisible(pinned or (parameter and self.table.editable))
        self._tag.setText("pinned ×" if pinned else "edit")
        self._tag.setEnabled(pinned)
        self._tag.setToolTip("Release the pin: compute this again" if pinned else "Every number here can be changed")
        look = "tag-pinned" if pinned else "tag-edit"
        if self._tag.property("look") != look:
            self._tag.setProperty("look", look)
            self._tag.style().polish(self._tag)

    def _on_tag_clicked(self) -> None:
        self._context.document.release(self.path)

    def _lay_out(self) -> None:
        appearance = self._context.appearance
        self._title.setFont(appearance.font("mathematics", 16, bold=True))
        self._title.setTextFormat(Qt.TextFormat.RichText)
        for label in (self._caption, self._shape):
            label.setProperty("look", "caption")
        header = QHBoxLayout()
        header.setSpacing(5)
        header.setContentsMargins(0, 0, 0, 0)
        header.addWidget(self._title)
        header.addWidget(self._caption, 1)
        header.addLayout(self._tools)
        header.addWidget(self._tag)
        header.addWidget(self._shape)
        self._tag.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._header = QWidget(self)
        self._header.setLayout(header)
        self._line: list[QWidget] = [self._title, self._tag, self._shape]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inset = MARGIN + _BORDER
        width, top = self.width() - 2 * inset, inset - 2
        self._header.setGeometry(inset, top, width, self._header_height())
        below = inset + self._header_height() + _SPACING
        self.table.setGeometry(inset, below, width, self.height() - below - inset)


def _named_after(experiment: Experiment, path: str) -> Any:
    """Return the parameter that a card's title tells, so that the title follows it."""
    unit = unit_at(path)
    if unit is None or unit.layer is None or unit.stage not in ("scaled", "masked"):
        return None
    return experiment.layers[unit.layer].attention
