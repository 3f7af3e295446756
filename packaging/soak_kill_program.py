"""The whole program for `soak_kill`, with somebody at the keys: ``edit FILE PIPE SEED`` or ``restore FILE``."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication
from soak_kill import PATH, WINDOW_SAVES, say

from attnexplorer.app import launch, windows
from attnexplorer.app.main_window import MainWindow
from attnexplorer.views.matrix_table import MatrixTable

Offer = windows.Windows.offer_recovery


def edit(pipe: int, seed: str) -> None:
    """Have numbers typed into a cell, and saved now and then, until somebody kills the program."""
    dice, count = random.Random(seed), 0

    def type_number(window: MainWindow) -> None:
        nonlocal count
        table = next(it for it in window.findChildren(MatrixTable) if it.path == PATH)
        table.setFocus()
        if QApplication.focusWidget() is not table:
            window.activateWindow()
            QTimer.singleShot(20, window, lambda: type_number(window))
            return
        count += 1
        table.setCurrentIndex(table.model().index(0, 0))
        for letter in f"{count}\r":
            QTest.keyClick(window.windowHandle(), ord(letter))
        if window.document.experiment.embedding.E[0, 0] == count:
            say(pipe, "edit", count)
            if dice.random() < WINDOW_SAVES:
                say(pipe, "saving", count)
                QTest.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
                say(pipe, "saved" if not window.storage.modified else "saving", count)
        QTimer.singleShot(dice.randrange(10, 60), window, lambda: type_number(window))

    def begin(self: windows.Windows, window: MainWindow) -> None:
        Offer(self, window)
        say(pipe, "saved", 0)
        QTimer.singleShot(0, window, lambda: type_number(window))

    windows.Windows.offer_recovery = begin  # type: ignore[method-assign]


def restore() -> None:
    """Say what is offered, have it restored, say what is in the cell then, and end."""

    def answer(self: windows.Windows, window: MainWindow) -> None:
        Offer(self, window)
        QTimer.singleShot(0, window, lambda: take(window))

    def take(window: MainWindow) -> None:
        offers = [text for text in window.messages.texts if "was not saved when the program last ended" in text]
        button = window.findChild(QAbstractButton, "message_choice_restore")
        if isinstance(button, QAbstractButton):
            QTest.mouseClick(button, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(4, 4))
        number = window.document.experiment.embedding.E[0, 0]
        error = " ".join(text for text in window.messages.texts if "cannot be read" in text)
        print(json.dumps({"offers": offers, "number": int(number), "error": error}), flush=True)
        window.may_close = lambda: True
        window.close()

    windows.Windows.offer_recovery = answer  # type: ignore[method-assign]


def main(arguments: list[str]) -> int:
    """Run the program on a file."""
    if arguments[0] == "edit":
        edit(int(arguments[2]), arguments[3])
    else:
        restore()
    return launch.open_window(str(Path(arguments[1])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
