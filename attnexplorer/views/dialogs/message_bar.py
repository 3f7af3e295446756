"""Messages on top of the window's content: they name what went wrong, and nothing has to be answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

MessageKind = Literal["error", "warning", "note"]
_PROGRESS_WIDTH = 180


class Choice(NamedTuple):
    """A button of a message: its text, what it does in a sentence, and what is called."""

    text: str
    description: str
    chosen: Callable[[], None]


class MessageBar(QFrame):
    """One message with its buttons; a button other than the cross closes it too."""

    dismissed = Signal()

    def __init__(self, kind: MessageKind, text: str, choices: Sequence[Choice] = (), *, closable: bool = True) -> None:
        super().__init__()
        self.setProperty("look", "card")
        self.setObjectName(f"message_{kind}")
        self.setAccessibleName(text)
        self.text = text
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 5, 6, 5)
        row.addWidget(_sentence(kind, text), 1)
        for choice in choices:
            row.addWidget(self._button(choice))
        if closable:
            row.addWidget(self._cross())
        self._row = row
        self._progress: QProgressBar | None = None

    def show_progress(self, done: int, total: int) -> None:
        """Show how far something is; once all is done, that what is left takes a time nobody knows."""
        if self._progress is None:
            self._progress = QProgressBar()
            self._progress.setObjectName("message_progress")
            self._progress.setAccessibleName("Progress")
            self._progress.setTextVisible(False)
            self._progress.setFixedWidth(_PROGRESS_WIDTH)
            self._row.insertWidget(1, self._progress)
        self._progress.setRange(0, total if done < total else 0)
        self._progress.setValue(done)

    def _button(self, choice: Choice) -> QPushButton:
        button = QPushButton(choice.text)
        button.setToolTip(choice.description)
        button.setObjectName(f"message_choice_{choice.text.lower()}")

        def on_clicked() -> None:
            self.dismissed.emit()
            choice.chosen()

        button.clicked.connect(on_clicked)
        return button

    def _cross(self) -> QToolButton:
        cross = QToolButton()
        cross.setText("×")
        cross.setObjectName("message_close")
        cross.setToolTip("Close this message")
        cross.setAccessibleName("Close this message")
        cross.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        cross.clicked.connect(self.dismissed)
        return cross


class MessageArea(QWidget):
    """The messages of a window, the latest at the bottom; it takes no room while there are none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message_area")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._bars: dict[str, MessageBar] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(8, 6, 8, 6)
        self._column.setSpacing(4)
        self.hide()

    @property
    def texts(self) -> tuple[str, ...]:
        """The messages that are shown."""
        return tuple(bar.text for bar in self._bars.values())

    def show_message(
        self, key: str, kind: MessageKind, text: str, choices: Sequence[Choice] = (), *, closable: bool = True
    ) -> None:
        """Show a message; it replaces the former one with the same key."""
        self.remove(key)
        bar = MessageBar(kind, text, choices, closable=closable)
        bar.dismissed.connect(lambda: self.remove(key))
        self._bars[key] = bar
        self._column.addWidget(bar)
        self.show()

    def show_progress(self, key: str, done: int, total: int) -> None:
        """Show in a message, if it is there, how far something is."""
        bar = self._bars.get(key)
        if bar is not None:
            bar.show_progress(done, total)

    def remove(self, key: str) -> None:
        """Take a message away if it is there."""
        bar = self._bars.pop(key, None)
        if bar is not None:
            self._column.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
        self.setVisible(bool(self._bars))


def _sentence(kind: MessageKind, text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("look", kind)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
