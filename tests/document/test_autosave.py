"""Recovery copies while the program lives: written soon after an edit, gone once the work is saved or closed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from full_disk import little_room
from pytestqt.qtbot import QtBot

from attnexplorer.document.autosave import Autosave
from attnexplorer.document.recovery import STATE_VARIABLE, abandoned_copies
from attnexplorer.document.storage import Storage, load_copy_of_example
from attnexplorer.experiment.fileformat import load

E = "embedding.E"
SOON = 20

Start = Callable[..., tuple[Storage, Autosave]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state" / "recovery"


@pytest.fixture
def start(qtbot: QtBot, folder: Path) -> Iterator[Start]:
    """Starts a document with autosave; all are stopped at the end."""
    started = []

    def start(delay: int = SOON) -> tuple[Storage, Autosave]:
        storage = Storage(load_copy_of_example("animal-street"))
        autosave = Autosave(storage, parent=storage, delay=delay)
        started.append((storage, autosave))
        return storage, autosave

    yield start
    for storage, autosave in started:
        autosave.stop()
        storage.close()


def copies(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.attn"))


def number_in(copy: Path) -> float:
    return float(load(copy).embedding.E[0, 0])


def test_an_edit_is_in_the_recovery_copy_soon_after(start: Start, folder: Path, qtbot: QtBot) -> None:
    storage, autosave = start()
    with qtbot.waitSignal(autosave.succeeded):
        storage.document.set_cell(E, 0, 0, 7.0)
    assert [number_in(copy) for copy in copies(folder)] == [7.0]


def test_the_copy_says_the_title_of_what_is_in_it(start: Start, folder: Path, qtbot: QtBot) -> None:
    storage, _ = start()
    storage.document.set_cell(E, 0, 0, 2.5)
    qtbot.waitUntil(lambda: len(copies(folder)) == 1)
    described = json.loads(copies(folder)[0].with_suffix(".json").read_bytes())
    assert described["title"] == storage.document.experiment.title != ""


def test_without_an_edit_nothing_is_written(start: Start, folder: Path, qtbot: QtBot) -> None:
    storage, autosave = start()
    storage.document.display.choose("heads_stage", "scores")
    autosave.save_now()
    qtbot.wait(3 * SOON)
    assert not folder.exists()


def test_later_edits_replace_the_copy(start: Start, folder: Path, qtbot: QtBot) -> None:
    storage, autosave = start()
    for number in (7.0, 8.0):
        with qtbot.waitSignal(autosave.succeeded):
            storage.document.set_cell(E, 0, 0, number)
    assert [number_in(copy) for copy in copies(folder)] == [8.0]


def test_saving_the_work_removes_the_copy(start: Start, folder: Path, qtbot: QtBot, tmp_path: Path) -> None:
    storage, autosave = start()
    with qtbot.waitSignal(autosave.succeeded):
        storage.document.set_cell(E, 0, 0, 7.0)
    storage.save_as(tmp_path / "a.attn")
    assert os.listdir(folder) == []


def test_undoing_everything_removes_the_copy(start: Start, folder: Path, qtbot: QtBot) -> None:
    storage, autosave = start()
    with qtbot.waitSignal(autosave.succeeded):
        storage.document.set_cell(E, 0, 0, 7.0)
    storage.document.undo_stack.undo()
    assert os.listdir(folder) == []


def test_a_save_before_the_copy_was_due_leaves_none(start: Start, folder: Path, qtbot: QtBot, tmp_path: Path) -> None:
    storage, _ = start()
    storage.document.set_cell(E, 0, 0, 7.0)
    storage.save_as(tmp_path / "a.attn")
    qtbot.wait(3 * SOON)
    assert not folder.exists()


def test_closing_removes_the_copy_and_leaving_keeps_it(start: Start, folder: Path) -> None:
    for keep in (True, False):
        storage, autosave = start(delay=60_000)
        storage.document.set_cell(E, 0, 0, 7.0)
        autosave.save_now()
        autosave.stop(keep=keep)
    assert len(copies(folder)) == 1
    (copy,) = abandoned_copies()
    copy.remove()
    assert os.listdir(folder) == []


def test_two_documents_have_copies_of_their_own_that_nobody_else_can_claim(start: Start, folder: Path) -> None:
    for number in (1.0, 2.0):
        storage, autosave = start(delay=60_000)
        storage.document.set_cell(E, 0, 0, number)
        autosave.save_now()
    assert sorted(map(number_in, copies(folder))) == [1.0, 2.0]
    assert abandoned_copies() == ()


def test_a_copy_that_cannot_be_written_is_said_once_until_one_can(start: Start, folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("a file is in the way")
    storage, autosave = start(delay=60_000)
    said: list[str] = []
    autosave.failed.connect(said.append)
    for number in (1.0, 2.0):
        storage.document.set_cell(E, 0, 0, number)
        autosave.save_now()
    assert len(said) == 1
    assert said[0].startswith("No recovery copy is kept")
    folder.unlink()
    storage.document.set_cell(E, 0, 0, 3.0)
    autosave.save_now()
    assert [number_in(copy) for copy in copies(folder)] == [3.0]


def test_a_full_disk_keeps_the_former_copy_whole(start: Start, folder: Path, qtbot: QtBot) -> None:
    storage, autosave = start(delay=60_000)
    storage.document.set_cell(E, 0, 0, 7.0)
    autosave.save_now()
    storage.document.set_cell(E, 0, 0, 8.0)
    with little_room(), qtbot.waitSignal(autosave.failed) as failed:
        autosave.save_now()
    assert "cannot be written" in failed.args[0] or "full" in failed.args[0]
    assert [number_in(copy) for copy in copies(folder)] == [7.0]
