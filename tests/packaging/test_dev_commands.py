"""dev.py answers in sentences, and knows whether a window can be opened."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import displays
import pytest
import system_packages
from problem import Problem

COMMANDS = ("run", "test", "lint", "bench", "shots", "build", "smoke", "soak")
ROOT = Path(__file__).resolve().parent.parent.parent
needs_xvfb = pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed")
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 and apt are Linux's")


def _dev(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "packaging" / "dev.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_help_lists_every_command() -> None:
    answer = _dev("--help")
    assert answer.returncode == 0
    assert all(f"dev.py {command}" in answer.stdout for command in COMMANDS)


def test_an_unknown_command_is_refused_in_one_sentence() -> None:
    answer = _dev("runn")
    assert answer.returncode == 2
    assert answer.stderr == "There is no command 'runn'; there are run, test, lint, bench, shots, build, smoke, soak.\n"


@on_linux
def test_without_a_display_the_reason_is_said() -> None:
    assert displays.why_there_is_none({}) == ("There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set).")


@on_linux
def test_a_display_that_does_not_answer_is_none() -> None:
    assert displays.why_there_is_none({"DISPLAY": ":64999"}) == "The display :64999 does not answer."


@needs_xvfb
def test_a_private_display_answers_until_it_is_closed() -> None:
    with displays.private_display() as name:
        assert displays.why_there_is_none({"DISPLAY": name}) is None
    assert displays.why_there_is_none({"DISPLAY": name}) == f"The display {name} does not answer."


@on_linux
def test_a_missing_library_of_qt_is_named_with_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A real ldd would find everything here, so one that misses libxcb-cursor stands first on the PATH, without apt."""
    ldd = tmp_path / "ldd"
    ldd.write_text("#!/bin/sh\necho '\tlibxcb-cursor.so.0 => not found'\n", encoding="utf-8")
    ldd.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=None)
    with pytest.raises(Problem, match=r"lacks: libxcb-cursor\.so\.0\. Install what Debian calls libxcb-cursor0"):
        system_packages.install_missing_libraries(tmp_path, with_window=True)
