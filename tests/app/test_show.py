"""`ax.show` and the window on a capture: real windows, a real script."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

import attnexplorer as ax
from attnexplorer.app import capture_window, transfer_dialogs
from attnexplorer.app.capture_window import CaptureWindow
from attnexplorer.app.launch import make_windows
from attnexplorer.app.show import runs_qt_loop
from attnexplorer.experiment.captured import REFUSAL
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.interop.capture import capture, read_capture
from attnexplorer.interop.matrix_text import TextFormat
from attnexplorer.views.copying import text_of
from attnexplorer.views.transfers import Transfers

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(4), size=(3, 5, 4))
TOKENS = ["the", "Ġcat", "sat", "."]


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[CaptureWindow]:
    window = make_windows().show_capture(capture(WEIGHTS, TOKENS, title="model"))
    qtbot.waitUntil(lambda: bool(window.heads.canvas.order))
    yield window
    window.close()


def test_the_heads_of_a_layer_are_shown_with_their_tokens(shown: CaptureWindow, qtbot: QtBot) -> None:
    canvas = shown.heads.canvas
    assert [tile.title for tile in canvas.grid.grid.tiles] == ["1", "2", "3", "4", "5"]
    assert canvas.map is not None
    assert np.array_equal(canvas.map.table.content.picture.values, WEIGHTS[0, 0])
    assert canvas.map.table.content.columns.texts == tuple(TOKENS)
    shown.document.display.choose("layer", 2)
    shown.document.display.choose("head", 3)
    qtbot.waitUntil(lambda: np.array_equal(canvas.map.table.content.picture.values, WEIGHTS[2, 3]))


def test_only_what_was_captured_is_there(shown: CaptureWindow) -> None:
    heads = shown.heads
    assert not heads.tools.stage.isVisible()
    assert not heads.tools.edit.isVisible()
    assert not heads.canvas.output.isVisible()
    assert not heads.canvas.sharing.isVisible()
    assert heads.canvas.flow.isVisible()
    assert not any(button.isVisible() for button in shown.findChildren(QToolButton) if "undo" in button.objectName())


def test_every_edit_is_refused_in_a_sentence_and_nothing_changes(shown: CaptureWindow, qtbot: QtBot) -> None:
    document, before = shown.document, shown.document.experiment
    with pytest.raises(ExperimentError, match=REFUSAL):
        document.set_cell("layers.0.weights.0", 0, 0, 1.0)
    with pytest.raises(ExperimentError, match=REFUSAL):
        document.set_value("layers.0.attention.muted_heads", (1,), "Mute")
    assert shown.heads.canvas.map is not None
    assert not shown.heads.canvas.map.table.editable
    shown.heads.canvas.grid.setFocus()
    qtbot.keyClick(shown.heads.canvas.grid, Qt.Key.Key_M)
    assert document.experiment is before
    assert not document.modified


def test_a_capture_is_saved_as_it_is(shown: CaptureWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(transfer_dialogs, "ask_for_file_to_write", lambda *arguments: tmp_path / "mine.npz")
    shown.save_as()
    assert np.array_equal(read_capture(tmp_path / "mine.npz").attention, WEIGHTS)
    monkeypatch.setattr(transfer_dialogs, "ask_for_file_to_write", lambda *arguments: tmp_path / "no" / "mine.npz")
    shown.save_as()
    assert shown.messages.texts == ("mine.npz: not saved: the folder does not exist.",)


def test_the_weights_of_one_head_are_exported_and_copied(
    shown: CaptureWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, qtbot: QtBot
) -> None:
    monkeypatch.setattr(transfer_dialogs, "ask_for_file_to_write", lambda *arguments: tmp_path / "head.npy")
    Transfers.of(shown.document).export_requested.emit("layers.0.weights.0")
    assert np.array_equal(np.load(tmp_path / "head.npy", allow_pickle=False), WEIGHTS[0, 0])
    assert shown.heads.canvas.map is not None
    rows = text_of(shown.heads.canvas.map.table, TextFormat.TSV).split("\n")
    assert [[float(cell) for cell in row.split("\t")] for row in rows] == WEIGHTS[0, 0].tolist()


@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (3, 7), (64, 64)])
def test_windows_of_all_sizes_open(qtbot: QtBot, queries: int, keys: int) -> None:
    weights = np.full((2, 12, queries, keys), 1 / keys, dtype=np.float32)
    sources = None if keys == queries else [f"s{key}" for key in range(keys)]
    window = make_windows().show_capture(capture(weights, [f"t{query}" for query in range(queries)], sources))
    qtbot.waitUntil(lambda: len(window.heads.canvas.order) == 12)
    window.close()


def test_show_blocks_in_a_script_until_the_window_is_closed(tmp_path: Path) -> None:
    script = """
import numpy as np
import attnexplorer as ax
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from attnexplorer.app.launch import make_application

application = make_application()
seen = []
def close():
    seen.append([window.windowTitle() for window in QApplication.topLevelWidgets() if window.isVisible()])
    QApplication.closeAllWindows()
QTimer.singleShot(300, close)
ax.show(np.full((1, 2, 2, 2), 0.5), ["a", "b"], title="mine")
assert seen == [["mine"]], seen
QTimer.singleShot(300, close)
ax.show([np.full((1, 2, 2, 3), 1 / 3)], ["a", "b"], ["x", "y", "z"])
assert len(seen) == 2
print("done")
"""
    file = tmp_path / "script.py"
    file.write_text(script, encoding="utf-8")
    root = str(Path(ax.__file__).resolve().parent.parent)
    command = [sys.executable, str(file)]
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


def test_show_returns_at_once_where_a_qt_loop_is_running(qtbot: QtBot) -> None:
    returned = []

    def call() -> None:
        ax.show(WEIGHTS, TOKENS)
        returned.append(len(capture_window.open_windows))

    QTimer.singleShot(0, call)
    qtbot.waitUntil(lambda: bool(returned))
    assert returned == [1]
    for window in tuple(capture_window.open_windows):
        window.close()
    QApplication.processEvents()


def test_what_does_not_go_together_is_refused_before_a_window_opens() -> None:
    with pytest.raises(ax.ExperimentError, match="there are 3 tokens, but the weights have 4 queries"):
        ax.show(WEIGHTS, TOKENS[:3])
    assert not capture_window.open_windows


@pytest.mark.parametrize(
    ("shell", "runs"),
    [
        (None, False),
        (SimpleNamespace(active_eventloop=None), False),
        (SimpleNamespace(active_eventloop="qt6"), True),
        (SimpleNamespace(active_eventloop="tk"), False),
        (SimpleNamespace(active_eventloop=None, kernel=SimpleNamespace(eventloop=len)), False),
    ],
)
def test_a_shell_says_whether_it_runs_qts_loop(shell: object, runs: bool) -> None:
    assert runs_qt_loop(shell) is runs
