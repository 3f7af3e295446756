"""Small fields that speak up once an entry is complete and let the wheel scroll past them while they are not in use."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QElapsedTimer, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QPainter, QPaintEvent, QPalette, QPen, QValidator, QWheelEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QSpinBox, QStyle, QStyleOptionSpinBox, QWidget

from attnexplorer.compute.numbers import full_text
from attnexplorer.experiment.expressions import NumberError, parse_number
from attnexplorer.views.complaint import complain
from attnexplorer.views.whole_errors import with_whole_errors

FIELD = 5.8
"""The width of a field of a form, in heights of its type."""
_MOST_DIGITS = 10
BURST = 500
"""Steps that follow each other within this many milliseconds are one gesture."""


@with_whole_errors
class CountBox(QSpinBox):
    """A whole number. A typed one counts on Enter or when the field is left; a step counts at once."""

    entered = Signal(int, bool)
    """Emitted with the new number, and whether it goes on with the gesture of the one before."""

    def __init__(self, name: str, lowest: int, highest: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setRange(lowest, highest)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._choices: tuple[int, ...] = ()
        self._since_step = QElapsedTimer()
        self._going_on = False
        self.valueChanged.connect(self._on_value_changed)

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        """Let anything be typed: keys that are swallowed would make another number of it than was meant."""
        fits = self._typed(text) is not None
        return (QValidator.State.Acceptable if fits else QValidator.State.Intermediate, text, place)

    def fixup(self, text: str) -> str:
        needed = f"a whole number from {self.minimum()} to {self.maximum():,} is needed"
        complain(self, f"“{self._bare(text)}” does not fit here: {needed}.", self.rect())
        return str(self.value())

    def _bare(self, text: str) -> str:
        return text.removeprefix(self.prefix()).removesuffix(self.suffix()).strip()

    def _typed(self, text: str) -> int | None:
        digits = self._bare(text)
        number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS else None
        return number if number is not None and self.minimum() <= number <= self.maximum() else None

    def show_number(self, number: int) -> None:
        """Show a number, without a signal."""
        self.blockSignals(True)
        self.setValue(number)
        self.blockSignals(False)

    def set_choices(self, choices: Sequence[int]) -> None:
        """Let steps go through these numbers only, in rising order; any number can still be typed."""
        self._choices = tuple(choices)

    def stepBy(self, steps: int) -> None:
        self._going_on = self._since_step.isValid() and self._since_step.elapsed() < BURST
        self._since_step.start()
        super().stepBy(steps if not self._choices else self._chosen(steps) - self.value())
        self._going_on = False

    def sizeHint(self) -> QSize:
        return field_size(self, super().sizeHint())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        option = QStyleOptionSpinBox()
        self.initStyleOption(option)
        painter = QPainter(self)
        for control, flag, up in (
            (QStyle.SubControl.SC_SpinBoxUp, QSpinBox.StepEnabledFlag.StepUpEnabled, True),
            (QStyle.SubControl.SC_SpinBoxDown, QSpinBox.StepEnabledFlag.StepDownEnabled, False),
        ):
            rect = self.style().subControlRect(QStyle.ComplexControl.CC_SpinBox, option, control, self)
            centre = QRectF(rect).center() + QPointF(0, 1.5 if up else -1.5)
            paint_arrow(painter, self, centre, up=up, enabled=bool(self.stepEnabled() & flag))

    def _chosen(self, steps: int) -> int:
        value = self.value()
        beyond = [n for n in self._choices if (n > value if steps > 0 else n < value)]
        if not beyond:
            return value
        return beyond[0] if steps > 0 else beyond[-1]

    def _on_value_changed(self, number: int) -> None:
        self.entered.emit(number, self._going_on)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


@with_whole_errors
class NumberField(QLineEdit):
    """A number or an expression such as 1/sqrt(2). It counts on Enter or when the field is left; Esc takes it back.

    With `absent`, a word such as "off", that word or nothing at all stands for no number, None.
    """

    entered = Signal(object)
    refused = Signal(str)
    restored = Signal()

    def __init__(self, name: str, absent: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._absent = absent
        self._number: float | None = None
        self._decimal_point = "."
        self.textEdited.connect(lambda: self.mark_bad(False))
        self.editingFinished.connect(self._on_editing_finished)

    def show_number(self, number: float | None, decimal_point: str) -> None:
        """Show a number, without a signal."""
        self._number, self._decimal_point = number, decimal_point
        text = self._absent or "" if number is None else full_text(number, decimal_point)
        self.setText(text.removesuffix(f"{decimal_point}0"))
        self.mark_bad(False)

    def mark_bad(self, bad: bool) -> None:
        """Show that the text was refused, or no longer is."""
        if bool(self.property("bad")) != bad:
            self.setProperty("bad", bad)
            self.style().unpolish(self)
            self.style().polish(self)

    def _on_editing_finished(self) -> None:
        if not self.isModified():
            return
        try:
            number = self._parsed()
        except NumberError as error:
            self.mark_bad(True)
            self.refused.emit(str(error))
            return
        self.entered.emit(number)

    def _parsed(self) -> float | None:
        text = self.text().strip()
        if self._absent is not None and text.lower() in ("", self._absent):
            return None
        return parse_number(text, self._decimal_point)

    def sizeHint(self) -> QSize:
        return field_size(self, super().sizeHint())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.show_number(self._number, self._decimal_point)
            self.restored.emit()
            return
        super().keyPressEvent(event)


@with_whole_errors
class ChoiceBox(QComboBox):
    """A list of (value, label) pairs of which one is chosen."""

    chosen = Signal(str)
    """Emitted with the value, only when the user chooses."""

    def __init__(self, name: str, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        for value, label in choices:
            self.addItem(label, value)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))

    def sizeHint(self) -> QSize:
        return field_size(self, super().sizeHint())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        centre = QPointF(self.width() - 10, self.height() / 2)
        paint_arrow(QPainter(self), self, centre, up=False, enabled=self.isEnabled())

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def field_size(field: QWidget, hint: QSize) -> QSize:
    """Return the size of a field: as high as it wants to be, and as wide as all others."""
    return QSize(round(FIELD * field.fontMetrics().height()), hint.height())


def paint_arrow(painter: QPainter, field: QWidget, centre: QPointF, *, up: bool, enabled: bool) -> None:
    """Paint a little arrow in the colour of quiet text, in proportion to the type of its field."""
    unit = field.fontMetrics().height() / 16
    colour = QGuiApplication.palette().color(QPalette.ColorRole.PlaceholderText)
    colour.setAlphaF(1.0 if enabled else 0.35)
    width, rise = 3 * unit, (-1.5 if up else 1.5) * unit
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.4 * unit))
    painter.drawPolyline([centre + QPointF(x, y) for x, y in ((-width, -rise), (0.0, rise), (width, -rise))])
