"""Adding and removing whole layers."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

from attnexplorer.experiment.arrays import Matrix, frozen
from attnexplorer.experiment.edits.blocks import create_W_O
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.orders import Order, inserted, removed
from attnexplorer.experiment.edits.source import source_width
from attnexplorer.experiment.edits.widths import fit_readers, layer_at
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Attention, Experiment, Layer
from attnexplorer.experiment.paths import replace


def add_layer(experiment: Experiment, index: int, growth: Growth | None = None) -> Experiment:
    """Put a layer before layer `index`, as wide as its input, so that the others fit as they are.

    Heads, d_k, d_v, KV heads, scale, mask and residual are those of the layer before it, or of the first; it has a W_O
    where its heads need one to give that width, and neither norm nor FFN. New matrices come from the growth rule.
    """
    if not 0 <= index <= len(experiment.layers):
        raise ExperimentError(
            "The experiment", f"has no place {index + 1} for a layer; places go from 1 to {len(experiment.layers) + 1}."
        )
    model = experiment.layers[max(index - 1, 0)]
    width = experiment.layers[index - 1].d_out if index else experiment.d_model
    keys = width if experiment.source is None else source_width(experiment, 0)
    layer = Layer(_attention(model.attention, width, keys, index, growth or Growth()), residual=model.residual)
    layers = (*experiment.layers[:index], layer, *experiment.layers[index:])
    return _renumbered(dataclasses.replace(experiment, layers=layers), inserted(len(experiment.layers), index))


def remove_layer(experiment: Experiment, index: int, growth: Growth | None = None) -> Experiment:
    """Remove a layer; the last one stays.

    Where it gave another width than it read, the layers after it are first resized to the width that it read.
    """
    layer = layer_at(experiment, index)
    if len(experiment.layers) == 1:
        raise ExperimentError("The experiment", "needs at least one layer.")
    width = layer.attention.d_model
    if layer.d_out != width:
        experiment = _with_output_width(experiment, index, width, growth or Growth())
    layers = (*experiment.layers[:index], *experiment.layers[index + 1 :])
    order = removed(len(experiment.layers), index)
    return _renumbered(dataclasses.replace(experiment, layers=layers), order)


def _with_output_width(experiment: Experiment, index: int, width: int, growth: Growth) -> Experiment:
    if experiment.layers[index].ffn is None:
        # Without W_O the width would be heads × d_v; the layer goes in the end, so it may have one until then.
        experiment = create_W_O(experiment, index)
    return fit_readers(experiment, index, width, growth)


def _attention(model: Attention, width: int, keys: int, index: int, growth: Growth) -> Attention:
    def stack(name: str, heads: int, shape: tuple[int, int]) -> tuple[Matrix, ...]:
        return tuple(frozen(growth(f"new {index}.{head}.{name}", shape)) for head in range(heads))

    concat = model.heads * model.d_v
    return Attention(
        W_Q=stack("W_Q", model.heads, (width, model.d_k)),
        W_K=stack("W_K", model.kv_heads, (keys, model.d_k)),
        W_V=stack("W_V", model.kv_heads, (keys, model.d_v)),
        W_O=None if concat == width else frozen(growth(f"new {index}.W_O", (concat, width))),
        scale=model.scale,
        mask=model.mask,
    )


def _renumbered(experiment: Experiment, order: Order) -> Experiment:
    places = {old: new for new, old in enumerate(order) if old is not None}
    pins = {}
    for path, pin in experiment.pins.items():
        _, layer, rest = path.split(".", 2)
        if int(layer) in places:
            pins[f"layers.{places[int(layer)]}.{rest}"] = pin
    return replace(experiment, "pins", MappingProxyType(pins))
