"""P4 and the memory of P6: from the start of the process until the first window has painted its numbers.

The reference is a bare script. Both start with the compiled code of every module at hand, as on every start but the
first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from measuring import Row, Run, Times, interleaved

REACH = 1.3
MEMORY_REACH = 1.3


def rows(quick: bool) -> Iterator[Row]:
    """Measure from source; each start is a process of its own."""
    runs = {"program": _started("start_program.py"), "bare": _started("start_bare.py")}
    times = interleaved(runs, 15 if quick else 21, warm_up=2)
    yield Row("P4", "from source", times["program"], "bare script", times["bare"], REACH)


def memory_rows(quick: bool) -> Iterator[Row]:
    """Measure the largest memory that each start has had, in MB."""
    if not hasattr(os, "wait4"):
        print("This system does not tell the peak memory of a process that has ended.")
        return
    peaks = [
        [_peak(script) / 1e3 for _ in range(5 if quick else 9)] for script in ("start_program.py", "start_bare.py")
    ]
    program, bare = (Times.of(values, [0.0] * len(values)) for values in peaks)
    yield Row("P6", "peak memory in MB, from source", program, "bare script", bare, MEMORY_REACH)


def _started(script: str) -> Run:
    file = Path(__file__).with_name(script)

    def run() -> float:
        begin = time.monotonic()
        done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=_variables(), check=True)
        # The clock is one for all processes; its reading is the last word on the output.
        return float(done.stdout.split()[-1]) - begin

    return run


def _peak(script: str) -> float:
    """Return the peak memory of a start in MB."""
    file = Path(__file__).with_name(script)
    process = subprocess.Popen([sys.executable, str(file)], stdout=subprocess.DEVNULL, env=_variables())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # Kilobytes, but bytes on macOS.
    return usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1024)


def _variables() -> dict[str, str]:
    """Return an environment in which compiled code is kept, in a folder of the benchmarks."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(os.environ["ATTNEXPLORER_BENCH"]) / "compiled")}
