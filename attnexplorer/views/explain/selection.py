"""Whether a selected cell is in the evaluation that is on screen, which may be older than the selection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.stages import STAGES, heads_of, unit_at
from attnexplorer.compute.units import Per, Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import get


def exists(experiment: Experiment, unit: Unit) -> bool:
    """Tell whether an experiment has a unit."""
    stage = STAGES[unit.stage]
    if stage.per is Per.EXPERIMENT:
        return stage.exists(experiment, 0)
    layer = unit.layer or 0
    there = layer < len(experiment.layers) and stage.exists(experiment, layer)
    return there and unit.head in heads_of(experiment, unit.stage, layer)


def number_at(evaluation: Evaluation, cell: Cell) -> float | None:
    """Return the number in a cell, or None if the evaluation has no such cell."""
    unit = unit_at(cell.path)
    matrix = _parameter(evaluation.experiment, cell.path) if unit is None else evaluation.arrays.get(unit)
    if matrix is None or not (0 <= cell.row < matrix.shape[0] and 0 <= cell.column < matrix.shape[1]):
        return None
    return float(matrix[cell.row, cell.column])


def _parameter(experiment: Experiment, path: str) -> NDArray[np.floating] | None:
    """Return a parameter as a matrix; a vector such as a bias is one row."""
    try:
        found = get(experiment, path)
    except (AttributeError, IndexError, ValueError):
        return None
    return np.atleast_2d(found) if isinstance(found, np.ndarray) else None
