"""The standalone program beside a default PyInstaller build of the same program: size and start.

Each start is also compared with that of a bare script in the same form: an empty window of the same three libraries.
A start ends when the numbers of the Pipeline are painted; panels beside it go on a little later.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

import build_report
import environment
from problem import Problem
from watched_display import PATIENCE, WatchedDisplay, watched_display

ROUNDS = 15
BARE = environment.ROOT / "tests" / "bench" / "start_bare.py"
STILL = 0.6
"""Seconds without a change after which the first picture counts as finished."""


def compare(python: Path, folder_program: Path, single: Path, place: Path) -> None:
    """Make the default build in `place`, then print both sizes and, on Linux, the times of interleaved starts."""
    print("Making a default PyInstaller build of the same program.", flush=True)
    default = _default_build(python, place)
    ours, theirs = (build_report.size(build_report.real_files(it.parent)) for it in (folder_program, default))
    sizes = f"{ours / build_report.MEGABYTE:.1f} MB, default build {theirs / build_report.MEGABYTE:.1f} MB"
    print(f"Folder: {sizes}, ratio {ours / theirs:.2f}", flush=True)
    if not sys.platform.startswith("linux"):
        return
    bare_folder, bare_single = (_bare_build(python, place, form) for form in ("--onedir", "--onefile"))
    forms = {
        "from source": [str(python), "-m", "attnexplorer"],
        "folder build": [str(folder_program)],
        "single file": [str(single)],
        "default build": [str(default)],
        "bare, source": [str(python), str(BARE), "--stay"],
        "bare, folder": [str(bare_folder), "--stay"],
        "bare, single": [str(bare_single), "--stay"],
    }
    middles = {name: median(seconds) for name, seconds in _printed(first_pictures(forms, ROUNDS)).items()}
    for name, bare in (("from source", "source"), ("folder build", "folder"), ("single file", "single")):
        print(f"{name}: {middles[name] / middles[f'bare, {bare}']:.2f} times the bare script in the same form")


def _printed(times: dict[str, list[float]]) -> dict[str, list[float]]:
    base = median(times["from source"])
    print(f"Start to the finished first picture, median of {ROUNDS} interleaved starts:")
    for name, seconds in times.items():
        middle = median(seconds)
        spread = f"{min(seconds):.3f} to {max(seconds):.3f}"
        print(f"  {name:<14}{middle:6.3f} s  {middle / base:5.2f}  ({spread})", flush=True)
    return times


def first_pictures(forms: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[float]]:
    """Start each form in turn, after one round that is not counted, and return the seconds to the first picture."""
    times: dict[str, list[float]] = {name: [] for name in forms}
    with watched_display() as display, tempfile.TemporaryDirectory(prefix="attnexplorer-start-") as home:
        kept = {name: value for name, value in environment.variables().items() if not name.startswith("XDG_")}
        variables = {**kept, "HOME": home, "DISPLAY": display.name, "QT_QPA_PLATFORM": "xcb"}
        variables.pop("WAYLAND_DISPLAY", None)
        for number in range(rounds + 1):
            for name, command in forms.items():
                # The bare window is empty in the middle.
                look = display.fingerprint if name.startswith("bare") else display.middle
                seconds = _first_picture(display, command, variables, look)
                if number > 0:
                    times[name].append(seconds)
    return times


def _first_picture(
    display: WatchedDisplay, command: Sequence[str], variables: Mapping[str, str], look: Callable[[], int]
) -> float:
    """Watch what `look` sees; the time of its last change is when it was finished."""
    before = display.fingerprint()
    shown, last_change = look(), 0.0
    begin = time.monotonic()
    running = subprocess.Popen(
        command,
        env=variables,
        cwd=environment.ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not last_change or time.monotonic() - begin - last_change < STILL:
            now = look()
            elapsed = time.monotonic() - begin
            if now != shown:
                shown, last_change = now, elapsed
            if running.poll() is not None or elapsed > PATIENCE:
                raise Problem(f"{command[0]} showed no window.")
            time.sleep(0.003)
    finally:
        running.terminate()
        running.wait()
    _wait_for(display, before)
    return last_change


def _wait_for(display: WatchedDisplay, picture: int) -> None:
    """Wait until the window is gone from the screen."""
    end = time.monotonic() + PATIENCE
    while display.fingerprint() != picture and time.monotonic() < end:
        time.sleep(0.02)


def _default_build(python: Path, place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    root = environment.ROOT
    options = ["--paths", str(root), "--add-data", f"{root / 'resources'}:resources"]
    return _built(python, place, "attnexplorer", root / "attnexplorer" / "__main__.py", options)


def _bare_build(python: Path, place: Path, form: str) -> Path:
    return _built(python, place, f"bare{form}", BARE, [form])


def _built(python: Path, place: Path, name: str, script: Path, options: Sequence[str]) -> Path:
    """Have PyInstaller build a script, with what it does by itself, and return the program."""
    places = ["--specpath", str(place), "--distpath", str(place / "dist"), "--workpath", str(place / "work")]
    line = [str(python), "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR", "--name", name, *places]
    if subprocess.call([*line, *options, str(script)], cwd=environment.ROOT, env=environment.variables()) != 0:
        raise Problem(f"PyInstaller's default build of {script.name} failed; the lines above say why.")
    program = name + (".exe" if os.name == "nt" else "")
    folder = place / "dist" / name
    return folder / program if folder.is_dir() else place / "dist" / program
