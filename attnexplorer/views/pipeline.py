"""The Pipeline workspace: one head, every matrix from X to the output."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from PySide6.QtCore import QEvent, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.hearing import quiet_paths
from attnexplorer.compute.units import Unit
from attnexplorer.document.commands import EVERYTHING
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.content import NumberStyle, matrix_content, units_of
from attnexplorer.views.mask_foot import MaskFoot
from attnexplorer.views.mask_painting import MaskPainting
from attnexplorer.views.matrix_card import MatrixCard
from attnexplorer.views.matrix_menu import MatrixMenu
from attnexplorer.views.opaque import paints_all_of_itself
from attnexplorer.views.pipeline_extras import PipelineExtras
from attnexplorer.views.pipeline_layout import EDGE, GAP, ROW_GAP, place_row
from attnexplorer.views.pipeline_plan import Item, Row, Slot, paths_of, pipeline_plan
from attnexplorer.views.presenting import Presenting
from attnexplorer.views.scaling_card import ScalingCard
from attnexplorer.views.sight import is_in_sight
from attnexplorer.views.soon import soon
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.whole_errors import with_whole_errors

_LEAST_SCALING_WIDTH = 430
_REST = 150
"""Milliseconds without an edit after which cards out of sight are brought up to date."""


@with_whole_errors
class PipelineWorkspace(QScrollArea):
    """Scrolls the canvas on which the cards stand."""

    def __init__(self, context: TableContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.canvas = PipelineCanvas(context)
        self.setWidget(self.canvas)
        self.setWidgetResizable(False)
        self.setProperty("look", "ground")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.canvas.height_changed.connect(self._on_canvas_height_changed)
        self.canvas.extras.revealed.connect(self._bring_into_view)
        self.canvas.stage_revealed.connect(self._bring_into_view)
        context.document.replaced.connect(self._go_to_top)

    def _go_to_top(self) -> None:
        """What was opened is read from its beginning."""
        self.verticalScrollBar().setValue(0)

    def _bring_into_view(self, card: QWidget) -> None:
        # The card gets its place first.
        soon(card, lambda: self.ensureWidgetVisible(card, 0, ROW_GAP))

    def _on_canvas_height_changed(self, height: int) -> None:
        self.canvas.resize(self._room(), height)

    def _room(self) -> int:
        return self.viewport().width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.canvas.set_width(self._room())


@with_whole_errors
class PipelineCanvas(QWidget):
    """Holds a card for every matrix of the plan and keeps them up to date."""

    height_changed = Signal(int)
    stage_revealed = Signal(QWidget)
    """A card that was hidden from an audience is there."""

    def __init__(self, context: TableContext) -> None:
        super().__init__()
        paints_all_of_itself(self)
        self._context = context
        self._document = context.document
        self._plan: tuple[Row, ...] = ()
        self._cards: dict[str, MatrixCard] = {}
        self._operators: list[tuple[int, int, str]] = []
        self._numbers = NumberStyle(2, context.appearance.decimal_point, context.appearance.text_scale)
        self._shapes: tuple[tuple[int, int], ...] = ()
        self._tokens: tuple[tuple[str, ...], ...] = ()
        self.setProperty("look", "ground")
        self._menu = MatrixMenu(context.document, context.appearance, self)
        self._painting = MaskPainting(context.document, self)
        self.scaling = ScalingCard(context.document, context.appearance, self)
        self.scaling.height_changed.connect(self._lay_out)
        self.extras = PipelineExtras(context, self)
        self.extras.changed.connect(self._lay_out)
        self._presenting = Presenting.of(context.document)
        self._presenting.changed.connect(self._on_presenting_changed)
        self._hurried = False
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST)
        self._rest.timeout.connect(self._catch_up)
        self._document.experiment_changed.connect(self._on_experiment_changed)
        self._document.evaluated.connect(self._on_document_evaluated)
        self._document.display.changed.connect(self._on_display_changed)
        context.appearance.changed.connect(self._on_appearance_changed)

    @property
    def cards(self) -> dict[str, MatrixCard]:
        """The cards by their key: "W_Q", "query", "weights", …"""
        return self._cards

    def set_width(self, width: int) -> None:
        """Lay the cards out for a width."""
        if width != self.width() or not self._operators:
            self.resize(width, self.height())
            self._lay_out()

    def _watched(self, experiment: Experiment) -> Collection[Unit]:
        """Return what the cards show; of those out of sight nothing while edits follow one another."""
        layer = min(self._document.display["layer"], len(experiment.layers) - 1)
        head = min(self._document.display["head"], experiment.layers[layer].attention.heads - 1)
        plan = pipeline_plan(experiment, layer, head)
        left_out = self._out_of_sight() if self._hurried and plan == self._plan else frozenset[str]()
        return frozenset(u for path in paths_of(plan) if path not in left_out for u in units_of(experiment, path))

    def _out_of_sight(self) -> frozenset[str]:
        return frozenset(it.path for it in self._items() if not is_in_sight(self._cards[it.key]))

    def _on_experiment_changed(self, paths: frozenset[str]) -> None:
        self._hurried = paths != EVERYTHING
        self._rest.stop()

    def _catch_up(self) -> None:
        """Evaluate also what is out of sight, now that no further edit has come."""
        self._hurried = False
        self._document.recomputation.request()

    def _on_document_evaluated(self, evaluation: Evaluation) -> None:
        if self.isVisible():
            self._refresh(evaluation)

    def _on_display_changed(self, name: str) -> None:
        if name in ("layer", "head") and self.isVisible():
            self._hurried = False
            self._document.recomputation.request()

    def _on_appearance_changed(self) -> None:
        self._numbers = NumberStyle(2, self._context.appearance.decimal_point, self._context.appearance.text_scale)
        for card in self._cards.values():
            card.apply_appearance()
        if self.isVisible():
            self._refresh(self._document.evaluation)
            self._lay_out()

    def _refresh(self, evaluation: Evaluation) -> None:
        experiment = evaluation.experiment
        layer = min(self._document.display["layer"], len(experiment.layers) - 1)
        head = min(self._document.display["head"], experiment.layers[layer].attention.heads - 1)
        plan = pipeline_plan(experiment, layer, head)
        behind = {p for p in paths_of(plan) if any(u not in evaluation.arrays for u in units_of(experiment, p))}
        if behind and not (self._hurried and plan == self._plan and behind <= self._out_of_sight()):
            # Another head was chosen meanwhile, or something came into sight; its evaluation is on the way.
            self._document.recomputation.request()
            return
        if behind:
            self._rest.start()
        if plan != self._plan:
            self._plan = plan
            self._make_cards(evaluation)
            # Nothing may be hidden any more, and then all is laid out: every card of the plan has to be there.
            self._presenting.set_steps(len(self._steps()))
        quiet = quiet_paths(experiment, layer, paths_of(plan))
        for item in self._items():
            if item.path not in behind:
                self._cards[item.key].set_quiet(item.path in quiet)
                self._cards[item.key].refresh(evaluation, item.path, self._numbers)
        shapes = tuple(self._cards[item.key].table.content.shape for item in self._items())
        tokens = (experiment.query_tokens, experiment.key_tokens)
        others = self.extras.settle(experiment)
        if others or shapes != self._shapes or tokens != self._tokens:
            self._shapes, self._tokens = shapes, tokens
            self._lay_out()

    def _steps(self) -> list[Slot]:
        """Return what is hidden from an audience and revealed, one after the other."""
        return [slot for row in self._plan for slot in row.slots]

    def _hidden_keys(self) -> set[str]:
        return {item.key for slot in self._steps()[self._presenting.shown :] for item in slot.items}

    def _on_presenting_changed(self) -> None:
        before = {key for key, card in self._cards.items() if card.isHidden()}
        self._lay_out()
        revealed = [key for key in self._cards if key in before and key not in self._hidden_keys()]
        if revealed and self._presenting.hides:
            self.stage_revealed.emit(self._cards[revealed[-1]])

    def _items(self) -> list[Item]:
        return [item for row in self._plan for slot in row.slots for item in slot.items]

    def _make_cards(self, evaluation: Evaluation) -> None:
        wanted = {item.key: item for item in self._items()}
        for key, card in list(self._cards.items()):
            # The same place may change its kind: the position table is computed, or learned and edited.
            if key not in wanted or wanted[key].editable != card.table.may_be_edited:
                self._cards.pop(key).stop_watching()
                card.deleteLater()
        for key, item in wanted.items():
            if key not in self._cards:
                self._cards[key] = self._new_card(evaluation, item)
        self._shapes = ()
        self._order_focus(list(wanted))

    def _new_card(self, evaluation: Evaluation, item: Item) -> MatrixCard:
        theme = self._context.appearance.theme
        content = matrix_content(evaluation.experiment, evaluation.arrays, item.path, theme, self._numbers)
        assert content is not None
        card = MatrixCard(self._context, content, editable=item.editable, parent=self)
        card.setObjectName(f"card-{item.key}")
        card.menu_requested.connect(lambda at, table=card.table: self._menu.open(table, at))
        card.size_changed.connect(self._lay_out)
        if item.key == "masked":
            self._painting.adopt(card)
            foot = MaskFoot(self._document, card)
        card.show()
        if item.key == "masked":
            foot.refresh()
        return card

    def _order_focus(self, keys: list[str]) -> None:
        """Have Tab go from card to card as they are read, the Scaling card and the further ones last."""
        stops = [stop for key in keys for stop in self._cards[key].stops]
        for before, after in pairwise([*stops, *self.scaling.stops]):
            QWidget.setTabOrder(before, after)

    def _lay_out(self) -> None:
        if not self._cards:
            return
        width = self.width() - 2 * EDGE
        hidden = self._hidden_keys()
        self.extras.concealed = "weights" in hidden
        self.extras.settle(self._document.evaluation.experiment)
        top, self._operators = EDGE, []
        for row in self._plan:
            beside = row.slots[0].items[0].key == "head_output" and len(row.slots) == 1
            places, bottom, operators = place_row(row, self._cards, width, top)
            for key, place in places.items():
                card = self._cards[key]
                card.table.set_cell_size(place.cell_width, place.cell_height)
                card.setGeometry(place.rect.translated(EDGE, 0))
                card.setVisible(key not in hidden)
                card.table.settle()
            self._operators += [(x + EDGE, y, operator) for x, y, operator in operators]
            bottom = self._place_scaling(places, bottom, width, top) if beside else bottom
            top = (self.extras.place(EDGE, bottom + ROW_GAP, width, ROW_GAP) if row.pairs else bottom) + ROW_GAP
        self.height_changed.emit(top - ROW_GAP + EDGE)
        self.update()

    def _place_scaling(self, places: dict, bottom: int, width: int, top: int) -> int:  # type: ignore[type-arg]
        """Put the Scaling card beside Z, or below it where the row is too narrow."""
        rect: QRect = next(iter(places.values())).rect
        left = rect.right() + 1 + GAP
        if width - left < _LEAST_SCALING_WIDTH:
            left, top = 0, bottom + ROW_GAP
        self.scaling.setVisible("head_output" not in self._hidden_keys())
        height = self.scaling.height_within(width - left)
        self.scaling.setGeometry(EDGE + left, top, width - left, height)
        return max(bottom, top + height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._context.appearance.theme.ground))
        painter.setFont(self._context.appearance.font("text", 20))
        painter.setPen(QColor(self._context.appearance.theme.muted))
        concealed = self._concealed_rects()
        for x, y, operator in self._operators:
            if not any(rect.adjusted(-GAP, 0, 0, 0).contains(x, y) for rect in concealed):
                painter.drawText(QRect(x - GAP, y - 16, 2 * GAP, 32), Qt.AlignmentFlag.AlignCenter, operator)
        if concealed:
            self._paint_hint(painter, concealed[0])
        painter.end()

    def _concealed_rects(self) -> list[QRect]:
        """Return where the steps are that are hidden from an audience, the next one first."""
        hidden = [[self._cards[item.key].geometry() for item in slot.items] for slot in self._steps() if slot.items]
        return [_around(rects) for rects in hidden[self._presenting.shown :]]

    def _paint_hint(self, painter: QPainter, place: QRect) -> None:
        """Say, small, in the place of the next step, how to go on."""
        number = self._presenting.hidden
        text = (
            f"{number} stages are hidden\nF8 reveals the next" if number > 1 else "One stage is hidden\nF8 reveals it"
        )
        painter.setFont(self._context.appearance.font("text", 11))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._hurried = False  # what was edited while nothing was in sight is wanted all at once
        self._document.recomputation.watch(self, self._watched)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._hurried = False
        self._rest.stop()
        self._document.recomputation.unwatch(self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._lay_out()


def _around(rects: list[QRect]) -> QRect:
    around = QRect()
    for rect in rects:
        around = around.united(rect)
    return around
