"""The order of Tab, and that asking for it changes nothing."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QHBoxLayout, QMainWindow, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from attnexplorer.app.focus_order import WindowParts
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_copy_of_example

BUTTONS = QDialogButtonBox.StandardButton


def delete(widget: QWidget) -> None:
    widget.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def test_a_widget_that_goes_takes_no_other_with_it_that_tab_came_to_after_it(qtbot: QtBot) -> None:
    window, part = QMainWindow(), QWidget()
    qtbot.addWidget(window)
    window.setCentralWidget(part)
    # A button box makes its buttons itself.
    row, first, box = QHBoxLayout(part), QPushButton("first"), QDialogButtonBox(BUTTONS.Ok | BUTTONS.Cancel)
    row.addWidget(first)
    row.addWidget(box)
    window.show()
    qtbot.waitExposed(window)
    parts = WindowParts(window, [part], [])
    made = [box.button(BUTTONS.Ok), box.button(BUTTONS.Cancel)]
    assert parts.stops() == [first, *made]
    delete(first)
    assert [isValid(it) for it in (window, part, first, *made)] == [True, True, False, True, True]
    assert parts.stops() == made


def test_menus_and_undo_outlive_the_cards_that_tab_went_through(windows: Windows, qtbot: QtBot) -> None:
    window = windows.show_new(load_copy_of_example("cross-attention"))
    window.document.recomputation.finish()
    assert window.parts.stops()
    window.storage.take(load_copy_of_example("animal-street"))
    window.document.recomputation.finish()
    assert window.parts.stops()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    window.document.set_cell("embedding.E", 0, 0, 7.0)
    assert isValid(window.undo_action)
    window.undo_action.trigger()
    assert window.document.experiment.embedding.E[0, 0] != 7.0
    for action in window.menuBar().actions():
        assert isValid(action.menu())
