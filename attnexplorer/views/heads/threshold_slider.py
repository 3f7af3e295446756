"""The slider of the smallest weight that has a line in the flow."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSlider

from attnexplorer.views.accessible import Amount, Speaking
from attnexplorer.views.whole_errors import with_whole_errors

STEPS = 100
HIGHEST = 0.5
"""The threshold at the right end of the slider."""


@with_whole_errors
class ThresholdSlider(Speaking, QSlider):
    """A slider that the wheel turns only while it has the focus."""

    spoken_role = QAccessible.Role.Slider

    def spoken(self) -> str:
        """Return the threshold."""
        return f"{self.spoken_amount().current:g}"

    def spoken_amount(self) -> Amount:
        """Return the threshold."""
        return Amount(self.value() * HIGHEST / STEPS, 0.0, HIGHEST)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(self.palette().highlight().color())
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.end()

    def show_threshold(self, threshold: float) -> None:
        """Show a threshold, without a signal."""
        self.blockSignals(True)
        self.setValue(round(threshold * STEPS / HIGHEST))
        self.blockSignals(False)
        self.say_value()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
