"""The window on captured weights by keys alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from keys import CONTROL, Key, focused, go_to_name, leave, press
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from attnexplorer.app.capture_window import CaptureWindow
from attnexplorer.app.launch import make_windows
from attnexplorer.interop.capture import capture
from attnexplorer.views.matrix_table import MatrixTable

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 5, 4))


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[CaptureWindow]:
    window = make_windows().show_capture(capture(WEIGHTS, ["the", "cat", "sat", "."], title="model"))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.waitUntil(lambda: bool(window.heads.canvas.order))
    qtbot.wait(200)
    yield window
    window.close()


def test_tab_comes_to_every_control_and_round_again(shown: CaptureWindow) -> None:
    start = go_to_name("layer_chooser")
    visited = [start]
    leave()
    while focused() is not start:
        assert focused() not in visited
        visited.append(focused())
        leave()
    takes = [it for it in shown.findChildren(QWidget) if it.focusPolicy() & Qt.FocusPolicy.TabFocus and it.isVisible()]
    assert [it for it in takes if it.isEnabled() and it.focusProxy() is None and it not in visited] == []


def test_layer_head_and_cell_are_chosen_and_the_parts_gone_through(shown: CaptureWindow, qtbot: QtBot) -> None:
    go_to_name("layer_chooser")
    press(Key.Key_Up)
    assert shown.document.display["layer"] == 1
    press(Key.Key_F6)
    assert shown.heads.isAncestorOf(focused())
    go_to_name("head-grid")
    press(Key.Key_Right)
    assert shown.document.display["head"] == 1
    qtbot.wait(100)
    leave()
    table = focused()
    assert isinstance(table, MatrixTable)
    press(Key.Key_Down)
    assert shown.document.cursor.selected is not None
    press(Key.Key_F6, modifiers=CONTROL)
    assert not shown.heads.isAncestorOf(focused())
