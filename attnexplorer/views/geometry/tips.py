"""What moving the tip of an arrow would change, or why it cannot be moved and what could be done about that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from attnexplorer.compute.planes import Plane
from attnexplorer.compute.stages import unit_at
from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.plane_arrows import ArrowKind
from attnexplorer.views.geometry.vectors import Rows

EMBEDDING = "embedding.E"
Remedy = Literal["pin", "axes"]
_SYMBOLS: dict[ArrowKind, str] = {"query": "Q", "key": "K"}
_ORIGINS: dict[ArrowKind, str] = {
    "query": "is computed from X and W_Q",
    "key": "is computed from X and W_K",
    "value": "is computed from X and W_V",
    "output": "is the mean of the values, weighted by A",
}


@dataclass(frozen=True, slots=True)
class TipTarget:
    """The cells that are the coordinates of a tip: a row of a parameter or of a pin, and its columns."""

    path: str
    row: int
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TipRefusal:
    """Why a tip stays where it is, and what a click could do about it; with a path it pins that matrix too."""

    sentence: str
    remedy: Remedy
    link: str
    path: str = ""


def tip_target(experiment: Experiment, rows: Rows, row: int, plane: Plane) -> TipTarget | TipRefusal:
    """Return the cells behind the tip of an arrow, or why it cannot be dragged."""
    if plane.axes is None:
        sentence = f"Here a tip stands for all {rows.width} numbers of the vector, so it cannot be dragged."
        then = vector_target(experiment, rows, row, (0,))
        if isinstance(then, TipTarget):
            return TipRefusal(sentence, "axes", "Look along two axes")
        return TipRefusal(sentence, "axes", f"Look along two axes and {then.link[0].lower()}{then.link[1:]}", then.path)
    return vector_target(experiment, rows, row, tuple(dict.fromkeys(plane.axes)))


def vector_target(experiment: Experiment, rows: Rows, row: int, columns: tuple[int, ...]) -> TipTarget | TipRefusal:
    """Return the cells that hold some numbers of a vector, or why they cannot be changed."""
    pin = experiment.pins.get(rows.path)
    if pin is not None and not np.isnan(pin[row, list(columns)]).any():
        return TipTarget(rows.path, row, columns)
    if rows.kind == "input" and pin is None and _is_looked_up(experiment, rows.path):
        word = experiment.embedding.vocabulary.index(experiment.query_tokens[row])
        return TipTarget(EMBEDDING, word, columns)
    name = matrix_name(experiment, rows.path)
    return TipRefusal(f"{_reason(experiment, rows, name)} Pinned, it can be dragged.", "pin", f"Pin {name}", rows.path)


def _is_looked_up(experiment: Experiment, path: str) -> bool:
    unit = unit_at(path)
    return unit is not None and unit.layer == 0 and experiment.position.kind not in ("sinusoidal", "learned")


def _reason(experiment: Experiment, rows: Rows, name: str) -> str:
    unit = unit_at(rows.path)
    if unit is not None and unit.stage.endswith("_rotated"):
        return f"{name[0].upper()}{name[1:]} is computed from {_SYMBOLS[rows.kind]} and the positions."
    if rows.kind != "input":
        return f"{name} {_ORIGINS[rows.kind]}."
    if unit is not None and unit.layer:
        return f"X of layer {unit.layer + 1} is the output of layer {unit.layer}."
    if experiment.position.kind in ("sinusoidal", "learned"):
        return "X is E[t] plus the position here, so a row of it is no row of E."
    return f"This row of {name} is pinned in part only."
