"""Selected text of several lines is selected anew by a drag, not dragged away."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete, isValid

import attnexplorer
from attnexplorer.views.dialogs.still_text import StillText

TEXT = "some words to be selected and not to be dragged"
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def field(qtbot: QtBot) -> Iterator[StillText]:
    """A field in a window, all of its text selected."""
    window = QWidget()
    qtbot.addWidget(window)
    made = StillText(TEXT, window)
    window.resize(500, 120)
    made.resize(500, 120)
    with qtbot.waitExposed(window):
        window.show()
    made.selectAll()
    yield made
    window.close()


def press_and_move(field: StillText) -> None:
    """Press on the selected text and move, by events as the system sends them."""
    handle, start = field.window().windowHandle(), QPoint(40, 14)
    QTest.mousePress(handle, LEFT, NONE, start)
    for step in range(1, 6):
        QTest.mouseMove(handle, start + QPoint(14 * step, 1))


def test_a_drag_over_selected_text_selects_anew(field: StillText) -> None:
    press_and_move(field)
    selected = field.textCursor().selectedText()
    QTest.mouseRelease(field.window().windowHandle(), LEFT, NONE, QPoint(110, 15))
    assert 0 < len(selected) < len(field.toPlainText())
    assert field.toPlainText() == TEXT


def test_shift_extends_the_selection(field: StillText) -> None:
    field.moveCursor(field.textCursor().MoveOperation.Start)
    place = field.cursorRect().center() + QPoint(60, 0)
    QTest.mouseClick(field.viewport(), LEFT, Qt.KeyboardModifier.ShiftModifier, place)
    assert field.textCursor().selectedText()


def test_it_may_be_gone_while_the_pointer_moves_over_it(qtbot: QtBot, field: StillText) -> None:
    window = field.window()
    QTimer.singleShot(0, window, lambda: delete(field))
    press_and_move(field)
    qtbot.waitUntil(lambda: not isValid(field))
    QTest.mouseRelease(window.windowHandle(), LEFT, NONE, QPoint(110, 15))
    assert window.isVisible()


def test_no_other_field_of_several_lines_is_made() -> None:
    made = []
    for file in Path(attnexplorer.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Name) and called.id in ("QPlainTextEdit", "QTextEdit", "QTextBrowser"):
                made.append(f"{file.name}:{called.lineno}")
    assert made == []
