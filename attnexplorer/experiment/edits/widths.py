"""Resizing: what remains keeps its numbers, new ones come from a stated rule, and what is tied to a width follows."""

from __future__ import annotations

from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.layout import Layout
from attnexplorer.experiment.edits.orders import resized
from attnexplorer.experiment.edits.positions import require_even
from attnexplorer.experiment.edits.reindexing import reindexed
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment, Layer

LARGEST_COUNT = 65_536


def set_d_model(experiment: Experiment, d_model: int, growth: Growth | None = None) -> Experiment:
    """Set the width of the embedding, and of every width that a residual or a tied unembedding holds equal to it."""
    return _resized(experiment, "d_model", "d_model", experiment.d_model, d_model, growth)


def set_d_source(experiment: Experiment, d_source: int, growth: Growth | None = None) -> Experiment:
    """Set the width of the source's X."""
    if experiment.source is None or experiment.source.X is None:
        raise ExperimentError("The source", "has no vectors of its own, so its width is d_model.")
    return _resized(experiment, "d_source", "d_source", int(experiment.source.X.shape[1]), d_source, growth)


def set_d_k(experiment: Experiment, layer: int, d_k: int, growth: Growth | None = None) -> Experiment:
    """Set the width of a layer's queries and keys; with RoPE it must be even."""
    old = layer_at(experiment, layer).attention.d_k
    if experiment.position.kind == "rope":
        require_even(layer, d_k)
    return _resized(experiment, "d_k", f"d_k.{layer}", old, d_k, growth)


def set_d_v(experiment: Experiment, layer: int, d_v: int, growth: Growth | None = None) -> Experiment:
    """Set the width of a layer's values; the rows of W_O follow, or without W_O what reads the layer's output.

    Refused where there is no W_O and a residual or a tied unembedding fixes heads × d_v.
    """
    return _resized(experiment, "d_v", f"d_v.{layer}", layer_at(experiment, layer).attention.d_v, d_v, growth)


def set_d_out(experiment: Experiment, layer: int, d_out: int, growth: Growth | None = None) -> Experiment:
    """Set the width of a layer's attention output, which W_O decides."""
    old = layer_at(experiment, layer).attention.d_out
    return _resized(experiment, "d_out", f"attention.{layer}", old, d_out, growth)


def set_hidden(experiment: Experiment, layer: int, hidden: int, growth: Growth | None = None) -> Experiment:
    """Set the number of hidden units of a layer's FFN."""
    ffn = layer_at(experiment, layer).ffn
    if ffn is None:
        raise ExperimentError(f"Layer {layer + 1}", "has no FFN.")
    return _resized(experiment, "The number of hidden units", f"hidden.{layer}", int(ffn.W_1.shape[1]), hidden, growth)


def set_output_width(experiment: Experiment, layer: int, width: int, growth: Growth | None = None) -> Experiment:
    """Set the width of a layer's output."""
    old = layer_at(experiment, layer).d_out
    return _resized(experiment, "The output width", f"input.{layer + 1}", old, width, growth)


def fit_readers(experiment: Experiment, layer: int, width: int, growth: Growth | None = None) -> Experiment:
    """Resize what reads a layer's output, but do not reach back through a tied unembedding to the embedding."""
    edited = set_output_width(experiment, layer, width, growth)
    if edited.d_model != experiment.d_model:
        raise ExperimentError(
            f"Layer {layer + 1}", f"cannot give {width} columns, because the unembedding is tied to E. Untie it first."
        )
    return edited


def layer_at(experiment: Experiment, layer: int) -> Layer:
    """Return a layer, or refuse a number that no layer has."""
    if not 0 <= layer < len(experiment.layers):
        raise ExperimentError(
            "The experiment", f"has no layer {layer + 1}; layers go from 1 to {len(experiment.layers)}."
        )
    return experiment.layers[layer]


def require_count(name: str, number: int) -> None:
    """Refuse a number below 1, or so large that it can only be a slip."""
    if not 1 <= number <= LARGEST_COUNT:
        raise ExperimentError(name, f"must be from 1 to {LARGEST_COUNT}, not {number}.")


def _resized(experiment: Experiment, name: str, axis: str, old: int, new: int, growth: Growth | None) -> Experiment:
    require_count(name, new)
    if old == new:
        return experiment
    Layout(experiment).require_free(axis, old)
    return reindexed(experiment, {axis: resized(old, new)}, growth or Growth())
