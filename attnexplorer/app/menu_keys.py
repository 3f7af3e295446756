"""Keys of the menus that fields with text would keep to themselves: on X11 Ctrl + E goes to the end of the line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

_FIELDS = QLineEdit | QAbstractSpinBox | QComboBox | QPlainTextEdit | QTextEdit
_KEYS = ((Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier),)


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
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        if (event.key(), event.modifiers()) not in _KEYS:
            return False
        event.ignore()
        return True
