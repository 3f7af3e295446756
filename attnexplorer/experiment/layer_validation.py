"""The rules of one layer: attention, mask, norms, residual sums and the FFN."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np

from attnexplorer.experiment import rules
from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import (
    Activation,
    Align,
    Attention,
    Experiment,
    FeedForward,
    Layer,
    Mask,
    Norm,
    NormKind,
    Pair,
    Placement,
)


class Width(NamedTuple):
    """A number of columns and who has them, for the sentence that asks for it."""

    columns: int
    owner: str

    @property
    def reason(self) -> str:
        """The sentence's second half: ``the embedding has 2 columns``."""
        return f"{self.owner} {rules.counted(self.columns, 'column')}"


def check_layer(experiment: Experiment, index: int, width: Width) -> None:
    """Check one layer, whose input has `width`."""
    layer, place = experiment.layers[index], f"layers[{index}]"
    _check_projections(layer.attention, f"{place}.attention", width, _source_width(experiment, width))
    _check_output_projection(layer.attention, f"{place}.attention")
    _check_softmax(layer.attention, f"{place}.attention")
    _check_rope(experiment, layer.attention, place)
    _check_mask(experiment, layer.attention.mask, f"{place}.attention.mask")
    if layer.ffn is not None:
        _check_ffn(layer, layer.ffn, f"{place}.ffn")
    if layer.residual:
        _check_residual(layer, place, width)
    if layer.norm is not None:
        _check_norm(layer, layer.norm, f"{place}.norm", width)


def _source_width(experiment: Experiment, width: Width) -> Width:
    source = experiment.source
    if source is None:
        return width
    if source.X is not None:
        return Width(source.X.shape[1], "source.X has")
    return Width(experiment.d_model, "the embedding has")


def _check_projections(attention: Attention, place: str, width: Width, source: Width) -> None:
    rules.check_not_empty(len(attention.W_Q), f"{place}.W_Q", "head")
    rules.check_not_empty(len(attention.W_K), f"{place}.W_K", "head")
    heads, kv_heads = len(attention.W_Q), len(attention.W_K)
    if heads % kv_heads:
        found = rules.counted(kv_heads, "head")
        message = f"has {found}, but a number that divides the {rules.counted(heads, 'head')} of W_Q was expected"
        raise ExperimentError(f"{place}.W_K", message)
    rules.check_count(len(attention.W_V), f"{place}.W_V", "head", kv_heads, f"W_K has {kv_heads}")
    _check_heads(attention.W_Q, f"{place}.W_Q", width)
    _check_heads(attention.W_K, f"{place}.W_K", source)
    _check_heads(attention.W_V, f"{place}.W_V", source)
    keys = f"W_Q[0] has {rules.counted(attention.d_k, 'column')}"
    rules.check_columns(attention.W_K[0], f"{place}.W_K[0]", attention.d_k, keys)
    _check_biases(attention.b_Q, f"{place}.b_Q", "W_Q", attention.W_Q)
    _check_biases(attention.b_K, f"{place}.b_K", "W_K", attention.W_K)
    _check_biases(attention.b_V, f"{place}.b_V", "W_V", attention.W_V)


def _check_heads(matrices: tuple[Matrix, ...], place: str, width: Width) -> None:
    for head, matrix in enumerate(matrices):
        at = f"{place}[{head}]"
        rules.check_matrix(matrix, at)
        rules.check_rows(matrix, at, width.columns, width.reason)
        columns = matrices[0].shape[1]
        rules.check_columns(matrix, at, columns, f"head 0 has {rules.counted(columns, 'column')}")


def _check_biases(biases: tuple[Matrix, ...] | None, place: str, name: str, matrices: tuple[Matrix, ...]) -> None:
    if biases is None:
        return
    heads, columns = len(matrices), matrices[0].shape[1]
    rules.check_count(len(biases), place, "row", heads, f"{name} has {rules.counted(heads, 'head')}")
    for head, bias in enumerate(biases):
        rules.check_vector(bias, f"{place}[{head}]", columns, f"{name} has {rules.counted(columns, 'column')}")


def _check_output_projection(attention: Attention, place: str) -> None:
    if attention.W_O is not None:
        rows = attention.heads * attention.d_v
        heads = f"{rules.counted(attention.heads, 'head')} of width {attention.d_v}"
        rules.check_matrix(attention.W_O, f"{place}.W_O")
        rules.check_rows(attention.W_O, f"{place}.W_O", rows, f"{heads} need {rules.counted(rows, 'row')}")
    if attention.b_O is not None:
        reason = f"the attention output has {rules.counted(attention.d_out, 'column')}"
        rules.check_vector(attention.b_O, f"{place}.b_O", attention.d_out, reason)


def _check_softmax(attention: Attention, place: str) -> None:
    if attention.scale not in ("sqrt_dk", "none"):
        rules.check_number(attention.scale, f"{place}.scale")
    rules.check_positive(attention.temperature, f"{place}.temperature")
    if attention.softcap is not None:
        rules.check_positive(attention.softcap, f"{place}.softcap")
    for index, head in enumerate(attention.muted_heads):
        rules.check_integer(head, f"{place}.muted_heads[{index}]", 0, attention.heads - 1)


def _check_rope(experiment: Experiment, attention: Attention, place: str) -> None:
    if experiment.position.kind == "rope" and attention.d_k % 2:
        message = f'has d_k {attention.d_k}, but the position kind "rope" turns pairs of columns and needs an even d_k'
        raise ExperimentError(f"{place}.attention.W_Q", message)


def _check_mask(experiment: Experiment, mask: Mask, place: str) -> None:
    queries, keys = len(experiment.query_tokens), len(experiment.key_tokens)
    rules.check_choice(mask.align, f"{place}.align", Align)
    if mask.window is not None:
        rules.check_integer(mask.window, f"{place}.window", 1)
    if mask.prefix is not None:
        rules.check_integer(mask.prefix, f"{place}.prefix", 0, keys)
    if mask.segments is not None:
        _check_segments(experiment, mask.segments, f"{place}.segments")
    _check_pairs(mask.blocked, f"{place}.blocked", queries, keys)
    _check_pairs(mask.allowed, f"{place}.allowed", queries, keys)


def _check_segments(experiment: Experiment, segments: tuple[str | int, ...], place: str) -> None:
    if experiment.source is not None:
        raise ExperimentError(place, "was expected to be null, because there is a source")
    tokens = len(experiment.sequence.tokens)
    reason = f"the sequence has {rules.counted(tokens, 'token')}"
    rules.check_count(len(segments), place, "entry", tokens, reason)
    rules.check_texts(map(str, segments), place)


def _check_pairs(pairs: tuple[Pair, ...], place: str, queries: int, keys: int) -> None:
    if not pairs:
        return
    try:
        indices = np.fromiter(chain.from_iterable(pairs), dtype=np.int64).reshape(-1, 2)
        good = bool(((indices >= 0) & (indices < (queries, keys))).all())
    except (OverflowError, ValueError, TypeError):
        good = False
    if not good:
        for index, (query, key) in enumerate(pairs):
            rules.check_integer(query, f"{place}[{index}][0]", 0, queries - 1)
            rules.check_integer(key, f"{place}[{index}][1]", 0, keys - 1)


def _check_ffn(layer: Layer, ffn: FeedForward, place: str) -> None:
    rules.check_choice(ffn.activation, f"{place}.activation", Activation)
    rules.check_matrix(ffn.W_1, f"{place}.W_1")
    rules.check_matrix(ffn.W_2, f"{place}.W_2")
    width = Width(layer.attention.d_out, "the attention output has")
    hidden = ffn.W_1.shape[1]
    reason = f"W_1 has {rules.counted(hidden, 'column')}"
    rules.check_rows(ffn.W_1, f"{place}.W_1", width.columns, width.reason)
    rules.check_rows(ffn.W_2, f"{place}.W_2", hidden, reason)
    if ffn.W_gate is not None:
        rules.check_matrix(ffn.W_gate, f"{place}.W_gate")
        rules.check_rows(ffn.W_gate, f"{place}.W_gate", width.columns, width.reason)
        rules.check_columns(ffn.W_gate, f"{place}.W_gate", hidden, reason)
    if ffn.b_1 is not None:
        rules.check_vector(ffn.b_1, f"{place}.b_1", hidden, reason)
    if ffn.b_2 is not None:
        out = ffn.W_2.shape[1]
        rules.check_vector(ffn.b_2, f"{place}.b_2", out, f"W_2 has {rules.counted(out, 'column')}")


def _check_residual(layer: Layer, place: str, width: Width) -> None:
    attention = Width(layer.attention.d_out, "the attention output has")
    if attention.columns != width.columns:
        sums = "adds the layer's input to the attention output"
        message = f"is true and {sums}, but {width.reason} and {attention.reason}"
        raise ExperimentError(f"{place}.residual", message)
    if layer.d_out != attention.columns:
        ffn = Width(layer.d_out, "the FFN puts out")
        message = f"is true and adds the FFN's output to what went in, but {ffn.reason} and {attention.reason}"
        raise ExperimentError(f"{place}.residual", message)


def _check_norm(layer: Layer, norm: Norm, place: str, width: Width) -> None:
    rules.check_choice(norm.kind, f"{place}.kind", NormKind)
    rules.check_choice(norm.placement, f"{place}.placement", Placement)
    rules.check_not_negative(norm.eps, f"{place}.eps")
    _check_norm_rows(layer, norm, norm.gain, f"{place}.gain", width)
    if norm.bias is not None:
        _check_norm_rows(layer, norm, norm.bias, f"{place}.bias", width)


def _check_norm_rows(layer: Layer, norm: Norm, rows: tuple[Matrix, ...], place: str, width: Width) -> None:
    fewest = 1 if layer.ffn is None else 2
    if not fewest <= len(rows) <= 2:
        expected = "2 were expected" if fewest == 2 else "1 or 2 were expected"
        raise ExperimentError(place, f"has {rules.counted(len(rows), 'row')}, but {expected}")
    for index, (row, normalised) in enumerate(zip(rows, _normalised(layer, norm, width), strict=False)):
        rules.check_vector(row, f"{place}[{index}]", normalised.columns, normalised.reason)
    if layer.ffn is None and len(rows) == 2:
        rules.check_axes(rows[1], f"{place}[1]", 1)
        rules.check_finite(rows[1], f"{place}[1]")


def _normalised(layer: Layer, norm: Norm, width: Width) -> list[Width]:
    """Return the widths of what norm 0 and, with an FFN, norm 1 normalise."""
    attention = Width(layer.attention.d_out, "the attention output has")
    output = Width(layer.d_out, "the FFN puts out")
    widths = [width, attention] if norm.placement == "pre" else [attention, output]
    return widths if layer.ffn is not None else widths[:1]
