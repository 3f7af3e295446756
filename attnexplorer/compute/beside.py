"""Heads computed beside each other: which units wait for one another, and threads for those that do not."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Per, Unit

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Chain = list[Unit]
"""Units to be computed one after the other."""

MOST_THREADS = 8
_KINDS = {Per.EXPERIMENT: 0, Per.LAYER: 0, Per.KV_HEAD: 1, Per.HEAD: 2}


def processors() -> int:
    """Return how many threads are worth while here, 1 to `MOST_THREADS`."""
    known = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(known, MOST_THREADS)


def levels(units: Iterable[Unit], reads_of: Callable[[Unit], Sequence[Any]]) -> list[list[Chain]]:
    """Return chains by level: those of one level do not wait for each other, and read only what earlier levels made.

    A level has a chain for each head, for each KV head, or one for all that belongs to no head. `units` come in an
    order of computation, and so do those of a chain.
    """
    level_of: dict[Unit, int] = {}
    found: dict[int, dict[object, Chain]] = {}
    for unit in units:
        made = [read for read in reads_of(unit) if type(read) is Unit and read in level_of]
        # What another chain makes is there only after the whole level.
        least = max((level_of[read] + (_chain_of(read) != _chain_of(unit)) for read in made), default=0)
        level = level_of[unit] = least + (_kind(unit) - least) % 3
        found.setdefault(level, {}).setdefault(_chain_of(unit), []).append(unit)
    return [list(found[level].values()) for level in sorted(found)]


def run_beside(calls: Sequence[Callable[[], None]], threads: int) -> None:
    """Make some calls on this thread and others, and return when all of them have returned; errors are raised here."""
    waiting = deque(calls)

    def work() -> None:
        with np.errstate(all="ignore"):
            while True:
                try:
                    call = waiting.popleft()
                except IndexError:
                    return
                call()

    others = [_pool().submit(work) for _ in range(min(threads, len(calls)) - 1)]
    try:
        work()
    finally:
        # After an error here the others still use what they were given: nobody may change it before they are done.
        waiting.clear()
        errors = [other.exception() for other in others]
    for error in errors:
        if error is not None:
            raise error


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # small experiments do without

    return ThreadPoolExecutor(MOST_THREADS - 1, thread_name_prefix="heads")


def _kind(unit: Unit) -> int:
    return _KINDS[STAGES[unit.stage].per]


def _chain_of(unit: Unit) -> object:
    kind = _kind(unit)
    return (unit.layer, kind, unit.head) if kind else 0
