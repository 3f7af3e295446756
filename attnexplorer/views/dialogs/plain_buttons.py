"""Dialog buttons without pictures: the style's own are made for light windows only."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QPushButton


def without_pictures(dialog: QDialog) -> None:
    """Show the texts of a dialog's buttons alone; to be called once all buttons are there."""
    for button in dialog.findChildren(QPushButton):
        button.setIcon(QIcon())
