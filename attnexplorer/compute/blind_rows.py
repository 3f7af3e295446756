"""Rows that see no key, judged on what there is: the masked scores, or of a capture the weights themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.masks import fully_masked
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment


def telling_unit(experiment: Experiment, layer: int, head: int) -> Unit:
    """Return the unit that tells which rows of a head see nothing."""
    there = STAGES["masked"].exists(experiment, layer)
    return Unit("masked" if there else "weights", layer, head)


def blind_rows(unit: Unit, array: Array) -> NDArray[np.bool_]:
    """Return which rows of a `telling_unit` see nothing; weights that are all 0 say so. Shape: [n, m] → [n]."""
    return fully_masked(array) if unit.stage == "masked" else np.asarray(~array.any(axis=1))
