"""From an evaluation to the small heatmaps of all heads. Pictures whose arrays have not changed are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.head_metrics import HeadMetrics, mean_over_heads
from attnexplorer.compute.numbers import cell_text, limit_text, telling_decimals
from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Unit
from attnexplorer.figures.colours import WEIGHTS, ColourScale, largest_magnitude
from attnexplorer.figures.content import NumberStyle, units_of
from attnexplorer.figures.head_grid import Metric, pooled, pooled_flags
from attnexplorer.figures.matrix import Flags, MatrixPicture
from attnexplorer.figures.theme import Theme
from attnexplorer.views.heads.choices import Colouring

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
        self, evaluation: Evaluation, layer: int, scales: Mapping[int, ColourScale], stage: str, style: PictureStyle
    ) -> dict[int, MatrixPicture]:
        """Return a picture of every head that has a scale and is evaluated."""
        units = {head: Unit(stage, layer, head) for head in scales}
        return {
            head: self._picture(evaluation, unit, array, scales[head], style)
            for head, unit in units.items()
            if (array := evaluation.arrays.get(unit)) is not None
        }

    def of_mean(
        self, evaluation: Evaluation, layer: int, style: PictureStyle, *, differing: bool
    ) -> MatrixPicture | None:
        """Return the picture of the mean of all heads' weights, from 0 to 1; of its difference, as large as itself."""
        heads = range(evaluation.experiment.layers[layer].attention.heads)
        arrays = tuple(evaluation.arrays.get(Unit("weights", layer, head)) for head in heads)
        if any(array is None for array in arrays):
            return None
        unit = Unit("weights", layer, 0)
        known = self._known.get(-1)
        marks = (*arrays, style, differing)
        if known is None or not _same(known[0], marks):
            mean = mean_over_heads(tuple(array for array in arrays if array is not None))
            scale = _scale(largest_magnitude(mean), signed=True) if differing else WEIGHTS
            picture = _made(mean, self._hatched(evaluation, unit, style.pool), None, scale, style, weights=True)
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


def scales_of(
    arrays: Mapping[int, Array], colouring: Colouring, others: Sequence[Array] = ()
) -> dict[int, ColourScale]:
    """Return the colour scale of every head; shared limits hold also what is compared with the heads, `others`."""
    limits = colouring.limits
    if limits == "fixed":
        return dict.fromkeys(arrays, WEIGHTS)
    largest = {head: largest_magnitude(array) for head, array in arrays.items()}
    shared = max((*largest.values(), *map(largest_magnitude, others)), default=0.0)
    ends = {head: shared if limits == "shared" else own for head, own in largest.items()}
    return {head: _scale(end, signed=colouring.signed) for head, end in ends.items()}


def limits_text(scales: Mapping[int, ColourScale], colouring: Colouring, decimal_point: str) -> str:
    """Return in words what the colours stand for."""
    if colouring.limits == "own":
        return "Colours: each head its own limits, not to be compared"
    scale = next(iter(scales.values()), WEIGHTS)
    if scale.kind == "sequential" and colouring.limits == "fixed":
        return "Colours: 0 to 1"
    low, high = (limit_text(end, decimal_point) for end in (scale.low, scale.high))
    return f"Colours: {low if colouring.signed else 0} to {high}, the same for all heads"


def metric_list(
    metrics: HeadMetrics | None, decimal_point: str, *, two_sequences: bool, signed: bool = False, missing: str = "…"
) -> tuple[Metric, ...]:
    """Return the metrics of a head as short texts, differences with their sign; … while they are being found."""
    names = ("entropy", "on_first") if two_sequences else tuple(LABELS)
    if metrics is None:
        return tuple(Metric(LABELS[name], missing) for name in names)
    texts = {name: number_text(getattr(metrics, name), decimal_point) for name in names}
    if signed:
        # What rounds to 0 has no sign.
        more = [name for name in names if (getattr(metrics, name) or 0.0) > 0 and texts[name].strip("0.,")]
        texts |= {name: f"+{texts[name]}" for name in more}
    return tuple(Metric(LABELS[name], text) for name, text in texts.items())


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


def _scale(largest: float, *, signed: bool) -> ColourScale:
    end = largest or 1.0
    return ColourScale("diverging", -end, end) if signed else ColourScale("sequential", 0.0, end)


def _made(
    array: Array, hatched: Flags | None, pin: Array | None, scale: ColourScale, style: PictureStyle, *, weights: bool
) -> MatrixPicture:
    pinned = None if pin is None else np.asarray(~np.isnan(pin))
    values = pooled(array, style.pool)
    return MatrixPicture(
        values=values,
        scale=scale,
        theme=style.theme,
        decimals=telling_decimals(values, style.numbers.decimals),
        decimal_point=style.numbers.decimal_point,
        hatched=hatched,
        empty_where_hatched=weights,
        pinned=pinned if style.pool == 1 else None,
    )


def _same(before: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    return len(before) == len(now) and all(
        a is b or (isinstance(a, (ColourScale, PictureStyle)) and a == b) for a, b in zip(before, now, strict=True)
    )
