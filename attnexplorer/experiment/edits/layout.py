"""Which axes of an experiment must have the same width, so that a change of one reaches all that follow from it."""

from __future__ import annotations

from collections.abc import Iterator

from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment


class Layout:
    """Groups of equal axes.

    Axes are ``n``, ``m``, ``positions``, ``vocabulary``, ``d_model``, ``d_source`` (of X), and for layer l ``heads.l``,
    ``kv.l``, ``d_k.l``, ``d_v.l``, ``concat.l`` (heads · d_v), ``source.l`` (what keys are made from), ``input.l``,
    ``attention.l`` (d_out), ``hidden.l``; ``input.L`` is the width after the last of L layers.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._group: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}
        for left, right in _equalities(experiment):
            self._join(left, right)

    def group(self, axis: str) -> str:
        """Return the name that stands for all axes equal to `axis`."""
        return self._group.get(axis, axis)

    def members(self, axis: str) -> list[str]:
        """Return all axes equal to `axis`, itself included."""
        return self._members.get(self.group(axis), [axis])

    def concats(self, axis: str) -> list[int]:
        """Return the layers without W_O whose heads · d_v is this width."""
        return sorted(int(name.partition(".")[2]) for name in self.members(axis) if name.startswith("concat."))

    def require_free(self, axis: str, width: int) -> None:
        """Refuse to change a width that a concatenation of heads fixes."""
        for layer in self.concats(axis):
            raise ExperimentError(
                f"Layer {layer + 1}",
                f"has no W_O, so this width is its heads × d_v = {width}. "
                "Create W_O first, or change d_v or the heads.",
            )

    def require_only_downstream(self, layer: int) -> None:
        """Refuse to change heads · d_v where something upstream of it must stay equal to it."""
        if not self.is_concat_free(layer):
            raise ExperimentError(
                f"Layer {layer + 1}",
                "has no W_O, and a residual or the tied unembedding fixes its heads × d_v. Create W_O first.",
            )

    def is_concat_free(self, layer: int) -> bool:
        """Tell whether only what comes after a layer must agree with its heads · d_v."""
        axis = f"concat.{layer}"
        return self.concats(axis) == [layer] and not any(_is_upstream(name, layer) for name in self.members(axis))

    def _join(self, left: str, right: str) -> None:
        left, right = self.group(left), self.group(right)
        if left == right:
            return
        members = self._members.pop(left, [left]) + self._members.pop(right, [right])
        self._members[left] = members
        self._group.update(dict.fromkeys(members, left))


def _equalities(experiment: Experiment) -> Iterator[tuple[str, str]]:
    yield "d_model", "input.0"
    source = experiment.source
    if source is None:
        yield "n", "m"
    for number, layer in enumerate(experiment.layers):
        if layer.residual:
            yield f"attention.{number}", f"input.{number}"
        if layer.attention.W_O is None:
            yield f"attention.{number}", f"concat.{number}"
        if layer.ffn is None or layer.residual:
            yield f"input.{number + 1}", f"attention.{number}"
        if source is None:
            yield f"source.{number}", f"input.{number}"
        else:
            yield f"source.{number}", "d_model" if source.X is None else "d_source"
    if experiment.unembedding is not None and experiment.unembedding.W_U is None:
        yield f"input.{len(experiment.layers)}", "d_model"


def _is_upstream(axis: str, layer: int) -> bool:
    kind, _, number = axis.partition(".")
    return kind in ("d_model", "d_source") or (kind == "input" and int(number) <= layer)
