"""What a window says about its file unasked: others who have it open, changes by other programs, folders that went."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from real_windows import click, program, trigger

from attnexplorer.app import file_dialogs
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.presence import Presence, presence_folder
from attnexplorer.document.recovery import STATE_VARIABLE
from attnexplorer.document.storage import load_copy_of_example, load_file
from attnexplorer.experiment.examples import example_path
from attnexplorer.experiment.fileformat import load

E = "embedding.E"
ROOT = Path(__file__).resolve().parent.parent.parent
OPEN_UNTIL_TOLD = """
import sys
from pathlib import Path
from attnexplorer.document.presence import Presence
presence = Presence(Path(sys.argv[1]))
print(len(presence.others()), flush=True)
sys.stdin.readline()
"""
CHANGED = "“lesson.attn” was changed by another program since it was read here."
GONE = "“lesson.attn” is no longer where it was, or its folder cannot be reached."


@pytest.fixture
def windows(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Windows]:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    with program() as windows:
        yield windows


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    folder = tmp_path / "lessons"
    folder.mkdir()
    return Path(shutil.copy(example_path("animal-street"), folder / "lesson.attn"))


def told(window: MainWindow, start: str) -> bool:
    return any(text.startswith(start) for text in window.messages.texts)


def test_two_windows_on_one_file_notice_each_other_until_one_closes(
    windows: Windows, lesson: Path, qtbot: QtBot
) -> None:
    first, second = windows.show_new(load_file(lesson)), windows.show_new(load_file(lesson))
    sentence = "“lesson.attn” is open in another window too."
    qtbot.waitUntil(lambda: told(first, sentence) and told(second, sentence))
    trigger(second, "file_close")
    qtbot.waitUntil(lambda: first.messages.texts == ())


def test_two_programs_on_one_file_notice_each_other_and_a_killed_one_counts_no_more(
    windows: Windows, lesson: Path, qtbot: QtBot
) -> None:
    window = windows.show_new(load_file(lesson))
    command = [sys.executable, "-c", OPEN_UNTIL_TOLD, str(lesson)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"1"
        qtbot.waitUntil(lambda: told(window, "“lesson.attn” is open in another program too."))
        other.kill()
    presence = Presence(lesson)
    assert presence.others() == (True,)
    presence.leave()
    qtbot.waitUntil(lambda: window.messages.texts == ())


def test_saving_under_another_name_leaves_the_former_file(
    windows: Windows, lesson: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = windows.show_new(load_file(lesson)), windows.show_new(load_file(lesson))
    qtbot.waitUntil(lambda: told(first, "“lesson.attn” is open"))
    monkeypatch.setattr(file_dialogs, "ask_for_file_to_save", lambda parent, path: lesson.with_name("mine.attn"))
    trigger(second, "file_save_as")
    qtbot.waitUntil(lambda: first.messages.texts == () and second.messages.texts == ())


def test_a_link_to_a_file_is_the_same_file(lesson: Path, windows: Windows) -> None:
    link = lesson.with_name("link.attn")
    try:
        link.symlink_to(lesson)
    except OSError:
        pytest.skip("links cannot be made here")
    first, second = Presence(lesson), Presence(link)
    assert first.others() == second.others() == (True,)
    second.leave()
    assert first.others() == ()
    first.leave()
    assert list(presence_folder().iterdir()) == []


def test_without_a_state_folder_a_file_opens_all_the_same(
    windows: Windows, lesson: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "file"))
    assert windows.show_new(load_file(lesson)).messages.texts == ()


def test_a_change_by_another_program_is_noticed_and_can_be_read(windows: Windows, lesson: Path, qtbot: QtBot) -> None:
    window = windows.show_new(load_file(lesson))
    lesson.write_text(lesson.read_text(encoding="utf-8").replace("0.9", "0.5", 1), encoding="utf-8")
    qtbot.waitUntil(lambda: window.messages.texts == (CHANGED,))
    click(window, "message_choice_read again")
    assert window.document.experiment.embedding.E[0, 0] == 0.5
    assert window.messages.texts == ()


def test_a_notice_that_was_closed_stays_away(windows: Windows, lesson: Path, qtbot: QtBot) -> None:
    window = windows.show_new(load_file(lesson))
    lesson.write_text("{}", encoding="utf-8")
    qtbot.waitUntil(lambda: window.messages.texts == (CHANGED,))
    click(window, "message_close")
    lesson.write_text("{ }", encoding="utf-8")
    qtbot.wait(500)
    assert window.messages.texts == ()


def test_touching_a_file_without_changing_it_says_nothing(windows: Windows, lesson: Path, qtbot: QtBot) -> None:
    window = windows.show_new(load_file(lesson))
    os.utime(lesson, (1, 1))
    qtbot.wait(500)
    assert window.messages.texts == ()


def test_the_own_saving_says_nothing(windows: Windows, lesson: Path, qtbot: QtBot) -> None:
    window = windows.show_new(load_file(lesson))
    for value in (7.0, 8.0):
        window.document.set_cell(E, 0, 0, value)
        trigger(window, "file_save")
        qtbot.wait(300)
    assert window.messages.texts == ()


def test_a_folder_that_went_is_noticed_refused_in_a_sentence_and_taken_back_when_it_returns(
    windows: Windows, lesson: Path, qtbot: QtBot
) -> None:
    window = windows.show_new(load_file(lesson))
    window.document.set_cell(E, 0, 0, 7.0)
    away = lesson.parent.with_name("away")
    lesson.parent.rename(away)
    # A network that is gone tells nobody; the user, who comes back to the window, finds out.
    QApplication.sendEvent(window, QEvent(QEvent.Type.WindowActivate))
    qtbot.waitUntil(lambda: GONE in window.messages.texts)
    trigger(window, "file_save")
    assert "lesson.attn: not saved: the folder does not exist." in window.messages.texts
    assert window.storage.modified
    away.rename(lesson.parent)
    trigger(window, "file_save")
    assert window.messages.texts == ()
    assert load(lesson).embedding.E[0, 0] == 7.0


@contextlib.contextmanager
def as_nobody() -> Iterator[None]:
    """Act as a user to whom things are forbidden: to the superuser nothing is."""
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(65534)
    try:
        yield
    finally:
        if superuser:
            os.seteuid(0)


def test_a_folder_that_cannot_be_written_is_refused_in_a_sentence(windows: Windows, lesson: Path) -> None:
    window = windows.show_new(load_file(lesson))
    window.document.set_cell(E, 0, 0, 7.0)
    lesson.parent.chmod(0o500)
    with as_nobody():
        trigger(window, "file_save")
    lesson.parent.chmod(0o700)
    assert window.messages.texts == ("lesson.attn: not saved: there is no permission to write here.",)
    assert window.storage.modified


def test_an_untitled_experiment_has_no_file_to_speak_of(windows: Windows) -> None:
    assert windows.show_new(load_copy_of_example("tired")).messages.texts == ()
    assert not presence_folder().exists()
