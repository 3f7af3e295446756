"""What a figure is made from: the specification, the experiment, and its numbers, evaluated when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field

from attnexplorer.compute.engine import Engine
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import STAGES, stages_of, unit_for
from attnexplorer.compute.units import Per, Unit
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.content import MatrixContent, NumberStyle, matrix_content, units_of
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.spec import FigureSpec

_LAST = ("embeddings", "final", "logits", "probabilities")
_PER_HEAD = ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V")
_ALONE = {"E": "embedding.E"}


@dataclass(frozen=True, slots=True)
class Fit:
    """How a figure is made to fit: a factor for all cells, and the width that is there, or None.

    `aspect` is the width of the room over its height; a kind that can be arranged in several ways takes the way in
    which it becomes largest there.
    """

    cells: float = 1.0
    width: float | None = None
    aspect: float | None = None

    def scale_of(self, width: float, height: float) -> float:
        """Return how large something of a size becomes in the room, up to a factor."""
        return min((self.aspect or 1.0) / max(width, 1e-9), 1.0 / max(height, 1e-9))


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """One figure to be made. `other` is experiment A, with which it is compared as B."""

    spec: FigureSpec
    experiment: Experiment
    other: Experiment | None = None
    _engine: Engine = field(default_factory=Engine, repr=False)
    _contents: dict[str, MatrixContent] = field(default_factory=dict, repr=False)

    @property
    def layer(self) -> int:
        """The layer, which exists."""
        count = len(self.experiment.layers)
        if not 0 <= self.spec.layer < count:
            raise FigureError(f"there is no layer {self.spec.layer}; there {_are(count, 'layer')}, counted from 0")
        return self.spec.layer

    @property
    def head(self) -> int:
        """The head, which exists; the first where all are meant."""
        head, count = self.spec.head or 0, self.experiment.layers[self.layer].attention.heads
        if not 0 <= head < count:
            raise FigureError(f"there is no head {head}; there {_are(count, 'head')}, counted from 0")
        return head

    def array(self, unit: Unit) -> Array:
        """Return the numbers of a unit."""
        return self._engine.evaluate(self.experiment, [unit]).arrays[unit]

    def arrays(self, units: tuple[Unit, ...]) -> dict[Unit, Array]:
        """Return the numbers of several units."""
        return dict(self._engine.evaluate(self.experiment, units).arrays)

    def content(self, path: str) -> MatrixContent:
        """Return the matrix at a path with its labels and colours."""
        if path not in self._contents:
            self._contents[path] = self._content(path)
        return self._contents[path]

    def path_of(self, name: str, head: int | None = None) -> str:
        """Return the path of a stage or parameter of the wanted layer and head; paths stay as they are.

        Raises
        ------
        FigureError
            If the experiment has no such matrix.
        """
        if "." in name or name in _ALONE:
            return _ALONE.get(name, name)
        head = self.head if head is None else head
        if name in _PER_HEAD or name in ("W_O", "b_O"):
            return self._parameter_path(name, head)
        if name not in matrix_names(self.experiment, self.layer):
            raise self._without(name)
        return unit_for(self.experiment, name, self.layer, head).path

    def check_stage(self, name: str) -> None:
        """Refuse a stage that the layer does not have; another name than a stage's passes."""
        if name in STAGES and name not in matrix_names(self.experiment, self.layer):
            raise self._without(name)

    def heads(self, name: str) -> range:
        """Return the heads that a stage or parameter has a matrix of."""
        attention = self.experiment.layers[self.layer].attention
        if name in STAGES:
            per = STAGES[name].per
            return range({Per.HEAD: attention.heads, Per.KV_HEAD: attention.kv_heads}.get(per, 0))
        if name in _PER_HEAD:
            return range(attention.heads if name.endswith("Q") else attention.kv_heads)
        return range(0)

    def path_of_head(self, name: str, head: int) -> str:
        """Return the path of the matrix of one of `heads`."""
        if name in STAGES:
            return Unit(name, self.layer, head).path
        return f"layers.{self.layer}.attention.{name}.{head}"

    def with_experiment(self, experiment: Experiment) -> Request:
        """Return the same request of another experiment."""
        return Request(self.spec, experiment)

    def _content(self, path: str) -> MatrixContent:
        spec, experiment = self.spec, self.experiment
        missing = FigureError(f"there is no matrix {path!r} in this experiment")
        try:
            units = units_of(experiment, path)
            arrays = self._engine.evaluate(experiment, units).arrays if units else {}
        except (IndexError, ValueError, AssertionError, AttributeError, TypeError, KeyError):
            raise missing from None
        numbers = NumberStyle(spec.decimals, spec.decimal_point)
        content = matrix_content(experiment, arrays, path, spec.colours, numbers)
        if content is None:
            raise missing
        return content

    def _without(self, name: str) -> FigureError:
        known = ", ".join(matrix_names(self.experiment, self.layer))
        return FigureError(f"layer {self.layer} has no {name!r}; it has {known}")

    def _parameter_path(self, name: str, head: int) -> str:
        attention = self.experiment.layers[self.layer].attention
        if getattr(attention, name) is None:
            raise FigureError(f"layer {self.layer} has no {name}")
        base = f"layers.{self.layer}.attention.{name}"
        if name not in _PER_HEAD:
            return base
        return f"{base}.{head if name.endswith('Q') else attention.kv_head_of(head)}"


def matrix_names(experiment: Experiment, layer: int) -> tuple[str, ...]:
    """Return the names of all stages that a layer has a figure of, in the order of the computation."""
    last = [name for name in _LAST if STAGES[name].exists(experiment, layer)]
    return (*last[:1], *stages_of(experiment, layer), *last[1:])


def _are(count: int, noun: str) -> str:
    return f"is 1 {noun}" if count == 1 else f"are {count} {noun}s"
