"""The control of a layer's scale: slider and typed number, and what was refused."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from attnexplorer.compute.numbers import exact_text
from attnexplorer.document.commands import ALONE
from attnexplorer.document.document import Document
from attnexplorer.experiment.edits.masks import set_scale
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.expressions import NumberError, parse_number
from attnexplorer.experiment.model import Attention
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.scale_slider import ScaleSlider
from attnexplorer.views.scale_texts import factor_text
from attnexplorer.views.whole_errors import with_whole_errors

_FIELD_WIDTH = 96


class ScaleControl(QWidget):
    """Shows and sets the scale of the displayed layer. `prefix` sets its parts' object names apart."""

    def __init__(
        self, document: Document, appearance: Appearance, prefix: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._document, self._appearance = document, appearance
        self._gesture = ALONE
        self._scale_before: object = None
        self._factor_before = math.nan
        self._times = QLabel("×")
        self.slider = ScaleSlider(appearance)
        self.slider.setObjectName(f"{prefix}scale-slider")
        self._field = _FactorField(f"{prefix}scale-field")
        self._error = QLabel()
        self._error.setProperty("look", "error")
        self._error.setObjectName(f"{prefix}scaling-error")
        self._error.setWordWrap(True)
        self._error.setTextFormat(Qt.TextFormat.PlainText)
        self._error.hide()
        self._arrange()
        self.slider.factor_requested.connect(self.request)
        self._field.editingFinished.connect(self._on_field_edited)
        self._field.textEdited.connect(self._on_field_typed)
        document.experiment_changed.connect(self.refresh)

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What takes the focus, in the order in which Tab is to go through it."""
        return self.slider, self._field

    def refresh(self) -> None:
        """Show the present scale."""
        if not self.isVisible():
            return
        attention, mark = self._attention, self._appearance.decimal_point
        self.slider.show_factor(attention.scale_factor, attention.d_k)
        if not (self._field.hasFocus() and self._field.isModified()):
            self._field.show_number(factor_text(attention.scale_factor, mark))
            self._show_error("")
        named = {"sqrt_dk": " = 1/√dₖ, and stays so when dₖ changes", "none": ": no scaling"}
        name = named.get(attention.scale, "") if isinstance(attention.scale, str) else ""
        full = exact_text(attention.scale_factor, mark)
        self._field.setToolTip(f"{full}{name}.\nType any number, or an expression such as 1/sqrt(8).")

    def request(self, factor: float, begins: bool) -> None:
        """Set a factor as part of a gesture, which `begins` with it or goes on; one that comes back leaves no step."""
        if begins:
            self._gesture = self._document.new_gesture()
            self._scale_before, self._factor_before = self._attention.scale, self._attention.scale_factor
        self._set_factor(factor)

    def apply_appearance(self) -> None:
        """Take over fonts that have changed."""
        self._times.setFont(self._appearance.font("number", 13, bold=True))
        self._field.setFont(self._appearance.font("number", 13, bold=True))
        self._field.setFixedWidth(round(_FIELD_WIDTH * self._appearance.text_scale))
        self._times.setFixedHeight(self._field.sizeHint().height())

    @property
    def _layer(self) -> int:
        return min(int(self._document.display["layer"]), len(self._document.experiment.layers) - 1)

    @property
    def _attention(self) -> Attention:
        return self._document.experiment.layers[self._layer].attention

    def _arrange(self) -> None:
        sliding = QHBoxLayout()
        sliding.setSpacing(6)
        sliding.addWidget(self.slider, 1)
        sliding.addWidget(self._times, 0, Qt.AlignmentFlag.AlignTop)
        sliding.addWidget(self._field, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(7)
        layout.addLayout(sliding)
        layout.addWidget(self._error)

    def _set_factor(self, factor: float) -> None:
        """Have the document set the scale; a gesture back at its start restores the very same value."""
        layer = self._layer
        scale: object = self._scale_before
        if factor != self._factor_before:
            scale = set_scale(self._document.experiment, layer, factor).layers[layer].attention.scale
        shown = factor_text(float(f"{factor:.2e}"), self._appearance.decimal_point)
        path = f"layers.{layer}.attention.scale"
        self._document.set_value(path, scale, f"Set scale to {shown}", self._gesture)

    def _on_field_edited(self) -> None:
        if not self._field.isModified():
            return
        try:
            factor = parse_number(self._field.text(), self._appearance.decimal_point)
            self._gesture, self._factor_before = ALONE, math.nan
            self._set_factor(factor)
        except (NumberError, ExperimentError) as error:
            self._show_error(str(error))
            return
        self._field.setModified(False)
        self.refresh()

    def _on_field_typed(self) -> None:
        self._show_error("")

    def _show_error(self, sentence: str) -> None:
        self._error.setText(sentence)
        self._error.setVisible(bool(sentence))
        self._field.show_bad(bool(sentence))


@with_whole_errors
class _FactorField(QLineEdit):
    """The scale as text. Esc brings the number back that was shown."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._shown = ""
        self.setObjectName(name)
        self.setAccessibleName("Scale, typed")

    def show_number(self, text: str) -> None:
        """Show a number as one that nobody typed."""
        self._shown = text
        if text != self.text():
            self.setText(text)
        self.setModified(False)

    def show_bad(self, bad: bool) -> None:
        """Mark or unmark the text as one that cannot be used."""
        if bool(self.property("bad")) != bad:
            self.setProperty("bad", bad)
            self.style().unpolish(self)
            self.style().polish(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setText(self._shown)
            self.textEdited.emit(self._shown)
            return
        super().keyPressEvent(event)
