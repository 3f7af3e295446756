"""The heads views on a capture: the same grid, map, flow and likeness; nothing that was not captured, no edits."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QToolButton, QVBoxLayout, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.captured import REFUSAL
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.content import matrix_content
from attnexplorer.views.heads.canvas import HeadsCanvas
from attnexplorer.views.heads.head_tools import HeadTools
from attnexplorer.views.heads.workspace import _CanvasScroll
from attnexplorer.views.matrix_card import MatrixCard
from attnexplorer.views.table_context import TableContext

CARDS = ("map", "flow", "similarity")
"""What can be shown of weights alone; sharing and output need the matrices that made them."""


class CaptureWorkspace(QWidget):
    """The bar of choices and the canvas, which scrolls."""

    def __init__(self, context: TableContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = context.document
        self.setProperty("look", "ground")
        self.tools = HeadTools()
        self.canvas = CaptureCanvas(context)
        self._refusal = QLabel(REFUSAL)
        self._refusal.setProperty("look", "note")
        self._refusal.setObjectName("capture-refusal")
        self._refusal.setContentsMargins(12, 0, 12, 0)
        self._refusal.hide()
        self._hide_edits()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tools)
        column.addWidget(self._refusal)
        column.addWidget(_CanvasScroll(self.canvas), 1)
        self.tools.changed.connect(lambda: self.canvas.choose(self.tools.choices))
        self.canvas.limits_told.connect(self.tools.say_limits)
        self.canvas.refused.connect(self._refusal.show)
        context.document.evaluated.connect(self._on_document_evaluated)

    def _hide_edits(self) -> None:
        """Take away the choice of a stage, as there is only one, and the edits of heads."""
        group = self.tools.stage.parentWidget()
        for widget in (group, self.tools.edit):
            if widget is not None:
                widget.hide()

    def _on_document_evaluated(self, evaluation: Evaluation) -> None:
        experiment = evaluation.experiment
        self.tools.offer(experiment.layers[0].attention.heads, two_sequences=experiment.source is not None)


class CaptureCanvas(HeadsCanvas):
    """Asks for weights alone."""

    refused = Signal()

    def __init__(self, context: TableContext) -> None:
        super().__init__(context)
        self._tiling.fixed = True

    def _watched(self, experiment: Experiment) -> Collection[Unit]:
        return {unit for unit in super()._watched(experiment) if unit.stage in ("weights", "visible")}

    def _card_names(self, heads: int) -> tuple[str, ...]:
        return tuple(card for card in super()._card_names(heads) if card in CARDS)

    def _new_map(self, evaluation: Evaluation, path: str) -> MatrixCard:
        theme = self._context.appearance.theme
        content = matrix_content(evaluation.experiment, evaluation.arrays, path, theme, self._numbers)
        assert content is not None
        card = MatrixCard(self._context, content, editable=False, parent=self)
        card.setObjectName("head-map")
        self._head_tag = QToolButton()
        self._head_tag.setObjectName("head-tag")
        self._head_tag.setProperty("look", "link")
        self._head_tag.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._head_tag.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        card.add_tool(self._head_tag)
        card.menu_requested.connect(lambda at: self._menu.open(card.table, at))
        card.show()
        QWidget.setTabOrder(self.grid, card.table)
        return card

    def _mix(self, press: Callable[[int, int], None], tile: int) -> None:
        self.refused.emit()

    def _open(self) -> None:
        """There is no other workspace in which a head could be opened."""
