"""Builds the standalone program with PyInstaller: a folder, a single file, and on Linux an archive to install.

Everything lands in dist/; build/ holds what is only needed on the way.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import build_report
import environment
import linux_archive
import system_packages
from problem import Problem

ROOT = environment.ROOT
WORK = ROOT / "build"
DIST = ROOT / "dist"
FOLDER = DIST / "attnexplorer"
PROGRAM = "attnexplorer.exe" if os.name == "nt" else "attnexplorer"
OPTIONS = ("--quick", "--compare")


def build(arguments: list[str]) -> int:
    """Build everything and report sizes.

    --quick leaves out the archives; --compare makes a default PyInstaller build as well and measures both.
    """
    if not set(arguments) <= set(OPTIONS):
        raise Problem(f"build takes no arguments but {' and '.join(OPTIONS)}.")
    begin = time.monotonic()
    python = environment.ready("build")
    _install_tools()
    system_packages.install_missing_libraries(environment.pyside_folder(), with_window=True)
    _freeze(python)
    print(f"Built in {time.monotonic() - begin:.0f} s.", flush=True)
    build_report.print_sizes(FOLDER, single_file())
    if sys.platform.startswith("linux") and "--quick" not in arguments:
        linux_archive.pack(FOLDER, DIST / f"{release_name()}.tar", ROOT)
    if "--compare" in arguments:
        import compare_builds

        compare_builds.compare(python, FOLDER / PROGRAM, single_file(), WORK / "default")
    return 0


def release_name() -> str:
    """Return the name of what is handed out, such as ``attnexplorer-0.1.0-linux-x86_64``."""
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, "linux")
    return f"attnexplorer-{version()}-{system}-{platform.machine().lower()}"


def single_file() -> Path:
    """Return the path of the single-file executable."""
    return DIST / f"{release_name()}{'.exe' if os.name == 'nt' else ''}"


def version() -> str:
    """Return the program's version, read without importing it."""
    text = (ROOT / "attnexplorer" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"', text, flags=re.MULTILINE)
    if found is None:
        raise Problem("attnexplorer/__init__.py states no version.")
    return found.group(1)


def _install_tools() -> None:
    """PyInstaller on Linux reads and writes programs with the tools of binutils."""
    if sys.platform.startswith("linux") and any(shutil.which(it) is None for it in ("objdump", "objcopy", "strip")):
        system_packages.install(["binutils"], "Building needs objdump, objcopy and strip.")


def _freeze(python: Path) -> None:
    made = WORK / "made"
    shutil.rmtree(made, ignore_errors=True)
    # Warnings are about optional parts of packages that are left out on purpose.
    command = [str(python), "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR"]
    places = ["--distpath", str(made), "--workpath", str(WORK / "work")]
    variables = {**environment.variables(), "ATTNEXPLORER_LICENCES": str(WORK / "licences")}
    print("Building; this takes about a minute.", flush=True)
    line = [*command, *places, str(ROOT / "packaging" / "attnexplorer.spec")]
    if subprocess.call(line, cwd=ROOT, env=variables) != 0:
        raise Problem("PyInstaller failed; the lines above say why.")
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    if os.name == "nt":
        shutil.copy(ROOT / "packaging" / "windows" / "associate.cmd", made / "attnexplorer")
    for source in made.iterdir():
        single = source.stem == "attnexplorer-single"
        source.rename(single_file() if single else DIST / source.name)
