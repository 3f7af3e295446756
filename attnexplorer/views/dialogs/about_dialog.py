"""What the program is, in which versions it runs, and under which licences its parts are."""

from __future__ import annotations

import platform

import numpy as np
from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from attnexplorer.assets import folder
from attnexplorer.views.dialogs.plain_buttons import without_pictures


class AboutDialog(QDialog):
    """Shows name, versions and licences."""

    def __init__(self, version: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Attention Explorer")
        self.resize(560, 480)
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addWidget(_name())
        column.addWidget(_versions(version))
        column.addWidget(_licences(), 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        without_pictures(self)


def _name() -> QLabel:
    label = QLabel("Attention Explorer")
    font = label.font()
    font.setPixelSize(font.pixelSize() * 3 // 2 if font.pixelSize() > 0 else 20)
    font.setBold(True)
    label.setFont(font)
    return label


def _versions(version: str) -> QLabel:
    parts = f"Python {platform.python_version()} · Qt {qVersion()} · NumPy {np.__version__}"
    label = QLabel(f"Version {version}\n{parts}\nIt uses no network and runs no code from files.")
    label.setObjectName("about_versions")
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _licences() -> QPlainTextEdit:
    view = QPlainTextEdit(licences())
    view.setReadOnly(True)
    view.setObjectName("about_licences")
    view.setAccessibleName("Licences")
    view.setToolTip("The licences of the program and of the typefaces that come with it")
    return view


def licences() -> str:
    """Return the licences of the program and of the typefaces that come with it."""
    parts = [
        "Attention Explorer is under the MIT licence.",
        "Qt for Python is under the LGPL 3, NumPy under the BSD licence, pyqtgraph under the MIT licence.",
    ]
    parts += [file.read_text(encoding="utf-8").strip() for file in sorted(folder("fonts").glob("*.txt"))]
    return "\n\n\n".join(parts)
