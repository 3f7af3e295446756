"""Numbers of heads that take time to find: metrics, lengths of parts, distances. Found once, then remembered."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from attnexplorer.compute.differences import difference
from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.head_metrics import (
    HeadMetrics,
    head_distance,
    head_metrics,
    head_part,
    output_rows,
    part_norms,
)
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.heads.backlog import Backlog

Key = tuple[str, int, int]
Find = tuple[tuple[Any, ...], partial[Any]]
"""What a number depends on, and what finds it."""
MOST_COMPARED = 128
"""Of more heads no distances are found: there would be a million of a thousand."""
_QUICK = 128 * 128
"""Matrices of so many numbers do not hold up a drag."""


class HeadNumbers(QObject):
    """What is not known yet is None, and `changed` is emitted when more of it is."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: dict[Key, tuple[tuple[Any, ...], Any]] = {}
        self._backlog = Backlog(self)
        self._backlog.advanced.connect(self.changed)

    @property
    def complete(self) -> bool:
        """Whether everything asked for is known."""
        return not self._backlog.pending

    def metrics(self, head: int) -> HeadMetrics | None:
        """Return the metrics of a head."""
        found: HeadMetrics | None = self._value("metrics", head)
        return found

    def mean_norm(self, head: int) -> float | None:
        """Return the mean length of what a head writes for the tokens."""
        found: float | None = self._value("norm", head)
        return found

    def distances(self, heads: int) -> NDArray[np.float64]:
        """Return the distance between every two heads, NaN where it is not known yet. Shape: [heads, heads].

        It is infinite where there is none, as of weights that are not numbers.
        """
        table = np.full((heads, heads), np.nan)
        np.fill_diagonal(table, 0.0)
        for first, second in combinations_with_replacement(range(heads), 2):
            found = self._value("distance", first, second)
            if found is not None:
                table[first, second] = table[second, first] = math.inf if math.isnan(found) else found
        return table

    def update(self, evaluation: Evaluation, layer: int, *, distances: bool, base: Evaluation | None = None) -> None:
        """Find the numbers of the heads whose arrays were evaluated; what their arrays have not changed is kept.

        With a `base` the metrics are differences from it, and the lengths those of the differences of the parts.
        """
        wanted = dict(self._wanted(evaluation, layer, distances))
        if base is not None:
            wanted = dict(_changes(wanted, dict(self._wanted(base, layer, False))))
        self._known = {
            key: known for key, known in self._known.items() if key in wanted and _same(known[0], wanted[key][0])
        }
        missing = [key for key in wanted if key not in self._known]
        quick = [key for key in missing if key[0] != "distance" and wanted[key][0][0].size <= _QUICK]
        among_quick = set(quick)
        slow = [key for key in missing if key not in among_quick]
        jobs = {key: self._job(key, *wanted[key]) for key in missing}
        self._backlog.begin([jobs[key] for key in quick], [jobs[key] for key in slow])

    def finish(self) -> None:
        """Find everything now."""
        self._backlog.finish()

    def stop(self) -> None:
        """Find nothing more."""
        self._backlog.stop()

    def _value(self, kind: str, first: int, second: int = -1) -> Any:
        known = self._known.get((kind, first, second))
        return None if known is None else known[1]

    def _job(self, key: Key, marks: tuple[Any, ...], find: Callable[[], Any]) -> Callable[[], None]:
        def job() -> None:
            self._known[key] = (marks, find())

        return job

    def _wanted(self, evaluation: Evaluation, layer: int, distances: bool) -> Iterator[tuple[Key, Find]]:
        experiment, arrays = evaluation.experiment, evaluation.arrays
        if layer >= len(experiment.layers):
            return
        attention, shift = experiment.layers[layer].attention, own_shift(experiment, layer)
        heads = range(attention.heads)
        for head in heads:
            weights = arrays.get(Unit("weights", layer, head))
            if weights is not None:
                yield ("metrics", head, -1), ((weights, shift), partial(head_metrics, weights, shift))
        for head in heads:
            output = arrays.get(Unit("head_output", layer, head))
            if output is not None:
                rows = output_rows(attention, head) if attention.W_O is not None else None
                yield ("norm", head, -1), ((output, attention.W_O), partial(_mean_norm, output, rows))
        for first, second in combinations_with_replacement(heads, 2) if distances else ():
            a, b = arrays.get(Unit("weights", layer, first)), arrays.get(Unit("weights", layer, second))
            if a is not None and b is not None:
                yield ("distance", first, second), ((a, b), partial(head_distance, a, b))


def own_shift(experiment: Experiment, layer: int) -> int | None:
    """Return what leads from a query to its own key; None where keys are another sequence."""
    if experiment.source is not None:
        return None
    align = experiment.layers[layer].attention.mask.align
    return 0 if align == "start" else len(experiment.key_tokens) - len(experiment.query_tokens)


def _changes(wanted: dict[Key, Find], base: dict[Key, Find]) -> Iterator[tuple[Key, Find]]:
    """Return what finds the differences of numbers from those of another experiment, as far as both have them."""
    for key, (marks, find) in wanted.items():
        if key[0] == "distance":
            yield key, (marks, find)
        elif key in base:
            other_marks, other = base[key]
            change = _metrics_change if key[0] == "metrics" else _norm_of_change
            if key[0] == "metrics" or marks[0].shape == other_marks[0].shape:
                yield key, ((*marks, *other_marks), partial(change, find, other))


def _metrics_change(find: Callable[[], HeadMetrics], other: Callable[[], HeadMetrics]) -> HeadMetrics:
    after, before = find(), other()
    pairs = [(getattr(after, field.name), getattr(before, field.name)) for field in fields(HeadMetrics)]
    changes: list[Any] = [None if None in pair else pair[0] - pair[1] for pair in pairs]
    return HeadMetrics(*changes)


def _norm_of_change(find: partial[float], other: partial[float]) -> float:
    part, before = _part(*find.args), _part(*other.args)
    return float(part_norms(difference(before, part)).mean()) if part.shape == before.shape else float("nan")


def _mean_norm(output: NDArray[np.floating], rows: NDArray[np.floating] | None) -> float:
    return float(part_norms(_part(output, rows)).mean())


def _part(output: NDArray[np.floating], rows: NDArray[np.floating] | None) -> NDArray[np.floating]:
    return output if rows is None else head_part(output, rows)


def _same(before: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    alike = (a is b or (isinstance(a, int) and a == b) for a, b in zip(before, now, strict=True))
    return len(before) == len(now) and all(alike)
