"""What the program is, in which versions it runs, and under which licences its parts are."""

from __future__ import annotations

import platform

import numpy as np
from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from attnexplorer.views.dialogs.licence_texts import licence_texts
from attnexplorer.views.dialogs.plain_buttons import size_for_type, without_pictures
from attnexplorer.views.dialogs.still_text import StillText


class AboutDialog(QDialog):
    """Shows name, versions and licences."""

    def __init__(self, version: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Attention Explorer")
        self.resize(size_for_type(self, 760, 520))
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


def _licences() -> QWidget:
    texts = licence_texts()
    view = StillText()
    view.setReadOnly(True)
    view.setObjectName("about_licences")
    view.setAccessibleName("Licence")
    choice = QListWidget()
    choice.setObjectName("about_parts")
    choice.setAccessibleName("Parts of the program")
    choice.setToolTip("The program, and everything that it consists of, each with its licence")
    choice.addItems(list(texts))
    choice.currentTextChanged.connect(lambda name: view.setPlainText(texts[name]))
    choice.setCurrentRow(0)
    halves = QSplitter()
    halves.setChildrenCollapsible(False)
    for widget, share in ((choice, 2), (view, 5)):
        halves.addWidget(widget)
        halves.setStretchFactor(halves.indexOf(widget), share)
    halves.setSizes([2 * choice.sizeHintForColumn(0) // 3 + 60, 500])
    return halves
