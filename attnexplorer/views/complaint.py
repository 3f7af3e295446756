"""A sentence beside the place where an edit was refused; it goes away by itself or at the next key."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QHideEvent
from PySide6.QtWidgets import QLabel, QWidget

_SHOWN_MS = 9000
_WIDEST = 320
_NAME = "complaint"


class Complaint(QLabel):
    """The label that carries the sentence."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName(_NAME)
        self.setProperty("look", "error")
        self.setWordWrap(True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        window.installEventFilter(self)

    def say(self, sentence: str, below: QRect) -> None:
        """Show a sentence below a rectangle of the window, or above it where there is no room."""
        self.setText(sentence)
        self.setMaximumWidth(_WIDEST)
        self.setMinimumWidth(min(_WIDEST, self.fontMetrics().horizontalAdvance(sentence) + 24))
        self.adjustSize()
        window = self.window()
        x = min(max(0, below.left()), max(0, window.width() - self.width() - 4))
        y = below.bottom() + 4
        if y + self.height() > window.height():
            y = below.top() - self.height() - 4
        self.move(QPoint(x, max(0, y)))
        self.show()
        self.raise_()
        self._timer.start()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Close):
            self.hide()
        return False

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)


def complain(widget: QWidget, sentence: str, below: QRect) -> None:
    """Show a sentence below a rectangle of `widget`, if it can be seen: not in a window that is about to go."""
    if not widget.isVisible():
        return
    window = widget.window()
    label = window.findChild(Complaint, _NAME) or Complaint(window)
    label.say(sentence, QRect(widget.mapTo(window, below.topLeft()), below.size()))


def forget_complaint(widget: QWidget) -> None:
    """Take the sentence away: what it was about is being mended."""
    label = widget.window().findChild(Complaint, _NAME)
    if label is not None:
        label.hide()
