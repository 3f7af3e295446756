"""What the writers of a script share: the experiment, the dialect, and how a stage is shown and pinned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.trace import Trace
from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.script import literals
from attnexplorer.interop.script.dialect import Dialect

MOST_SINGLE_CELLS = 6
"""Up to so many pinned cells are written one by one, more as a matrix."""


@dataclass(frozen=True, slots=True)
class Context:
    """What is written, in which dialect; `trace` gives the numbers that the script must arrive at."""

    experiment: Experiment
    dialect: Dialect
    trace: Trace

    @property
    def module(self) -> str:
        """The name under which the array library is imported."""
        return self.dialect.module

    @property
    def crosses(self) -> bool:
        """Whether keys and values come from a second sequence."""
        return self.experiment.source is not None

    def array(self, name: str, values: NDArray[np.float64], axes: str) -> list[str]:
        """Return the lines that assign a parameter, after a comment with its axes and its shape."""
        shape = ", ".join(map(str, values.shape))
        return [f"# {name} [{axes}] = [{shape}]", *literals.assigned(name, self.dialect.array, values)]

    def shown(self, stage: str, variable: str) -> str:
        """Return the line that prints a stage and keeps it under its name."""
        return f'show("{stage}", {variable})'

    def pinned(self, layer: int, stage: str, variable: str, head: int | None = None) -> list[str]:
        """Return the lines that put pinned numbers in the place of computed ones, for one head or the whole stage."""
        name = f"layers.{layer}.{stage}" + ("" if head is None else f".{head}")
        pin = self.experiment.pins.get(name)
        if pin is None:
            return []
        target = variable if head is None else f"{variable}[{head}]"
        cells = np.argwhere(~np.isnan(pin))
        if len(cells) == pin.size:
            return [f"# Pinned: {name}", *literals.assigned(target, self.dialect.array, pin)]
        if len(cells) <= MOST_SINGLE_CELLS:
            return self._pinned_cells(name, pin, variable, head)
        where = f"{target} = {self.module}.where({self.module}.isnan(pinned), {target}, pinned)"
        comment = f"# Pinned: {name}; where it says nan, the number stays computed."
        return [comment, *literals.assigned("pinned", self.dialect.array, pin), where]

    def _pinned_cells(self, name: str, pin: Matrix, variable: str, head: int | None) -> list[str]:
        copied = [] if head is not None else [f"{variable} = {self.dialect.copied.format(x=variable)}"]
        first = "" if head is None else f"{head}, "
        cells = [
            f"{variable}[{first}{row}, {column}] = {literals.number(pin[row, column])}"
            for row, column in np.argwhere(~np.isnan(pin)).tolist()
        ]
        return [f"# Pinned: {name}", *copied, *cells]

    def pinned_heads(self, layer: int, stage: str, variable: str, heads: int) -> list[str]:
        """Return the lines for the pins of every head of a stage."""
        return [line for head in range(heads) for line in self.pinned(layer, stage, variable, head)]
