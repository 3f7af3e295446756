"""The fields of the export dialog: what is typed counts at once, so that the preview follows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from attnexplorer.experiment.expressions import NumberError, parse_number
from attnexplorer.views.input.fields import ChoiceBox, CountBox, NumberField
from attnexplorer.views.whole_errors import with_whole_errors


class LiveNumber(NumberField):
    """A number that counts while it is typed; `absent` is the word for none."""

    typed = Signal(object)
    """Emitted with the number, or None, whenever the text is one."""

    def __init__(self, name: str, described: str, tip: str, absent: str | None = None) -> None:
        super().__init__(name, absent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(described)
        self.setToolTip(tip)
        self.textEdited.connect(self._on_text_edited)

    def _on_text_edited(self, text: str) -> None:
        wanted = text.strip()
        try:
            number = None if self._is_absent(wanted) else parse_number(wanted, self._decimal_point)
        except NumberError:
            self.mark_bad(True)
            return
        self.typed.emit(number)

    def _is_absent(self, text: str) -> bool:
        return self._absent is not None and text.lower() in ("", self._absent)


class LiveCount(CountBox):
    """A whole number that counts while it is typed."""

    def __init__(self, name: str, described: str, tip: str, lowest: int, highest: int) -> None:
        super().__init__(name, lowest, highest)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setKeyboardTracking(True)
        self.setAccessibleName(described)
        self.setToolTip(tip)


@with_whole_errors
class WideChoice(ChoiceBox):
    """A list with long labels, as wide as its form."""

    def __init__(self, name: str, described: str, tip: str, choices: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(name, choices)
        self.setAccessibleName(described)
        self.setToolTip(tip)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(round(11 * self.fontMetrics().height()), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(round(8 * self.fontMetrics().height()), super().minimumSizeHint().height())

    def offer(self, choices: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer other choices, without a signal."""
        self.blockSignals(True)
        self.clear()
        for value, label in choices:
            self.addItem(label, value)
        self.setCurrentIndex(max(0, self.findData(chosen)))
        self.blockSignals(False)

    def show_value(self, value: str) -> None:
        """Show a choice, without a signal."""
        self.blockSignals(True)
        self.setCurrentIndex(self.findData(value))
        self.blockSignals(False)


def beside(*widgets: QWidget, stretch: QWidget | None = None) -> QWidget:
    """Return widgets in a row; `stretch` takes the room that is left, or nothing does."""
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        row.addWidget(widget, 1 if widget is stretch else 0)
    if stretch is None:
        row.addStretch(1)
    return holder


def align_labels(forms: Sequence[QFormLayout]) -> None:
    """Make the labels of several forms equally wide, so that their fields stand below one another."""
    labels = [
        item.widget()
        for form in forms
        for row in range(form.rowCount())
        if (item := form.itemAt(row, QFormLayout.ItemRole.LabelRole)) is not None
    ]
    texts = [label for label in labels if isinstance(label, QLabel)]
    widest = max((label.sizeHint().width() for label in texts), default=0)
    for label in texts:
        label.setMinimumWidth(widest)
