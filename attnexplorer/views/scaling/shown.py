"""What the Scaling workspace looks at: a layer, a head, a row and a key of the evaluation that is on screen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.explaining.context import token_label
from attnexplorer.compute.masks import blocked_pairs
from attnexplorer.compute.projections import Array
from attnexplorer.compute.scale_curves import masked_at_scale
from attnexplorer.compute.scaling import scaling_units
from attnexplorer.compute.softmax import softmax
from attnexplorer.compute.stages import PAIR_STAGES, unit_at
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.experiment.model import Attention, Experiment
from attnexplorer.views.scale_texts import shortened


@dataclass(frozen=True, slots=True, eq=False)
class ScaledHead:
    """A head under one scale. Shapes: [n, m] each."""

    factor: float
    weights: Array
    visible: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A row of a head in a finished evaluation that has all that the scale needs."""

    evaluation: Evaluation
    layer: int
    head: int
    row: int
    key: int

    @property
    def experiment(self) -> Experiment:
        """The experiment on screen."""
        return self.evaluation.experiment

    @property
    def attention(self) -> Attention:
        """The attention of the layer."""
        return self.experiment.layers[self.layer].attention

    @property
    def weights_path(self) -> str:
        """The path of the head's weights."""
        return Unit("weights", self.layer, self.head).path

    @property
    def row_name(self) -> str:
        """The token of the row, as a label."""
        return shortened(token_label(self.experiment.query_tokens, self.row))

    def array_of(self, unit: Unit) -> Array:
        """Return a unit's array."""
        return self.evaluation.arrays[unit]

    def at_scale(self, factor: float) -> ScaledHead:
        """Return the head under a scale; a pin of the weights themselves has no part in it."""
        masked = masked_at_scale(self.experiment, self.array_of, self.layer, self.head, factor)
        with np.errstate(all="ignore"):
            # A score may be too small for any number; the pair is not blocked by that.
            seen = np.asarray(self.array_of(Unit("visible", self.layer)), dtype=np.bool_)
            blocked = blocked_pairs(self.experiment, Unit("masked", self.layer, self.head), masked.shape, seen)
            return ScaledHead(factor, softmax(masked), ~(np.isneginf(masked) & blocked))

    def depends(self) -> tuple[object, ...]:
        """Return all that softmax at any scale depends on, but for the row; compared by identity or value."""
        arrays = [self.array_of(unit) for unit in scaling_units(self.experiment, self.layer, self.head)]
        pins = [self.experiment.pins.get(Unit(stage, self.layer, self.head).path) for stage in ("scaled", "masked")]
        attention = self.attention
        return (*arrays, *pins, attention.temperature, attention.softcap, attention.d_k, self.experiment.query_tokens)


@dataclass(frozen=True, slots=True, eq=False)
class Against:
    """What a row is compared with: the same row of A, and its head at the scale that is set there."""

    shown: Shown
    chosen: ScaledHead


def shown_units(experiment: Experiment, document: Document) -> set[Unit]:
    """Return what must be evaluated for the head that is displayed."""
    return set(scaling_units(experiment, *displayed(experiment, document)))


def displayed(experiment: Experiment, document: Document) -> tuple[int, int]:
    """Return the displayed layer and head as far as an experiment has them."""
    layer = min(int(document.display["layer"]), len(experiment.layers) - 1)
    return layer, min(int(document.display["head"]), experiment.layers[layer].attention.heads - 1)


def shown(document: Document, evaluation: Evaluation) -> Shown | None:
    """Return what is looked at in an evaluation, or None where that does not have it, or not yet.

    The row is that of the selected pair of tokens, else the last one.
    """
    experiment = evaluation.experiment
    layer, head = displayed(experiment, document)
    if not all(unit in evaluation.arrays for unit in scaling_units(experiment, layer, head)):
        return None
    row, key = _pair(document.cursor.selected, len(experiment.query_tokens), len(experiment.key_tokens))
    return Shown(evaluation, layer, head, row, key)


def same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Tell whether two tuples hold the very same objects, or equal plain values."""
    return len(one) == len(other) and all(
        a is b or (isinstance(a, (int, float, str, tuple)) and type(a) is type(b) and a == b)
        for a, b in zip(one, other, strict=True)
    )


def _pair(cell: Cell | None, rows: int, keys: int) -> tuple[int, int]:
    unit = None if cell is None else unit_at(cell.path)
    if cell is not None and unit is not None and unit.stage in PAIR_STAGES and cell.row < rows:
        return cell.row, min(cell.column, keys - 1)
    return rows - 1, 0
