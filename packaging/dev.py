"""Sets up Attention Explorer after a clone, runs it, tests it. Needs nothing but Python 3.11 or newer.

    python3 packaging/dev.py run [FILE...]       open the window; without a display, draw the figures into a folder
    python3 packaging/dev.py test [ARGUMENT...]  run the tests; the arguments go to pytest
    python3 packaging/dev.py lint                check style, types and who imports whom
    python3 packaging/dev.py bench [ARGUMENT...] run the benchmarks
    python3 packaging/dev.py shots DIR           take pictures of every workspace and put them into DIR
    python3 packaging/dev.py build               make the standalone program in dist/; --quick: no archives
    python3 packaging/dev.py smoke [--here]      try the standalone program in a bare Debian, or on this system
    python3 packaging/dev.py soak KIND           kill, monkey, fuzz or long; --count N --seed S: see soak.py

Each command first makes .venv and installs into it what is missing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import displays
import environment
import smoke as smoke_test
import standalone
import system_packages
from problem import Problem

ROOT = environment.ROOT
QTLESS_TESTS = ("tests/experiment", "tests/compute", "tests/interop")
TYPED = (
    *("packaging/dev.py", "packaging/bundled_licences.py", "packaging/stripping.py", "packaging/trimming.py"),
    *("packaging/soak.py", "packaging/soak_kill_program.py"),
    *("packaging/macos/document_type.py", "packaging/windows/version_resource.py"),
)
"""What mypy starts from in packaging/: the command, what PyInstaller's specification imports, and what runs alone."""
OLDEST = (3, 11)
BAD_USAGE = 2


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(__doc__)
        return 0 if arguments else BAD_USAGE
    command = COMMANDS.get(arguments[0])
    if command is None:
        return _refuse(f"There is no command {arguments[0]!r}; there are {', '.join(COMMANDS)}.")
    if sys.version_info < OLDEST:
        found = ".".join(str(part) for part in sys.version_info[:3])
        return _refuse(f"Python 3.11 or newer is needed; this is {found} ({sys.executable}).")
    try:
        return command(list(arguments[1:]))
    except Problem as problem:
        return _refuse(str(problem))
    except KeyboardInterrupt:
        return 130


def run(files: list[str]) -> int:
    """Open the window, or draw the default experiment's figures where there is no display."""
    python = environment.ready()
    display_seems_there = displays.why_there_is_none(os.environ) is None
    system_packages.install_missing_libraries(environment.pyside_folder(), with_window=display_seems_there)
    reason = displays.why_there_is_none(os.environ)
    if reason is None:
        return _call([str(python), "-m", "attnexplorer", *files], folder=Path.cwd())
    folder = _figures_folder()
    print(f"{reason} No window can be opened, so the figures of the default experiment are drawn into {folder}.")
    drawing = [str(python), "-m", "attnexplorer.app.default_figures", str(folder)]
    code = _call(drawing, {"QT_QPA_PLATFORM": "offscreen"})
    if code == 0:
        print(f"The figures are in {folder}.")
    return code


def test(arguments: list[str]) -> int:
    """Run the tests; the whole run tries the Qt-free packages once more as if PySide6 were not installed."""
    python = environment.ready("test")
    _prepare_private_window()
    if sys.platform.startswith("linux"):
        system_packages.install_second_programs()
    pytest = [str(python), "-m", "pytest"]
    # Each of the processes has a display of its own; one named test or folder needs no second process.
    code = _call([*pytest, *(arguments or ["-n", "auto"])])
    if code != 0 or arguments:
        return code
    print("\nOnce more without Qt: experiment, compute, interop.")
    folders = [folder for folder in QTLESS_TESTS if (ROOT / folder).is_dir()]
    return _call([*pytest, "-q", "-p", "no:pytest-qt", "--without-qt", *folders])


def lint(arguments: list[str]) -> int:
    """Run every linter, also after one has found something, and say which did."""
    if arguments:
        raise Problem("lint takes no arguments.")
    python = environment.ready("lint")
    checks: dict[str, list[str]] = {
        "ruff check": ["-m", "ruff", "check", "."],
        "ruff format": ["-m", "ruff", "format", "--check", "."],
        "mypy attnexplorer": ["-m", "mypy"],
        "mypy packaging": ["-m", "mypy", *TYPED],
        "import-linter": ["-c", "from importlinter.cli import lint_imports_command as lint; lint()"],
    }
    failed = []
    for name, command in checks.items():
        print(f"{name}:", flush=True)
        if _call([str(python), *command]) != 0:
            failed.append(name)
    print(f"Found something: {', '.join(failed)}." if failed else "Nothing was found.")
    return 1 if failed else 0


def bench(arguments: list[str]) -> int:
    """Run the benchmarks without a window on the screen."""
    benchmarks = ROOT / "tests" / "bench" / "run.py"
    if not benchmarks.is_file():
        raise Problem("There are no benchmarks: tests/bench/run.py is missing.")
    python = environment.ready()
    system_packages.install_missing_libraries(environment.pyside_folder(), with_window=False)
    return _call([str(python), str(benchmarks), *arguments], {"QT_QPA_PLATFORM": "offscreen"})


def shots(arguments: list[str]) -> int:
    """Take pictures of every workspace in a real window, on Linux on an X server of its own."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        raise Problem("shots takes one argument: the folder for the pictures.")
    python = environment.ready()
    _prepare_private_window()
    taking = [str(python), "-m", "attnexplorer.app.screenshots", str(Path(arguments[0]).resolve())]
    if not _has_private_window():
        return _call(taking)
    with displays.private_display() as name:
        return _call(taking, {"DISPLAY": name, "QT_QPA_PLATFORM": "xcb"}, without=("WAYLAND_DISPLAY",))


def soak(arguments: list[str]) -> int:
    """Kill the program, send it random events, feed it broken files, or let a slider move for long."""
    python = environment.ready("test")
    _prepare_private_window()
    soaking = [str(python), str(ROOT / "packaging" / "soak.py"), *arguments]
    if not _has_private_window():
        return _call(soaking)
    with displays.private_display() as name:
        return _call(soaking, {"DISPLAY": name, "QT_QPA_PLATFORM": "xcb"}, without=("WAYLAND_DISPLAY",))


COMMANDS: dict[str, Callable[[list[str]], int]] = {
    "run": run,
    "test": test,
    "lint": lint,
    "bench": bench,
    "shots": shots,
    "build": standalone.build,
    "smoke": smoke_test.smoke,
    "soak": soak,
}


def _prepare_private_window() -> None:
    private = _has_private_window()
    system_packages.install_missing_libraries(environment.pyside_folder(), with_window=private)
    if private:
        system_packages.install_x_server()


def _has_private_window() -> bool:
    """On Linux, unless another of Qt's platforms was asked for by name."""
    return sys.platform.startswith("linux") and os.environ.get("QT_QPA_PLATFORM", "xcb") == "xcb"


def _figures_folder() -> Path:
    folder = Path.cwd() / "attention-explorer-figures"
    try:
        folder.mkdir(exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="attention-explorer-figures-"))
    return folder


def _call(
    command: Sequence[str],
    extra: Mapping[str, str] | None = None,
    without: Sequence[str] = (),
    folder: Path = ROOT,
) -> int:
    variables = {**environment.variables(), **(extra or {})}
    for name in without:
        variables.pop(name, None)
    sys.stdout.flush()
    return subprocess.call(command, cwd=folder, env=variables)


def _refuse(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return BAD_USAGE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
