"""The Geometry workspace: q, k, v, z and x as arrows in the plane, and the selected pair in numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from attnexplorer.compute.planes import Plane, pair_numbers
from attnexplorer.compute.stages import PAIR_STAGES, unit_at
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.viewpoint import Viewpoint
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.plane import PlanePicture
from attnexplorer.figures.plane_arrows import ArrowKind
from attnexplorer.figures.plane_vectors import KINDS, vector_unit
from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.geometry.controls import GeometryControls, fit_button
from attnexplorer.views.geometry.note import PlaneNote
from attnexplorer.views.geometry.page import card_with, scrolling
from attnexplorer.views.geometry.pair_card import PairCard
from attnexplorer.views.geometry.plane_view import PlaneView
from attnexplorer.views.geometry.tip_editing import TipEditing
from attnexplorer.views.geometry.tips import TipRefusal, TipTarget, tip_target, vector_target
from attnexplorer.views.geometry.vectors import (
    Rows,
    Vector,
    in_one_space,
    plane_of,
    plane_picture,
    related,
    rows_of,
    the_only,
)
from attnexplorer.views.geometry.words import axis_names, caption, elsewhere_text
from attnexplorer.views.table_context import TableContext
from attnexplorer.views.whole_errors import with_whole_errors

_PREFIX = "geometry_"
_SIDE_FROM = 660
"""From this width on the numbers stand beside the plane, else below it."""
_SIDE = 250


@with_whole_errors
class GeometryWorkspace(QWidget):
    """Follows the head and layer that are displayed; what is drawn and what is edited are rows of its matrices."""

    def __init__(self, context: TableContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._appearance = context.document, context.appearance
        self._viewpoint = Viewpoint(self._document, self._units, self)
        self._rows: tuple[Rows, ...] = ()
        self._plane: Plane | None = None
        self._vectors: tuple[Vector, ...] = ()
        self._seen: tuple[object, ...] = ()
        self._refusal: TipRefusal | None = None
        self.setObjectName("geometry")
        self.setProperty("look", "ground")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.controls = GeometryControls(self._appearance)
        self.view = PlaneView(self._appearance)
        self.note = PlaneNote(self.view)
        self.pair_card = PairCard(self._appearance)
        self._editing = TipEditing(self._document, self)
        self._title, self._caption = QLabel("Geometry"), ElidedLabel()
        self._elsewhere = QLabel()
        self._fit = fit_button()
        self._lay_out()
        self._connect()
        self.controls.choose(self._document.display.group(_PREFIX))
        if self._document.cursor.selected is not None:
            self._on_selection_changed(self._document.cursor.selected)
        self._on_appearance_changed()

    @property
    def vectors(self) -> tuple[Vector, ...]:
        """Which vector each arrow of the picture is: its kind and its row."""
        return self._vectors

    @property
    def pair(self) -> tuple[int, int]:
        """The query and the key whose numbers are shown, as far as they are there."""
        experiment = self._viewpoint.evaluation.experiment
        queries, keys = len(experiment.query_tokens), len(experiment.key_tokens)
        query, key = self._document.display["geometry_pair"] or (queries - 1, 0)
        return min(query, queries - 1), min(key, keys - 1)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._viewpoint.start()
        self._on_appearance_changed()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._viewpoint.stop()
        self._editing.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = self.width() >= _SIDE_FROM * self._appearance.text_scale
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        self._parts.setDirection(direction)
        widest = round(_SIDE * self._appearance.text_scale) if beside else (1 << 24) - 1
        self.pair_card.setMaximumWidth(widest)
        self.pair_card.setMinimumWidth(widest if beside else 0)

    def _lay_out(self) -> None:
        self._caption.setProperty("look", "caption")
        self._caption.setObjectName("geometry-caption")
        self._elsewhere.setProperty("look", "caption")
        self._elsewhere.setObjectName("geometry-elsewhere")
        self._elsewhere.setWordWrap(True)
        self._elsewhere.linkActivated.connect(lambda kind: self.controls.show_only([kind]))
        heading = QHBoxLayout()
        heading.setSpacing(7)
        heading.addWidget(self._title)
        heading.addWidget(self._caption, 1)
        heading.addWidget(self._fit)
        page = QWidget()
        self._parts = QBoxLayout(QBoxLayout.Direction.LeftToRight, page)
        self._parts.setContentsMargins(14, 14, 14, 14)
        self._parts.setSpacing(14)
        self._parts.addWidget(card_with(heading, self.controls, self._elsewhere, self.view), 1)
        self._parts.addWidget(self.pair_card)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(scrolling(page))

    def _connect(self) -> None:
        document, view = self._document, self.view
        self._viewpoint.changed.connect(self._on_viewpoint_changed)
        document.display.changed.connect(self._on_display_changed)
        document.cursor.selection_changed.connect(self._on_selection_changed)
        document.cursor.hover_changed.connect(self._show_picture)
        self._appearance.changed.connect(self._on_appearance_changed)
        self.controls.kinds_changed.connect(self._on_kinds_changed)
        self.controls.axes_changed.connect(self._on_axes_changed)
        self._fit.clicked.connect(view.fit)
        view.arrow_hovered.connect(self._on_arrow_hovered)
        view.arrow_chosen.connect(self._on_arrow_chosen)
        view.arrow_asked.connect(self._on_arrow_asked)
        view.tip_grabbed.connect(self._on_tip_grabbed)
        view.tip_moved.connect(self._on_tip_moved)
        view.tip_stretched.connect(lambda factor: self._try(lambda: self._editing.stretch(factor)))
        view.tip_released.connect(self._on_tip_released)
        view.tip_nudged.connect(self._on_tip_nudged)
        self.note.answered.connect(self._on_note_answered)
        self.pair_card.pair_chosen.connect(self._on_pair_chosen)
        self.pair_card.stretch_requested.connect(self._on_stretch_requested)

    def _place(self, experiment: Experiment) -> tuple[int, int]:
        """Return layer and head as far as this experiment has them."""
        layer = min(self._document.display["layer"], len(experiment.layers) - 1)
        return layer, min(self._document.display["head"], experiment.layers[layer].attention.heads - 1)

    def _units(self, experiment: Experiment) -> frozenset[Unit]:
        # Queries and keys always: the numbers of the pair are shown even while their arrows are not.
        kinds: set[ArrowKind] = {"query", "key", *self.controls.kinds}
        return frozenset(vector_unit(experiment, kind, *self._place(experiment)) for kind in kinds)

    def _on_viewpoint_changed(self) -> None:
        if self.isVisible():
            self._refresh()

    def _refresh(self) -> None:
        if not self._viewpoint.is_there():
            # Another head or kind was chosen meanwhile; its evaluation is on the way.
            return
        evaluation, plain = self._viewpoint.evaluation, self._viewpoint.plain
        experiment = evaluation.experiment
        layer, head = self._place(experiment)
        obstacle = self._obstacle(experiment)
        rows = rows_of(evaluation, () if obstacle else self.controls.kinds, layer, head)
        pair = rows_of(plain, ("query", "key"), *self._place(plain.experiment))
        if rows is None or pair is None:
            return
        if self._viewpoint.base is not None:
            rows = tuple(replace(it, letter=f"Δ{it.letter}") for it in rows)
        self._rows, elsewhere = in_one_space(rows)
        width = self._rows[0].width if self._rows else 0
        self.controls.show_width(width)
        self._plane = plane_of(self._rows, self.controls.axes) if self._rows else None
        place, mark = (layer, head), self._appearance.decimal_point
        self._caption.setText(caption(experiment, place, self._rows, self._plane, mark))
        same = self._viewpoint.same([vector_unit(experiment, kind, *place) for kind in self.controls.kinds])
        instead = obstacle or same or elsewhere_text(elsewhere, width, self._appearance.theme.accent)
        self._elsewhere.setText(instead)
        self._elsewhere.setVisible(bool(instead))
        self._show_pair(pair)
        self._show_picture()
        seen = (layer, head, self.controls.kinds, self.controls.axes, width)
        if seen != self._seen:
            self._seen = seen
            self.view.fit()

    def _obstacle(self, experiment: Experiment) -> str:
        """Return why one of the chosen kinds has no B − A."""
        shown, place = self.controls.kinds, self._place(experiment)
        units = (vector_unit(experiment, kind, *place) for kind in KINDS if kind in shown)
        return next((it for it in map(self._viewpoint.obstacle, units) if it), "")

    def _show_picture(self) -> None:
        if not self.isVisible():
            return
        if self._plane is None:
            self._vectors = ()
            self.view.show_picture(PlanePicture((), "", "", self._appearance.theme))
            return
        experiment = self._viewpoint.evaluation.experiment
        layer, head = self._place(experiment)
        cursor = self._document.cursor
        hovered = related(experiment, layer, head, cursor.hovered)
        query, key = self.pair
        pair: frozenset[Vector] = frozenset({("query", query), ("key", key)})
        picture, self._vectors = plane_picture(
            self._rows,
            self._plane,
            axis_names(self._plane, self._appearance.decimal_point),
            self._appearance.theme,
            self._appearance.decimal_point,
            chosen=self._chosen(),
            lit=hovered or pair,
            fading=bool(hovered),
        )
        self.view.show_picture(picture)
        self._describe()

    def _chosen(self) -> Vector | None:
        """Return the vector whose row is selected, if it is one."""
        cell = self._document.cursor.selected
        experiment = self._viewpoint.evaluation.experiment
        return the_only(related(experiment, *self._place(experiment), cell), self._rows)

    def _describe(self) -> None:
        chosen = self._chosen()
        self.view.show_chosen(self._vectors.index(chosen) if chosen in self._vectors else None)

    def _show_pair(self, rows: tuple[Rows, ...]) -> None:
        (queries, keys), (query, key) = rows, self.pair
        numbers = pair_numbers(queries.values[query], keys.values[key])
        of = "of B: " if self._viewpoint.base is not None else ""
        self.pair_card.show_pair((queries.tokens, keys.tokens), (query, key), numbers, of)

    def _on_display_changed(self, name: str) -> None:
        if name.startswith(_PREFIX):
            self.controls.choose(self._document.display.group(_PREFIX))
        if (name.startswith(_PREFIX) or name in ("layer", "head")) and self.isVisible():
            self._viewpoint.request()

    def _on_selection_changed(self, cell: Cell | None) -> None:
        experiment = self._viewpoint.evaluation.experiment
        mine = dict(related(experiment, *self._place(experiment), cell))
        query, key = self.pair
        unit = None if cell is None else unit_at(cell.path)
        if unit is not None and unit.stage in PAIR_STAGES and not mine:
            return  # a pair of another head
        if mine:  # kept by itself, for of an arrow that is selected a file knows its own row only
            self._document.display.choose("geometry_pair", (mine.get("query", query), mine.get("key", key)))
        if self.isVisible():
            self._refresh()

    def _on_kinds_changed(self) -> None:
        self._forget_refusal()
        self._document.display.choose_group(_PREFIX, self.controls.choices)

    def _on_axes_changed(self) -> None:
        self._forget_refusal()
        self._document.display.choose_group(_PREFIX, self.controls.choices)
        if self.isVisible():
            self._refresh()

    def _on_arrow_hovered(self, index: int | None) -> None:
        self._document.cursor.hover(None if index is None else self._cell(index))

    def _on_arrow_chosen(self, index: int) -> None:
        self._forget_refusal()
        self._document.cursor.select(self._cell(index))

    def _on_arrow_asked(self, step: int) -> None:
        chosen = self._chosen()
        here = self._vectors.index(chosen) if chosen in self._vectors else (-1 if step > 0 else 0)
        if self._vectors:
            self._on_arrow_chosen((here + step) % len(self._vectors))

    def _is_held(self) -> bool:
        """Tell whether nothing can be changed now, which is then said."""
        if self._viewpoint.held:
            self.note.say(self._viewpoint.held)
        return bool(self._viewpoint.held)

    def _on_tip_grabbed(self, index: int) -> None:
        target = None if self._is_held() else self._target(index)
        if target is not None and self._editing.begin(target, self._edit_text(index)):
            self.view.hold()

    def _on_tip_moved(self, x: float, y: float) -> None:
        self._try(lambda: self._editing.move_by((x, y), self.view.plane_layout.decimals))

    def _on_tip_released(self, undone: bool) -> None:
        if undone:
            self._editing.cancel()
        else:
            self._editing.end()
        self._document.recomputation.request()

    def _on_tip_nudged(self, x: float, y: float) -> None:
        chosen = self._chosen()
        if chosen not in self._vectors:
            self.note.say("Choose an arrow first: Tab goes from one to the next.")
            return
        index = self._vectors.index(chosen)
        target = None if self._is_held() else self._target(index)
        if target is not None:
            self._try(lambda: self._editing.nudge(target, self._edit_text(index), (x, y)))

    def _on_pair_chosen(self, query: int, key: int) -> None:
        layer, head = self._place(self._viewpoint.evaluation.experiment)
        self._document.cursor.select(Cell(Unit("scores", layer, head).path, query, key))

    def _on_stretch_requested(self, factor: float) -> None:
        experiment = self._viewpoint.evaluation.experiment
        keys: tuple[ArrowKind, ...] = ("key",)
        rows = rows_of(self._viewpoint.evaluation, keys, *self._place(experiment))
        if not rows or self._is_held():
            return
        self._forget_refusal()
        key = self.pair[1]
        columns = tuple(range(rows[0].width))
        target = vector_target(self._document.experiment, rows[0], key, columns)
        if isinstance(target, TipRefusal):
            self._refuse(target)
        elif self._editing.begin(target, f"Make {rows[0].letter} of “{rows[0].tokens[key]}” {factor:g} times as long"):
            self._try(lambda: self._editing.stretch(factor))
            self._editing.end()

    def _on_note_answered(self) -> None:
        refusal = self._refusal
        self._forget_refusal()
        if refusal is not None and refusal.remedy == "axes":
            self.controls.show_axes()
        if refusal is not None and refusal.path:
            self._try(lambda: self._document.pin_as_shown(refusal.path))
        self.view.setFocus()

    def _target(self, index: int) -> TipTarget | None:
        """Return the cells behind a tip; else say why there are none that can be changed."""
        kind, row = self._vectors[index]
        rows = next(r for r in self._rows if r.kind == kind)
        experiment = self._document.experiment
        if self._plane is None or row >= len(experiment.key_tokens if kind in ("key", "value") else rows.tokens):
            return None
        target = tip_target(experiment, rows, row, self._plane)
        if isinstance(target, TipRefusal):
            self._refuse(target)
            return None
        self._forget_refusal()
        return target

    def _edit_text(self, index: int) -> str:
        arrow = self.view.picture.arrows[index]
        return f"Move {arrow.letter} of “{arrow.token}”"

    def _refuse(self, refusal: TipRefusal) -> None:
        self._refusal = refusal
        self.note.say(refusal.sentence, refusal.link)

    def _forget_refusal(self) -> None:
        self._refusal = None
        self.note.hide()

    def _try(self, edit: Callable[[], None]) -> None:
        try:
            edit()
        except ExperimentError as refusal:
            self.note.say(f"{refusal}.")

    def _cell(self, index: int) -> Cell:
        kind, row = self._vectors[index]
        path = next(r.path for r in self._rows if r.kind == kind)
        column = 0 if self._plane is None or self._plane.axes is None else self._plane.axes[0]
        return Cell(path, row, column)

    def _on_appearance_changed(self) -> None:
        self._title.setFont(self._appearance.font("mathematics", 16, bold=True))
        self.controls.apply_appearance()
        self.pair_card.apply_appearance()
        if self.isVisible():
            self._refresh()
