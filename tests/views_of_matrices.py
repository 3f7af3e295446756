"""Real tables and Pipelines on small experiments, for the tests of views."""

from __future__ import annotations

from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.complaint import Complaint
from attnexplorer.views.matrix_card import MatrixCard
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.pipeline import PipelineWorkspace
from attnexplorer.views.table_context import TableContext


class OpenPipeline(NamedTuple):
    """A shown Pipeline and what it stands on."""

    document: Document
    appearance: Appearance
    workspace: PipelineWorkspace

    def card(self, key: str) -> MatrixCard:
        return self.workspace.canvas.cards[key]

    def table(self, key: str) -> MatrixTable:
        return self.card(key).table

    def settle(self) -> None:
        """Have everything that was asked for evaluated and shown, what is out of sight included."""
        self.document.recomputation.finish()
        QApplication.processEvents()
        canvas, direct = self.workspace.canvas, Qt.FindChildOption.FindDirectChildrenOnly
        while any(timer.isActive() for timer in canvas.findChildren(QTimer, options=direct)):
            QTest.qWait(5)
        self.document.recomputation.finish()


def open_pipeline(qtbot: Any, experiment: Experiment, width: int = 1000, height: int = 900) -> OpenPipeline:
    """Show a Pipeline in a window that has the focus."""
    document, appearance = Document(experiment), Appearance()
    appearance.choose_theme("light")
    workspace = PipelineWorkspace(TableContext(document, appearance, Lights(document)))
    qtbot.addWidget(workspace, before_close_func=lambda _widget: document.close())
    workspace.resize(width, height)
    with qtbot.waitExposed(workspace):
        workspace.show()
    workspace.activateWindow()
    qtbot.waitUntil(workspace.isActiveWindow)
    shown = OpenPipeline(document, appearance, workspace)
    shown.settle()
    return shown


def cell_centre(table: MatrixTable, row: int, column: int) -> QPoint:
    """Return the middle of a cell, in the viewport."""
    return table.visualRect(table.model().index(row, column)).center()


def click_cell(
    table: MatrixTable,
    row: int,
    column: int,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    """Click a cell with the left button."""
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, modifiers, cell_centre(table, row, column))
    QApplication.processEvents()


def move_pointer(table: MatrixTable, at: QPoint) -> None:
    """Move the pointer over a table. Directly: the real pointer, which is elsewhere, may make Qt take it back."""
    view, button, position = table.viewport(), Qt.MouseButton.NoButton, at.toPointF()
    plain = Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(QEvent.Type.MouseMove, position, view.mapToGlobal(position), button, button, plain)
    QApplication.sendEvent(view, event)


def type_text(text: str) -> None:
    """Type into whatever has the focus."""
    for character in text:
        if character.isascii():
            QTest.keyClicks(focused(), character)
        else:  # QTest knows no key for it
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                QApplication.sendEvent(focused(), QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, character))


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key in whatever has the focus."""
    QTest.keyClick(focused(), key, modifiers)
    QApplication.processEvents()


def focused() -> QWidget:
    """Return what has the focus."""
    widget = QApplication.focusWidget()
    assert widget is not None, "nothing has the focus"
    return widget


def editor_of(table: MatrixTable) -> QLineEdit | None:
    """Return the open editor of a table."""
    found = [line for line in table.viewport().findChildren(QLineEdit) if line.isVisible()]
    return found[0] if found else None


def complaint_of(widget: QWidget) -> str:
    """Return the sentence that is shown because an edit was refused, or nothing."""
    label = widget.window().findChild(Complaint)
    return label.text() if label is not None and label.isVisible() else ""


def current_cell(table: MatrixTable) -> tuple[int, int]:
    """Return the current cell."""
    return table.currentIndex().row(), table.currentIndex().column()


def turn_wheel(
    table: MatrixTable,
    row: int,
    column: int,
    notches: int,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    """Turn the wheel with the pointer on a cell, one event a notch."""
    window = table.window()
    at = table.viewport().mapTo(window, cell_centre(table, row, column))
    for _ in range(abs(notches)):
        turned = QPoint(0, 120 if notches > 0 else -120)
        QTest.wheelEvent(window.windowHandle(), at, turned, stateKey=modifiers)
        QApplication.processEvents()
