"""Files that take long to make: written in a thread, with progress, and stopped at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QProgressBar
from pytestqt.qtbot import QtBot
from real_windows import action, child, click, trigger

from attnexplorer.app import transfer_dialogs
from attnexplorer.app.background_export import BackgroundExport
from attnexplorer.app.transfer_actions import TransferActions
from attnexplorer.app.windows import Windows
from attnexplorer.compute.progress import Step
from attnexplorer.document.storage import Loaded, load_copy_of_example
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.errors import ExperimentError


@pytest.fixture
def owner(qtbot: QtBot) -> Iterator[QObject]:
    owner = QObject()
    yield owner
    owner.deleteLater()


class Gate:
    """Contents that wait in the thread until they are let through, and tell that they are waiting."""

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()
        self.thread = 0

    def __call__(self, step: Step) -> bytes:
        self.thread = threading.get_ident()
        step(1, 3)
        self.reached.set()
        self.open.wait(60)
        step(2, 3)
        return b"made"


def test_the_file_is_made_in_a_thread_that_tells_how_far_it_is(owner: QObject, qtbot: QtBot, tmp_path: Path) -> None:
    export, gate, steps = BackgroundExport(owner), Gate(), []
    export.progressed.connect(lambda done, total: steps.append((done, total)))
    export.start(gate, tmp_path / "a.bin")
    qtbot.waitUntil(lambda: steps == [(1, 3)])
    assert export.running
    assert not (tmp_path / "a.bin").exists()
    with qtbot.waitSignal(export.written) as written:
        gate.open.set()
    assert written.args == [tmp_path / "a.bin"]
    assert (tmp_path / "a.bin").read_bytes() == b"made"
    assert gate.thread != threading.get_ident()
    assert steps[:2] == [(1, 3), (2, 3)]
    assert not export.running


def test_a_stopped_export_writes_nothing_and_says_nothing(owner: QObject, qtbot: QtBot, tmp_path: Path) -> None:
    export, gate, said = BackgroundExport(owner), Gate(), []
    for signal in (export.written, export.failed):
        signal.connect(said.append)
    export.start(gate, tmp_path / "a.bin")
    gate.reached.wait(60)
    export.stop()
    assert not export.running
    gate.open.set()
    export.finish()
    qtbot.wait(10)
    assert said == []
    assert list(tmp_path.iterdir()) == []


def test_the_next_export_begins_after_one_that_was_stopped(owner: QObject, qtbot: QtBot, tmp_path: Path) -> None:
    export, first, second = BackgroundExport(owner), Gate(), Gate()
    export.start(first, tmp_path / "first.bin")
    first.reached.wait(60)
    export.stop()
    second.open.set()
    with qtbot.waitSignal(export.written) as written:
        export.start(second, tmp_path / "second.bin")
        first.open.set()
    assert written.args == [tmp_path / "second.bin"]
    assert [file.name for file in tmp_path.iterdir()] == ["second.bin"]


def test_what_cannot_be_made_is_said(owner: QObject, qtbot: QtBot, tmp_path: Path) -> None:
    def refused(step: Step) -> bytes:
        raise ExperimentError("", "there is no such stage")

    def too_large(step: Step) -> bytes:
        raise MemoryError

    export = BackgroundExport(owner)
    for contents, sentence in (
        (refused, "there is no such stage"),
        (too_large, "a.bin: not saved: there is not enough memory for it"),
    ):
        with qtbot.waitSignal(export.failed) as failed:
            export.start(contents, tmp_path / "a.bin")
        assert failed.args == [sentence]
    assert list(tmp_path.iterdir()) == []


def test_an_unexpected_error_is_reported_and_does_not_keep_the_window_waiting(
    owner: QObject, qtbot: QtBot, tmp_path: Path
) -> None:
    def broken(step: Step) -> bytes:
        raise ZeroDivisionError("never")

    export = BackgroundExport(owner)
    with qtbot.captureExceptions() as errors, qtbot.waitSignal(export.failed):
        export.start(broken, tmp_path / "a.bin")
    assert [error[0] for error in errors] == [ZeroDivisionError]
    assert not export.running


def test_while_a_file_is_written_the_window_shows_how_far_it_is_and_can_stop_it(
    windows: Windows, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = windows.show_new(load_copy_of_example("animal-street"))
    actions, gate, file = window.findChild(TransferActions), Gate(), tmp_path / "all.npz"
    assert isinstance(actions, TransferActions)
    monkeypatch.setattr(transfer_dialogs, "ask_for_file_to_write", lambda parent, title, suggestion, kinds: file)
    actions.export_experiment("Export all stages", "NumPy archive", ".npz", lambda experiment, step: gate(step))
    assert window.messages.texts == ("Writing all.npz …",)
    bar = child(window, QProgressBar, "message_progress")
    qtbot.waitUntil(lambda: bar.isVisible() and (bar.value(), bar.maximum()) == (1, 3))
    assert not action(window, "export_safetensors").isEnabled()
    click(window, "message_choice_stop")
    assert window.messages.texts == ()
    assert action(window, "export_safetensors").isEnabled()
    gate.open.set()
    actions.exporting.finish()
    assert list(tmp_path.iterdir()) == []


def test_all_stages_of_a_larger_experiment_are_written_in_the_background(
    windows: Windows, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = new_experiment([f"w{index}" for index in range(128)], 64, 8, 32, 8, 0)
    window, file = windows.show_new(Loaded(experiment)), tmp_path / "all.npz"
    monkeypatch.setattr(transfer_dialogs, "ask_for_file_to_write", lambda parent, title, suggestion, kinds: file)
    trigger(window, "export_npz")
    assert not file.exists()
    qtbot.waitUntil(lambda: window.messages.texts == (f"Written: {file}.",), timeout=60_000)
    with np.load(file, allow_pickle=False) as archive:
        assert archive["layers.0.weights"].shape == (8, 128, 128)


def test_closing_the_window_stops_the_export(
    windows: Windows, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = windows.show_new(load_copy_of_example("animal-street"))
    actions, gate, file = window.findChild(TransferActions), Gate(), tmp_path / "all.npz"
    assert isinstance(actions, TransferActions)
    monkeypatch.setattr(transfer_dialogs, "ask_for_file_to_write", lambda parent, title, suggestion, kinds: file)
    actions.export_experiment("Export all stages", "NumPy archive", ".npz", lambda experiment, step: gate(step))
    gate.reached.wait(60)
    window.close()
    gate.open.set()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert windows.open == ()
    assert list(tmp_path.iterdir()) == []
