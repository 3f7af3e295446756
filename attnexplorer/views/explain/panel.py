"""The Explain panel: how the selected number is made, and the live checks of the displayed layer and head."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from attnexplorer.compute.check_result import Check
from attnexplorer.compute.checks import check_units, run_layer_checks
from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.explaining.pieces import Explanation, Reference
from attnexplorer.compute.explanation import EXPLAINED_STAGES, explain, explain_parameter, localised, needed_units
from attnexplorer.compute.explanation_text import as_latex, as_markdown, as_numpy, as_text
from attnexplorer.compute.stages import unit_at
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.document.viewpoint import Viewpoint
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.explain.blocked import why_blocked
from attnexplorer.views.explain.checks_view import ChecksView
from attnexplorer.views.explain.selection import exists, number_at
from attnexplorer.views.explain.steps_view import StepsView
from attnexplorer.views.explain.wrapping_row import WrappingRow
from attnexplorer.views.whole_errors import with_whole_errors

NOTHING_SELECTED = "Click a number in any matrix to see how it is made, step by step from the tokens."
_COPIES: tuple[tuple[str, Callable[[Explanation], str]], ...] = (
    ("LaTeX", as_latex),
    ("NumPy", as_numpy),
    ("Markdown", as_markdown),
    ("Text", as_text),
)
_TITLE = "HOW THIS NUMBER IS MADE"
_LONGEST_LABEL = 18
_REST_MS = 120
_PACE_MS = 100
_SUBSCRIPT = re.compile(r"_([A-Za-z0-9]+)")


@with_whole_errors
class ExplainPanel(QScrollArea):
    """Follows the selected cell; hovering changes nothing here."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._viewpoint = Viewpoint(document, self._units, self)
        self._appearance = appearance
        self._explanation: Explanation | None = None
        self._checked: tuple[object, ...] = ()
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._on_rest_timeout)
        self._pace = QTimer(self)
        self._pace.setSingleShot(True)
        self._pace.setInterval(_PACE_MS)
        self.setObjectName("explain-panel")
        self.setAccessibleName("Explain")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(220)
        self._make_parts()
        self._arrange()
        self._connect()
        self._on_appearance_changed()

    @property
    def explanation(self) -> Explanation | None:
        """What is shown, or None while no number is selected."""
        return self._explanation

    @property
    def waits(self) -> bool:
        """Whether the last edits are still to be followed, once they rest."""
        return self._rest.isActive()

    def refresh(self) -> None:
        """Explain the selected number and run the checks on the last finished evaluation."""
        if self.isVisible():
            self._show_explanation()
            self._rest.start()

    def _follow(self) -> None:
        """Show a new evaluation: at once after a rest; ten times a second while a slider moves, the checks after it.

        Nobody reads arithmetic that changes with every frame, and it costs more than the picture does.
        """
        if not self.isVisible():
            return
        self._rest.start()
        if not self._pace.isActive():
            self._show_explanation()
            self._pace.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._viewpoint.start()
        # With a style sheet Qt forgets a label's font when the panel moves into a dock or out of it.
        self._on_appearance_changed()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._viewpoint.stop()
        self._rest.stop()
        self._pace.stop()

    def _on_rest_timeout(self) -> None:
        self._show_explanation()
        self._show_checks()

    def _make_parts(self) -> None:
        # Everything is made where it stays: with a style sheet, moving a part costs as much as making it.
        self._content = content = QWidget(self.viewport())
        self._content.setProperty("look", "panel")
        self.setWidget(content)
        self._title = _label("section", "explain-title", content)
        self._title.setText(_TITLE)
        self._heading = _label("", "explain-heading", content)
        self._why = _label("note", "explain-why", content)
        self._empty = _label("note", "explain-empty", content)
        self._empty.setText(NOTHING_SELECTED)
        self._steps = StepsView(self._appearance, content)
        self._notes = _label("note", "explain-notes", content)
        self._copy_row = QWidget(content)
        self._copied = _label("caption", "explain-copied", content)
        self._checks_title = _label("section", "explain-checks-title", content)
        self._checks = ChecksView(self._appearance, content)

    def _arrange(self) -> None:
        self._fill_copy_row()
        layout = QVBoxLayout(self._content)
        layout.setContentsMargins(12, 10, 12, 12)
        layout.setSpacing(8)
        above = (self._title, self._heading, self._why, self._empty)
        below = (self._notes, self._copy_row, self._copied, self._checks_title, self._checks)
        for part in (*above, self._steps, *below):
            layout.addWidget(part)
        layout.addStretch(1)

    def _fill_copy_row(self) -> None:
        row = WrappingRow(self._copy_row)
        caption = QLabel("Copy as")
        caption.setProperty("look", "caption")
        row.addWidget(caption)
        for name, write in _COPIES:
            button = QPushButton(name)
            button.setProperty("look", "link")
            button.setObjectName(f"copy-{name}")
            button.setAccessibleName(f"Copy as {name}")
            button.setToolTip(f"Put this explanation on the clipboard as {name}.")
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(lambda _checked=False, name=name, write=write: self._copy(name, write))
            row.addWidget(button)

    def _connect(self) -> None:
        self._steps.reference_hovered.connect(self._on_steps_reference_hovered)
        self._steps.reference_chosen.connect(self._on_steps_reference_chosen)
        self._steps.place_marked.connect(self._on_steps_place_marked)
        self._checks.check_chosen.connect(self._on_checks_check_chosen)
        self._viewpoint.changed.connect(self._follow)
        self._document.cursor.selection_changed.connect(self._on_cursor_selection_changed)
        self._document.display.changed.connect(self._on_display_changed)
        self._appearance.changed.connect(self._on_appearance_changed)

    def _units(self, experiment: Experiment) -> set[Unit]:
        layer, head = self._shown(experiment)
        units = set(check_units(experiment, layer, (head,)))
        unit = self._selected_unit()
        if unit is not None and exists(experiment, unit):
            units.update(needed_units(experiment, unit))
        return units

    def _shown(self, experiment: Experiment) -> tuple[int, int]:
        """Return the displayed layer and head as far as this experiment has them."""
        layer = min(self._document.display["layer"], len(experiment.layers) - 1)
        return layer, min(self._document.display["head"], experiment.layers[layer].attention.heads - 1)

    def _selected_unit(self) -> Unit | None:
        cell = self._document.cursor.selected
        unit = None if cell is None else unit_at(cell.path)
        return unit if unit is not None and unit.stage in EXPLAINED_STAGES else None

    def _show_explanation(self) -> None:
        which = self._viewpoint.of_which
        self._title.setText(f"HOW {which[3]}’S NUMBER IS MADE" if which else _TITLE)
        cell = self._document.cursor.selected
        if cell is None:
            self._write(None)
            return
        explanation = _explained(self._viewpoint.plain, cell)
        if explanation is None:
            # Not evaluated yet; what is asked for is on the way.
            if self._viewpoint.held or (self._selected_unit() is None and unit_at(cell.path) is not None):
                self._write(None)
            return
        self._write(localised(explanation, self._appearance.decimal_point), why_blocked(self._viewpoint.plain, cell))

    def _write(self, explanation: Explanation | None, why: str = "") -> None:
        self._explanation = explanation
        self._why.setText(why)
        self._why.setVisible(bool(why))
        self._empty.setVisible(explanation is None)
        for part in (self._heading, self._copy_row):
            part.setVisible(explanation is not None)
        self._steps.setVisible(explanation is not None and bool(explanation.steps))
        self._notes.setVisible(explanation is not None and bool(explanation.notes))
        if explanation is not None:
            self._heading.setText(_heading_html(explanation))
            self._heading.setToolTip(f"<p>{html.escape(explanation.heading)}</p>")
            self._steps.show_steps(explanation.steps)
            self._notes.setText("\n".join(explanation.notes))

    def _show_checks(self) -> None:
        evaluation = self._viewpoint.plain
        experiment = evaluation.experiment
        layer, head = self._shown(experiment)
        units = check_units(experiment, layer, (head,))
        if any(unit not in evaluation.arrays for unit in units):
            return
        arrays = tuple(evaluation.arrays[unit] for unit in units)
        seen = (layer, head, experiment.layers[layer], experiment.pins, experiment.sequence, experiment.source, *arrays)
        if len(seen) == len(self._checked) and all(a is b for a, b in zip(seen, self._checked, strict=True)):
            return
        self._checked = seen
        array_of = evaluation.arrays.__getitem__
        self._checks_title.setText(_checks_title(experiment, layer, head))
        self._checks.show_checks(run_layer_checks(experiment, layer, (head,), array_of, counting_from=1))

    def _copy(self, name: str, write: Callable[[Explanation], str]) -> None:
        if self._explanation is not None:
            QGuiApplication.clipboard().setText(write(self._explanation))
            self._copied.setText(f"Copied as {name}.")
            self._copied.show()

    def _on_steps_reference_hovered(self, reference: Reference | None) -> None:
        self._document.cursor.hover(None if reference is None else Cell(*reference))

    def _on_steps_reference_chosen(self, reference: Reference) -> None:
        self._document.cursor.hover(None)
        self._document.cursor.select(Cell(*reference))

    def _on_steps_place_marked(self, rect: QRect) -> None:
        middle = self._steps.mapTo(self._content, rect.center())
        self.ensureVisible(middle.x(), middle.y(), 0, rect.height())

    def _on_checks_check_chosen(self, check: Check) -> None:
        if check.where is not None:
            unit, row, column = check.where
            self._document.cursor.select(Cell(unit.path, row, column or 0))

    def _on_cursor_selection_changed(self) -> None:
        self._copied.hide()
        if self.isVisible():
            self._viewpoint.request()
            self.refresh()

    def _on_display_changed(self, name: str) -> None:
        if name in ("layer", "head") and self.isVisible():
            self._viewpoint.request()
            self.refresh()

    def _on_appearance_changed(self) -> None:
        self._heading.setFont(self._appearance.font("mathematics", 18))
        self.refresh()


def _label(look: str, name: str, parent: QWidget) -> QLabel:
    label = QLabel(parent)
    label.setObjectName(name)
    label.setWordWrap(True)
    # A word that is wider than the panel must not make the panel wider.
    label.setMinimumWidth(1)
    if look:
        label.setProperty("look", look)
        label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def _explained(evaluation: Evaluation, cell: Cell) -> Explanation | None:
    """Return how the number of a cell is made, or None as long as what it reads is not evaluated."""
    experiment, unit = evaluation.experiment, unit_at(cell.path)
    value = number_at(evaluation, cell)
    if value is None:
        return None
    if unit is None:
        return explain_parameter(cell.path, cell.row, cell.column, value, experiment)
    if unit.stage not in EXPLAINED_STAGES or not exists(experiment, unit):
        return None
    if any(needed not in evaluation.arrays for needed in needed_units(experiment, unit)):
        return None
    return explain(experiment, evaluation.arrays.__getitem__, unit, cell.row, cell.column)


def _heading_html(explanation: Explanation) -> str:
    symbol = _SUBSCRIPT.sub(r"<sub>\1</sub>", html.escape(explanation.symbol))
    row, column = (_shortened(label) for label in (explanation.row_label, explanation.column_label))
    place = html.escape(f"[{row}, {column}]")
    return f"{symbol}{place} = <b>{html.escape(explanation.value_text).replace(' ', '&nbsp;')}</b>"


def _shortened(label: str) -> str:
    return label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"


def _checks_title(experiment: Experiment, layer: int, head: int) -> str:
    parts = [f"LAYER {layer + 1}"] if len(experiment.layers) > 1 else []
    parts += [f"HEAD {head + 1}"] if experiment.layers[layer].attention.heads > 1 else []
    return "CHECKS" + (f" OF {', '.join(parts)}" if parts else "")
