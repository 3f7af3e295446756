"""Checks of an evaluated attention layer: each says what it looked at and what it found.

Which pairs are visible is judged on `masked`, pins included: a pair is blocked where it is -inf by a rule or a pin.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.captured_checks import captured_checks
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
from attnexplorer.compute.findings import Cells, Findings, Place, counted, unit_name
from attnexplorer.compute.masks import blocked_pairs, query_positions
from attnexplorer.compute.projections import Array
from attnexplorer.compute.softmax import softmax
from attnexplorer.compute.stage_reads import compared_units
from attnexplorer.compute.stages import PAIR_STAGES, STAGES, heads_of, stages_of
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.captured import Capture
from attnexplorer.experiment.model import Attention, Experiment

_SAMPLED_NUMBERS = 65_536


def check_units(experiment: Experiment, layer: int, heads: Sequence[int]) -> tuple[Unit, ...]:
    """Return the units that `run_layer_checks` asks for.

    Stages that all heads flow into are among them only when all heads are.
    """
    attention = experiment.layers[layer].attention
    complete = set(heads) == set(range(attention.heads))
    kv_heads = {attention.kv_head_of(head) for head in heads}
    units: list[Unit] = []
    for stage in stages_of(experiment, layer):
        for head in heads_of(experiment, stage, layer):
            wanted = heads if STAGES[stage].per.value == "head" else kv_heads
            before_heads = stage in ("input", "attention_input")
            if (complete or before_heads) if head is None else head in wanted:
                units.append(Unit(stage, layer, head))
    return tuple(units)


def last_units(experiment: Experiment) -> tuple[Unit, ...]:
    """Return the units after the layers that `run_last_checks` asks for; often none."""
    return tuple(Unit(name) for name in ("final", "logits", "probabilities") if STAGES[name].exists(experiment, 0))


def run_checks(experiment: Experiment, array_of: ArrayOf, *, counting_from: Literal[0, 1] = 0) -> tuple[Check, ...]:
    """Run every check on every layer and head; the sentences count from `counting_from`."""
    found: list[Check] = []
    for layer, it in enumerate(experiment.layers):
        heads = range(it.attention.heads)
        found += run_layer_checks(experiment, layer, heads, array_of, counting_from=counting_from)
    return (*found, *run_last_checks(experiment, array_of, counting_from=counting_from))


def run_layer_checks(
    experiment: Experiment,
    layer: int,
    heads: Sequence[int],
    array_of: ArrayOf,
    *,
    counting_from: Literal[0, 1] = 0,
) -> tuple[Check, ...]:
    """Run every check on some heads of one layer, with the arrays of `check_units` and no others."""
    if isinstance(experiment, Capture):
        return captured_checks(experiment, layer, tuple(heads), array_of, counting_from)
    looked_at = _LayerView(experiment, layer, tuple(heads), array_of, counting_from)
    return tuple(check(looked_at) for check in _LAYER_CHECKS)


def run_last_checks(
    experiment: Experiment, array_of: ArrayOf, *, counting_from: Literal[0, 1] = 0
) -> tuple[Check, ...]:
    """Run the checks of what comes after the layers, with the arrays of `last_units`; none where there is nothing."""
    units = last_units(experiment)
    return (_finite(experiment, units, array_of, None, counting_from),) if units else ()


@dataclass(frozen=True, slots=True)
class _LayerView:
    """The part of an evaluated experiment that a check looks at."""

    experiment: Experiment
    layer: int
    heads: tuple[int, ...]
    array_of: ArrayOf
    first: int
    known: dict[int, Cells] = field(default_factory=dict)

    @property
    def attention(self) -> Attention:
        return self.experiment.layers[self.layer].attention

    def array(self, stage: str, head: int) -> Array:
        return self.array_of(Unit(stage, self.layer, head))

    def blocked(self, head: int) -> Cells:
        if head not in self.known:
            unit, found = Unit("masked", self.layer, head), self.array("masked", head) == -np.inf
            # A score may be too small for any number; the pair is not blocked by that.
            if found.any() and not np.isfinite(self.array("scaled", head)).all():
                found &= blocked_pairs(self.experiment, unit, found.shape)
            self.known[head] = found
        return self.known[head]

    def blind(self, head: int) -> Cells:
        rows: Cells = np.logical_and.reduce(self.blocked(head), axis=1)
        return rows

    def result(self, name: str, status: Status, sentence: str, where: Place | None = None) -> Check:
        return Check(name, status, sentence, self.layer, None if where is None else where.unit.head, where)

    def of_heads(self) -> str:
        count = len(self.heads)
        return f"head {self.heads[0] + self.first}" if count == 1 else f"{count} heads"


def _shapes(view: _LayerView) -> Check:
    n, m = len(view.experiment.query_tokens), len(view.experiment.key_tokens)
    d_k, d_v = view.attention.d_k, view.attention.d_v
    for head in view.heads:
        query, key = compared_units(view.experiment, view.layer, head)
        value = Unit("value", view.layer, view.attention.kv_head_of(head))
        pairs = [Unit(stage, view.layer, head) for stage in ("scores", "scaled", "masked", "weights")]
        expected = {query: (n, d_k), key: (m, d_k), value: (m, d_v), **dict.fromkeys(pairs, (n, m))}
        expected[Unit("head_output", view.layer, head)] = (n, d_v)
        for unit, shape in expected.items():
            if view.array_of(unit).shape != shape:
                found = " × ".join(map(str, view.array_of(unit).shape))
                sentence = f"{unit_name(unit, view.first)} is {found}, but {shape[0]} × {shape[1]} was expected."
                return view.result(SHAPES, "FAIL", sentence, Place(unit, 0))
    sentence = (
        f"Q is {n} × {d_k}, K is {m} × {d_k}, V is {m} × {d_v}, so scores and weights are {n} × {m} (queries × keys) "
        f"and the head output is {n} × {d_v}."
    )
    return view.result(SHAPES, "ok", sentence)


def _sums(view: _LayerView) -> Check:
    rows, largest, failing = 0, 0.0, Findings(view.first)
    for head in view.heads:
        weights = view.array("weights", head)
        sees = ~view.blind(head)
        deviations = np.abs(weights.sum(axis=1, dtype=np.float64) - 1.0)
        within = deviations <= _tolerance(weights)
        failing.add(Unit("weights", view.layer, head), sees & ~within)
        rows += int(sees.sum())
        largest = max([largest, *deviations[sees & within].tolist()])
    if failing.count:
        total = float(view.array_of(failing.where.unit)[failing.where.row].sum())
        sentence = f"The sum is not 1 in {failing.count} of {counted(rows, 'row')} that see a key; "
        return view.result(SUMS, "FAIL", f"{sentence}{failing.place} sums to {total:.10g}.", failing.where)
    if not rows:
        return view.result(SUMS, "not applicable", f"No row of {view.of_heads()} sees a key, so no sum is claimed.")
    sentence = f"{counted(rows, 'row')} of {view.of_heads()} that see a key: the sums are 1 to within {largest:.1g}."
    return view.result(SUMS, "ok", sentence)


def _blocked(view: _LayerView) -> Check:
    pairs, failing = 0, Findings(view.first)
    for head in view.heads:
        blocked = view.blocked(head)
        pairs += int(blocked.sum())
        failing.add(Unit("weights", view.layer, head), blocked & (view.array("weights", head) != 0.0))
    if failing.count:
        sentence = f"The weight is not 0 on {failing.count} of {counted(pairs, 'blocked pair')}; the first is "
        return view.result(BLOCKED, "FAIL", f"{sentence}{_value_at(view, failing)} in {failing.first}.", failing.where)
    if not pairs:
        return view.result(BLOCKED, "not applicable", f"No pair of {view.of_heads()} is blocked.")
    sentence = f"{counted(pairs, 'blocked pair')} of {view.of_heads()}: each weight is exactly 0."
    return view.result(BLOCKED, "ok", sentence)


def _future(view: _LayerView) -> Check:
    n, m = len(view.experiment.query_tokens), len(view.experiment.key_tokens)
    future = np.arange(m) > query_positions(view.attention.mask, n, m)[:, None]
    if not view.attention.mask.causal:
        if view.experiment.source is not None:
            return view.result(FUTURE, "not applicable", "Keys come from another sequence, which has no future.")
        return view.result(FUTURE, "note", "The layer is not causal: every query may see what comes after it.")
    return _none_on(view, FUTURE, future, "pair with a key after its query", "by a prefix, an allowed pair or a pin")


def _padding(view: _LayerView) -> Check:
    padding = np.array(view.experiment.key_padding, dtype=np.bool_)
    if not padding.any():
        return view.result(PADDING, "not applicable", "No key is padding.")
    padded = np.broadcast_to(padding, (len(view.experiment.query_tokens), len(padding)))
    return _none_on(view, PADDING, padded, "pair with a padded key", "by an allowed pair or a pin")


def _none_on(view: _LayerView, name: str, forbidden: Cells, pair: str, seen_by: str) -> Check:
    """Check that `forbidden` pairs have no weight; those that were made visible all the same are worth a note."""
    failing, seen = Findings(view.first), Findings(view.first)
    for head in view.heads:
        blocked = view.blocked(head)
        unit = Unit("weights", view.layer, head)
        failing.add(unit, forbidden & blocked & (view.array_of(unit) != 0.0))
        seen.add(unit, forbidden & ~blocked)
    pairs = int(forbidden.sum()) * len(view.heads)
    if failing.count:
        sentence = f"The weight is not 0 on {failing.count} of {counted(pairs, pair)}, blocked as it is; the first is "
        return view.result(name, "FAIL", f"{sentence}{_value_at(view, failing)} in {failing.first}.", failing.where)
    if seen.count:
        sentence = f"{seen.count} of {counted(pairs, pair)} can be seen {seen_by}; the first is {seen.first}."
        return view.result(name, "note", sentence, seen.where)
    return view.result(name, "ok", f"{counted(pairs, pair)} in {view.of_heads()}: each weight is exactly 0.")


def _scale(view: _LayerView) -> Check:
    attention = view.attention
    usual = 1.0 / math.sqrt(attention.d_k)
    more = "" if attention.temperature == 1.0 else f" The temperature {attention.temperature:.6g} divides them again."
    more += "" if attention.softcap is None else f" The softcap {attention.softcap:.6g} bounds them after that."
    if math.isclose(attention.scale_factor, usual, rel_tol=TOLERANCE):
        return view.result(SCALE, "ok", f"Scores are multiplied by 1/√{attention.d_k} = {usual:.6g}.{more}")
    sentence = f"Scores are multiplied by {attention.scale_factor:.6g}; 1/√{attention.d_k} would be {usual:.6g}.{more}"
    return view.result(SCALE, "note", sentence)


def _softmax(view: _LayerView) -> Check:
    rows, failing = 0, Findings(view.first)
    heads = [head for head in view.heads if not _is_pinned(view.experiment, Unit("weights", view.layer, head))]
    for head in heads:
        masked, weights = view.array("masked", head), view.array("weights", head)
        sample = _sampled_rows(masked.shape, len(heads))
        with np.errstate(all="ignore"):
            agree = np.isclose(weights[sample], softmax(masked[sample]), 0.0, _tolerance(weights), equal_nan=True)
        different = np.zeros(len(masked), dtype=np.bool_)
        different[sample] = ~agree.all(axis=1)
        failing.add(Unit("weights", view.layer, head), different)
        rows += len(sample)
    if failing.count:
        sentence = (
            f"In {failing.count} of {counted(rows, 'row')} the weights are no softmax over the keys; the first is "
        )
        sentence += f"{failing.place}."
        return view.result(SOFTMAX, "FAIL", sentence, failing.where)
    if not heads:
        return view.result(SOFTMAX, "not applicable", f"The weights of {view.of_heads()} are pinned.")
    sentence = f"{counted(rows, 'row')} of weights computed again, over the keys of each row: the same numbers."
    return view.result(SOFTMAX, "ok", sentence)


def _fully_masked(view: _LayerView) -> Check:
    rows, blind = 0, Findings(view.first)
    for head in view.heads:
        blind.add(Unit("masked", view.layer, head), view.blind(head))
        rows += len(view.blind(head))
    if not blind.count:
        return view.result(FULLY_MASKED, "ok", f"{counted(rows, 'row')} of {view.of_heads()}: each sees a key.")
    sentence = f"Nothing can be seen in {blind.count} of {counted(rows, 'row')}, the first {blind.place}: "
    sentence += "a fully masked row gets weights 0 and head output 0."
    return view.result(FULLY_MASKED, "note", sentence, blind.where)


def _layer_finite(view: _LayerView) -> Check:
    units = check_units(view.experiment, view.layer, view.heads)
    return _finite(view.experiment, units, view.array_of, view.layer, view.first)


def _finite(experiment: Experiment, units: Iterable[Unit], array_of: ArrayOf, layer: int | None, first: int) -> Check:
    numbers, matrices, blocked, failing = 0, 0, 0, Findings(first)
    for unit in units:
        array = array_of(unit)
        numbers, matrices = numbers + array.size, matrices + 1
        wrong = ~np.isfinite(array)
        if unit.stage in PAIR_STAGES and wrong.any():
            right = (array == -np.inf) & blocked_pairs(experiment, unit, array.shape)
            blocked += int(right.sum())
            wrong &= ~right
        failing.add(unit, wrong)
    if failing.count:
        place = failing.where
        value = float(array_of(place.unit)[place.row, place.column or 0])
        sentence = f"NaN or infinity in {failing.count} of {counted(numbers, 'number')}; the first is {value} in "
        sentence += f"{failing.first}."
        return Check(FINITE, "FAIL", sentence, layer, place.unit.head, place)
    but = f" but for the {counted(blocked, 'cell')} that a mask or a pin blocks with -inf" if blocked else ""
    sentence = f"{counted(numbers, 'number')} in {counted(matrices, 'matrix')} looked at: all finite{but}."
    return Check(FINITE, "ok", sentence, layer)


_LAYER_CHECKS = (_shapes, _sums, _blocked, _future, _padding, _scale, _softmax, _fully_masked, _layer_finite)


def _is_pinned(experiment: Experiment, unit: Unit) -> bool:
    pin = experiment.pins.get(unit.path)
    return pin is not None and not np.isnan(pin).all()


def _sampled_rows(shape: tuple[int, ...], heads: int) -> NDArray[np.intp]:
    """Return all rows of a small matrix, and evenly spread ones of a large matrix, so that a check stays quick."""
    rows = min(shape[0], max(1, _SAMPLED_NUMBERS // (shape[1] * heads)))
    return np.unique(np.linspace(0, shape[0] - 1, rows).round().astype(np.intp))


def _tolerance(array: Array) -> float:
    return TOLERANCE if array.dtype == np.float64 else SINGLE_TOLERANCE


def _value_at(view: _LayerView, findings: Findings) -> str:
    unit, row, column = findings.where
    return f"{float(view.array_of(unit)[row, column or 0]):.6g}"
