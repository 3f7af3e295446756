"""The program works where there is no network at all, and asks for no socket."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from attnexplorer.experiment.examples import example_path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(__file__).with_name("no_internet.py")
NAMESPACE = ("unshare", "--net", "--map-root-user")


def unshared() -> tuple[str, ...]:
    """What a command is put behind so that it has no network; nothing where the system does not allow it."""
    if shutil.which("unshare") is None:
        return ()
    allowed = subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False).returncode == 0
    return NAMESPACE if allowed else ()


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)


def test_the_window_works_without_a_network_and_without_sockets(qtbot: QtBot, tmp_path: Path) -> None:
    done = run(*unshared(), sys.executable, str(PROGRAM), str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "sockets asked for: []\n"


def test_the_commands_work_without_a_network(tmp_path: Path) -> None:
    picture = tmp_path / "figure.svg"
    code = "import sys; from attnexplorer.app.command_line import main; sys.exit(main(sys.argv[1:]))"
    program = [*unshared(), sys.executable, "-c", code]
    lesson = shutil.copy(example_path("tired"), tmp_path / "lesson.attn")
    for arguments in (["trace", str(lesson)], ["export", str(lesson), "--figure", "pipeline", "-o", str(picture)]):
        done = run(*program, *arguments)
        assert (done.returncode, done.stderr) == (0, ""), arguments
    assert picture.read_bytes().startswith(b"<?xml")


@pytest.mark.skipif(not unshared(), reason="no namespace can be made here; sockets are refused in Python all the same")
def test_where_the_test_runs_there_is_no_network() -> None:
    done = run(*unshared(), sys.executable, str(PROGRAM), "--interfaces")
    assert done.stdout == "False\n"


@pytest.mark.skipif(shutil.which("strace") is None or not sys.platform.startswith("linux"), reason="strace is Linux's")
def test_not_even_qt_opens_an_internet_socket(qtbot: QtBot, tmp_path: Path) -> None:
    log = tmp_path / "calls"
    command = ["strace", "-f", "-qq", "-e", "trace=socket", "-o", str(log), sys.executable, str(PROGRAM), str(tmp_path)]
    done = run(*command)
    if "Operation not permitted" in done.stderr:
        pytest.skip("processes may not be traced here")
    assert done.returncode == 0, done.stderr
    assert [line for line in log.read_text(encoding="utf-8").splitlines() if "AF_INET" in line] == []
    assert os.environ.get("QT_QPA_PLATFORM") != "xcb" or "AF_UNIX" in log.read_text(encoding="utf-8")
