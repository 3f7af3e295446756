"""P1: from setting one number of W_Q until every visible view is repainted, against the floor.

Edits follow one another without a rest, so that both sides run warm. The explanation of the selected number then
follows ten times a second: it is in about one edit of ten.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import workspaces
from floor import Stages, TableImage, images_of
from measuring import Row, Run, Times, interleaved
from real_window import EDITED, PaintCount, RealWindow, Size

SIZES = (Size(4, 2, 1), Size(16, 64, 4), Size(64, 256, 8), Size(256, 512, 8), Size(512, 768, 12))
QUICK_SIZES = SIZES[:3]
REACH = 1.5
FRAME = 16.0
"""Milliseconds that 64 tokens may take."""


def rows(quick: bool) -> Iterator[Row]:
    """Measure every size twice: scrolled to the top, where W_Q is, and to the maps over pairs of tokens."""
    for size in QUICK_SIZES if quick else SIZES:
        shown = RealWindow(size)
        for place, key in (("top", None), ("maps", "scores")):
            shown.scroll_to(None if key is None else shown.pipeline.canvas.cards[key])
            yield _row(shown, size, place, 15 if quick else 41)
        shown.close()
    yield from workspaces.edit_rows(quick)


def _row(shown: RealWindow, size: Size, place: str, rounds: int) -> Row:
    times, notes = measured(shown, rounds)
    notes["within_a_frame"] = times["window"].median <= FRAME
    return Row("P1", f"{size}, {place}", times["window"], "floor", times["floor"], REACH, notes)


def measured(shown: RealWindow, rounds: int) -> tuple[dict[str, Times], dict[str, Any]]:
    """Return the times of an edit and of its floor where a window is scrolled to, and what is painted."""
    values = itertools.cycle((0.25, 0.5, -0.25, -0.5, 0.125))
    changed = shown.tables_changed_by(lambda: shown.document.set_cell(EDITED, 0, 0, next(values)))
    stages = Stages(shown.document.experiment)
    images = images_of(changed, stages)
    counts = [PaintCount(table.viewport()) for table in changed]

    def edit() -> float:
        start = time.perf_counter()
        shown.document.set_cell(EDITED, 0, 0, next(values))
        shown.until_painted(counts)
        return time.perf_counter() - start

    times = interleaved({"window": edit, "floor": _floor(stages, images, values)}, rounds)
    notes = {
        "tables": len(changed),
        "numbers": sum(image.numbers for image in images),
        "paints": counts[0].paints if counts else 0,
        "evaluation_ms": shown.document.evaluation.seconds * 1e3,
    }
    return times, notes


def _floor(stages: Stages, images: list[TableImage], values: Iterator[float]) -> Run:
    def run() -> float:
        start = time.perf_counter()
        stages.W_Q[0, 0] = next(values)
        stages.from_query()
        for image in images:
            image.draw()
        return time.perf_counter() - start

    return run
