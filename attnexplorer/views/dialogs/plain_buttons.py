"""What dialogs share: buttons without pictures, as the style's own are made for light windows, and a size."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontInfo, QIcon
from PySide6.QtWidgets import QDialog, QPushButton

_USUAL = 13


def without_pictures(dialog: QDialog) -> None:
    """Show the texts of a dialog's buttons alone; to be called once all buttons are there."""
    for button in dialog.findChildren(QPushButton):
        button.setIcon(QIcon())


def size_for_type(dialog: QDialog, width: int, height: int) -> QSize:
    """Return a size that grows with type, given for the usual size of type, and that the screen has room for."""
    scale, most = QFontInfo(dialog.font()).pixelSize() / _USUAL, dialog.screen().availableGeometry().size() * 0.9
    return QSize(round(width * scale), round(height * scale)).boundedTo(most)
