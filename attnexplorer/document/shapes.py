"""The parameter at a path, and the shape of the matrix at a path, in an experiment that may not have it."""

from __future__ import annotations

import numpy as np

from attnexplorer.compute.reading import shape_of
from attnexplorer.compute.stages import STAGES, heads_of, unit_at
from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import get


def parameter(experiment: Experiment, path: str) -> Matrix | None:
    """Return the matrix of parameters at a path, or None if there is none."""
    try:
        found = get(experiment, path)
    except (AttributeError, IndexError, ValueError):
        return None
    return found if isinstance(found, np.ndarray) else None


def matrix_shape(experiment: Experiment, path: str) -> tuple[int, int] | None:
    """Return rows and columns of a parameter or of a stage, evaluated or not; None if there is no such matrix."""
    unit = unit_at(path)
    if unit is None:
        matrix = parameter(experiment, path)
        if matrix is None:
            return None
        rows, columns = np.atleast_2d(matrix).shape
        return rows, columns
    layer = unit.layer or 0
    if layer >= len(experiment.layers) or not STAGES[unit.stage].exists(experiment, layer):
        return None
    return shape_of(experiment, unit) if unit.head in heads_of(experiment, unit.stage, layer) else None
