"""Keys of the menus that fields with text would keep to themselves.

On X11 Ctrl + E goes to the end of the line. Undo and redo are the field's while something is being typed in it; what
was taken over from it, and all else, is the document's to undo.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from attnexplorer.views.whole_errors import with_whole_errors

_FIELDS = QLineEdit | QAbstractSpinBox | QComboBox | QPlainTextEdit | QTextEdit
_KEYS = ((Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier),)
_REDO = (Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
"""The other key for it, which not every desktop has."""
_SHORTCUT = QEvent.Type.ShortcutOverride


@with_whole_errors
class MenuKeys(QObject):
    """Has the field with the focus leave these keys to the menus."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus_changed)

    def _on_focus_changed(self, before: QWidget | None, now: QWidget | None) -> None:
        if isinstance(before, _FIELDS):
            before.removeEventFilter(self)
        if isinstance(now, _FIELDS):
            now.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.type() not in (_SHORTCUT, QEvent.Type.KeyPress):
            return False
        if _is_for_the_document(watched, event):
            # Where the document has nothing to undo, the key comes as a press: the field is not to take back the text
            # of what was made of it.
            event.ignore()
            return True
        if event.type() != _SHORTCUT or (event.key(), event.modifiers()) not in _KEYS:
            return False
        event.ignore()
        return True


def _is_for_the_document(field: QObject, event: QKeyEvent) -> bool:
    """Tell whether a key undoes or redoes, and the field has nothing of its own to undo or redo."""
    undoes, redoes = event.matches(QKeySequence.StandardKey.Undo), event.matches(QKeySequence.StandardKey.Redo)
    line = _line_of(field)
    if line is None or not (undoes or redoes or (event.key(), event.modifiers()) == _REDO):
        return False
    return not line.isModified() and (undoes or not line.isRedoAvailable())


def _line_of(field: QObject) -> QLineEdit | None:
    """Return where a field's text is; None for the editor of a cell, which is closed before anything is undone."""
    line = field.lineEdit() if isinstance(field, QAbstractSpinBox | QComboBox) else field
    if not isinstance(line, QLineEdit):
        return None
    viewport = line.parentWidget()
    in_a_table = viewport is not None and isinstance(viewport.parentWidget(), QAbstractItemView)
    return None if in_a_table else line
