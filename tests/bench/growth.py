"""P7: an edit, and the memory, as the number of tokens grows: the Pipeline with the maps of one of eight heads, and
the other workspaces with what they show of eight heads.

Each size is a process of its own, since a process remembers its largest memory. `maps_in_memory` is what that is more
than at four tokens, in maps of n × n floats: the scores, scaled, masked and weights of the head that is shown are four,
and what is painted from them counts too; copies of the seven hidden heads would be 28 more. Heads shows the weights
of all eight.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from measuring import Row, Times

TOKENS = (4, 64, 128, 256, 512, 1024, 2048)
QUICK_TOKENS = (4, 64, 256, 1024)
HEADS, D_MODEL = 8, 64
WORKSPACES = ("pipeline", "heads", "scaling", "geometry")
REACH = 1.5


def rows(quick: bool) -> Iterator[Row]:
    """Measure every size; the reference is the floor of P1, which grows as n² does."""
    for workspace in WORKSPACES:
        yield from _rows(workspace, QUICK_TOKENS if quick else TOKENS)


def _rows(workspace: str, sizes: tuple[int, ...]) -> Iterator[Row]:
    base = 0.0
    for tokens in sizes:
        found = _measured(workspace, tokens)
        base = base or found["peak_mb"]
        notes: dict[str, Any] = {"peak_mb": found["peak_mb"]}
        if found["peak_mb"] > base:
            notes["maps_in_memory"] = (found["peak_mb"] - base) * 1e6 / (8 * tokens**2)
        times, floor = (Times(**found[name]) for name in ("window", "floor"))
        notes["ns_a_pair"] = times.median * 1e6 / tokens**2
        yield Row("P7", f"{workspace}, {tokens} tokens, {HEADS} heads", times, "floor", floor, REACH, notes)


def _measured(workspace: str, tokens: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, workspace, str(tokens)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _measure(workspace: str, tokens: int) -> dict[str, Any]:
    return _measure_pipeline(tokens) if workspace == "pipeline" else _measure_workspace(workspace, tokens)


def _measure_workspace(workspace: str, tokens: int) -> dict[str, Any]:
    from measuring import interleaved
    from real_window import Size
    from workspaces import sides

    side = sides(workspace, Size(tokens, D_MODEL, HEADS), drag=False)
    edit = side.edit()
    for _ in range(3):
        edit()
        side.shown.rest(0.1)
    peak = _peak()
    times = interleaved({"window": edit, "floor": side.floor_of_edit()}, 15)
    return {"window": asdict(times["window"]), "floor": asdict(times["floor"]), "peak_mb": peak}


def _measure_pipeline(tokens: int) -> dict[str, Any]:
    from edit_to_pixels import measured
    from real_window import EDITED, RealWindow, Size

    shown = RealWindow(Size(tokens, D_MODEL, HEADS))
    shown.scroll_to(shown.pipeline.canvas.cards["scores"])
    for value in (0.25, 0.5, -0.25):
        shown.document.set_cell(EDITED, 0, 0, value)
        shown.rest(0.1)
    # Before the floor, which has maps of its own.
    peak = _peak()
    times, _ = measured(shown, 15)
    return {"window": asdict(times["window"]), "floor": asdict(times["floor"]), "peak_mb": peak}


def _peak() -> float:
    """Return the largest memory of this process so far, in MB."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1024 * 1.048576


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    result = _measure(sys.argv[1], int(sys.argv[2]))
    print(json.dumps(result), flush=True)
    os._exit(0)
