"""P4: from the start of the process until the first window has painted its numbers, against a bare script."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from measuring import Row, Run, interleaved

REACH = 1.3


def rows(quick: bool) -> Iterator[Row]:
    """Measure from source; each start is a process of its own."""
    runs = {"program": _started("start_program.py"), "bare": _started("start_bare.py")}
    times = interleaved(runs, 15 if quick else 21, warm_up=2)
    yield Row("P4", "from source", times["program"], "bare script", times["bare"], REACH)


def _started(script: str) -> Run:
    file = Path(__file__).with_name(script)

    def run() -> float:
        begin = time.monotonic()
        done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=os.environ, check=True)
        # The clock is one for all processes; its reading is the last word on the output.
        return float(done.stdout.split()[-1]) - begin

    return run
