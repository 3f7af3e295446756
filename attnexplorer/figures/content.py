"""What a matrix looks like: from an evaluation and a path to a picture with its labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.explaining.context import spelt_labels
from attnexplorer.compute.masks import blocked_by
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import PAIR_STAGES, STAGES, unit_at
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import get
from attnexplorer.experiment.splitting import visible
from attnexplorer.figures.colours import WEIGHTS, ColourScale, diverging_for
from attnexplorer.figures.labels import Labels
from attnexplorer.figures.matrix import MatrixPicture
from attnexplorer.figures.theme import Theme

_WEIGHT_STAGES = ("weights", "probabilities")


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How numbers are written: digits after the decimal mark, and the mark."""

    decimals: int = 2
    decimal_point: str = "."
    type_scale: float = 1.0


@dataclass(frozen=True, slots=True)
class MatrixContent:
    """A picture with the labels of its rows and columns; `told` says what blocks a pair."""

    path: str
    picture: MatrixPicture
    rows: Labels
    columns: Labels
    told: Callable[[int, int], str] | None = field(default=None, compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows, columns = self.picture.values.shape
        return rows, columns

    def blocked_by(self, row: int, column: int) -> str:
        """Return "blocked: causal" where a pair is blocked, else nothing."""
        hatched = self.picture.hatched
        if hatched is None or not hatched[row, column]:
            return ""
        return "blocked" if self.told is None else self.told(row, column)


def units_of(experiment: Experiment, path: str) -> tuple[Unit, ...]:
    """Return what must be evaluated to show the matrix at a path; nothing for a parameter."""
    unit = unit_at(path)
    if unit is None:
        return ()
    return (unit, _visibility_unit(experiment, unit)) if unit.stage in PAIR_STAGES else (unit,)


def matrix_content(
    experiment: Experiment,
    arrays: Mapping[Unit, Array],
    path: str,
    theme: Theme,
    numbers: NumberStyle,
    weight_scale: ColourScale = WEIGHTS,
) -> MatrixContent | None:
    """Return the content of a matrix, or None where the experiment has no such matrix or it is not evaluated."""
    unit = unit_at(path)
    values = parameter_at(experiment, path) if unit is None else arrays.get(unit)
    if values is None:
        return None
    table = np.atleast_2d(values)
    weights = unit is not None and unit.stage in _WEIGHT_STAGES
    pin = experiment.pins.get(path) if unit is not None else None
    hatched = _hatched(experiment, arrays, unit)
    picture = MatrixPicture(
        values=table,
        scale=weight_scale if weights else diverging_for(table),
        theme=theme,
        decimals=numbers.decimals,
        decimal_point=numbers.decimal_point,
        type_scale=numbers.type_scale,
        hatched=hatched,
        empty_where_hatched=weights,
        pinned=None if pin is None else ~np.isnan(pin),
    )
    rows, columns = _axes(path, unit)
    return MatrixContent(
        path,
        picture,
        _labels(experiment, rows, table.shape[0]),
        _labels(experiment, columns, table.shape[1]),
        None if hatched is None or unit is None or unit.layer is None else partial(blocked_by, experiment, unit.layer),
    )


@lru_cache(maxsize=32)
def token_labels(tokens: tuple[str, ...], padding: tuple[bool, ...]) -> Labels:
    """Return the labels of a sequence, a repeated token with its position; padding is faded."""
    padded = frozenset(index for index, is_padding in enumerate(padding) if is_padding)
    return Labels(spelt_labels(tokens), coloured=True, faded=padded)


def parameter_at(experiment: Experiment, path: str) -> Array | None:
    """Return the matrix of parameters at a path, or None if the experiment has none there."""
    try:
        found = get(experiment, path)
    except (AttributeError, IndexError, ValueError):
        return None
    return found if isinstance(found, np.ndarray) else None


def _visibility_unit(experiment: Experiment, unit: Unit) -> Unit:
    """Return the unit that tells which pairs of a head are blocked: the rules alone, unless pins have a say."""
    pins = experiment.pins
    if pins and any(Unit(stage, unit.layer, unit.head).path in pins for stage in ("scores", "scaled", "masked")):
        return Unit("masked", unit.layer, unit.head)
    return Unit("visible", unit.layer)


def _hatched(experiment: Experiment, arrays: Mapping[Unit, Array], unit: Unit | None) -> NDArray[np.bool_] | None:
    if unit is None or unit.stage not in PAIR_STAGES:
        return None
    visibility = _visibility_unit(experiment, unit)
    found = arrays.get(visibility)
    if found is None:
        return None
    return _BLOCKED.of(found)


class _BlockedPairs:
    """Remembers which pairs are blocked for the last few arrays, as several maps of a head ask for the same."""

    _KEPT = 8

    def __init__(self) -> None:
        self._known: dict[int, tuple[Array, NDArray[np.bool_] | None]] = {}

    def of(self, visibility: Array) -> NDArray[np.bool_] | None:
        """Return the blocked pairs, or None where there are none; from what is visible, or from masked scores."""
        known = self._known.get(id(visibility))
        if known is not None and known[0] is visibility:
            return known[1]
        blocked = np.logical_not(visibility) if visibility.dtype == np.bool_ else np.isneginf(visibility)
        found = blocked if blocked.any() else None
        while len(self._known) >= self._KEPT:
            del self._known[next(iter(self._known))]
        self._known[id(visibility)] = (visibility, found)
        return found


_BLOCKED = _BlockedPairs()


def _axes(path: str, unit: Unit | None) -> tuple[str, str]:
    if unit is not None:
        return STAGES[unit.stage].axes
    if path == "embedding.E":
        return ("vocabulary", "d_model")
    return ("key", "d_source") if path == "source.X" else ("", "")


def _labels(experiment: Experiment, axis: str, count: int) -> Labels:
    if axis == "query":
        return token_labels(experiment.query_tokens, experiment.sequence.padding)
    if axis == "key":
        return token_labels(experiment.key_tokens, experiment.key_padding)
    if axis == "vocabulary":
        return Labels(tuple(visible(word) for word in experiment.embedding.vocabulary))
    return Labels(tuple(str(index + 1) for index in range(count)))
