"""--diagnostics tells what a report of a fault needs, and nothing private."""

from __future__ import annotations

import getpass
import os
import platform
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from attnexplorer import __version__
from attnexplorer.app import system_libraries


def _report() -> str:
    variables = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    variables.pop("QT_QPA_PLATFORM", None)
    command = [sys.executable, "-m", "attnexplorer", "--diagnostics"]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=variables).stdout


def test_diagnostics_name_versions_fonts_and_parts_of_qt_without_a_display() -> None:
    report = _report()
    facts = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in report.splitlines()}
    assert facts["Attention Explorer"].startswith(__version__)
    assert facts["Python"].startswith(platform.python_version())
    assert facts["font for text"] == "Inter, found Inter"
    assert "svg" in facts["image formats"]
    assert "Qt plugins, platforms" in facts


def test_diagnostics_tell_nothing_private() -> None:
    report = _report()
    assert socket.gethostname() not in report or len(socket.gethostname()) < 4
    folders = (Path(__file__).parent, Path(sys.prefix))
    assert not [folder for folder in folders if str(folder) in report]
    assert getpass.getuser() not in report.split()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="libraries have these names on Linux")
def test_missing_libraries_are_named_with_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = {"libabsent-one.so.1": "libabsent1", "libabsent-two.so.1": "libabsent1", "libc.so.6": "libc6"}
    monkeypatch.setattr(system_libraries, "_FOR_QT", absent)
    assert system_libraries.why_qt_does_not_load("a reason") == (
        "Qt needs what this system lacks: libabsent-one.so.1, libabsent-two.so.1; "
        "on Debian and Ubuntu install libabsent1"
    )


def test_another_reason_is_passed_on() -> None:
    assert system_libraries.why_qt_does_not_load("no such module") == "no such module"
