"""P5: a figure from the experiment to the bytes of its file, against matplotlib's `savefig` of the same at its size.

The time of this program is that of all of it: numbers, layout and file. matplotlib has its figure made beforehand.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from measuring import Row, interleaved, timed
from peer import MATPLOTLIB, Peer

from attnexplorer.app.launch import make_application
from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.export import Export, Format, figure_bytes
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.spec import FigureSpec

REACH: dict[Format, float] = {"png": 0.6, "svg": 0.3, "pdf": 0.3}
LARGEST_PNG = 1.2
"""How many times as large as matplotlib's the PNG file may be."""


def rows(quick: bool) -> Iterator[Row]:
    """Measure one map of 8 × 8 with its numbers, and a grid of twelve maps of 32 × 32."""
    make_application()
    yield from _rows("8 × 8 with numbers", FigureSpec("weights"), _experiment(8, 1), 15 if quick else 25)
    yield from _rows("12 heads of 32 × 32", FigureSpec("heads"), _experiment(32, 12), 15)


def _experiment(tokens: int, heads: int) -> Experiment:
    return new_experiment([f"t{index + 1}" for index in range(tokens)], 8 * heads, 8, 8, heads, seed=1)


def _rows(case: str, spec: FigureSpec, experiment: Experiment, rounds: int) -> Iterator[Row]:
    file = Path(os.environ["ATTNEXPLORER_BENCH"]) / "maps.npy"
    np.save(file, np.stack(evaluate(experiment).layers[0].weights))
    points = lay_out(spec, experiment).points
    for form, reach in REACH.items():
        with Peer(MATPLOTLIB, "savefig_peer.py", form, *points, file) as peer:
            if not peer.introduction:
                print(f"matplotlib is not installed; {MATPLOTLIB} can name a Python that has it.")
                return
            # matplotlib's file carries no experiment, so this one does not either.
            export = Export(form, carry=0)
            runs = {"export": timed(lambda export=export: figure_bytes(spec, experiment, export)), "peer": peer.run}
            times = interleaved(runs, rounds, warm_up=2)
            sizes = len(figure_bytes(spec, experiment, export)), int(peer.introduction.rsplit(maxsplit=1)[-1])
            notes = {"bytes": sizes[0], "size_ratio": sizes[0] / sizes[1], "peer": peer.introduction}
            if form == "png":
                notes["small_enough"] = notes["size_ratio"] <= LARGEST_PNG
            yield Row("P5", f"{form}, {case}", times["export"], "matplotlib", times["peer"], reach, notes)
