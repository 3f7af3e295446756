"""Soak runs: what the program bears. Called by ``dev.py soak``, which has made the environment and a private display.

    kill    kills it at random moments, by default 1,000 times; 1 in 20 is the whole program with its window
    monkey  sends random real events to the window, by default 20,000
    fuzz    reads mutated and made-up files and texts, by default 50,000
    long    moves a slider for minutes, by default 30

Each says what it did and with which seed, and ends with 1 if it found something. The same seed makes the same inputs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

COUNTS = {"kill": 1000.0, "monkey": 20_000.0, "fuzz": 50_000.0, "long": 30.0}
USER_FOLDERS = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA")


def main(arguments: Sequence[str]) -> int:
    """Run one soak and return its exit code."""
    options = _parser().parse_args(arguments)
    count = COUNTS[options.kind] if options.count is None else options.count
    home = Path(tempfile.mkdtemp(prefix="attnexplorer-soak-"))
    for name in USER_FOLDERS:
        os.environ[name] = str(home / name.lower())
    try:
        found = _run(options.kind, count, options.seed, options.log)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    print(f"Found were {len(found)}; the first is:\n{found[0]}" if found else "Nothing was found.", flush=True)
    return 1 if found else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dev.py soak", description="What the program bears.")
    parser.add_argument("kind", choices=tuple(COUNTS))
    parser.add_argument("--count", type=float, help="rounds, events, inputs, or minutes of the long run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, help="a file for the events of the monkey, one a line")
    return parser


def _run(kind: str, count: float, seed: int, log: Path | None) -> list[str]:
    # Imported here: the user's folders are named by now, and the kills fork a process that has no window.
    if kind == "kill":
        from soak_kill import kill

        return kill(int(count), seed)
    if kind == "monkey":
        from soak_monkey import monkey

        return monkey(int(count), seed, log=log)
    if kind == "fuzz":
        from soak_fuzz import fuzz

        return fuzz(int(count), seed)
    from soak_long import long

    return long(60 * count, seed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
