"""The public face of an evaluated experiment: `trace.layers[0].weights[0]`, computed when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import DTypeLike

from attnexplorer.compute.blind_rows import blind_rows, telling_unit
from attnexplorer.compute.engine import Engine
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import STAGES, heads_of, stages_of
from attnexplorer.compute.units import Per, Unit
from attnexplorer.experiment.model import Experiment

_LAST = ("final", "logits", "probabilities")


class HeadMatrices(Sequence[Array]):
    """One matrix a head, each computed when it is asked for."""

    def __init__(self, trace: Trace, stage: str, layer: int) -> None:
        self._trace = trace
        self._units = [Unit(stage, layer, head) for head in heads_of(trace.experiment, stage, layer)]

    def __len__(self) -> int:
        return len(self._units)

    @overload
    def __getitem__(self, index: int) -> Array: ...
    @overload
    def __getitem__(self, index: slice) -> list[Array]: ...
    def __getitem__(self, index: int | slice) -> Array | list[Array]:
        if isinstance(index, slice):
            return [self._trace.array(unit) for unit in self._units[index]]
        return self._trace.array(self._units[index])

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(list(self), dtype=dtype)


class LayerTrace:
    """The stages of one layer, by name: ``layer.query[0]`` is [n, d_k], ``layer.output`` is [n, d_out]."""

    def __init__(self, trace: Trace, layer: int) -> None:
        self._trace = trace
        self._layer = layer

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the stages that this layer has, in order."""
        return stages_of(self._trace.experiment, self._layer)

    @property
    def fully_masked_rows(self) -> tuple[tuple[int, int], ...]:
        """Every (head, row) whose query sees no key."""
        found = []
        for head in range(self._trace.experiment.layers[self._layer].attention.heads):
            unit = telling_unit(self._trace.experiment, self._layer, head)
            found += [(head, int(row)) for row in np.flatnonzero(blind_rows(unit, self._trace.array(unit)))]
        return tuple(found)

    def __getattr__(self, name: str) -> Array | HeadMatrices:
        if name not in self.stages:
            raise AttributeError(f"layer {self._layer} has no stage {name!r}; it has {', '.join(self.stages)}")
        if STAGES[name].per is Per.LAYER:
            return self._trace.array(Unit(name, self._layer))
        return HeadMatrices(self._trace, name, self._layer)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.stages]


class Trace:
    """Every stage of an experiment, lazily evaluated; arrays are read-only.

    Parameters
    ----------
    experiment
        What to evaluate.
    dtype
        float64, or float32 to see what half the digits do.
    """

    def __init__(self, experiment: Experiment, dtype: DTypeLike = np.float64) -> None:
        self.experiment = experiment
        self._engine = Engine(dtype, keep_all=True)
        self._arrays: dict[Unit, Array] = {}
        self.layers = tuple(LayerTrace(self, layer) for layer in range(len(experiment.layers)))

    @property
    def embeddings(self) -> Array:
        """The looked-up rows of E: [n, d_model]."""
        return self.array(Unit("embeddings"))

    @property
    def last_stages(self) -> tuple[str, ...]:
        """Which of `final`, `logits` and `probabilities` this experiment has."""
        return tuple(name for name in _LAST if STAGES[name].exists(self.experiment, 0))

    def array(self, unit: Unit) -> Array:
        """Return the matrix of one unit."""
        if unit not in self._arrays:
            self._arrays.update(self._engine.evaluate(self.experiment, [unit]).arrays)
        return self._arrays[unit]

    def __getattr__(self, name: str) -> Array:
        if name not in _LAST:
            raise AttributeError(f"a trace has no {name!r}")
        if name not in self.last_stages:
            raise AttributeError(f"this experiment has no {name!r}: it has no final norm or unembedding")
        return self.array(Unit(name))


def evaluate(experiment: Experiment, dtype: DTypeLike = np.float64) -> Trace:
    """Return the lazy trace of an experiment, computed in float64 or, on request, in float32."""
    return Trace(experiment, dtype)
