"""Saving: all of a file or none of it, whatever goes wrong."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.fileformat import dumps, load
from attnexplorer.experiment.model import Attention, Embedding, Experiment, Layer, Sequence
from attnexplorer.experiment.saving import reason, save, write_whole

ROOT = Path(__file__).resolve().parent.parent.parent

CHILD = """
import os, sys
sys.path.insert(0, sys.argv[1])
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.fileformat import read
from attnexplorer.experiment.saving import write_whole
{preparation}
try:
    {action}
except FileError as error:
    print(error)
"""
WRITE = 'write_whole(b"new " * 100_000, sys.argv[2])'
READ = "read(sys.argv[2])"
LITTLE_ROOM = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))"
NO_RIGHTS = "os.geteuid() or (os.setgroups([]), os.setgid(65534), os.setuid(65534))"
"""Root may read and write everything, so as root the child gives up its rights, after the imports."""


def small() -> Experiment:
    one = frozen([[1.0]])
    attention = Attention((one,), (one,), (one,))
    return Experiment(Sequence(("a",), (False,)), Embedding(("a",), one), (Layer(attention),))


def names_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def said_by_a_child(action: str, path: Path, preparation: str) -> str:
    program = CHILD.format(action=action, preparation=preparation)
    command = [sys.executable, "-c", program, str(ROOT), str(path)]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_saved_experiment_loads_back_bit_for_bit(tmp_path: Path) -> None:
    save(small(), tmp_path / "a.attn")
    assert identical(load(tmp_path / "a.attn"), small(), with_view=True)
    assert (tmp_path / "a.attn").read_bytes() == dumps(small()).encode("utf-8")
    assert names_in(tmp_path) == ["a.attn"]


def test_an_existing_file_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.attn"
    path.write_text("old")
    path.chmod(0o640)
    save(small(), str(path))
    assert load(path).sequence.tokens == ("a",)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names_in(tmp_path) == ["a.attn"]


def test_a_new_file_gets_the_permissions_that_every_new_file_gets(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("")
    save(small(), tmp_path / "a.attn")
    assert (tmp_path / "a.attn").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_symbolic_link_stays_one_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target.attn", tmp_path / "link.attn"
    target.write_text("old")
    link.symlink_to(Path("there") / "target.attn")
    save(small(), link)
    assert link.is_symlink()
    assert load(target).sequence.tokens == ("a",)
    assert names_in(tmp_path / "there") == ["target.attn"]


def test_a_link_to_a_file_that_is_not_there_yet_creates_it(tmp_path: Path) -> None:
    link = tmp_path / "link.attn"
    link.symlink_to("target.attn")
    save(small(), link)
    assert load(tmp_path / "target.attn").sequence.tokens == ("a",)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("missing/a.attn", "a.attn: not saved: the folder does not exist"),
        ("file/a.attn", "a.attn: not saved: the folder does not exist"),
        ("folder", "folder: not saved: this is a folder"),
        ("zero", "zero: not saved: the file cannot be written (this is a device or a pipe)"),
        ("loop", "loop: not saved: the file cannot be written (Too many levels of symbolic links)"),
        ("a" * 300, "a" * 300 + ": not saved: the file cannot be written (File name too long)"),
        ("a\0b", "a?b: not saved: this is no file name"),
    ],
)
def test_a_place_where_nothing_can_be_saved_gets_a_sentence(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("whole")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FileError) as caught:
        save(small(), tmp_path / name)
    assert str(caught.value) == sentence
    assert names_in(tmp_path) == ["file", "folder", "loop", "zero"]
    assert (tmp_path / "file").read_text() == "whole"


def test_a_longest_possible_name_can_be_saved(tmp_path: Path) -> None:
    name = "é" * 125 + ".attn"
    save(small(), tmp_path / name)
    assert names_in(tmp_path) == [name]


def test_a_disk_that_takes_no_more_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.attn"
    path.write_text("old and whole")
    said = said_by_a_child(WRITE, path, LITTLE_ROOM)
    assert said == "a.attn: not saved: the file cannot be written (File too large)"
    assert path.read_text() == "old and whole"
    assert names_in(tmp_path) == ["a.attn"]


def test_a_full_disk_says_so() -> None:
    with pytest.raises(OSError, match="No space left on device") as caught:
        Path("/dev/full").write_bytes(b"x")
    assert reason(caught.value) == "the disk is full"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Yield a folder that every user can reach; the folders that pytest makes are private."""
    with tempfile.TemporaryDirectory(dir=Path(tempfile.gettempdir()).resolve()) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def test_a_folder_without_permission_leaves_the_old_file_whole(open_folder: Path) -> None:
    folder = open_folder / "closed"
    folder.mkdir()
    path = folder / "a.attn"
    path.write_text("old and whole")
    path.chmod(0o666)
    folder.chmod(0o555)
    assert said_by_a_child(WRITE, path, NO_RIGHTS) == "a.attn: not saved: there is no permission to write here"
    folder.chmod(0o755)
    assert path.read_text() == "old and whole"
    assert names_in(folder) == ["a.attn"]


def test_a_read_only_file_is_not_replaced(open_folder: Path) -> None:
    folder = open_folder / "open"
    folder.mkdir()
    folder.chmod(0o777)
    path = folder / "a.attn"
    path.write_text("old and whole")
    path.chmod(0o444)
    assert said_by_a_child(WRITE, path, NO_RIGHTS) == "a.attn: not saved: there is no permission to write here"
    assert path.read_text() == "old and whole"
    assert names_in(folder) == ["a.attn"]


def test_a_file_without_permission_to_read_gets_a_sentence(open_folder: Path) -> None:
    path = open_folder / "a.attn"
    path.write_text("secret")
    path.chmod(0o000)
    assert said_by_a_child(READ, path, NO_RIGHTS) == "a.attn: there is no permission to read this file"


def test_an_invalid_experiment_is_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "a.attn"
    path.write_text("old and whole")
    broken = replace(small(), embedding=Embedding(("a",), frozen([[np.nan]])))
    with pytest.raises(FileError) as caught:
        save(broken, path)
    assert str(caught.value) == "a.attn: not saved: embedding.E[0][0] is NaN, but a finite number was expected"
    assert path.read_text() == "old and whole"


def test_a_text_that_utf_8_cannot_hold_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="half a surrogate pair"):
        save(replace(small(), extra={"key": "\ud800"}), tmp_path / "a.attn")
    assert names_in(tmp_path) == []


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    write_whole(b"\x00\r\n\xff", tmp_path / "data")
    assert (tmp_path / "data").read_bytes() == b"\x00\r\n\xff"
