"""Real windows for tests: opened as the program opens them, and real clicks on their menus and questions."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TypeVar

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QMenu, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from attnexplorer.app.launch import make_windows
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_copy_of_example

W = TypeVar("W", bound=QWidget)
Answer = Callable[[QDialog], None]
_MOST_WAITS = 500


@contextlib.contextmanager
def program() -> Iterator[Windows]:
    """The program without a window yet; at the end its windows close and nothing is asked."""
    windows = make_windows()
    try:
        yield windows
    finally:
        for window in windows.open:
            window.may_close = lambda: True
            window.close()
        for capture in windows.captures:
            capture.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def in_front(windows: Windows, example: str, qtbot: QtBot) -> MainWindow:
    """Open an example in a window of the usual size that has the keyboard."""
    window = windows.show_new(load_copy_of_example(example))
    window.resize(1440, 900)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def trigger(window: MainWindow, name: str) -> None:
    """Choose an entry of a window's menus."""
    entry = action(window, name)
    assert entry.isEnabled(), f"{name} is not enabled"
    entry.trigger()


def action(window: MainWindow, name: str) -> QAction:
    """Return an entry of a window's menus."""
    found = window.findChild(QAction, name)
    assert isinstance(found, QAction), f"there is no action {name}"
    return found


def opened_menu(window: MainWindow, name: str) -> QMenu:
    """Return a submenu, filled as it is when it opens."""
    menu = child(window, QMenu, name)
    menu.aboutToShow.emit()
    return menu


def child(parent: QWidget, kind: type[W], name: str) -> W:
    """Return a widget that must be there."""
    found = parent.findChild(kind, name)
    assert isinstance(found, kind), f"there is no {kind.__name__} {name}"
    return found


def label_text(parent: QWidget, name: str) -> str:
    """Return the text of a label."""
    return child(parent, QLabel, name).text()


def click(parent: QWidget, name: str) -> None:
    """Click a button with the mouse."""
    QTest.mouseClick(child(parent, QAbstractButton, name), Qt.MouseButton.LeftButton)


def button(text: str) -> Answer:
    """Return an answer that clicks a dialog's button with this text."""

    def answer(dialog: QDialog) -> None:
        found = [it for it in dialog.findChildren(QAbstractButton) if it.text().replace("&", "") == text]
        assert found, f"no button {text} in {dialog}"
        QTest.mouseClick(found[0], Qt.MouseButton.LeftButton)

    return answer


@contextlib.contextmanager
def answering(*answers: Answer) -> Iterator[list[str]]:
    """Answer the next modal dialogs in turn; gives what they asked. There must be exactly as many as answers."""
    asked: list[str] = []
    waiting = list(answers)
    timer = QTimer()

    def on_timeout() -> None:
        dialog = QApplication.activeModalWidget()
        if not isinstance(dialog, QDialog) or not dialog.isVisible():
            return
        asked.append(dialog.text() if isinstance(dialog, QMessageBox) else dialog.windowTitle())
        if waiting:
            waiting.pop(0)(dialog)
        else:
            dialog.reject()

    timer.timeout.connect(on_timeout)
    timer.start(10)
    yield asked
    # A dialog that lets the program go on comes a moment after what opens it.
    for _ in range(_MOST_WAITS):
        if len(asked) >= len(answers):
            break
        QTest.qWait(10)
    timer.stop()
    assert len(asked) == len(answers), f"asked was: {asked}"
