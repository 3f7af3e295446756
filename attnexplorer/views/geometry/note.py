"""A sentence over the lower edge of the plane, with a link to what could be done about it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from attnexplorer.views.whole_errors import with_whole_errors

_EDGE = 8


@with_whole_errors
class PlaneNote(QWidget):
    """Lies over another widget, as wide as that allows; it stays until it is answered or the next thing is done."""

    answered = Signal()

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self.setObjectName("plane-note")
        self._sentence, self._link = QLabel(), QPushButton()
        self._sentence.setObjectName("plane-refusal")
        self._sentence.setProperty("look", "error")
        self._sentence.setWordWrap(True)
        self._link.setObjectName("plane-remedy")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._sentence, 1)
        row.addWidget(self._link)
        self._link.clicked.connect(self.answered)
        over.installEventFilter(self)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence that is shown, or nothing."""
        return "" if self.isHidden() else self._sentence.text()

    def say(self, sentence: str, link: str = "") -> None:
        """Show a sentence, and a link if there is one."""
        self._sentence.setText(sentence)
        self._link.setText(link)
        self._link.setToolTip(link)
        self._link.setVisible(bool(link))
        self.show()
        self.raise_()
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def _place(self) -> None:
        over = self._over
        wanted = self._sentence.fontMetrics().horizontalAdvance(self._sentence.text()) + 24
        wanted += self._link.sizeHint().width() + 6 if self._link.text() else 0
        width = min(over.width() - 2 * _EDGE, wanted)
        height = max(self.heightForWidth(width), self._link.sizeHint().height())
        self.setGeometry(_EDGE, over.height() - height - _EDGE, width, height)
