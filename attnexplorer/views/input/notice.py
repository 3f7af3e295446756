"""What stands beneath the controls of a section: why an edit was refused, or what it would drop."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from attnexplorer.document.commands import ALONE, Gesture
from attnexplorer.document.document import Document
from attnexplorer.document.names import stage_name
from attnexplorer.experiment.edits.losses import losses
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.whole_errors import with_whole_errors

MOST_SENTENCES = 5


class Edit(NamedTuple):
    """An edit and what to do once it is made. `verb` is what the button says that makes it in spite of losses."""

    text: str
    change: Callable[[Experiment], Experiment]
    verb: str = "Go on"
    gesture: Gesture = ALONE
    done: Callable[[], None] | None = None


@with_whole_errors
class EditNotice(QWidget):
    """Makes the edits of a section. One that drops something waits until the user has agreed to it.

    Any other edit in between takes the question back.
    """

    cancelled = Signal()
    asked = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._waiting: Edit | None = None
        self._focus_before: QWidget | None = None
        self.message = _label("error", "message")
        self.losses = _label("warning", "losses")
        self.accept = QPushButton()
        self.accept.setObjectName("accept")
        self.accept.setProperty("look", "primary")
        self.accept.setToolTip("Make the edit; undo brings everything back")
        self.accept.clicked.connect(self._on_accept_clicked)
        self.cancel = QPushButton("Cancel")
        self.cancel.setObjectName("cancel")
        self.cancel.setToolTip("Leave everything as it is")
        self.cancel.clicked.connect(self._on_cancel_clicked)
        self._lay_out()
        document.experiment_changed.connect(self._on_experiment_changed)

    def make(self, edit: Edit) -> bool:
        """Make an edit, or ask first; False if it was refused, which is then shown."""
        self._clear()
        before = self._document.experiment
        try:
            lost = losses(before, edit.change(before), stage_name)
            if not lost:
                self._make(edit)
        except ExperimentError as error:
            self.refuse(str(error))
            return False
        if lost:
            self._ask(edit, lost)
        return True

    def refuse(self, sentence: str) -> None:
        """Show why something cannot be done."""
        self._clear()
        self.message.setText(sentence)
        self.message.show()
        self.show()

    def clear(self) -> None:
        """Show nothing, and forget an edit that waits."""
        self._clear()

    def _make(self, edit: Edit) -> None:
        self._document.apply(edit.text, edit.change, edit.gesture)
        if edit.done is not None:
            edit.done()

    def _ask(self, edit: Edit, lost: tuple[str, ...]) -> None:
        self._waiting = edit
        self._focus_before = _lasting(QApplication.focusWidget())
        more = [f"… and {len(lost) - MOST_SENTENCES} more."] if len(lost) > MOST_SENTENCES else []
        self.losses.setText("\n".join([*lost[:MOST_SENTENCES], *more, f"{edit.verb} all the same?"]))
        self.accept.setText(edit.verb)
        self._question.show()
        self.show()
        self.accept.setFocus(Qt.FocusReason.OtherFocusReason)
        self.asked.emit()

    def _on_accept_clicked(self) -> None:
        edit = self._waiting
        self._return_focus()
        self._clear()
        if edit is not None:
            self._make(edit)

    def _on_cancel_clicked(self) -> None:
        self._return_focus()
        self._clear()
        self.cancelled.emit()

    def _on_experiment_changed(self) -> None:
        if self._waiting is not None:
            self._on_cancel_clicked()

    def _return_focus(self) -> None:
        before = self._focus_before
        if before is not None and isValid(before) and self.isAncestorOf(QApplication.focusWidget() or self):
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        self._focus_before = None

    def _clear(self) -> None:
        self._waiting = None
        self.message.hide()
        self._question.hide()
        self.hide()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self.accept)
        buttons.addWidget(self.cancel)
        buttons.addStretch(1)
        self._question = QWidget(self)
        question = QVBoxLayout(self._question)
        question.setContentsMargins(0, 0, 0, 0)
        question.setSpacing(6)
        question.addWidget(self.losses)
        question.addLayout(buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 2)
        layout.addWidget(self.message)
        layout.addWidget(self._question)
        self._clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._waiting is not None and event.key() == Qt.Key.Key_Escape:
            self.cancel.click()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            (self.cancel if self.cancel.hasFocus() else self.accept).click()
        else:
            super().keyPressEvent(event)


def _lasting(widget: QWidget | None) -> QWidget | None:
    """Return a widget, or the list that it is an editor of: the editor is gone once what was typed is taken over."""
    around = None if widget is None else widget.parentWidget()
    around = None if around is None else around.parentWidget()
    return around if isinstance(around, QAbstractItemView) else widget


def _label(look: str, name: str) -> QLabel:
    label = QLabel()
    label.setProperty("look", look)
    label.setObjectName(name)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
