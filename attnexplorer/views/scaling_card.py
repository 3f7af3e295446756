"""The Scaling card of the Pipeline: the slider of the scale, and what softmax does to one row with and without it."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.explaining.context import token_label
from attnexplorer.compute.metrics import RowMetrics, row_metrics
from attnexplorer.compute.scaling import ScaledRow, pinned_after_scores, row_at_scale, scaling_units
from attnexplorer.compute.stages import PAIR_STAGES, unit_at
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.experiment.model import Attention, Experiment
from attnexplorer.figures.bars import Bar, BarsPicture, share_text
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.scale_control import ScaleControl
from attnexplorer.views.scale_texts import factor_text, metrics_told, pin_sentence, shortened
from attnexplorer.views.scale_track import LARGEST, ScaleTrack
from attnexplorer.views.weight_bars import WeightBars
from attnexplorer.views.whole_errors import with_whole_errors


@with_whole_errors
class ScalingCard(QFrame):
    """Scale of the displayed layer, and the row of the selected cell in the displayed head."""

    height_changed = Signal()
    """The card needs another height at its width: a note came or went, or a line wraps."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._appearance = appearance
        self._needed = 0
        self.setProperty("look", "card")
        self.setObjectName("scaling-card")
        self.setAccessibleName("Scaling")
        self._make_parts()
        self._arrange()
        self._connect()
        self._on_appearance_changed()
        self.installEventFilter(self)

    @property
    def row(self) -> int:
        """The row that is looked at, in the evaluation that is on screen."""
        rows = len(self._document.evaluation.experiment.query_tokens)
        cell = self._document.cursor.selected
        unit = None if cell is None else unit_at(cell.path)
        if cell is not None and unit is not None and unit.stage in PAIR_STAGES and cell.row < rows:
            return cell.row
        return rows - 1

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What takes the focus, in the order in which Tab is to go through it."""
        return self._control.stops

    def height_within(self, width: int) -> int:
        """Return the height that it is to have at a width; it speaks up when that is no longer enough, or too much."""
        # The slider is lower where its labels have room beside each other: it takes its width first.
        self.resize(width, self.height())
        for layout in (self._control.layout(), self.layout()):
            if layout is not None:
                layout.activate()
        self._needed = self.heightForWidth(width)
        return max(self._needed, self.sizeHint().height())

    def refresh(self) -> None:
        """Show the present scale, and the bars of the last finished evaluation."""
        self._show_scale()
        self._show_row()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._document.recomputation.watch(self, self._units)
        # With a style sheet Qt may forget a label's font when the card gets another parent.
        self._on_appearance_changed()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._document.recomputation.unwatch(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            needed = self.heightForWidth(self.width())
            if needed != self._needed:
                self._needed = needed
                self.height_changed.emit()
        return False

    def _make_parts(self) -> None:
        self._title = QLabel("Scaling")
        self._caption = _label("caption", "scaling-caption")
        self._width_note = _label("caption", "scaling-d-k")
        self._control = ScaleControl(self._document, self._appearance)
        self._note = _label("warning", "scaling-note")
        self._bars = WeightBars(self._appearance)
        self._metrics = _label("caption", "scaling-metrics")
        self._caption.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._width_note.setWordWrap(False)

    def _arrange(self) -> None:
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        heading.addWidget(self._caption, 1)
        heading.addWidget(self._width_note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(7)
        layout.addLayout(heading)
        for part in (self._control, self._note, self._bars, self._metrics):
            layout.addWidget(part)
        layout.addStretch(1)

    def _connect(self) -> None:
        self._bars.key_hovered.connect(self._on_bars_key_hovered)
        self._document.experiment_changed.connect(self._show_scale)
        self._document.evaluated.connect(self._show_row)
        self._document.cursor.selection_changed.connect(self._show_row)
        self._document.display.changed.connect(self._on_display_changed)
        self._appearance.changed.connect(self._on_appearance_changed)

    def _units(self, experiment: Experiment) -> set[Unit]:
        layer, head = self._shown(experiment)
        return set(scaling_units(experiment, layer, head))

    def _shown(self, experiment: Experiment) -> tuple[int, int]:
        """Return layer and head as far as this experiment has them."""
        layer = min(self._document.display["layer"], len(experiment.layers) - 1)
        return layer, min(self._document.display["head"], experiment.layers[layer].attention.heads - 1)

    @property
    def _attention(self) -> Attention:
        experiment = self._document.experiment
        return experiment.layers[self._shown(experiment)[0]].attention

    def _show_scale(self) -> None:
        if self.isVisible():
            self._control.refresh()
            self._width_note.setText(f"dₖ = {self._attention.d_k}")

    def _show_row(self) -> None:
        if not self.isVisible():
            return
        evaluation, row = self._document.evaluation, self.row
        experiment = evaluation.experiment
        layer, head = self._shown(experiment)
        if not all(unit in evaluation.arrays for unit in scaling_units(experiment, layer, head)):
            return
        name = shortened(token_label(experiment.query_tokens, row))
        self._caption.setText(f"row of “{name}”: what softmax does with and without √dₖ")
        chosen = _row(evaluation, layer, head, row, experiment.layers[layer].attention.scale_factor)
        blind = not chosen.visible.any()
        self._bars.setVisible(not blind)
        self._metrics.setVisible(not blind and chosen.finite)
        self._show_note(self._notes(experiment, layer, head, row, chosen))
        if not blind:
            self._show_bars(evaluation, layer, head, row, chosen)
            self._show_metrics(chosen)

    def _show_bars(self, evaluation: Evaluation, layer: int, head: int, row: int, chosen: ScaledRow) -> None:
        attention = evaluation.experiment.layers[layer].attention
        mark = self._appearance.decimal_point
        bars = []
        for factor, label in _compared(attention, mark):
            shown = chosen if factor == chosen.factor else _row(evaluation, layer, head, row, factor)
            bars.append(_bar(label, shown, shown is chosen))
        names = tuple(token_label(evaluation.experiment.key_tokens, k) for k in range(len(chosen.weights)))
        self._bars.show_picture(BarsPicture(tuple(bars), names, self._appearance.theme, mark))

    def _show_metrics(self, chosen: ScaledRow) -> None:
        if chosen.finite:
            metrics, keys = row_metrics(chosen.weights[None, :]), int(chosen.visible.sum())
            self._metrics.setText(_metrics_text(metrics, keys, self._appearance.decimal_point))
            self._metrics.setToolTip(metrics_told(metrics, self._appearance.decimal_point))

    def _notes(self, experiment: Experiment, layer: int, head: int, row: int, chosen: ScaledRow) -> list[str]:
        notes = [pin_sentence(stage, whole) for stage, whole in pinned_after_scores(experiment, layer, head, row)]
        if not chosen.visible.any():
            notes.append("This row is fully masked: no key can be seen, every weight is 0.")
        if ScaleTrack(1).beyond(chosen.factor):
            end = "left end, 0" if chosen.factor < 0 else f"right end, {LARGEST:g}"
            value = factor_text(chosen.factor, self._appearance.decimal_point)
            notes.append(f"× {value} lies beyond the slider, which stands at its {end}.")
        return notes

    def _show_note(self, notes: list[str]) -> None:
        self._note.setText("\n".join(notes))
        self._note.setVisible(bool(notes))

    def _on_bars_key_hovered(self, key: int) -> None:
        layer, head = self._shown(self._document.evaluation.experiment)
        path = Unit("weights", layer, head).path
        self._document.cursor.hover(None if key < 0 else Cell(path, self.row, key))

    def _on_display_changed(self, name: str) -> None:
        if name in ("layer", "head"):
            self._document.recomputation.request()
            self.refresh()

    def _on_appearance_changed(self) -> None:
        self._title.setFont(self._appearance.font("mathematics", 15, bold=True))
        self._control.apply_appearance()
        self.refresh()


def _label(look: str, name: str) -> QLabel:
    label = QLabel()
    label.setProperty("look", look)
    label.setObjectName(name)
    label.setWordWrap(True)
    if name != "scaling-metrics":
        label.setTextFormat(Qt.TextFormat.PlainText)
    if look != "caption":
        label.hide()
    return label


def _row(evaluation: Evaluation, layer: int, head: int, row: int, factor: float) -> ScaledRow:
    return row_at_scale(evaluation.experiment, evaluation.arrays.__getitem__, layer, head, row, factor)


def _compared(attention: Attention, decimal_point: str) -> list[tuple[float, str]]:
    """Return the scales of the bars with their labels: with 1/√d_k, without, and the one that is set, else 4."""
    usual, chosen = ScaleTrack(attention.d_k).usual, attention.scale_factor
    compared = [(usual, "× 1/√dₖ"), (1.0, "× 1")] if attention.d_k > 1 else [(1.0, "× 1 = 1/√dₖ")]
    third = LARGEST if chosen in (usual, 1.0) else chosen
    return [*compared, (third, f"× {factor_text(third, decimal_point)}")]


def _bar(label: str, row: ScaledRow, chosen: bool) -> Bar:
    if not row.finite:
        return Bar(label, None, chosen, "the scores become infinite, and softmax of them is not a number")
    return Bar(label, tuple(row.weights.tolist()), chosen)


def _metrics_text(metrics: RowMetrics, keys: int, decimal_point: str) -> str:
    def fixed(value: float, decimals: int = 2) -> str:
        return f"{value:.{decimals}f}".replace(".", decimal_point)

    parts = (
        f"entropy <b>{fixed(metrics.entropy[0])}</b> of {fixed(math.log2(keys))} bits",
        f"effective keys <b>{fixed(metrics.effective_keys[0])}</b> of {keys}",
        f"largest weight <b>{share_text(metrics.largest[0], decimal_point)}</b>",
        f"gradient left <b>{fixed(metrics.gradient[0], 3)}</b>",
    )
    # Lines break between the parts only.
    return "&nbsp;&nbsp;&nbsp; ".join(part.replace(" ", "&nbsp;") for part in parts)
