"""The card of the scale: slider, temperature beside it, and whether the two are one knob or two."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from attnexplorer.compute.numbers import significant_text
from attnexplorer.compute.scale_curves import between_scale_and_temperature, folding_difference, shift_difference
from attnexplorer.compute.scaling import pinned_after_scores
from attnexplorer.document.document import Document
from attnexplorer.experiment.edits.masks import set_scale, set_temperature
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.fields import NumberField
from attnexplorer.views.scale_control import ScaleControl
from attnexplorer.views.scale_texts import factor_text
from attnexplorer.views.scaling.shown import Shown

ROUNDING = 1e-12
"""Differences of weights below this are the rounding of the arithmetic."""
_TRIAL = 2.0
_CAPTION = "every score q·k is multiplied by this before softmax"
_CAPTION_OF_B = f"of B, which alone can be changed: {_CAPTION}"
_BETWEEN = {"softcap": "the softcap", "alibi": "ALiBi’s penalty", "pins": "pinned scaled scores"}


class KnobsCard(QFrame):
    """Sets scale and temperature of the displayed layer, and tries what softmax does not notice."""

    def __init__(self, document: Document, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document, self._appearance = document, appearance
        self._shown: Shown | None = None
        self.setProperty("look", "card")
        self.setObjectName("knobs-card")
        self.setAccessibleName("Scale and temperature")
        self.control = ScaleControl(document, appearance, "workspace-")
        self.temperature = NumberField("scaling-temperature")
        self.shift = NumberField("scaling-shift")
        self.fold = QPushButton("Fold into the scale")
        self._make_labels()
        self._arrange()
        self._connect()

    def show_row(self, shown: Shown, *, of_b: bool = False) -> None:
        """Show what scale and temperature do to a row; say that it is B's where something else is seen beside it."""
        self._shown = shown
        self._caption.setText(_CAPTION_OF_B if of_b else _CAPTION)
        attention, mark = shown.attention, self._appearance.decimal_point
        self._width.setText(f"dₖ = {attention.d_k}")
        if not (self.temperature.hasFocus() and self.temperature.isModified()):
            self.temperature.show_number(attention.temperature, mark)
        between = between_scale_and_temperature(shown.experiment, shown.layer, shown.head, shown.row)
        self.fold.setVisible(attention.temperature != 1.0)
        self.fold.setEnabled(not between)
        self._knob.setText(self._knob_text(shown, between))
        self._show_shift(shown)

    def refresh_scale(self) -> None:
        """Show the present scale, also while its evaluation is on the way."""
        self.control.refresh()

    def apply_appearance(self) -> None:
        """Take over fonts that have changed."""
        self._title.setFont(self._appearance.font("mathematics", 15, bold=True))
        self.control.apply_appearance()
        self.shift.show_number(self._shift, self._appearance.decimal_point)

    def _make_labels(self) -> None:
        self._title = QLabel("Scale")
        self._caption = QLabel(_CAPTION)
        self._width, self._knob, self._shift_result = QLabel(), QLabel(), QLabel()
        self._error = QLabel()
        names = {"caption": self._caption, "width": self._width, "knob": self._knob, "shift-result": self._shift_result}
        for name, label in names.items():
            label.setProperty("look", "caption")
            label.setObjectName(f"knobs-{name}")
        self._error.setProperty("look", "error")
        self._error.setObjectName("knobs-error")
        for label in (self._knob, self._shift_result, self._error, self._caption):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._caption.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._error.hide()

    def _arrange(self) -> None:
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        heading.addWidget(self._caption, 1)
        heading.addWidget(self._width)
        self.temperature.setToolTip("Masked scores are divided by it: above 1 flatter, below 1 sharper")
        self.temperature.setAccessibleName("Temperature")
        self.shift.setToolTip("A number that is added to every raw score of the row, to try; the experiment stays")
        self.shift.setAccessibleName("Constant added to the row")
        self.fold.setToolTip("Divide the scale by the temperature and set the temperature to 1: one step to undo")
        self.fold.setObjectName("fold-temperature")
        below = QGridLayout()
        below.setHorizontalSpacing(8)
        below.setVerticalSpacing(5)
        below.addWidget(QLabel("Temperature"), 0, 0)
        below.addWidget(self.temperature, 0, 1)
        below.addWidget(self._knob, 0, 2)
        below.addWidget(self.fold, 0, 3)
        below.addWidget(QLabel("Add to the row"), 1, 0)
        below.addWidget(self.shift, 1, 1)
        below.addWidget(self._shift_result, 1, 2, 1, 2)
        below.setColumnStretch(2, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(7)
        layout.addLayout(heading)
        layout.addWidget(self.control)
        layout.addLayout(below)
        layout.addWidget(self._error)

    def _connect(self) -> None:
        self.temperature.entered.connect(self._on_temperature_entered)
        self.shift.entered.connect(self._on_shift_entered)
        for field in (self.temperature, self.shift):
            field.refused.connect(self._refuse)
            field.restored.connect(lambda: self._refuse(""))
            field.textEdited.connect(lambda: self._refuse(""))
        self.fold.clicked.connect(self._on_fold_clicked)
        self._document.display.changed.connect(self._on_display_changed)

    def _knob_text(self, shown: Shown, between: tuple[str, ...]) -> str:
        mark, attention = self._appearance.decimal_point, shown.attention
        temperature = attention.temperature if attention.temperature != 1.0 else _TRIAL
        where = (shown.experiment, shown.array_of, shown.layer, shown.head, shown.row)
        difference = difference_text(folding_difference(*where, temperature), mark)
        scale, divided = (factor_text(f, mark) for f in (attention.scale_factor, attention.scale_factor / temperature))
        both = f"× {scale} ÷ {factor_text(temperature, mark)}"
        if between:
            causes = " and ".join(_BETWEEN[name] for name in between)
            comes = "comes" if len(between) == 1 and between != ("pins",) else "come"
            return f"Two knobs here, as {causes} {comes} between them: {both} and × {divided} ÷ 1 differ {difference}."
        would = "would give" if attention.temperature == 1.0 else "gives"
        return f"One knob by two names: {both} {would} the weights of × {divided} ÷ 1; this row differs {difference}."

    def _show_shift(self, shown: Shown) -> None:
        where = (shown.experiment, shown.array_of, shown.layer, shown.head, shown.row)
        moved = shift_difference(*where, self._shift)
        added = factor_text(self._shift, self._appearance.decimal_point)
        text = difference_text(moved, self._appearance.decimal_point)
        why = _why(shown, moved < ROUNDING)
        self._shift_result.setText(f"With {added} added to each of its scores this row differs {text}: {why}.")

    def _refuse(self, sentence: str) -> None:
        self._error.setText(sentence)
        self._error.setVisible(bool(sentence))

    def _on_temperature_entered(self, temperature: float) -> None:
        text = f"Set the temperature to {self.temperature.text().strip()}"
        edit = partial(set_temperature, layer=self._layer, temperature=temperature)
        try:
            self._document.apply(text, edit)
        except ExperimentError as error:
            self.temperature.mark_bad(True)
            self._refuse(str(error))
            return
        self.temperature.setModified(False)
        self._refuse("")

    def _on_shift_entered(self, constant: float) -> None:
        self._document.display.choose("scaling_shift", float(constant))
        self.shift.show_number(self._shift, self._appearance.decimal_point)
        self._refuse("")

    def _on_display_changed(self, name: str) -> None:
        if name == "scaling_shift" and self._shown is not None:
            self.shift.show_number(self._shift, self._appearance.decimal_point)
            self._show_shift(self._shown)

    @property
    def _shift(self) -> float:
        return float(self._document.display["scaling_shift"])

    def _on_fold_clicked(self) -> None:
        self._document.apply("Fold the temperature into the scale", partial(folded, layer=self._layer))

    @property
    def _layer(self) -> int:
        return min(int(self._document.display["layer"]), len(self._document.experiment.layers) - 1)


def folded(experiment: Experiment, layer: int) -> Experiment:
    """Divide a layer's scale by its temperature, and set the temperature to 1."""
    attention = experiment.layers[layer].attention
    divided = set_scale(experiment, layer, attention.scale_factor / attention.temperature)
    return set_temperature(divided, layer, 1.0)


def difference_text(difference: float, decimal_point: str) -> str:
    """Say by how much weights differ."""
    if difference == 0.0:
        return "by exactly 0"
    if difference < ROUNDING:
        return "by 0 but for rounding"
    if difference != difference:
        return "in what is not a number"
    return f"by up to {significant_text(difference, 3, decimal_point)}"


def _why(shown: Shown, unmoved: bool) -> str:
    pinned = pinned_after_scores(shown.experiment, shown.layer, shown.head, shown.row)
    if any(stage != "weights" for stage, _ in pinned):
        return "pins stand between its scores and softmax"
    if unmoved:
        return "softmax knows the differences between scores only"
    if shown.attention.softcap is not None:
        return "the softcap bends what is added"
    return "beside what is added, its scores are lost in rounding"
