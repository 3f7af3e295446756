"""Starting and ending the program as a process: displays, files, signals, failures."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from attnexplorer.app.crash import CrashReporter, log_file
from attnexplorer.app.display_check import why_no_window
from attnexplorer.app.windows import Windows
from attnexplorer.document.recovery import abandoned_copies
from attnexplorer.experiment.examples import example_path

ROOT = Path(__file__).resolve().parent.parent.parent
E = "embedding.E"
START = "import sys; from attnexplorer.app.launch import open_window; sys.exit(open_window({file!r}))"
EDIT_AND_WAIT = """
import sys
from PySide6.QtCore import QTimer
from attnexplorer.app import launch, windows
def offer_recovery(self, window):
    window.document.set_cell("embedding.E", 0, 0, 7.0)
    QTimer.singleShot(0, window, lambda: print("ready", flush=True))
windows.Windows.offer_recovery = offer_recovery
sys.exit(launch.open_window(None))
"""

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are X11's and Wayland's")


def run(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "QT_QPA_PLATFORM")}
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=ROOT, env=environment | variables, capture_output=True, encoding="utf-8", check=False
    )


@linux_only
def test_without_a_display_one_sentence_is_said_and_qt_is_not_started() -> None:
    done = run(START.format(file=None))
    assert done.returncode == 2
    assert done.stderr.startswith("attnexplorer: there is no display")
    assert done.stderr.count("\n") == 1


@linux_only
def test_a_display_that_does_not_answer_is_named() -> None:
    assert why_no_window({"DISPLAY": ":4711"}) == "the display :4711 does not answer"
    assert why_no_window({"QT_QPA_PLATFORM": "offscreen"}) is None


def test_a_bad_file_ends_the_start_with_one_sentence() -> None:
    program = "import sys; from attnexplorer.app.command_line import main; sys.exit(main(['missing.attn']))"
    done = run(program, QT_QPA_PLATFORM="offscreen")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "attnexplorer: missing.attn: there is no such file\n"


@pytest.mark.skipif(os.name == "nt", reason="the signals are Unix's")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_and_unsaved_work_is_offered_next_time(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setenv("ATTNEXPLORER_STATE", str(tmp_path))
    platform = QGuiApplication.platformName()
    command = [sys.executable, "-c", EDIT_AND_WAIT]
    environment = os.environ | {"QT_QPA_PLATFORM": platform}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, encoding="utf-8") as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.send_signal(number)
        _, said = child.communicate()
    assert (child.returncode, said) == (128 + number, "")
    (copy,) = abandoned_copies()
    assert copy.load().experiment.embedding.E[0, 0] == 7.0


def test_a_file_that_the_desktop_wants_opened_opens(windows: Windows, tmp_path: Path) -> None:
    window = windows.show_first_example()
    lesson = Path(shutil.copy(example_path("tired"), tmp_path / "lesson.attn"))
    windows.open_file(lesson)
    assert window.storage.path == lesson


def crash_dialogs() -> list[QMessageBox]:
    boxes = [it for it in QApplication.topLevelWidgets() if isinstance(it, QMessageBox)]
    return [box for box in boxes if box.objectName() == "crash_dialog"]


def test_a_failure_in_a_slot_is_written_down_shown_once_and_costs_no_work(
    windows: Windows, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ATTNEXPLORER_STATE", str(tmp_path))
    window = windows.show_first_example()
    window.document.set_cell(E, 0, 0, 7.0)
    reporter = CrashReporter(windows.save_recovery_copies)
    monkeypatch.setattr(sys, "excepthook", reporter.handle)

    def fail() -> None:
        raise LookupError("the cell is not there")

    for _ in range(3):
        QTimer.singleShot(0, fail)
    qtbot.waitUntil(lambda: bool(crash_dialogs()))
    qtbot.wait(50)
    (dialog,) = crash_dialogs()
    assert "LookupError: the cell is not there" in dialog.informativeText()
    assert str(tmp_path) in dialog.informativeText()
    assert log_file().read_text(encoding="utf-8").count("LookupError: the cell is not there") == 3
    assert len(list((tmp_path / "recovery").glob("*.attn"))) == 1
    assert capsys.readouterr().err.count("Traceback") == 3
    dialog.close()
    assert window.isVisible()
    assert window.document.experiment.embedding.E[0, 0] == 7.0


class BrokenOnce(QWidget):
    """A widget whose first painting fails half way."""

    def __init__(self) -> None:
        super().__init__()
        self.painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.painted += 1
        if self.painted == 1:
            raise ValueError("there is no such colour")
        painter.end()


def test_a_failure_while_painting_costs_one_picture_and_not_the_program(
    windows: Windows, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ATTNEXPLORER_STATE", str(tmp_path))
    windows.show_first_example()
    monkeypatch.setattr(sys, "excepthook", CrashReporter(windows.save_recovery_copies, windows).handle)
    widget = BrokenOnce()
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitUntil(lambda: bool(crash_dialogs()))
    (dialog,) = crash_dialogs()
    dialog.close()
    widget.update()
    qtbot.waitUntil(lambda: widget.painted > 1)
    assert "there is no such colour" in log_file().read_text(encoding="utf-8")
    widget.close()


def test_a_failure_that_cannot_be_written_down_is_still_shown(
    windows: Windows, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ATTNEXPLORER_STATE", str(tmp_path / "file"))
    windows.show_first_example()

    def refuse() -> None:
        raise OSError("no room")

    CrashReporter(refuse, windows).handle(ValueError, ValueError("broken"), None)
    qtbot.waitUntil(lambda: bool(crash_dialogs()))
    (dialog,) = crash_dialogs()
    assert "It could not be written down." in dialog.informativeText()
    assert "save it now" in dialog.informativeText()
    dialog.close()
