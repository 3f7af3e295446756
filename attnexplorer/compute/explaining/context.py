"""What the steps are written from: the experiment, the finished arrays, and the names of rows and columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attnexplorer.compute.explaining.pieces import Reference, Step, line, result, vector
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Attention, Experiment, Layer
from attnexplorer.experiment.splitting import visible

PIN_NOTE = "what is upstream is not used"


@dataclass(frozen=True, slots=True)
class Context:
    """An experiment and its finished arrays."""

    experiment: Experiment
    array_of: Callable[[Unit], Array]

    def row(self, unit: Unit, row: int) -> Array:
        """Return a row of a unit in full precision."""
        return np.asarray(self.array_of(unit)[row], dtype=np.float64)

    def column(self, unit: Unit, column: int) -> Array:
        """Return a column of a unit in full precision."""
        return np.asarray(self.array_of(unit)[:, column], dtype=np.float64)

    def cell(self, unit: Unit, row: int, column: int) -> float:
        """Return one number of a unit."""
        return float(self.array_of(unit)[row, column])

    def layer(self, unit: Unit) -> Layer:
        """Return the layer that a unit belongs to."""
        return self.experiment.layers[unit.layer or 0]

    def attention(self, unit: Unit) -> Attention:
        """Return the attention that a unit belongs to."""
        return self.layer(unit).attention

    def pinned(self, unit: Unit, row: int, column: int) -> bool:
        """Tell whether a cell is pinned."""
        pin = self.experiment.pins.get(unit.path)
        return pin is not None and not np.isnan(pin[row, column])


def at(unit: Unit, row: int, column: int) -> Reference:
    """Return the reference to a cell of a unit."""
    return Reference(unit.path, row, column)


def along_row(path: str, row: int) -> Callable[[int], Reference]:
    """Return the references to the cells of a row, by column."""
    return lambda column: Reference(path, row, column)


def along_column(path: str, column: int) -> Callable[[int], Reference]:
    """Return the references to the cells of a column, by row."""
    return lambda row: Reference(path, row, column)


def pin_step(context: Context, unit: Unit, row: int, columns: list[int], name: str) -> Step:
    """Say that cells of one row hold what they are pinned to."""
    values = context.row(unit, row)
    if len(columns) == 1:
        pinned = line(result(values[columns[0]], at(unit, row, columns[0])))
    else:
        pinned = vector(values[columns], lambda k: at(unit, row, columns[k]))
    which = "" if len(columns) in (1, len(values)) else ", in part"
    return Step("pin", f"{name} is pinned{which}", (pinned,), PIN_NOTE)


def token_label(tokens: tuple[str, ...], index: int) -> str:
    """Return a token as a label; a repeated one with its position, one that cannot be seen by its position alone."""
    return spelt_label(tokens, index) if tokens[index].strip() else f"token {index + 1}"


def spelt_label(tokens: tuple[str, ...], index: int) -> str:
    """Return a token beside its row or arrow: a repeated one with its position, one that cannot be seen by its sign."""
    shown = visible(tokens[index])
    return f"{shown} ({index + 1})" if tokens[index] in _repeated(tokens) else shown


@lru_cache(maxsize=32)
def spelt_labels(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return all tokens as `spelt_label` does."""
    return tuple(spelt_label(tokens, index) for index in range(len(tokens)))


@lru_cache(maxsize=32)
def _repeated(tokens: tuple[str, ...]) -> frozenset[str]:
    return frozenset(token for token, count in Counter(tokens).items() if count > 1)


def label_of_row(experiment: Experiment, unit: Unit, row: int) -> str:
    """Return the token that a row of a unit belongs to."""
    keys = STAGES[unit.stage].axes[0] == "key"
    return token_label(experiment.key_tokens if keys else experiment.query_tokens, row)


def label_of_column(experiment: Experiment, unit: Unit, column: int) -> str:
    """Return what a column of a unit stands for: a key's token, a word, or a component counted from 1."""
    axis = STAGES[unit.stage].axes[1]
    if axis == "key":
        return token_label(experiment.key_tokens, column)
    if axis == "vocabulary" and experiment.unembedding is not None and column < len(experiment.embedding.vocabulary):
        return token_label(experiment.embedding.vocabulary, column)
    return str(column + 1)
