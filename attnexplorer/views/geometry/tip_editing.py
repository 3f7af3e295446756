"""Moving the tip of an arrow: each gesture, a drag or a burst of arrow keys, is one undo step."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from attnexplorer.document.commands import ALONE, Gesture
from attnexplorer.document.document import Document
from attnexplorer.views.geometry.tips import TipTarget

_BURST_MS = 700


class TipEditing(QObject):
    """Edits the cells of one target at a time, always relative to where they were when the gesture began."""

    def __init__(self, document: Document, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self._target: TipTarget | None = None
        self._text = ""
        self._gesture: Gesture = ALONE
        self._start: tuple[float, ...] = ()
        self._last: tuple[float, ...] = ()
        self._nudged: tuple[float, ...] = ()
        self._burst = QTimer(self)
        self._burst.setSingleShot(True)
        self._burst.setInterval(_BURST_MS)
        self._burst.timeout.connect(self.end)

    @property
    def active(self) -> bool:
        """Whether a gesture is going on."""
        return self._target is not None

    def begin(self, target: TipTarget, text: str) -> bool:
        """Begin a gesture; False if the cells are no longer there."""
        values = [self._document.present_value(target.path, target.row, column) for column in target.columns]
        if any(value is None for value in values):
            return False
        self._burst.stop()
        self._target, self._text = target, text
        self._gesture = self._document.new_gesture()
        self._start = self._last = tuple(value for value in values if value is not None)
        self._nudged = (0.0,) * len(self._start)
        return True

    def move_by(self, offsets: tuple[float, ...], decimals: int) -> None:
        """Put the tip so far from where it began, rounded to some decimals; exactly there if that is nothing."""
        moved = (
            start if not offset else round(start + offset, decimals)
            for start, offset in zip(self._start, offsets, strict=False)
        )
        self._set(tuple(moved))

    def stretch(self, factor: float) -> None:
        """Make what is moved `factor` times as long as it was at the beginning."""
        self._set(tuple(start * factor for start in self._start))

    def nudge(self, target: TipTarget, text: str, offsets: tuple[float, ...]) -> None:
        """Move a tip by a step; steps that follow each other quickly are one gesture."""
        present = tuple(self._document.present_value(target.path, target.row, column) for column in target.columns)
        going_on = self._burst.isActive() and target == self._target and present == self._last
        if not going_on and not self.begin(target, text):
            return
        # Steps of 0.1 added up would end in 0.30000000000000004.
        self._nudged = tuple(round(a + b, 10) for a, b in zip(self._nudged, offsets, strict=False))
        self.move_by(self._nudged, 10)
        self._burst.start()

    def cancel(self) -> None:
        """Put everything back as it was when the gesture began."""
        if self._target is not None:
            self._set(self._start)
        self.end()

    def end(self) -> None:
        """End the gesture."""
        self._burst.stop()
        self._target = None
        self._gesture = ALONE

    def _set(self, values: tuple[float, ...]) -> None:
        target = self._target
        if target is None or values == self._last:
            return
        rows = [target.row] * len(target.columns)
        self._document.set_cells(target.path, rows, list(target.columns), list(values), self._gesture, self._text)
        self._last = values
