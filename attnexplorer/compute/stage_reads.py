"""What each stage reads, of the experiment and of other stages, and the functions that no module of its own is about.

The functions called `…_reads` take an experiment, a layer and a head, and return the arguments of the stage's function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from attnexplorer.compute import masks, positions, projections
from attnexplorer.compute.norms import normalised
from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Reads, Unit
from attnexplorer.experiment.model import Experiment, Norm


def looked_up(vocabulary: tuple[str, ...], E: Array, tokens: tuple[str, ...]) -> Array:
    row_of = {word: row for row, word in enumerate(vocabulary)}
    return E[[row_of[token] for token in tokens]]


def _position_kind(experiment: Experiment) -> str:
    return experiment.position.kind


def adds_position(experiment: Experiment) -> bool:
    return experiment.position.kind in ("sinusoidal", "learned")


def position_table_reads(count: int, experiment: Experiment) -> Reads:
    p = experiment.position
    return (p.kind, count, experiment.d_model, p.offset, p.base, p.table)


def position_table(kind: str, count: int, width: int, offset: int, base: float, table: Array | None) -> Array:
    if kind == "learned" and table is not None:
        return table[offset : offset + count]
    return positions.sinusoidal(count, width, offset, base)


def input_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    if layer:
        return (Unit("output", layer - 1),)
    added = (Unit("position_table"),) if adds_position(experiment) else ()
    return (Unit("embeddings"), *added)


def source_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    source = experiment.source
    if source is not None and source.X is not None:
        return (source.X,)
    added = (Unit("source_position_table"),) if adds_position(experiment) else ()
    return (Unit("source_embeddings"), *added)


def sum(*parts: Array) -> Array:
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def _norm_reads(norm: Norm, row: int) -> Reads:
    return (norm.kind, norm.eps, norm.gain[row], None if norm.bias is None else norm.bias[row])


def _has_norm(placement: str) -> Callable[[Experiment, int], bool]:
    def exists(experiment: Experiment, layer: int) -> bool:
        norm = experiment.layers[layer].norm
        return norm is not None and norm.placement == placement

    return exists


pre_norm = _has_norm("pre")
_post_norm = _has_norm("post")


def attention_input_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    norm = experiment.layers[layer].norm
    assert norm is not None
    return (Unit("input", layer), *_norm_reads(norm, 0))


def query_origin(experiment: Experiment, layer: int) -> Unit:
    """Return the unit that queries are projected from."""
    return Unit("attention_input" if pre_norm(experiment, layer) else "input", layer)


def key_origin(experiment: Experiment, layer: int) -> Unit:
    """Return the unit that keys and values are projected from."""
    return query_origin(experiment, layer) if experiment.source is None else Unit("source_input")


def projection_reads(name: str) -> Callable[[Experiment, int, int], Reads]:
    def reads(experiment: Experiment, layer: int, head: int) -> Reads:
        attention = experiment.layers[layer].attention
        bias = getattr(attention, f"b_{name}")
        origin = query_origin(experiment, layer) if name == "Q" else key_origin(experiment, layer)
        return (origin, getattr(attention, f"W_{name}")[head], None if bias is None else bias[head])

    return reads


def has_rope(experiment: Experiment, layer: int) -> bool:
    return experiment.position.kind == "rope"


def angle_reads(keys: bool) -> Callable[[Experiment, int, int], Reads]:
    def reads(experiment: Experiment, layer: int, head: int) -> Reads:
        tokens = experiment.key_tokens if keys else experiment.query_tokens
        position = experiment.position
        return (len(tokens), experiment.layers[layer].attention.d_k, position.offset, position.base)

    return reads


def rotated_reads(stage: str) -> Callable[[Experiment, int, int], Reads]:
    def reads(experiment: Experiment, layer: int, head: int) -> Reads:
        return (Unit(stage, layer, head), Unit(f"{stage}_angles", layer), experiment.position.interleaved)

    return reads


def compared_units(experiment: Experiment, layer: int, head: int) -> tuple[Unit, Unit]:
    """Return the units whose rows are multiplied to make the scores of a query head."""
    suffix = "_rotated" if has_rope(experiment, layer) else ""
    kv_head = experiment.layers[layer].attention.kv_head_of(head)
    return Unit(f"query{suffix}", layer, head), Unit(f"key{suffix}", layer, kv_head)


def scaled_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    attention = experiment.layers[layer].attention
    return (Unit("scores", layer, head), attention.scale_factor, attention.softcap)


def visible_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    mask = experiment.layers[layer].attention.mask
    return (mask, experiment.key_padding, len(experiment.query_tokens))


def distance_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    return (len(experiment.query_tokens), len(experiment.key_tokens))


def alibi_slope(experiment: Experiment, layer: int, head: int) -> float | None:
    """Return the head's ALiBi slope, or None where positions are not of that kind."""
    if experiment.position.kind != "alibi":
        return None
    return positions.alibi_slopes(experiment.layers[layer].attention.heads)[head]


def masked_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    temperature = experiment.layers[layer].attention.temperature
    slope = alibi_slope(experiment, layer, head)
    penalty = () if slope is None else (Unit("distance"), slope)
    return (Unit("scaled", layer, head), Unit("visible", layer), temperature, *penalty)


def masked(scaled: Array, seen: masks.Visibility, temperature: float, *penalty: Any) -> Array:
    return masks.masked(scaled, seen, temperature, penalty[0] * scaled.dtype.type(penalty[1]) if penalty else None)


def head_output_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    kv_head = experiment.layers[layer].attention.kv_head_of(head)
    return (Unit("weights", layer, head), Unit("value", layer, kv_head))


def concat_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    attention = experiment.layers[layer].attention
    muted = set(attention.muted_heads)
    outputs = (None if h in muted else Unit("head_output", layer, h) for h in range(attention.heads))
    return (len(experiment.query_tokens), attention.d_v, *outputs)


def concat(tokens: int, width: int, *outputs: Array | None) -> Array:
    heard = [output for output in outputs if output is not None]
    joined = np.zeros((tokens, width * len(outputs)), dtype=heard[0].dtype if heard else np.float64)
    for head, output in enumerate(outputs):
        if output is not None:
            joined[:, head * width : (head + 1) * width] = output
    return joined


def attention_output_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    attention = experiment.layers[layer].attention
    return (Unit("concat", layer), attention.W_O, attention.b_O)


def attention_output(concat: Array, W_O: Array | None, b_O: Array | None) -> Array:
    if W_O is None:
        return concat if b_O is None else concat + b_O
    return projections.affine(concat, W_O, b_O)


def has_block(experiment: Experiment, layer: int) -> bool:
    it = experiment.layers[layer]
    return it.residual or it.norm is not None or it.ffn is not None


def has_ffn(experiment: Experiment, layer: int) -> bool:
    return experiment.layers[layer].ffn is not None


def after_reads(before: str, added: str, row: int) -> Callable[[Experiment, int, int], Reads]:
    """What a sum with its post-norm reads: the part, the stream it is added to or None, and the norm if any."""

    def reads(experiment: Experiment, layer: int, head: int) -> Reads:
        it = experiment.layers[layer]
        stream = Unit(before, layer) if it.residual else None
        norm = _norm_reads(it.norm, row) if it.norm is not None and it.norm.placement == "post" else ()
        return (Unit(added, layer), stream, *norm)

    return reads


def after(part: Array, stream: Array | None, *norm: Any) -> Array:
    total = part if stream is None else stream + part
    return normalised(total, *norm) if norm else total


def ffn_input_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    norm = experiment.layers[layer].norm
    pre = _norm_reads(norm, 1) if norm is not None and norm.placement == "pre" else ()
    return (Unit("attention_residual", layer), *pre)


def ffn_input(r: Array, *norm: Any) -> Array:
    return normalised(r, *norm) if norm else r


def ffn_hidden_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    ffn = experiment.layers[layer].ffn
    assert ffn is not None
    return (Unit("ffn_input", layer), ffn.activation, ffn.W_1, ffn.b_1, ffn.W_gate)


def ffn_output_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    ffn = experiment.layers[layer].ffn
    assert ffn is not None
    return (Unit("ffn_hidden", layer), ffn.W_2, ffn.b_2)


def output_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    if has_ffn(experiment, layer):
        return after_reads("attention_residual", "ffn_output", 1)(experiment, layer, head)
    return (Unit("attention_residual" if has_block(experiment, layer) else "attention_output", layer), None)


def final_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    norm = experiment.final_norm
    assert norm is not None
    return (Unit("output", len(experiment.layers) - 1), norm.kind, norm.eps, norm.gain, norm.bias)


def logits_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    unembedding = experiment.unembedding
    last = Unit("output", len(experiment.layers) - 1) if experiment.final_norm is None else Unit("final")
    return (last, unembedding and unembedding.W_U, experiment.embedding.E)


def logits(x: Array, W_U: Array | None, E: Array) -> Array:
    return x @ (E.T if W_U is None else W_U)


def with_unembedding(experiment: Experiment, layer: int) -> bool:
    return experiment.unembedding is not None


def cross(experiment: Experiment, layer: int) -> bool:
    return experiment.source is not None
