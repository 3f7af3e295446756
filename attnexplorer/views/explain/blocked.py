"""Why a blocked pair has a score of −∞ or a weight of 0: the answer before the arithmetic."""

from __future__ import annotations

import numpy as np

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.masks import blocked_by
from attnexplorer.compute.stages import unit_at
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell

_FOLLOWS = {"masked": "so its score is −∞", "weights": "so its weight is exactly 0"}


def why_blocked(evaluation: Evaluation, cell: Cell) -> str:
    """Return in a sentence what blocks the pair of a cell, or nothing where it is not blocked or not known to be."""
    unit = unit_at(cell.path)
    if unit is None or unit.layer is None or unit.stage not in _FOLLOWS or unit.path in evaluation.experiment.pins:
        return ""
    scores = evaluation.arrays.get(Unit("masked", unit.layer, unit.head))
    rows, columns = (0, 0) if scores is None else scores.shape
    if scores is None or cell.row >= rows or cell.column >= columns or not np.isneginf(scores[cell.row, cell.column]):
        return ""
    rules = blocked_by(evaluation.experiment, unit.layer, cell.row, cell.column).removeprefix("blocked: ")
    return f"This pair is blocked ({rules}), {_FOLLOWS[unit.stage]}."
