"""Lazy, incremental evaluation of stages.

Every unit (one stage of one head) remembers what it was made from. A unit is valid as long as it reads the very same
things: the same parameter objects, and units that are themselves unchanged. So nothing has to know what an edit
touches, what is not asked for is not computed, and an untouched unit keeps the very same array.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from attnexplorer.compute.beside import Chain, levels, run_beside
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import PAIR_STAGES, STAGES
from attnexplorer.compute.units import Unit
from attnexplorer.compute.work import estimated_seconds
from attnexplorer.experiment.captured import CAPTURED_STAGES, Capture
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment

_WORTH_THREADS = 0.004
"""Evaluations estimated to take longer than this many seconds are shared among threads."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Finished arrays: what was asked for, from one experiment; all read-only.

    `recomputed` lists what had to be computed anew, `seconds` how long that took.
    """

    experiment: Experiment
    arrays: Mapping[Unit, Array]
    recomputed: tuple[Unit, ...]
    seconds: float


@dataclass(slots=True)
class _Memory:
    """What is known of a unit: what it read, a mark that stands for its present value, and the value if kept."""

    function: Any
    marks: tuple[Any, ...]
    mark: object
    array: Array | None = None


@dataclass(frozen=True, slots=True)
class _Recipe:
    function: Any
    reads: tuple[Any, ...]
    pin: Array | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What an evaluation has to do: `missing` are the units that must be computed, in order."""

    experiment: Experiment
    units: frozenset[Unit]
    recipes: Mapping[Unit, _Recipe]
    missing: tuple[Unit, ...]


class Engine:
    """Evaluates experiments one after the other and keeps what did not change. Not for two threads at once.

    Parameters
    ----------
    dtype
        The type that everything is computed in.
    keep_all
        Keep every matrix. Otherwise the matrices over pairs of tokens are let go of unless they were asked for.
    threads
        On how many threads heads are computed beside each other where that takes long; the numbers are the same.
    """

    def __init__(self, dtype: DTypeLike = np.float64, *, keep_all: bool = False, threads: int = 1) -> None:
        self._dtype = np.dtype(dtype)
        self._keep_all = keep_all
        self._threads = threads
        self._letting_go = threading.Lock()
        self._memories: dict[Unit, _Memory] = {}
        self._casts: dict[int, tuple[Array, Array]] = {}
        self._last: Experiment | None = None
        self._checked: set[Unit] = set()

    def evaluate(self, experiment: Experiment, units: Collection[Unit]) -> Evaluation:
        """Return the arrays of `units`, computing only what is asked for and has changed."""
        return self.run(self.plan(experiment, units))

    def plan(self, experiment: Experiment, units: Collection[Unit]) -> Plan:
        """Find out, cheaply, what has to be computed for `units`; `run` then does it."""
        wanted = frozenset(units)
        if experiment is not self._last:
            self._last = experiment
            self._checked.clear()
        recipes = self._recipes(experiment, wanted)
        for unit, recipe in recipes.items():
            self._check(unit, recipe)
        self._checked.update(recipes)
        return Plan(experiment, wanted, recipes, self._missing(recipes, wanted))

    def run(self, plan: Plan) -> Evaluation:
        """Compute what a plan lacks. Any thread may do so, one at a time, with no other plan made in between."""
        start = time.perf_counter()
        # Overflow and invalid operations are results here, shown as such, not accidents to warn about.
        readers = self._readers_of_hidden(plan)
        with np.errstate(all="ignore"):
            for level in self._levels(plan):
                calls = [partial(self._compute, chain, plan.recipes, readers) for chain in level]
                run_beside(calls, self._threads)
        arrays = {unit: self._array(unit) for unit in plan.units}
        self._forget_missing(plan.experiment)
        if not self._keep_all:
            self._forget_hidden(plan.units)
        return Evaluation(plan.experiment, MappingProxyType(arrays), plan.missing, time.perf_counter() - start)

    def _levels(self, plan: Plan) -> list[list[Chain]]:
        if self._threads > 1 and estimated_seconds(plan.experiment, plan.missing) > _WORTH_THREADS:
            return levels(plan.missing, lambda unit: plan.recipes[unit].reads)
        return [[list(plan.missing)]]

    def _compute(self, chain: Chain, recipes: Mapping[Unit, _Recipe], readers: Counter[Unit]) -> None:
        for unit in chain:
            self._memories[unit].array = self._value(recipes[unit])
            self._let_go_of_read(recipes[unit], readers)

    def _recipes(self, experiment: Experiment, units: Collection[Unit]) -> dict[Unit, _Recipe]:
        """Return what has to be looked at, each unit after all that it reads. A stack, as layers may be many."""
        done: dict[Unit, _Recipe] = {}
        pending: dict[Unit, _Recipe] = {}
        stack = list(units)
        while stack:
            unit = stack[-1]
            if unit in done or self._is_settled(unit):
                stack.pop()
                continue
            recipe = pending.get(unit)
            if recipe is None:
                recipe = pending[unit] = _recipe(experiment, unit)
                missing = [read for read in recipe.reads if type(read) is Unit and read not in done]
                if missing:
                    stack.extend(missing)
                    continue
            done[unit] = recipe
            stack.pop()
        return done

    def _is_settled(self, unit: Unit) -> bool:
        """Tell whether a unit was checked for this very experiment and has its value: nothing below it matters."""
        return unit in self._checked and self._memories[unit].array is not None

    def _check(self, unit: Unit, recipe: _Recipe) -> None:
        """Keep what is remembered of a unit if all it reads is unchanged; else forget its value."""
        memories = self._memories
        marks = (*(memories[read].mark if type(read) is Unit else read for read in recipe.reads), recipe.pin)
        known = memories.get(unit)
        if known is None or known.function is not recipe.function or not _unchanged(known.marks, marks):
            memories[unit] = _Memory(recipe.function, marks, object())

    def _missing(self, recipes: Mapping[Unit, _Recipe], units: Collection[Unit]) -> tuple[Unit, ...]:
        needed = set(units)
        for unit, recipe in reversed(list(recipes.items())):
            if unit in needed and self._memories[unit].array is None:
                needed.update(read for read in recipe.reads if type(read) is Unit)
        return tuple(unit for unit in recipes if unit in needed and self._memories[unit].array is None)

    def _value(self, recipe: _Recipe) -> Array:
        result: Array = recipe.function(*(self._argument(read) for read in recipe.reads))
        if recipe.pin is not None:
            pin = self._cast(recipe.pin)
            result = pin if not recipe.reads else np.where(np.isnan(pin), result, pin)
        if result.dtype != self._dtype and result.dtype != np.bool_:
            result = result.astype(self._dtype)
        result.setflags(write=False)
        return result

    def _argument(self, read: Any) -> Any:
        if type(read) is Unit:
            return self._array(read)
        return self._cast(read) if isinstance(read, np.ndarray) else read

    def _array(self, unit: Unit) -> Array:
        array = self._memories[unit].array
        assert array is not None
        return array

    def _cast(self, array: Array) -> Array:
        if array.dtype == self._dtype:
            return array
        original, cast = self._casts.get(id(array), (None, None))
        if original is not array or cast is None:
            cast = array.astype(self._dtype)
            self._casts[id(array)] = (array, cast)
        return cast

    def _forget_missing(self, experiment: Experiment) -> None:
        """Let go of layers and heads that are no longer there."""
        heads = [max(layer.attention.heads, 1) for layer in experiment.layers]
        for unit in [unit for unit in self._memories if _is_gone(unit, heads)]:
            del self._memories[unit]

    def _forget_hidden(self, units: frozenset[Unit]) -> None:
        """Let go of pair matrices that are not shown, but for the scores of heads that are looked at."""
        shown = _heads_of(units)
        for unit, memory in self._memories.items():
            if _is_hidden(unit, units, shown):
                memory.array = None

    def _readers_of_hidden(self, plan: Plan) -> Counter[Unit]:
        """Return how many of the units to be computed read each pair matrix that nobody asked for."""
        if self._keep_all:
            return Counter()
        shown = _heads_of(plan.units)
        reads = (read for unit in plan.missing for read in plan.recipes[unit].reads)
        return Counter(read for read in reads if type(read) is Unit and _is_hidden(read, plan.units, shown))

    def _let_go_of_read(self, recipe: _Recipe, readers: Counter[Unit]) -> None:
        """Let go of hidden matrices after their last reader: those of all heads at once may not fit into memory."""
        for read in recipe.reads:
            if type(read) is Unit and read in readers:
                with self._letting_go:
                    readers[read] -= 1
                    if not readers[read]:
                        self._memories[read].array = None


def _heads_of(units: frozenset[Unit]) -> set[tuple[int | None, int | None]]:
    """Return the layers and heads of which a pair matrix is asked for."""
    return {(unit.layer, unit.head) for unit in units if unit.stage in PAIR_STAGES}


def _is_hidden(unit: Unit, units: frozenset[Unit], shown: set[tuple[int | None, int | None]]) -> bool:
    hidden = unit.stage in PAIR_STAGES and unit not in units
    return hidden and (unit.stage != "scores" or (unit.layer, unit.head) not in shown)


def _recipe(experiment: Experiment, unit: Unit) -> _Recipe:
    if isinstance(experiment, Capture) and unit.stage != "visible":
        return _captured_recipe(experiment, unit)
    stage = STAGES[unit.stage]
    pin = experiment.pins.get(unit.path) if experiment.pins else None
    if pin is not None and not np.isnan(pin).any():
        return _Recipe(_nothing, (), pin)
    return _Recipe(stage.function, stage.reads(experiment, unit.layer or 0, unit.head or 0), pin)


def _captured_recipe(capture: Capture, unit: Unit) -> _Recipe:
    if unit.stage not in CAPTURED_STAGES:
        raise ExperimentError("", f"there is no {unit.stage} here: only the weights were captured")
    # The capture itself is what is read: its weights as a whole may be too large to be cast at once.
    return _Recipe(Capture.weights, (capture, unit.layer or 0, unit.head or 0), None)


def _is_gone(unit: Unit, heads: list[int]) -> bool:
    return unit.layer is not None and (unit.layer >= len(heads) or (unit.head or 0) >= heads[unit.layer])


def _nothing() -> Array:
    return np.zeros(0)


def _unchanged(before: tuple[Any, ...], now: tuple[Any, ...]) -> bool:
    return len(before) == len(now) and all(a is b or _same_value(a, b) for a, b in zip(before, now, strict=True))


def _same_value(a: Any, b: Any) -> bool:
    if type(a) is not type(b) or not isinstance(a, (float, int, str)):
        return False
    return bool(a == b) and (a != 0 or str(a) == str(b))
