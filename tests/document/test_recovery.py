"""Recovery copies after the program ended badly: found, described, claimed by one program at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from attnexplorer.document.recovery import STATE_VARIABLE, Origin, RecoveryCopy, abandoned_copies, state_folder
from attnexplorer.document.storage import Fingerprint, Storage, load_file
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.saving import save

ROOT = Path(__file__).resolve().parent.parent.parent

DEEP = b"[" * 100_000

CHILD = """
import sys, time
sys.path.insert(0, sys.argv[1])
from PySide6.QtCore import QCoreApplication
from attnexplorer.document.autosave import Autosave
from attnexplorer.document.storage import Storage, load_file
application = QCoreApplication([])
storage = Storage(load_file(sys.argv[2]))
autosave = Autosave(storage, delay=1)
storage.document.set_cell("embedding.E", 0, 0, 7.0)
autosave.succeeded.connect(lambda: print("written", flush=True))
application.exec()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state" / "recovery"


def written_copy(path: Path | None = None, minute: int = 0) -> RecoveryCopy:
    copy = RecoveryCopy()
    assert copy.claim()
    copy.write(load_example("tired"), Origin(path, Fingerprint(1, 2, "3"), datetime(2024, 5, 6, 12, minute)))
    return copy


def test_without_the_variable_the_users_state_folder_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STATE_VARIABLE)
    assert state_folder().name == "attnexplorer"


def test_nothing_is_found_where_nothing_was_left(folder: Path) -> None:
    assert abandoned_copies() == ()
    assert not folder.exists()


def test_work_of_a_killed_program_comes_back_as_unsaved_work_on_its_file(qtbot: QtBot, tmp_path: Path) -> None:
    lesson = tmp_path / "lesson.attn"
    save(load_example("animal-street"), lesson)
    command = [sys.executable, "-c", CHILD, str(ROOT), str(lesson)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "written\n"
        assert abandoned_copies() == ()
        child.send_signal(signal.SIGKILL)
    (copy,) = abandoned_copies()
    assert copy.origin().name == "lesson.attn"
    storage = Storage(copy.load())
    assert (storage.path, storage.modified, storage.changed_on_disk()) == (lesson, True, False)
    assert storage.document.experiment.embedding.E[0, 0] == 7.0
    assert load_file(lesson).experiment.embedding.E[0, 0] != 7.0
    copy.remove()
    assert abandoned_copies() == ()


def test_a_file_that_was_changed_since_is_noticed_after_a_restore(qtbot: QtBot, tmp_path: Path) -> None:
    save(load_example("animal-street"), tmp_path / "lesson.attn")
    storage = Storage(written_copy(tmp_path / "lesson.attn").load())
    assert storage.changed_on_disk()


def test_released_copies_are_offered_the_latest_first_to_one_program_only() -> None:
    for minute in (1, 3, 2):
        written_copy(Path(f"/lessons/{minute}.attn"), minute).release()
    found = abandoned_copies()
    assert [copy.origin().name for copy in found] == ["3.attn", "2.attn", "1.attn"]
    assert abandoned_copies() == ()
    for copy in found:
        copy.release()
    assert len(abandoned_copies()) == 3


def test_what_a_copy_says_of_itself_survives_odd_names() -> None:
    path = Path(os.fsdecode(b"/lessons/\xff \xe2\x80\x9c.attn"))
    copy = written_copy(path)
    assert copy.origin() == Origin(path, Fingerprint(1, 2, "3"), datetime(2024, 5, 6, 12, 0))


@pytest.mark.parametrize(
    "description", [b"", b"[]", b"{}", b"null", b'{"path": 1, "known_state": [], "saved_at": 5}', DEEP]
)
def test_a_copy_with_a_damaged_description_is_still_offered(description: bytes) -> None:
    copy = written_copy(Path("/lessons/a.attn"))
    copy.file.with_suffix(".json").write_bytes(description)
    assert copy.origin().name == "Untitled"
    assert copy.load().experiment.title == load_example("tired").title


def test_a_broken_copy_is_refused_in_a_sentence_and_can_be_removed(folder: Path) -> None:
    copy = written_copy()
    copy.file.write_bytes(b"{")
    with pytest.raises(FileError):
        copy.load()
    copy.remove()
    assert os.listdir(folder) == []


def test_the_lock_of_a_program_that_died_before_its_first_copy_is_tidied_away(folder: Path) -> None:
    program = "from attnexplorer.document.recovery import RecoveryCopy; copy = RecoveryCopy('0123')"
    command = [sys.executable, "-c", f"{program}; print(copy.claim(), flush=True); input()"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "True\n"
        child.send_signal(signal.SIGKILL)
    assert os.listdir(folder) == ["0123.lock"]
    assert abandoned_copies() == ()
    assert os.listdir(folder) == []


def test_a_copy_that_is_not_claimed_is_not_written(folder: Path) -> None:
    with pytest.raises(FileError, match="cannot be written"):
        RecoveryCopy().write(load_example("tired"), Origin(None, None, datetime(2024, 5, 6)))


def test_no_copy_is_written_whose_file_nobody_would_know(folder: Path) -> None:
    copy = RecoveryCopy()
    assert copy.claim()
    copy.file.with_suffix(".json").mkdir()
    with pytest.raises(FileError):
        copy.write(load_example("tired"), Origin(None, None, datetime(2026, 1, 1)))
    assert not copy.file.exists()
    copy.file.with_suffix(".json").rmdir()
    copy.remove()


def test_what_a_killed_program_left_half_written_goes_with_its_copy(folder: Path) -> None:
    copy = RecoveryCopy()
    assert copy.claim()
    copy.write(load_example("tired"), Origin(None, None, datetime(2026, 1, 1)))
    copy.file.with_name(f".{copy.file.name}.0123456789ab.tmp").write_bytes(b"{")
    copy.remove()
    assert list(copy.file.parent.iterdir()) == []
