"""From an evaluation to the small heatmaps of all heads. Pictures whose arrays have not changed are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.head_metrics import HeadMetrics, mean_over_heads
from attnexplorer.compute.numbers import cell_text
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import Unit
from attnexplorer.figures.colours import WEIGHTS, ColourScale, largest_magnitude
from attnexplorer.figures.content import NumberStyle, units_of
from attnexplorer.figures.head_grid import Metric, pooled, pooled_flags
from attnexplorer.figures.matrix import Flags, MatrixPicture
from attnexplorer.figures.theme import Theme
from attnexplorer.views.heads.choices import Choices

LABELS = {"entropy": "H", "distance_back": "back", "on_self": "self", "on_first": "first"}


@dataclass(frozen=True, slots=True)
class PictureStyle:
    """What pictures depend on beside numbers. `pool`: how many rows and columns a drawn cell stands for."""

    theme: Theme
    numbers: NumberStyle
    pool: int


class TilePictures:
    """Makes the pictures of the heads."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[tuple[Any, ...], MatrixPicture]] = {}
        self._blocked: dict[Unit, tuple[Array, int, Flags | None]] = {}

    def of_heads(
        self, evaluation: Evaluation, layer: int, heads: Sequence[int], choices: Choices, style: PictureStyle
    ) -> dict[int, MatrixPicture]:
        """Return a picture of every head that is evaluated; with limits of their own or with those of all of them."""
        arrays = {
            head: array
            for head in heads
            if (array := evaluation.arrays.get(Unit(choices.stage, layer, head))) is not None
        }
        scales = scales_of(arrays, choices)
        return {
            head: self._picture(evaluation, Unit(choices.stage, layer, head), array, scales[head], style)
            for head, array in arrays.items()
        }

    def of_mean(self, evaluation: Evaluation, layer: int, style: PictureStyle) -> MatrixPicture | None:
        """Return the picture of the mean of all heads' weights, on the scale from 0 to 1."""
        heads = range(evaluation.experiment.layers[layer].attention.heads)
        arrays = tuple(evaluation.arrays.get(Unit("weights", layer, head)) for head in heads)
        if any(array is None for array in arrays):
            return None
        unit = Unit("weights", layer, 0)
        known = self._known.get(-1)
        marks = (*arrays, style)
        if known is None or not _same(known[0], marks):
            mean = mean_over_heads(tuple(array for array in arrays if array is not None))
            picture = _made(mean, self._hatched(evaluation, unit, style.pool), None, WEIGHTS, style, weights=True)
            known = self._known[-1] = (marks, picture)
        return known[1]

    def _picture(
        self, evaluation: Evaluation, unit: Unit, array: Array, scale: ColourScale, style: PictureStyle
    ) -> MatrixPicture:
        hatched = self._hatched(evaluation, unit, style.pool)
        pin = evaluation.experiment.pins.get(unit.path)
        marks = (array, hatched, pin, scale, style)
        known = self._known.get(unit.head or 0)
        if known is None or not _same(known[0], marks):
            picture = _made(array, hatched, pin, scale, style, weights=unit.stage == "weights")
            known = self._known[unit.head or 0] = (marks, picture)
        return known[1]

    def _hatched(self, evaluation: Evaluation, unit: Unit, pool: int) -> Flags | None:
        """Return which drawn cells are blocked; the heads share it unless a pin has a say."""
        visibility = units_of(evaluation.experiment, unit.path)[-1]
        array = evaluation.arrays.get(visibility)
        if array is None:
            return None
        known = self._blocked.get(visibility)
        if known is None or known[0] is not array or known[1] != pool:
            blocked = np.logical_not(array) if visibility.stage == "visible" else np.isneginf(array)
            flags = pooled_flags(blocked, pool) if blocked.any() else None
            known = self._blocked[visibility] = (array, pool, flags)
        return known[2]


def scales_of(arrays: dict[int, Array], choices: Choices) -> dict[int, ColourScale]:
    """Return the colour scale of every head."""
    limits, kind = choices.effective_limits, choices.stage
    if kind == "weights" and limits == "fixed":
        return dict.fromkeys(arrays, WEIGHTS)
    largest = {head: largest_magnitude(array) for head, array in arrays.items()}
    shared = max(largest.values(), default=0.0)
    return {head: _scale(kind, shared if limits == "shared" else own) for head, own in largest.items()}


def limits_text(arrays: dict[int, Array], choices: Choices, decimal_point: str) -> str:
    """Return in words what the colours stand for."""
    limits = choices.effective_limits
    if limits == "own":
        return "Colours: each head its own limits, not to be compared"
    scale = next(iter(scales_of(arrays, choices).values()), WEIGHTS)
    low, high = (cell_text(end, 2, decimal_point=decimal_point) for end in (scale.low, scale.high))
    if choices.stage == "weights":
        return "Colours: 0 to 1" if limits == "fixed" else f"Colours: 0 to {high}, the same for all heads"
    return f"Colours: {low} to {high}, the same for all heads"


def metric_list(metrics: HeadMetrics | None, decimal_point: str, *, two_sequences: bool) -> tuple[Metric, ...]:
    """Return the metrics of a head as short texts; … while they are being found."""
    names = ("entropy", "on_first") if two_sequences else tuple(LABELS)
    return tuple(
        Metric(LABELS[name], "…" if metrics is None else number_text(getattr(metrics, name), decimal_point))
        for name in names
    )


def number_text(number: float | None, decimal_point: str) -> str:
    """Return a number in four characters; a dash for none."""
    if number is None:
        return "–"
    return cell_text(number, 2 if number < 9.995 else 1 if number < 99.95 else 0, decimal_point=decimal_point)


def largest_in(array: Array, row: int, column: int, pool: int) -> tuple[int, int]:
    """Return the cell of the largest finite size in a block that begins at a cell; blocked ones lose to any other."""
    block = array[row : row + pool, column : column + pool]
    sizes = np.where(np.isfinite(block), np.abs(block), -1.0)
    down, right = divmod(int(sizes.argmax()), block.shape[1])
    return row + down, column + right


def _scale(stage: str, largest: float) -> ColourScale:
    end = largest or 1.0
    return ColourScale("sequential", 0.0, end) if stage == "weights" else ColourScale("diverging", -end, end)


def _made(
    array: Array, hatched: Flags | None, pin: Array | None, scale: ColourScale, style: PictureStyle, *, weights: bool
) -> MatrixPicture:
    pinned = None if pin is None else np.asarray(~np.isnan(pin))
    return MatrixPicture(
        values=pooled(array, style.pool),
        scale=scale,
        theme=style.theme,
        decimals=style.numbers.decimals,
        decimal_point=style.numbers.decimal_point,
        hatched=hatched,
        empty_where_hatched=weights,
        pinned=pinned if style.pool == 1 else None,
    )


def _same(before: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    return len(before) == len(now) and all(
        a is b or (isinstance(a, (ColourScale, PictureStyle)) and a == b) for a, b in zip(before, now, strict=True)
    )
