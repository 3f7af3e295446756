"""A sentence beside the place where an edit was refused; it goes away by itself or at the next key."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QHideEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QLabel, QScrollBar, QWidget
from shiboken6 import isValid

from attnexplorer.views.whole_errors import with_whole_errors

_SHOWN_MS = 9000
_FRESH_MS = 300
"""A field speaks up when the focus leaves it; only a later change of the focus takes the sentence away."""
_SETTLED_MS = 1500
"""What was refused may put everything in another place, and scroll there; only later is it the user who scrolls."""
_WIDEST = 320
_NAME = "complaint"


@with_whole_errors
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
        self._shown = QElapsedTimer()
        self._about: list[QWidget] = []
        self._scrolled: list[tuple[QScrollBar, int]] = []
        window.installEventFilter(self)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus_changed)

    def say(self, sentence: str, below: QRect, about: QWidget) -> None:
        """Show a sentence below a rectangle of the window, or above it where there is no room.

        It goes when `about` is hidden or scrolled away.
        """
        self._let_go()
        around: QWidget | None = about
        while around is not None:
            if isinstance(around, QAbstractScrollArea):
                bars = (around.verticalScrollBar(), around.horizontalScrollBar())
                self._scrolled += [(bar, bar.value()) for bar in bars]
            if around.isWindow():
                break
            self._about.append(around)
            around.installEventFilter(self)
            around = around.parentWidget()
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
        self._shown.start()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.window():
            gone = event.type() in (QEvent.Type.Resize, QEvent.Type.Close)
        else:
            scrolled = event.type() == QEvent.Type.Move and any(
                isValid(bar) and bar.value() != at for bar, at in self._scrolled
            )
            # Whoever goes on typing has read it; the key that brought it may still be on its way.
            typed = event.type() == QEvent.Type.KeyPress and self._shown.hasExpired(_FRESH_MS)
            gone = event.type() == QEvent.Type.Hide or typed or (scrolled and self._shown.hasExpired(_SETTLED_MS))
        if gone and self.isVisible():
            self.hide()
        return False

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        self._let_go()
        super().hideEvent(event)

    def _on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self.isVisible() and now is not None and self._shown.hasExpired(_FRESH_MS):
            self.hide()

    def _let_go(self) -> None:
        for widget in self._about:
            if isValid(widget):
                widget.removeEventFilter(self)
        self._about.clear()
        self._scrolled.clear()


def complain(widget: QWidget, sentence: str, below: QRect) -> None:
    """Show a sentence below a rectangle of `widget`, if it can be seen: not in a window that is about to go."""
    if not widget.isVisible():
        return
    window = widget.window()
    label = window.findChild(Complaint, _NAME) or Complaint(window)
    label.say(sentence, QRect(widget.mapTo(window, below.topLeft()), below.size()), widget)


def forget_complaint(widget: QWidget) -> None:
    """Take the sentence away: what it was about is being mended."""
    label = widget.window().findChild(Complaint, _NAME)
    if label is not None:
        label.hide()
