"""Checks of a capture: what weights alone can tell. Of what went into them nothing is known and nothing is claimed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.blind_rows import blind_rows
from attnexplorer.compute.check_result import (
    BLOCKED,
    FINITE,
    FULLY_MASKED,
    FUTURE,
    PADDING,
    SCALE,
    SHAPES,
    SINGLE_TOLERANCE,
    SOFTMAX,
    SUMS,
    TOLERANCE,
    ArrayOf,
    Check,
    Status,
)
from attnexplorer.compute.findings import Findings, Place, counted
from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.captured import Capture

_ONLY_WEIGHTS = "Only the weights were captured"


class Digits(NamedTuple):
    """How exact numbers can be: the coarsest usual type that holds them all, and how far a sum of them may be off."""

    name: str
    tolerance: float


def captured_checks(
    capture: Capture, layer: int, heads: tuple[int, ...], array_of: ArrayOf, first: int
) -> tuple[Check, ...]:
    """Run every check on the weights of some heads of one layer; the sentences count from `first`."""
    view = _WeightsView(capture, layer, heads, array_of, first)
    return (
        view.result(SHAPES, "ok", f"Weights are {view.n} × {view.m} (queries × keys), as the tokens say."),
        _sums(view),
        view.result(BLOCKED, "not applicable", f"{_ONLY_WEIGHTS}, not which pairs a mask blocked."),
        _future(view),
        view.result(PADDING, "not applicable", f"{_ONLY_WEIGHTS}, not which keys are padding."),
        view.result(SCALE, "not applicable", f"{_ONLY_WEIGHTS}, not the scores or their scale."),
        _range(view),
        _blind(view),
        _finite(view),
    )


def digits_of(values: NDArray[np.floating[Any]]) -> Digits:
    """Return how exact numbers can be; NaN and infinities are left out of account."""
    finite = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        single = finite.astype(np.float32)
        if (single != finite).any():
            return Digits("float64", TOLERANCE)
        if not (single.view(np.uint32) & 0xFFFF).any():
            # The upper half of a float32 is a bfloat16.
            return Digits("bfloat16", 4e-3)
        if (single.astype(np.float16) == single).all():
            return Digits("float16", 1e-3)
    return Digits("float32", SINGLE_TOLERANCE)


@dataclass(frozen=True, slots=True)
class _WeightsView:
    capture: Capture
    layer: int
    heads: tuple[int, ...]
    array_of: ArrayOf
    first: int

    @property
    def n(self) -> int:
        return len(self.capture.query_tokens)

    @property
    def m(self) -> int:
        return len(self.capture.key_tokens)

    def unit(self, head: int) -> Unit:
        return Unit("weights", self.layer, head)

    def weights(self, head: int) -> Array:
        return self.array_of(self.unit(head))

    def result(self, name: str, status: Status, sentence: str, where: Place | None = None) -> Check:
        return Check(name, status, sentence, self.layer, None if where is None else where.unit.head, where)

    def value_at(self, place: Place) -> float:
        return float(self.weights(place.unit.head or 0)[place.row, place.column or 0])

    def of_heads(self) -> str:
        count = len(self.heads)
        return f"head {self.heads[0] + self.first}" if count == 1 else f"{count} heads"


def _sums(view: _WeightsView) -> Check:
    rows, largest, failing = 0, 0.0, Findings(view.first)
    digits = digits_of(view.capture.attention[view.layer])
    columns_sum = view.n == view.m
    for head in view.heads:
        weights = view.weights(head)
        sees = ~blind_rows(view.unit(head), weights)
        deviations = _deviations(weights, 1)
        within = deviations <= digits.tolerance
        failing.add(view.unit(head), sees & ~within)
        columns_sum = columns_sum and bool((_deviations(weights, 0) <= digits.tolerance).all())
        rows += int(sees.sum())
        largest = max([largest, *deviations[sees & within].tolist()])
    if failing.count:
        with np.errstate(over="ignore", invalid="ignore"):
            total = float(view.weights(failing.where.unit.head or 0)[failing.where.row].sum())
        sentence = f"The sum is not 1 in {failing.count} of {counted(rows, 'row')}; "
        sentence += f"{failing.place} sums to {total:.10g}."
        sentence += " Every column does sum to 1: queries and keys may be exchanged." if columns_sum else ""
        return view.result(SUMS, "FAIL", sentence, failing.where)
    if not rows:
        return view.result(SUMS, "not applicable", f"No row of {view.of_heads()} has any weight, so no sum is claimed.")
    exact = f", as exact as {digits.name} can be" if largest > TOLERANCE else ""
    sentence = f"{counted(rows, 'row')} of {view.of_heads()}: the sums are 1 to within {largest:.1g}{exact}."
    return view.result(SUMS, "ok", sentence)


def _future(view: _WeightsView) -> Check:
    if view.capture.source is not None:
        return view.result(FUTURE, "not applicable", "Keys come from another sequence, which has no future.")
    future = np.triu(np.ones((view.n, view.m), dtype=np.bool_), 1)
    seen, unknown = Findings(view.first), Findings(view.first)
    for head in view.heads:
        weights = view.weights(head)
        seen.add(view.unit(head), future & (weights != 0.0) & ~np.isnan(weights))
        unknown.add(view.unit(head), future & np.isnan(weights))
    pairs = counted(int(future.sum()) * len(view.heads), "pair with a key after its query")
    if seen.count:
        value = f"{view.value_at(seen.where):.6g} in {seen.first}"
        sentence = f"{seen.count} of {pairs} have a weight, the first {value}: the layer is not causal."
        return view.result(FUTURE, "note", sentence, seen.where)
    if unknown.count:
        sentence = f"{unknown.count} of {pairs} are NaN, the first {unknown.place}: nothing is claimed."
        return view.result(FUTURE, "not applicable", sentence, unknown.where)
    return view.result(FUTURE, "ok", f"{pairs} in {view.of_heads()}: each weight is exactly 0.")


def _range(view: _WeightsView) -> Check:
    failing, numbers = Findings(view.first), 0
    tolerance = digits_of(view.capture.attention[view.layer]).tolerance
    for head in view.heads:
        weights = view.weights(head)
        failing.add(view.unit(head), ~((weights >= 0.0) & (weights <= 1.0 + tolerance)))
        numbers += weights.size
    if failing.count:
        value = f"{view.value_at(failing.where):.6g} in {failing.first}"
        sentence = f"The weight is not between 0 and 1 in {failing.count} of {counted(numbers, 'pair')}, "
        sentence += f"the first {value}: no softmax makes such numbers."
        return view.result(SOFTMAX, "FAIL", sentence, failing.where)
    sentence = f"{_ONLY_WEIGHTS}, not the scores; {counted(numbers, 'weight')} looked at: all between 0 and 1."
    return view.result(SOFTMAX, "ok", sentence)


def _blind(view: _WeightsView) -> Check:
    rows, blind = view.n * len(view.heads), Findings(view.first)
    for head in view.heads:
        blind.add(view.unit(head), blind_rows(view.unit(head), view.weights(head)))
    if not blind.count:
        return view.result(FULLY_MASKED, "ok", f"{counted(rows, 'row')} of {view.of_heads()}: each has weights.")
    sentence = f"All weights are 0 in {blind.count} of {counted(rows, 'row')}, the first {blind.place}: "
    return view.result(FULLY_MASKED, "note", f"{sentence}such a row counts as fully masked.", blind.where)


def _finite(view: _WeightsView) -> Check:
    numbers, failing = 0, Findings(view.first)
    for head in view.heads:
        weights = view.weights(head)
        failing.add(view.unit(head), ~np.isfinite(weights))
        numbers += weights.size
    if failing.count:
        value = f"{view.value_at(failing.where)} in {failing.first}"
        sentence = f"NaN or infinity in {failing.count} of {counted(numbers, 'number')}; the first is {value}."
        return view.result(FINITE, "FAIL", sentence, failing.where)
    sentence = f"{counted(numbers, 'number')} in {counted(len(view.heads), 'matrix')} looked at: all finite."
    return view.result(FINITE, "ok", sentence)


def _deviations(weights: Array, axis: int) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.abs(weights.sum(axis=axis, dtype=np.float64) - 1.0))
