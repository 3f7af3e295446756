"""P8: opening and saving an experiment of 5 MB, undo and redo of 1,000 steps, against bare reading of its bytes.

The floor is `json.loads` of the bytes and `np.array` of every matrix in them. Opening and saving are those of the
program: every rule checked, the file's state noted, the new file flushed to the disk.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Row, Run, interleaved, timed

from attnexplorer.app.launch import make_application
from attnexplorer.document.document import Document
from attnexplorer.document.storage import Loaded, Storage, load_file
from attnexplorer.experiment.edits.creation import new_experiment

REACH = 1.5
STEPS = 1000
HEADS, D_MODEL, D_K, TOKENS = 8, 256, 34, 64


def rows(quick: bool) -> Iterator[Row]:
    """Measure the three."""
    make_application()
    folder = Path(os.environ["ATTNEXPLORER_BENCH"])
    words = [f"t{index + 1}" for index in range(TOKENS)]
    storage = Storage(Loaded(new_experiment(words, D_MODEL, D_K, D_K, HEADS, seed=1)))
    both_ways = _undo_and_redo(storage.document)
    file = folder / "large.attn"
    storage.save_as(file)
    data = file.read_bytes()
    runs: dict[str, Run] = {
        "floor": timed(lambda: _arrays(data)),
        "open": timed(lambda: load_file(file)),
        "save": timed(lambda: storage.save_as(folder / "saved.attn")),
        "undo": timed(both_ways),
    }
    times = interleaved(runs, 15 if quick else 31, warm_up=2)
    assert (folder / "saved.attn").read_bytes() == data, "undo and redo have not come back to what there was"
    about = {"megabytes": len(data) / 1e6}
    named = {"open": "opening", "save": "saving", "undo": f"undo and redo of {STEPS:,} steps"}
    for name, case in named.items():
        yield Row("P8", case, times[name], "json.loads, np.array", times["floor"], REACH, about)
    storage.close()


def _arrays(data: bytes) -> list[Any]:
    """Read the bytes, without a check of anything."""
    read = json.loads(data)
    attention = read["layers"][0]["attention"]
    return [np.array(read["embedding"]["E"]), *(np.array(attention[name]) for name in ("W_Q", "W_K", "W_V"))]


def _undo_and_redo(document: Document) -> Callable[[], None]:
    """Make steps, and return what undoes and redoes all of them."""
    random = np.random.default_rng(1)
    for _ in range(STEPS):
        path = f"layers.0.attention.W_Q.{random.integers(HEADS)}"
        document.set_cell(path, random.integers(D_MODEL), random.integers(D_K), random.standard_normal())

    def both() -> None:
        for _ in range(STEPS):
            document.undo_stack.undo()
        for _ in range(STEPS):
            document.undo_stack.redo()

    return both
