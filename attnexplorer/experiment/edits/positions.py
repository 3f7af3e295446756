"""Edits of the position rule."""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

import numpy as np

from attnexplorer.experiment import rules
from attnexplorer.experiment.arrays import Matrix, frozen
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.orders import resized
from attnexplorer.experiment.edits.reindexing import reindexed, without_pins
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment, PositionKind

LARGEST_TABLE = 100_000
TableStart = Literal["random", "zeros", "sinusoidal"]


def set_position_kind(
    experiment: Experiment, kind: PositionKind, *, start: TableStart = "random", seed: int = 0
) -> Experiment:
    """Choose how the place of a token enters.

    "learned" makes a table that begins as `start`; leaving it drops the table. Leaving "rope" drops pins of rotated
    queries and keys. RoPE turns pairs of columns, so it is refused where a d_k is odd.
    """
    if kind == experiment.position.kind:
        return experiment
    if kind == "rope":
        for number, layer in enumerate(experiment.layers):
            require_even(number, layer.attention.d_k)
    else:
        rotated = {path for path in experiment.pins if path.split(".")[2] in ("query_rotated", "key_rotated")}
        experiment = without_pins(experiment, rotated)
    table = _started(experiment, start, seed) if kind == "learned" else None
    return _with(experiment, kind=kind, table=table)


def set_base(experiment: Experiment, base: float) -> Experiment:
    """Set the base of the angles of sinusoidal positions and RoPE."""
    if not (math.isfinite(base) and base > 0):
        raise ExperimentError("The base", "must be a number above 0.")
    return _with(experiment, base=float(base))


def set_interleaved(experiment: Experiment, interleaved: bool) -> Experiment:
    """Choose RoPE's pairs: neighbours (2i, 2i + 1), or halves (i, i + d_k/2)."""
    return _with(experiment, interleaved=bool(interleaved))


def set_offset(experiment: Experiment, offset: int, growth: Growth | None = None) -> Experiment:
    """Set the position of the first token; a learned table that is too short grows at its end."""
    if not 0 <= offset <= rules.LARGEST_INTEGER:
        raise ExperimentError("The offset", "must be 0 or more, and small enough to be exact.")
    return with_enough_rows(_with(experiment, offset=int(offset)), growth or Growth())


def with_enough_rows(experiment: Experiment, growth: Growth) -> Experiment:
    """Let a learned table that is shorter than offset + the longer sequence grow at its end."""
    table = experiment.position.table
    if table is None or experiment.position.kind != "learned" or len(table) >= rows_needed(experiment):
        return experiment
    _require_modest(rows_needed(experiment))
    return reindexed(experiment, {"positions": resized(len(table), rows_needed(experiment))}, growth)


def rows_needed(experiment: Experiment) -> int:
    """Return how many rows a learned table must have."""
    source = experiment.source
    looked_up = 0 if source is None or source.X is not None else len(source.tokens)
    return experiment.position.offset + max(len(experiment.sequence.tokens), looked_up)


def require_even(layer: int, d_k: int) -> None:
    """Refuse an odd d_k under RoPE."""
    if d_k % 2:
        raise ExperimentError(f"Layer {layer + 1}", f"has d_k = {d_k}, but RoPE turns pairs of columns: make it even.")


def _with(experiment: Experiment, **changes: object) -> Experiment:
    position = dataclasses.replace(experiment.position, **changes)  # type: ignore[arg-type]
    return dataclasses.replace(experiment, position=position)


def _started(experiment: Experiment, start: TableStart, seed: int) -> Matrix:
    shape = (rows_needed(experiment), experiment.d_model)
    _require_modest(shape[0])
    if start == "sinusoidal":
        return _sinusoidal(*shape, experiment.position.base)
    return frozen(Growth(start, seed)("table", shape))


def _sinusoidal(rows: int, width: int, base: float) -> Matrix:
    columns = np.arange(width)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        angles = np.arange(rows)[:, None] / base ** ((columns - columns % 2) / width)
        table = np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))
    if not np.isfinite(table).all():
        raise ExperimentError("The base", f"is too small for a table of sines: {base!r}.")
    return frozen(table)


def _require_modest(rows: int) -> None:
    if rows > LARGEST_TABLE:
        raise ExperimentError("The position table", f"would need {rows} rows; at most {LARGEST_TABLE} are kept.")
