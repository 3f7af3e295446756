"""The smoke test of the standalone program: both builds, from outside, as a user on a bare system would find them.

It runs in a Debian without Python and Qt, made for the purpose; with --here on this system, which is quicker.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import bare_chroot
import standalone
from problem import Problem
from watched_display import (
    PATIENCE,
    WatchedDisplay,
    install_xdotool,
    wait_until,
    wait_until_steady,
    watched_display,
)

EXAMPLE = "animal-street"
FIRST_CELL = (489, 132)
"""Where the first number of W_Q is in the first window; if it has moved, another is looked for."""
TEXT_LINE, EXPORT_BUTTON = (90, 136), (1370, 46)
"""Where the line with the text and the button for figures are."""
SHORT = 0.3
"""Seconds of stillness where a text cursor blinks: less than half its period."""
EXPORTS: Mapping[str, bytes] = {
    "png": b"\x89PNG\r\n",
    "svg": b"<?xml",
    "pdf": b"%PDF-",
    "pptx": b"PK\x03\x04",
    "gif": b"GIF89a",
}
DIALOG_FIGURES = "smoke-pipeline*.png"
"""What the dialog calls its first figure of the saved file."""
EXPECTED_LINES: Mapping[str, str] = {}
"""What may stand on standard error, as regular expressions, each with its reason; so far there is nothing."""


class Answer(NamedTuple):
    """What a command did."""

    code: int
    out: bytes
    error: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where the program is tried: how a command is run there, and a folder that both sides see."""

    wrap: Callable[[Sequence[str], Mapping[str, str]], list[str]]
    inside: str
    outside: Path

    def start(self, command: Sequence[str], variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Start a command there."""
        line = self.wrap(command, {"LANG": "C.UTF-8", **variables})
        return subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *command: str, variables: Mapping[str, str] | None = None) -> Answer:
        """Run a command there to its end."""
        return _answer(self.start(command, variables or {}))


def smoke(arguments: list[str]) -> int:
    """Try both builds; in a bare Debian, or with --here on this system."""
    if not set(arguments) <= {"--here"}:
        raise Problem("smoke takes no argument but --here.")
    programs = {"folder build": standalone.FOLDER / standalone.PROGRAM, "single file": standalone.single_file()}
    missing = [str(program) for program in programs.values() if not program.is_file()]
    if missing:
        raise Problem(f"{missing[0]} is missing; `python3 packaging/dev.py build` makes it.")
    install_xdotool()
    begin = time.monotonic()
    with _here(programs) if "--here" in arguments else _bare(programs) as (place, found), watched_display() as display:
        for name, program in found.items():
            print(f"{name}:", flush=True)
            _try_commands(place, program)
            _try_window(place, program, display)
    print(f"Both builds work; this took {time.monotonic() - begin:.0f} s.")
    return 0


@contextlib.contextmanager
def _here(programs: Mapping[str, Path]) -> Iterator[tuple[Place, dict[str, str]]]:
    with tempfile.TemporaryDirectory(prefix="attnexplorer-smoke-") as folder:
        home = Path(folder) / "home"
        home.mkdir()

        def wrap(command: Sequence[str], variables: Mapping[str, str]) -> list[str]:
            plain = {"PATH": os.defpath, "HOME": str(home), **variables}
            return ["env", "-i", *(f"{name}={value}" for name, value in plain.items()), *command]

        yield Place(wrap, str(home), home), {name: str(program) for name, program in programs.items()}


@contextlib.contextmanager
def _bare(programs: Mapping[str, Path]) -> Iterator[tuple[Place, dict[str, str]]]:
    with bare_chroot.bare_system() as system:
        place = Place(system.command, bare_chroot.HOME, system.root / bare_chroot.HOME.lstrip("/"))
        system.put(standalone.FOLDER, "/opt/attnexplorer")
        single = system.put(standalone.single_file(), "/opt/attnexplorer-single")
        found = {"folder build": f"/opt/attnexplorer/{standalone.PROGRAM}", "single file": single}
        found_there = place.run("sh", "-c", "command -v python3; ls -d /usr/lib/*/libQt* 2>/dev/null; echo looked").out
        _expect("there is neither Python nor Qt", found_there == b"looked\n", found_there.decode())
        for name, program in found.items():
            _try_without_libraries(place, name, program)
        print(f"Installing {' '.join(bare_chroot.PACKAGES)}.", flush=True)
        system.install(bare_chroot.PACKAGES)
        yield place, found


def _try_without_libraries(place: Place, name: str, program: str) -> None:
    """On a system that lacks libraries, numbers are printed all the same, and the window says what is missing."""
    traced = place.run(program, "trace", f"example:{EXAMPLE}")
    printed = traced.code == 0 and b"weights" in traced.out
    _expect(f"{name}: trace works without any of Qt's libraries", printed, traced.error)
    for arguments in ((), ("export", f"example:{EXAMPLE}", "--figure", "weights", "-o", "no.png")):
        refused = place.run(program, *arguments, variables={"DISPLAY": ":1"})
        lines = refused.error.splitlines()
        said = refused.code == 2 and len(lines) == 1 and "libegl1" in lines[0]
        _expect(f"{name}: {' '.join(arguments[:1]) or 'the window'} names the missing packages", said, refused.error)


def _try_commands(place: Place, program: str) -> None:
    version = place.run(program, "--version")
    _expect_quiet("--version", version, b"attnexplorer ")
    traced = place.run(program, "trace", f"example:{EXAMPLE}", "--format", "json")
    _expect_quiet("trace without a display", traced, b"{")
    json.loads(traced.out)
    _expect_quiet("check without a display", place.run(program, "check", f"example:{EXAMPLE}"), b"ok")
    report = place.run(program, "--diagnostics")
    _expect_quiet("--diagnostics without a display", report, b"Attention Explorer")
    private = re.search(rb"/home|/opt|/tmp", report.out)
    _expect("--diagnostics tells no path", private is None, report.out.decode())


def _try_window(place: Place, program: str, display: WatchedDisplay) -> None:
    saved = place.outside / "smoke.attn"
    saved.unlink(missing_ok=True)
    begin = time.monotonic()
    running = place.start((program, f"example:{EXAMPLE}"), {"DISPLAY": display.name, "QT_QPA_PLATFORM": "xcb"})
    try:
        wait_until("the window opens", lambda: display.windows("Attention Explorer") or running.poll() is not None)
        _expect("the window opens", running.poll() is None, _error_of(running))
        opened = time.monotonic() - begin
        wait_until_steady(display)
        window = display.windows("Attention Explorer")[0]
        _edit(display, window)
        _keep_picture(display, program)
        display.press("ctrl+s")
        wait_until("the dialog for saving opens", lambda: display.windows("Save"))
        dialog = display.windows("Save")[0]
        wait_until_steady(display, SHORT)
        display.type(dialog, f"{place.inside}/{saved.name}")
        display.press("Return")
        wait_until("the file is saved", lambda: saved.is_file() and "*" not in display.title(window))
        exported = _export_by_dialog(display, window, saved)
        display.click(window, 720, 880)
        display.press("ctrl+q")
        wait_until("the program ends", lambda: running.poll() is not None)
    except BaseException:
        _end(running)
        raise
    answer = _answer(running)
    _expect("closing the window ends the program with exit code 0", answer.code == 0, answer.error)
    _expect_silence("the window", answer)
    _expect("the saved file has the edit", _parameters(saved) != _parameters(_example()), saved.read_text("utf-8"))
    print(f"  ok  a window after {opened:.1f} s, an edit, a save, exit code 0, nothing on standard error", flush=True)
    _expect_same_bytes(place, program, saved, exported)
    _try_exports(place, program, saved)


def _export_by_dialog(display: WatchedDisplay, window: str, saved: Path) -> Path:
    """Export what the window shows; the dialog has the program make the figure in a process of its own."""
    for old in saved.parent.glob(DIALOG_FIGURES):
        old.unlink()
    # A table with the keyboard would be what the figure shows.
    display.click(window, *TEXT_LINE)
    display.click(window, *EXPORT_BUTTON)
    wait_until("the dialog for figures opens", lambda: display.windows("Export figure"))
    dialog = display.windows("Export figure")[0]
    wait_until_steady(display, SHORT)
    begin = time.monotonic()
    display.focus(dialog)
    display.press("Return")
    wait_until("the dialog writes the figure", lambda: list(saved.parent.glob(DIALOG_FIGURES)))
    wait_until("the dialog closes", lambda: not display.windows("Export figure"))
    print(f"  ok  a figure by the dialog after {time.monotonic() - begin:.1f} s", flush=True)
    return next(saved.parent.glob(DIALOG_FIGURES))


def _expect_same_bytes(place: Place, program: str, saved: Path, exported: Path) -> None:
    again = saved.with_name("again.png")
    names = (f"{place.inside}/{file.name}" for file in (saved, again))
    answer = place.run(program, "export", *names, "--figure", "pipeline")
    _expect_quiet("the same figure by the command line", answer, b"")
    _expect("dialog and command line write the same bytes", exported.read_bytes() == again.read_bytes())


def _try_exports(place: Place, program: str, saved: Path) -> None:
    for kind, beginning in EXPORTS.items():
        out = place.outside / f"smoke.{kind}"
        out.unlink(missing_ok=True)
        names = (f"{place.inside}/{file.name}" for file in (saved, out))
        answer = place.run(program, "export", *names, "--figure", "weights")
        _expect_quiet(f"export to {kind} without a display", answer, b"")
        _expect(f"{out.name} is of its kind", out.is_file() and out.read_bytes().startswith(beginning))


def _edit(display: WatchedDisplay, window: str) -> None:
    """Click a number, type another one, press Enter; the title's star says that something has changed."""
    grid = [(x, y) for y in range(130, 700, 30) for x in range(300, 1000, 50)]
    for x, y in (FIRST_CELL, *grid):
        display.click(window, x, y)
        display.press("3", "Return")
        with contextlib.suppress(Problem):
            wait_until("the title shows the change", lambda: "*" in display.title(window), patience=1.0)
            wait_until_steady(display, SHORT)
            return
    raise Problem("No number in the window could be edited by a click and the keyboard.")


def _keep_picture(display: WatchedDisplay, program: str) -> None:
    """Where SMOKE_PICTURES names a folder, put a picture of the window there."""
    folder = os.environ.get("SMOKE_PICTURES")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        display.save(Path(folder) / f"{Path(program).parent.name}-{Path(program).name}.png")


def _parameters(file: Path) -> object:
    found = json.loads(file.read_text(encoding="utf-8"))
    return {name: value for name, value in found.items() if name != "view"}


def _example() -> Path:
    return standalone.ROOT / "resources" / "examples" / f"{EXAMPLE}.attn"


def _answer(running: subprocess.Popen[bytes]) -> Answer:
    try:
        out, error = running.communicate(timeout=2 * PATIENCE)
    except subprocess.TimeoutExpired:
        _end(running)
        raise Problem("The program did not come to an end.") from None
    return Answer(running.returncode, out, error.decode("utf-8", errors="replace"))


def _end(running: subprocess.Popen[bytes]) -> None:
    running.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.wait(5)
    if running.poll() is None:
        running.kill()


def _error_of(running: subprocess.Popen[bytes]) -> str:
    return "" if running.poll() is None else _answer(running).error


def _expect_quiet(what: str, answer: Answer, beginning: bytes) -> None:
    _expect(what, answer.code == 0 and answer.out.startswith(beginning), f"exit code {answer.code}\n{answer.error}")
    _expect_silence(what, answer)
    print(f"  ok  {what}", flush=True)


def _expect_silence(what: str, answer: Answer) -> None:
    lines = [line for line in answer.error.splitlines() if not any(re.fullmatch(it, line) for it in EXPECTED_LINES)]
    _expect(f"{what} writes nothing unexpected to standard error", not lines, "\n".join(lines))


def _expect(what: str, holds: bool, found: str = "") -> None:
    if not holds:
        raise Problem(f"This does not hold: {what}.\n{found}".rstrip())
