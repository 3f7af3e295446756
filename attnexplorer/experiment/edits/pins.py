"""Pinning computed matrices, or single cells of them, to given numbers, and releasing them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attnexplorer.experiment.arrays import Matrix, frozen, with_cells
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import replace
from attnexplorer.experiment.pinning import BLOCKABLE, pin_path, pin_shape


def pin_stage(experiment: Experiment, path: str, values: ArrayLike) -> Experiment:
    """Pin a stage such as ``layers.0.key.0``; NaN cells stay computed, and a pin of nothing but NaN is none."""
    shape, pin = pin_shape(experiment, path), frozen(values)
    if pin.shape != shape:
        given = " × ".join(map(str, pin.shape)) or "a single number"
        raise ExperimentError(path, f"is {shape[0]} × {shape[1]}, but the numbers are {given}.")
    _require_cells(experiment, path, pin)
    return _with_pin(experiment, path, pin)


def pin_cell(
    experiment: Experiment, path: str, row: int, column: int, value: float, shape: tuple[int, int] | None = None
) -> Experiment:
    """Pin one cell; `shape` may be given if it is known already."""
    _require_cells(experiment, path, frozen([[value]]))
    if math.isnan(value):
        return release_pin_cell(experiment, path, row, column)
    known = pin_shape(experiment, path) if shape is None else shape
    if not (0 <= row < known[0] and 0 <= column < known[1]):
        raise ExperimentError(path, f"has no row {row + 1}, column {column + 1}: it is {known[0]} × {known[1]}.")
    pin = experiment.pins.get(path)
    begun = frozen(np.full(known, np.nan)) if pin is None else pin
    return _with_pin(experiment, path, with_cells(begun, [row], [column], [value]))


def release_pin(experiment: Experiment, path: str) -> Experiment:
    """Let a whole stage be computed again."""
    return replace(experiment, f"pins.{path}", None) if path in experiment.pins else experiment


def release_pin_cell(experiment: Experiment, path: str, row: int, column: int) -> Experiment:
    """Let one cell be computed again; a pin without cells disappears."""
    pin = experiment.pins.get(path)
    if pin is None or not (0 <= row < pin.shape[0] and 0 <= column < pin.shape[1]) or np.isnan(pin[row, column]):
        return experiment
    return _with_pin(experiment, path, with_cells(pin, [row], [column], [np.nan]))


def _with_pin(experiment: Experiment, path: str, pin: Matrix) -> Experiment:
    return release_pin(experiment, path) if np.isnan(pin).all() else replace(experiment, f"pins.{path}", pin)


def _require_cells(experiment: Experiment, path: str, pin: Matrix) -> None:
    stage = pin_path(experiment, path).stage
    if stage in BLOCKABLE:
        if np.isposinf(pin).any():
            raise ExperimentError(path, "can be pinned to finite numbers and −∞ (blocked), not to +∞.")
    elif np.isinf(pin).any():
        raise ExperimentError(path, "can be pinned to finite numbers only.")
