"""Switching parts of the network on and off: W_O, biases, norms, residual, FFN, final norm, unembedding."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import numpy as np

from attnexplorer.experiment.arrays import Matrix, frozen
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.reindexing import without_pins
from attnexplorer.experiment.edits.widths import fit_readers, layer_at, require_count, set_d_out
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import (
    Activation,
    Experiment,
    FeedForward,
    FinalNorm,
    Layer,
    Norm,
    NormKind,
    Placement,
    Unembedding,
)
from attnexplorer.experiment.paths import replace

Bias = Literal["b_Q", "b_K", "b_V", "b_O"]


def create_W_O(experiment: Experiment, layer: int) -> Experiment:
    """Give a layer a W_O, at first the identity, so that no number changes."""
    attention = layer_at(experiment, layer).attention
    if attention.W_O is not None:
        return experiment
    return replace(experiment, f"layers.{layer}.attention.W_O", frozen(np.eye(attention.heads * attention.d_v)))


def remove_W_O(experiment: Experiment, layer: int, growth: Growth | None = None) -> Experiment:
    """Take W_O and b_O away: the output is the concatenation; what reads it is resized to heads × d_v.

    Refused where the concatenation has another width than a residual or the tied unembedding needs.
    """
    attention = layer_at(experiment, layer).attention
    if attention.W_O is None:
        return experiment
    concat = attention.heads * attention.d_v
    resized_ = set_d_out(experiment, layer, concat, growth)
    before, after = experiment.layers[layer].attention, resized_.layers[layer].attention
    if (before.d_model, experiment.d_model) != (after.d_model, resized_.d_model):
        raise ExperimentError(
            f"Layer {layer + 1}",
            f"needs its W_O: the heads give {concat} columns, but a residual or the tied unembedding needs "
            f"{before.d_out}.",
        )
    return _with_attention(resized_, layer, W_O=None, b_O=None)


def create_bias(experiment: Experiment, layer: int, name: Bias) -> Experiment:
    """Give a layer a bias of zeros."""
    attention = layer_at(experiment, layer).attention
    if getattr(attention, name) is not None:
        return experiment
    if name == "b_O":
        if attention.W_O is None:
            raise ExperimentError(f"Layer {layer + 1}", "has no W_O that b_O could be added to. Create W_O first.")
        return _with_attention(experiment, layer, b_O=_constant(0.0, attention.d_out))
    stack: tuple[Matrix, ...] = getattr(attention, name.replace("b", "W"))
    zeros = tuple(_constant(0.0, matrix.shape[1]) for matrix in stack)
    return _with_attention(experiment, layer, **{name: zeros})


def remove_bias(experiment: Experiment, layer: int, name: Bias) -> Experiment:
    """Take a bias away."""
    layer_at(experiment, layer)
    return _with_attention(experiment, layer, **{name: None})


def set_residual(experiment: Experiment, layer: int, residual: bool) -> Experiment:
    """Add what a layer reads to what it gives, which must have the same width."""
    found = layer_at(experiment, layer)
    widths = {found.attention.d_model, found.attention.d_out, found.d_out}
    if residual and len(widths) > 1:
        raise ExperimentError(
            f"Layer {layer + 1}",
            f"reads {found.attention.d_model} columns, its attention gives {found.attention.d_out} and the layer "
            f"{found.d_out}; a residual needs equal widths.",
        )
    return replace(experiment, f"layers.{layer}.residual", bool(residual))


def set_norm(experiment: Experiment, layer: int, kind: NormKind | None, placement: Placement = "pre") -> Experiment:
    """Give a layer norms with gain 1 and no bias, change their kind or placement, or take them away.

    A gain or bias that has the right width is kept.
    """
    found = layer_at(experiment, layer)
    if kind is None:
        return replace(experiment, f"layers.{layer}.norm", None)
    old = found.norm or Norm(kind, placement, ())
    norm = dataclasses.replace(old, kind=kind, placement=placement)
    return replace(experiment, f"layers.{layer}.norm", _fitted_norm(norm, found))


def set_norm_bias(experiment: Experiment, layer: int, present: bool) -> Experiment:
    """Give a layer's norms a bias of zeros, or take it away."""
    norm = layer_at(experiment, layer).norm
    if norm is None:
        raise ExperimentError(f"Layer {layer + 1}", "has no norm.")
    zeros = tuple(_constant(0.0, gain.shape[0]) for gain in norm.gain)
    bias = (norm.bias or zeros) if present else None
    return replace(experiment, f"layers.{layer}.norm.bias", bias)


def create_ffn(
    experiment: Experiment,
    layer: int,
    activation: Activation = "gelu",
    hidden: int | None = None,
    *,
    gated: bool = False,
    growth: Growth | None = None,
) -> Experiment:
    """Give a layer an FFN as wide as its attention output, with four times as many hidden units if nothing is said."""
    found, rule = layer_at(experiment, layer), growth or Growth()
    if found.ffn is not None:
        raise ExperimentError(f"Layer {layer + 1}", "has an FFN already.")
    width = found.attention.d_out
    units = 4 * width if hidden is None else hidden
    require_count("The number of hidden units", units)
    ffn = FeedForward(
        activation,
        W_1=frozen(rule(f"{layer}.W_1", (width, units))),
        W_2=frozen(rule(f"{layer}.W_2", (units, width))),
        b_1=_constant(0.0, units),
        b_2=_constant(0.0, width),
        W_gate=frozen(rule(f"{layer}.W_gate", (width, units))) if gated else None,
    )
    return _with_ffn(experiment, layer, ffn)


def remove_ffn(experiment: Experiment, layer: int, growth: Growth | None = None) -> Experiment:
    """Take a layer's FFN away, with its pins and the norm before or after it; what follows is resized if it must be."""
    found = layer_at(experiment, layer)
    if found.ffn is None:
        return experiment
    if found.d_out != found.attention.d_out:
        experiment = fit_readers(experiment, layer, found.attention.d_out, growth)
    stages = {f"layers.{layer}.ffn_hidden", f"layers.{layer}.ffn_output"}
    return _with_ffn(without_pins(experiment, stages), layer, None)


def set_activation(experiment: Experiment, layer: int, activation: Activation) -> Experiment:
    """Choose the activation of a layer's FFN."""
    _ffn_at(experiment, layer)
    return replace(experiment, f"layers.{layer}.ffn.activation", activation)


def set_gated(experiment: Experiment, layer: int, gated: bool, growth: Growth | None = None) -> Experiment:
    """Give a layer's FFN a gate, or take it away."""
    ffn = _ffn_at(experiment, layer)
    if gated == (ffn.W_gate is not None):
        return experiment
    W_gate = frozen((growth or Growth())(f"{layer}.W_gate", ffn.W_1.shape)) if gated else None
    return replace(experiment, f"layers.{layer}.ffn.W_gate", W_gate)


def set_final_norm(experiment: Experiment, kind: NormKind | None) -> Experiment:
    """Put a norm with gain 1 before the unembedding, change its kind, or take it away."""
    old, width = experiment.final_norm, experiment.layers[-1].d_out
    if kind is None:
        return dataclasses.replace(experiment, final_norm=None)
    norm = FinalNorm(kind, _constant(1.0, width)) if old is None else dataclasses.replace(old, kind=kind)
    return dataclasses.replace(experiment, final_norm=norm)


def set_unembedding(
    experiment: Experiment, kind: Literal["tied", "own"] | None, growth: Growth | None = None
) -> Experiment:
    """Give the experiment an unembedding: Eᵀ ("tied"), or a W_U of its own that begins as Eᵀ where the widths agree."""
    if kind is None:
        return dataclasses.replace(experiment, unembedding=None)
    width, E = experiment.layers[-1].d_out, experiment.embedding.E
    old = experiment.unembedding or Unembedding()
    if kind == "tied":
        if width != experiment.d_model:
            raise ExperimentError(
                "The unembedding",
                f"cannot be tied: E has {experiment.d_model} columns, but the last layer gives {width}.",
            )
        return dataclasses.replace(experiment, unembedding=dataclasses.replace(old, W_U=None))
    if old.W_U is not None:
        return experiment
    begun = E.T if width == experiment.d_model else (growth or Growth())("W_U", (width, E.shape[0]))
    return dataclasses.replace(experiment, unembedding=dataclasses.replace(old, W_U=frozen(begun)))


def _with_attention(experiment: Experiment, layer: int, **changes: Any) -> Experiment:
    attention = dataclasses.replace(experiment.layers[layer].attention, **changes)
    return replace(experiment, f"layers.{layer}.attention", attention)


def _with_ffn(experiment: Experiment, layer: int, ffn: FeedForward | None) -> Experiment:
    changed = dataclasses.replace(experiment.layers[layer], ffn=ffn)
    if changed.norm is not None:
        changed = dataclasses.replace(changed, norm=_fitted_norm(changed.norm, changed))
    return replace(experiment, f"layers.{layer}", changed)


def _fitted_norm(norm: Norm, layer: Layer) -> Norm:
    """Return the norm with a gain (and bias, if any) of the right width for the attention and for an FFN."""
    attention = layer.attention
    pre = norm.placement == "pre"
    widths = [attention.d_model if pre else attention.d_out]
    if layer.ffn is not None:
        widths.append(attention.d_out if pre else layer.d_out)
    bias = None if norm.bias is None else _fitted_rows(norm.bias, widths, 0.0)
    return dataclasses.replace(norm, gain=_fitted_rows(norm.gain, widths, 1.0), bias=bias)


def _fitted_rows(rows: tuple[Matrix, ...], widths: list[int], value: float) -> tuple[Matrix, ...]:
    return tuple(
        rows[index] if index < len(rows) and rows[index].shape[0] == width else _constant(value, width)
        for index, width in enumerate(widths)
    )


def _constant(value: float, width: int) -> Matrix:
    return frozen(np.full(width, value))


def _ffn_at(experiment: Experiment, layer: int) -> FeedForward:
    ffn = layer_at(experiment, layer).ffn
    if ffn is None:
        raise ExperimentError(f"Layer {layer + 1}", "has no FFN.")
    return ffn
