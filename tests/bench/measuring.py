"""Measures two or more things in turn, A B A B, so that a slow minute of the machine strikes all of them alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Run = Callable[[], float]
"""Does the thing once and returns the seconds that it took."""

WARM_UP = 5
MOST_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Times:
    """The times of one thing in milliseconds: median, first and ninth tenth, and how many there were.

    `processor` is the median of what this process used of the processor meanwhile, on all its threads: on a machine
    with other work it says more than the clock. What happens in other processes is not in it.
    """

    median: float
    low: float
    high: float
    count: int
    processor: float

    @classmethod
    def of(cls, seconds: list[float], processor: list[float]) -> Times:
        """Sum up single measurements."""
        tenths = statistics.quantiles(seconds, n=10, method="inclusive")
        middle = statistics.median(seconds) * 1e3
        return cls(middle, tenths[0] * 1e3, tenths[-1] * 1e3, len(seconds), statistics.median(processor) * 1e3)

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f}–{self.high:.2f})"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the result: a thing, what it is held against in the same run, and the ratio of their medians.

    `reach` is the largest ratio that meets the aim, or None where there is none for this reference.
    """

    benchmark: str
    case: str
    times: Times
    against: str
    reference: Times
    reach: float | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """How many times as long as the reference it takes."""
        return self.times.median / self.reference.median

    @property
    def processor_ratio(self) -> float | None:
        """The ratio of processor time, where both ran in this process."""
        both = min(self.times.processor, self.reference.processor) > 0.05
        return self.times.processor / self.reference.processor if both else None

    @property
    def met(self) -> bool | None:
        """Whether the aim is met."""
        return None if self.reach is None else self.ratio <= self.reach

    def as_json(self) -> dict[str, Any]:
        """Return the row as plain values."""
        return {**asdict(self), "ratio": self.ratio, "processor_ratio": self.processor_ratio, "met": self.met}


def timed(call: Callable[[], object]) -> Run:
    """Return a run that times a call."""

    def run() -> float:
        start = time.perf_counter()
        call()
        return time.perf_counter() - start

    return run


def interleaved(runs: Mapping[str, Run], rounds: int, warm_up: int = WARM_UP, burst: int = 1) -> dict[str, Times]:
    """Run each in turn, `rounds` times after the warm-up; at least 15, more cease after `MOST_SECONDS`.

    `burst` runs of one follow one another before the other's turn comes, for what only goes on at speed.
    """
    for _ in range(warm_up):
        for run in runs.values():
            run()
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    processor: dict[str, list[float]] = {name: [] for name in runs}
    gc.collect()
    end = time.monotonic() + MOST_SECONDS
    for done in range(0, rounds, burst):
        if done >= 15 and time.monotonic() > end:
            break
        for name, run in runs.items():
            for _ in range(burst):
                before = time.process_time()
                seconds[name].append(run())
                processor[name].append(time.process_time() - before)
    return {name: Times.of(seconds[name], processor[name]) for name in runs}
