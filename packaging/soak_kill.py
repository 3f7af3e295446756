"""Kills the program at random moments and looks at what is left: the last file whole, the last edits offered again."""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from attnexplorer.document.autosave import DELAY, Autosave
from attnexplorer.document.recovery import STATE_VARIABLE, abandoned_copies
from attnexplorer.document.storage import Storage, load_copy_of_example, load_file
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.examples import DEFAULT_EXAMPLE
from attnexplorer.experiment.fileformat import load
from attnexplorer.experiment.saving import save

PATH = "embedding.E"
SHORT_DELAY = 50
"""Milliseconds between copies in the rounds without a window, so that many copies are caught half written."""
LATE = 2.0
"""Seconds beyond the delay within which a copy must be on the disk, however busy the computer is."""
LONGEST_LIFE, LONGEST_WINDOW_LIFE = 0.5, 8.0
SAVES, WINDOW_SAVES = 0.04, 0.005
"""The chance that an edit is followed by saving; in the window edits are slower, and copies rarer."""
WINDOW_SHARE = 20
"""One round in so many is of the whole program."""
START = 60.0
"""Seconds that the program has to start."""


class Said(NamedTuple):
    """What a child said before it was killed: when it made which edit, and what it saved."""

    edits: dict[int, float]
    saving: int
    saved: int


class Outcome(NamedTuple):
    """What is left after a round: seconds of edits that are lost, and whether a copy was found."""

    missing: float
    offered: bool


def kill(count: int, seed: int) -> list[str]:
    """Do `count` rounds and return what was found."""
    windows = count // WINDOW_SHARE
    found, outcomes = _rounds("document", count - windows, seed, SHORT_DELAY / 1000 + LATE)
    more, with_window = _rounds("window", windows, seed, DELAY / 1000 + LATE)
    for name, results in (("without a window", outcomes), ("of the whole program", with_window)):
        if results:
            worst = max(it.missing for it in results)
            offered = sum(it.offered for it in results)
            print(
                f"{len(results)} rounds {name} with seed {seed}: at most {worst:.2f} s of edits lost, "
                f"{offered} times work was offered.",
                flush=True,
            )
    return [*found, *more]


def _rounds(kind: str, count: int, seed: int, longest_loss: float) -> tuple[list[str], list[Outcome]]:
    found, outcomes = [], []
    for number in range(count):
        dice = random.Random(f"{seed}:{kind}:{number}")
        folder = Path(tempfile.mkdtemp(prefix="attnexplorer-kill-"))
        try:
            outcome = _round(kind, folder, dice)
            outcomes.append(outcome)
            if outcome.missing > longest_loss:
                raise AssertionError(f"{outcome.missing:.2f} s of edits are lost")
        except (AssertionError, FileError) as problem:
            found.append(f"round {number} ({kind}) of seed {seed}: {problem}")
            print(f"FOUND {found[-1]}", flush=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return found, outcomes


def _round(kind: str, folder: Path, dice: random.Random) -> Outcome:
    file, state = folder / "lesson.attn", folder / "state"
    save(load_copy_of_example(DEFAULT_EXAMPLE).experiment, file)
    os.environ[STATE_VARIABLE] = str(state)
    if kind == "document":
        said, killed = _killed_document(file, dice)
    else:
        said, killed = _killed_window(file, dice)
    outcome = _judged(file, said, killed)
    if kind == "window":
        _restore_in_the_program(file)
    return outcome


def _judged(file: Path, said: Said, killed: float) -> Outcome:
    """Raise what is wrong; return what was lost."""
    in_file = int(load(file).embedding.E[0, 0])
    assert in_file in (said.saved, said.saving), f"the file holds {in_file}, saved was {said.saved} or {said.saving}"
    copies = abandoned_copies()
    assert len(copies) <= 1, f"{len(copies)} copies are offered for one document"
    kept = in_file
    for copy in copies:
        assert copy.origin().path == file, f"the copy is said to be of {copy.origin().path}"
        kept = max(kept, int(copy.load().experiment.embedding.E[0, 0]))
        copy.release()
    lost = [moment for number, moment in said.edits.items() if number > kept]
    return Outcome(killed - min(lost) if lost else 0.0, bool(copies))


def _killed_document(file: Path, dice: random.Random) -> tuple[Said, float]:
    """Have a fork of this process edit and save without a window until it is killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _edit_until_killed(file, dice, writing)
    os.close(writing)
    return _killed(child, reading, dice.uniform(0, LONGEST_LIFE))


def _killed_window(file: Path, dice: random.Random) -> tuple[Said, float]:
    reading, writing = os.pipe()
    program = [sys.executable, str(Path(__file__).with_name("soak_kill_program.py"))]
    child = subprocess.Popen([*program, "edit", str(file), str(writing), str(dice.random())], pass_fds=[writing])
    os.close(writing)
    return _killed(child.pid, reading, dice.uniform(0, LONGEST_WINDOW_LIFE))


def _killed(child: int, reading: int, life: float) -> tuple[Said, float]:
    """Wait until the child is ready and for so many seconds more, kill it, and return what it said and when it died."""
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        ready, _, _ = select.select([pipe], [], [], START)
        if ready:
            text = _listen(pipe.fileno(), time.monotonic() + life)
        os.kill(child, signal.SIGKILL)
        killed = time.monotonic()
        os.waitpid(child, 0)
        assert ready, "the program did not start"
        while more := pipe.read(65536):
            text += more
    return _understood(text.decode("ascii")), killed


def _listen(pipe: int, until: float) -> bytes:
    """Take in what is said, so that nobody waits to be heard."""
    text = b""
    while (rest := until - time.monotonic()) > 0:
        if select.select([pipe], [], [], rest)[0]:
            more = os.read(pipe, 65536)
            if not more:
                raise AssertionError(f"the program ended by itself; it had said {text[-200:]!r}")
            text += more
    return text


def _understood(text: str) -> Said:
    edits, saving, saved = {0: 0.0}, 0, 0
    for line in text.splitlines()[: text.count("\n")]:
        word, number, moment = line.split()
        if word == "edit":
            edits[int(number)] = float(moment)
        elif word == "saving":
            saving = int(number)
        else:
            saved = int(number)
    return Said({number: moment for number, moment in edits.items() if number}, saving, saved)


def _edit_until_killed(file: Path, dice: random.Random, pipe: int) -> None:
    """Edit in a fork, which never returns."""
    from PySide6.QtCore import QCoreApplication, QTimer

    application = QCoreApplication([])
    storage = Storage(load_file(file))
    autosave = Autosave(storage, parent=storage, delay=SHORT_DELAY)
    count = 0

    def edit() -> None:
        nonlocal count
        count += 1
        storage.document.set_cell(PATH, 0, 0, count)
        say(pipe, "edit", count)
        if dice.random() < SAVES:
            say(pipe, "saving", count)
            storage.save()
            say(pipe, "saved", count)

    timer = QTimer()
    timer.timeout.connect(edit)
    timer.start(2)
    application.exec()
    del autosave
    os._exit(1)


def say(pipe: int, word: str, number: int) -> None:
    """Tell the one who will kill; a line is written as a whole or not at all."""
    os.write(pipe, f"{word} {number} {time.monotonic()}\n".encode("ascii"))


def _restore_in_the_program(file: Path) -> None:
    """Start the program again: it must offer what is newer than the file, and bring it back."""
    copies = abandoned_copies()
    expected = [int(copy.load().experiment.embedding.E[0, 0]) for copy in copies]
    for copy in copies:
        copy.release()
    program = [sys.executable, str(Path(__file__).with_name("soak_kill_program.py"))]
    answer = subprocess.run(
        [*program, "restore", str(file)], capture_output=True, text=True, timeout=START, check=False
    )
    assert answer.returncode == 0, f"the program ended with {answer.returncode}: {answer.stderr}"
    offered = json.loads(answer.stdout)
    assert offered["error"] == answer.stderr == "", f"{offered['error']}{answer.stderr}"
    assert len(offered["offers"]) == len(expected), f"offered was {offered['offers']}"
    if expected:
        assert offered["number"] == expected[0], f"restored was {offered['number']} instead of {expected[0]}"
