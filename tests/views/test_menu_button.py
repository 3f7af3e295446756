"""A button with a menu: opened by a click, and highlighted only while the pointer is on it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget
from pytestqt.qtbot import QtBot

from attnexplorer.views.menu_button import MenuButton


def test_a_button_is_not_highlighted_once_its_menu_closed_and_the_pointer_is_elsewhere(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(300, 200)
    menu = QMenu(window)
    chosen = menu.addAction("First")
    button = MenuButton("Edit heads", menu, window)
    window.show()
    qtbot.waitExposed(window)
    assert button.text() == "Edit heads ▾" and button.accessibleName() == "Edit heads"
    QCursor.setPos(button.mapToGlobal(button.rect().center()))
    qtbot.waitUntil(button.underMouse)
    seen: list[bool] = []

    def leave() -> None:
        seen.append(menu.isVisible())
        QCursor.setPos(window.mapToGlobal(QPoint(280, 180)))
        QTest.qWait(50)
        QTest.keyClick(menu, Qt.Key.Key_Down)
        QTest.keyClick(menu, Qt.Key.Key_Return)

    timer = QTimer(window)
    timer.setSingleShot(True)
    timer.timeout.connect(leave)
    menu.aboutToShow.connect(lambda: timer.start(50))
    with qtbot.waitSignal(chosen.triggered):
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert seen == [True]
    qtbot.waitUntil(lambda: not button.underMouse())
