"""Which file a document belongs to, and that nothing is lost on the way there and back."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from attnexplorer.document.storage import Loaded, Storage, load_copy_of_example, load_file
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.examples import example_path, load_example
from attnexplorer.experiment.fileformat import load

E = "embedding.E"


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    return Path(shutil.copy(example_path("animal-street"), tmp_path / "lesson.attn"))


@pytest.fixture
def storage(qtbot: QtBot, lesson: Path) -> Storage:
    return Storage(load_file(lesson))


def test_a_read_file_is_the_documents_own_and_unmodified(storage: Storage, lesson: Path) -> None:
    assert (storage.path, storage.name, storage.modified) == (lesson, "lesson.attn", False)
    assert identical(storage.document.experiment, load_example("animal-street"))


def test_an_example_is_an_untitled_copy_that_suggests_a_name_from_its_title(qtbot: QtBot) -> None:
    storage = Storage(load_copy_of_example("animal-street"))
    assert (storage.path, storage.name, storage.modified) == (None, "Untitled", False)
    assert storage.suggested_path.suffix == ".attn"
    assert "animal" in storage.suggested_path.stem
    with pytest.raises(FileError, match="has no file yet"):
        storage.save()


def test_an_edit_is_modified_until_saved_and_the_file_then_holds_it(
    storage: Storage, lesson: Path, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(storage.changed):
        storage.document.set_cell(E, 0, 0, 7.0)
    assert storage.modified
    with qtbot.waitSignal(storage.changed):
        storage.save()
    assert not storage.modified
    assert identical(load(lesson), storage.document.experiment)


def test_undo_past_a_save_is_modified_and_redo_back_to_it_is_not(storage: Storage) -> None:
    storage.document.set_cell(E, 0, 0, 7.0)
    storage.save()
    storage.document.undo_stack.undo()
    assert storage.modified
    storage.document.undo_stack.redo()
    assert not storage.modified


def test_save_as_goes_on_with_the_new_file_and_leaves_the_old_one(
    storage: Storage, lesson: Path, tmp_path: Path
) -> None:
    before = lesson.read_bytes()
    storage.document.set_cell(E, 0, 0, 7.0)
    storage.save_as(tmp_path / "other.attn")
    assert (storage.path, storage.modified) == (tmp_path / "other.attn", False)
    assert lesson.read_bytes() == before
    assert load(tmp_path / "other.attn").embedding.E[0, 0] == 7.0


def test_display_choices_are_saved_along_but_are_no_modification(qtbot: QtBot, tmp_path: Path) -> None:
    storage = Storage(load_copy_of_example("multi-head"))
    storage.document.display.choose("head", 1)
    assert not storage.modified
    storage.save_as(tmp_path / "a.attn")
    assert Storage(load_file(tmp_path / "a.attn")).document.display["head"] == 1


def test_a_refused_save_leaves_the_document_modified_and_where_it_was(
    storage: Storage, lesson: Path, tmp_path: Path
) -> None:
    storage.document.set_cell(E, 0, 0, 7.0)
    with pytest.raises(FileError, match="the folder does not exist"):
        storage.save_as(tmp_path / "nowhere" / "a.attn")
    assert (storage.path, storage.modified) == (lesson, True)


def test_revert_brings_back_the_file_and_starts_undo_anew(storage: Storage) -> None:
    storage.document.set_cell(E, 0, 0, 7.0)
    storage.revert()
    assert identical(storage.document.experiment, load_example("animal-street"))
    assert not storage.modified
    assert storage.document.undo_stack.count() == 0


def test_revert_to_a_file_that_is_gone_loses_nothing(storage: Storage, lesson: Path) -> None:
    storage.document.set_cell(E, 0, 0, 7.0)
    lesson.unlink()
    with pytest.raises(FileError, match=r"lesson\.attn: there is no such file"):
        storage.revert()
    assert storage.document.experiment.embedding.E[0, 0] == 7.0
    assert storage.modified


def test_a_change_by_another_program_is_noticed_and_touching_the_file_is_none(storage: Storage, lesson: Path) -> None:
    assert not storage.changed_on_disk()
    os.utime(lesson, (1, 1))
    assert not storage.changed_on_disk()
    lesson.write_bytes(lesson.read_bytes() + b"\n")
    assert storage.changed_on_disk()
    storage.save()
    assert not storage.changed_on_disk()


def test_a_change_that_keeps_size_and_time_is_noticed_too(storage: Storage, lesson: Path) -> None:
    times = lesson.stat().st_atime_ns, lesson.stat().st_mtime_ns
    lesson.write_bytes(lesson.read_bytes().replace(b"0.9", b"0.8", 1))
    os.utime(lesson, ns=times)
    assert storage.changed_on_disk()


def test_a_file_that_is_gone_is_no_change_that_saving_could_overwrite(storage: Storage, lesson: Path) -> None:
    lesson.unlink()
    assert not storage.changed_on_disk()
    storage.save()
    assert lesson.exists()


def test_taking_another_experiment_gives_a_clean_document_with_its_file(storage: Storage, tmp_path: Path) -> None:
    storage.document.set_cell(E, 0, 0, 7.0)
    storage.take(load_copy_of_example("tired"))
    assert (storage.path, storage.modified) == (None, False)
    assert identical(storage.document.experiment, load_example("tired"))


def test_restored_work_is_modified_whatever_is_undone(storage: Storage, lesson: Path) -> None:
    storage.take(Loaded(load_example("tired"), lesson, storage.known_state, saved=False))
    assert storage.modified
    storage.document.set_cell(E, 0, 0, 7.0)
    storage.document.undo_stack.undo()
    assert storage.modified
    storage.save()
    assert not storage.modified


@pytest.mark.parametrize("name", ["missing.attn", ".", "nu\0ll.attn"])
def test_what_is_no_file_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError) as refused:
        load_file(tmp_path / name)
    assert "Errno" not in str(refused.value)


def test_an_experiment_without_a_file_is_called_by_its_title_or_new(qtbot: QtBot) -> None:
    storage = Storage(load_copy_of_example("tired"))
    title = storage.document.experiment.title
    assert storage.called == f"“{title}”"
    storage.document.set_value("title", "long " * 40, "Change the title")
    assert len(storage.called) == 60 + len("“”") and storage.called.endswith("…”")
    storage.document.set_value("title", "", "Change the title")
    assert storage.called == "the new experiment"


def test_an_experiment_with_a_file_is_called_by_it(qtbot: QtBot, tmp_path: Path) -> None:
    storage = Storage(load_copy_of_example("tired"))
    storage.save_as(tmp_path / "lesson.attn")
    assert storage.called == "“lesson.attn”"
