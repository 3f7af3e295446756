"""The table of stages: what each reads, which function makes it, and what its rows and columns are.

One vocabulary for code, files, labels and tests. The order of the table is the order of the computation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from attnexplorer.compute import feed_forward, masks, positions, projections, softmax
from attnexplorer.compute.norms import normalised
from attnexplorer.compute.projections import Array
from attnexplorer.experiment.captured import CAPTURED_STAGES, Capture
from attnexplorer.experiment.model import Experiment, Norm


class Per(Enum):
    """What there is one matrix of: the experiment, a layer, a query head, or a key and value head."""

    EXPERIMENT = "experiment"
    LAYER = "layer"
    HEAD = "head"
    KV_HEAD = "kv_head"


class Unit(NamedTuple):
    """The unit of evaluation: one stage, of one layer and one head where it has them."""

    stage: str
    layer: int | None = None
    head: int | None = None

    @property
    def path(self) -> str:
        """The path by which files name it, such as ``layers.0.key.0``."""
        parts = ["layers", str(self.layer)] if self.layer is not None else []
        parts.append(self.stage)
        return ".".join(parts if self.head is None else [*parts, str(self.head)])


Reads = tuple[Any, ...]
"""What a stage reads: units, and parameters (arrays and plain values) of the experiment."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A row of the table.

    `axes` names what the rows and the columns stand for. `reads(experiment, layer, head)` gives the arguments of
    `function`: units are replaced by their arrays. `needs(experiment, layer)` tells whether the experiment has what the
    stage is about. Internal stages are computed and shared, but have no public name.
    """

    name: str
    symbol: str
    per: Per
    axes: tuple[str, str]
    reads: Callable[[Experiment, int, int], Reads]
    function: Callable[..., Any]
    needs: Callable[[Experiment, int], bool] = lambda experiment, layer: True
    internal: bool = False

    def exists(self, experiment: Experiment, layer: int) -> bool:
        """Tell whether a layer of an experiment has the stage; of a capture there is what was captured."""
        if isinstance(experiment, Capture):
            return self.name in CAPTURED_STAGES
        return self.needs(experiment, layer)


def _looked_up(vocabulary: tuple[str, ...], E: Array, tokens: tuple[str, ...]) -> Array:
    row_of = {word: row for row, word in enumerate(vocabulary)}
    return E[[row_of[token] for token in tokens]]


def _position_kind(experiment: Experiment) -> str:
    return experiment.position.kind


def _adds_position(experiment: Experiment) -> bool:
    return experiment.position.kind in ("sinusoidal", "learned")


def _position_table_reads(count: int, experiment: Experiment) -> Reads:
    p = experiment.position
    return (p.kind, count, experiment.d_model, p.offset, p.base, p.table)


def _position_table(kind: str, count: int, width: int, offset: int, base: float, table: Array | None) -> Array:
    if kind == "learned" and table is not None:
        return table[offset : offset + count]
    return positions.sinusoidal(count, width, offset, base)


def _input_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    if layer:
        return (Unit("output", layer - 1),)
    added = (Unit("position_table"),) if _adds_position(experiment) else ()
    return (Unit("embeddings"), *added)


def _source_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    source = experiment.source
    if source is not None and source.X is not None:
        return (source.X,)
    added = (Unit("source_position_table"),) if _adds_position(experiment) else ()
    return (Unit("source_embeddings"), *added)


def _sum(*parts: Array) -> Array:
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def _norm_reads(norm: Norm, row: int) -> Reads:
    return (norm.kind, norm.eps, norm.gain[row], None if norm.bias is None else norm.bias[row])


def _has_norm(placement: str) -> Callable[[Experiment, int], bool]:
    def exists(experiment: Experiment, layer: int) -> bool:
        norm = experiment.layers[layer].norm
        return norm is not None and norm.placement == placement

    return exists


_pre_norm = _has_norm("pre")
_post_norm = _has_norm("post")


def _attention_input_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    norm = experiment.layers[layer].norm
    assert norm is not None
    return (Unit("input", layer), *_norm_reads(norm, 0))


def query_origin(experiment: Experiment, layer: int) -> Unit:
    """Return the unit that queries are projected from."""
    return Unit("attention_input" if _pre_norm(experiment, layer) else "input", layer)


def key_origin(experiment: Experiment, layer: int) -> Unit:
    """Return the unit that keys and values are projected from."""
    return query_origin(experiment, layer) if experiment.source is None else Unit("source_input")


def _projection_reads(name: str) -> Callable[[Experiment, int, int], Reads]:
    def reads(experiment: Experiment, layer: int, head: int) -> Reads:
        attention = experiment.layers[layer].attention
        bias = getattr(attention, f"b_{name}")
        origin = query_origin(experiment, layer) if name == "Q" else key_origin(experiment, layer)
        return (origin, getattr(attention, f"W_{name}")[head], None if bias is None else bias[head])

    return reads


def _has_rope(experiment: Experiment, layer: int) -> bool:
    return experiment.position.kind == "rope"


def _angle_reads(keys: bool) -> Callable[[Experiment, int, int], Reads]:
    def reads(experiment: Experiment, layer: int, head: int) -> Reads:
        tokens = experiment.key_tokens if keys else experiment.query_tokens
        position = experiment.position
        return (len(tokens), experiment.layers[layer].attention.d_k, position.offset, position.base)

    return reads


def _rotated_reads(stage: str) -> Callable[[Experiment, int, int], Reads]:
    def reads(experiment: Experiment, layer: int, head: int) -> Reads:
        return (Unit(stage, layer, head), Unit(f"{stage}_angles", layer), experiment.position.interleaved)

    return reads


def compared_units(experiment: Experiment, layer: int, head: int) -> tuple[Unit, Unit]:
    """Return the units whose rows are multiplied to make the scores of a query head."""
    suffix = "_rotated" if _has_rope(experiment, layer) else ""
    kv_head = experiment.layers[layer].attention.kv_head_of(head)
    return Unit(f"query{suffix}", layer, head), Unit(f"key{suffix}", layer, kv_head)


def _scaled_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    attention = experiment.layers[layer].attention
    return (Unit("scores", layer, head), attention.scale_factor, attention.softcap)


def _visible_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    mask = experiment.layers[layer].attention.mask
    return (mask, experiment.key_padding, len(experiment.query_tokens))


def _distance_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    return (len(experiment.query_tokens), len(experiment.key_tokens))


def alibi_slope(experiment: Experiment, layer: int, head: int) -> float | None:
    """Return the head's ALiBi slope, or None where positions are not of that kind."""
    if experiment.position.kind != "alibi":
        return None
    return positions.alibi_slopes(experiment.layers[layer].attention.heads)[head]


def _masked_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    temperature = experiment.layers[layer].attention.temperature
    slope = alibi_slope(experiment, layer, head)
    penalty = () if slope is None else (Unit("distance"), slope)
    return (Unit("scaled", layer, head), Unit("visible", layer), temperature, *penalty)


def _masked(scaled: Array, seen: masks.Visibility, temperature: float, *penalty: Any) -> Array:
    return masks.masked(scaled, seen, temperature, penalty[0] * scaled.dtype.type(penalty[1]) if penalty else None)


def _head_output_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    kv_head = experiment.layers[layer].attention.kv_head_of(head)
    return (Unit("weights", layer, head), Unit("value", layer, kv_head))


def _concat_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    attention = experiment.layers[layer].attention
    muted = set(attention.muted_heads)
    outputs = (None if h in muted else Unit("head_output", layer, h) for h in range(attention.heads))
    return (len(experiment.query_tokens), attention.d_v, *outputs)


def _concat(tokens: int, width: int, *outputs: Array | None) -> Array:
    heard = [output for output in outputs if output is not None]
    joined = np.zeros((tokens, width * len(outputs)), dtype=heard[0].dtype if heard else np.float64)
    for head, output in enumerate(outputs):
        if output is not None:
            joined[:, head * width : (head + 1) * width] = output
    return joined


def _attention_output_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    attention = experiment.layers[layer].attention
    return (Unit("concat", layer), attention.W_O, attention.b_O)


def _attention_output(concat: Array, W_O: Array | None, b_O: Array | None) -> Array:
    if W_O is None:
        return concat if b_O is None else concat + b_O
    return projections.affine(concat, W_O, b_O)


def _has_block(experiment: Experiment, layer: int) -> bool:
    it = experiment.layers[layer]
    return it.residual or it.norm is not None or it.ffn is not None


def _has_ffn(experiment: Experiment, layer: int) -> bool:
    return experiment.layers[layer].ffn is not None


def _after_reads(before: str, added: str, row: int) -> Callable[[Experiment, int, int], Reads]:
    """What a sum with its post-norm reads: the part, the stream it is added to or None, and the norm if any."""

    def reads(experiment: Experiment, layer: int, head: int) -> Reads:
        it = experiment.layers[layer]
        stream = Unit(before, layer) if it.residual else None
        norm = _norm_reads(it.norm, row) if it.norm is not None and it.norm.placement == "post" else ()
        return (Unit(added, layer), stream, *norm)

    return reads


def _after(part: Array, stream: Array | None, *norm: Any) -> Array:
    total = part if stream is None else stream + part
    return normalised(total, *norm) if norm else total


def _ffn_input_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    norm = experiment.layers[layer].norm
    pre = _norm_reads(norm, 1) if norm is not None and norm.placement == "pre" else ()
    return (Unit("attention_residual", layer), *pre)


def _ffn_input(r: Array, *norm: Any) -> Array:
    return normalised(r, *norm) if norm else r


def _ffn_hidden_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    ffn = experiment.layers[layer].ffn
    assert ffn is not None
    return (Unit("ffn_input", layer), ffn.activation, ffn.W_1, ffn.b_1, ffn.W_gate)


def _ffn_output_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    ffn = experiment.layers[layer].ffn
    assert ffn is not None
    return (Unit("ffn_hidden", layer), ffn.W_2, ffn.b_2)


def _output_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    if _has_ffn(experiment, layer):
        return _after_reads("attention_residual", "ffn_output", 1)(experiment, layer, head)
    return (Unit("attention_residual" if _has_block(experiment, layer) else "attention_output", layer), None)


def _final_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    norm = experiment.final_norm
    assert norm is not None
    return (Unit("output", len(experiment.layers) - 1), norm.kind, norm.eps, norm.gain, norm.bias)


def _logits_reads(experiment: Experiment, layer: int, head: int) -> Reads:
    unembedding = experiment.unembedding
    last = Unit("output", len(experiment.layers) - 1) if experiment.final_norm is None else Unit("final")
    return (last, unembedding and unembedding.W_U, experiment.embedding.E)


def _logits(x: Array, W_U: Array | None, E: Array) -> Array:
    return x @ (E.T if W_U is None else W_U)


def _with_unembedding(experiment: Experiment, layer: int) -> bool:
    return experiment.unembedding is not None


def _cross(experiment: Experiment, layer: int) -> bool:
    return experiment.source is not None


_TABLE = (
    Stage(
        "embeddings",
        "E[t]",
        Per.EXPERIMENT,
        ("query", "d_model"),
        lambda e, layer, head: (e.embedding.vocabulary, e.embedding.E, e.query_tokens),
        _looked_up,
    ),
    Stage(
        "position_table",
        "P",
        Per.EXPERIMENT,
        ("query", "d_model"),
        lambda e, layer, head: _position_table_reads(len(e.query_tokens), e),
        _position_table,
        needs=lambda e, layer: _adds_position(e),
        internal=True,
    ),
    Stage(
        "source_embeddings",
        "E[t]",
        Per.EXPERIMENT,
        ("key", "d_source"),
        lambda e, layer, head: (e.embedding.vocabulary, e.embedding.E, e.key_tokens),
        _looked_up,
        needs=_cross,
        internal=True,
    ),
    Stage(
        "source_position_table",
        "P",
        Per.EXPERIMENT,
        ("key", "d_source"),
        lambda e, layer, head: _position_table_reads(len(e.key_tokens), e),
        _position_table,
        needs=_cross,
        internal=True,
    ),
    Stage("source_input", "X′", Per.EXPERIMENT, ("key", "d_source"), _source_reads, _sum, needs=_cross, internal=True),
    Stage("input", "X", Per.LAYER, ("query", "d_model"), _input_reads, _sum),
    Stage(
        "attention_input",
        "norm(X)",
        Per.LAYER,
        ("query", "d_model"),
        _attention_input_reads,
        normalised,
        needs=_pre_norm,
    ),
    Stage("query", "Q", Per.HEAD, ("query", "d_k"), _projection_reads("Q"), projections.affine),
    Stage("key", "K", Per.KV_HEAD, ("key", "d_k"), _projection_reads("K"), projections.affine),
    Stage("value", "V", Per.KV_HEAD, ("key", "d_v"), _projection_reads("V"), projections.affine),
    Stage(
        "query_angles",
        "θ",
        Per.LAYER,
        ("query", "pair"),
        _angle_reads(keys=False),
        positions.rotation_angles,
        needs=_has_rope,
        internal=True,
    ),
    Stage(
        "key_angles",
        "θ",
        Per.LAYER,
        ("key", "pair"),
        _angle_reads(keys=True),
        positions.rotation_angles,
        needs=_has_rope,
        internal=True,
    ),
    Stage(
        "query_rotated", "Q′", Per.HEAD, ("query", "d_k"), _rotated_reads("query"), positions.rotated, needs=_has_rope
    ),
    Stage("key_rotated", "K′", Per.KV_HEAD, ("key", "d_k"), _rotated_reads("key"), positions.rotated, needs=_has_rope),
    Stage("scores", "QKᵀ", Per.HEAD, ("query", "key"), compared_units, projections.scores),
    Stage("scaled", "scaled", Per.HEAD, ("query", "key"), _scaled_reads, projections.scaled),
    Stage("visible", "mask", Per.LAYER, ("query", "key"), _visible_reads, masks.visible, internal=True),
    Stage("distance", "|i − j|", Per.EXPERIMENT, ("query", "key"), _distance_reads, positions.distance, internal=True),
    Stage("masked", "masked", Per.HEAD, ("query", "key"), _masked_reads, _masked),
    Stage(
        "weights",
        "A",
        Per.HEAD,
        ("query", "key"),
        lambda e, layer, head: (Unit("masked", layer, head),),
        softmax.softmax,
    ),
    Stage("head_output", "Z", Per.HEAD, ("query", "d_v"), _head_output_reads, softmax.mixed),
    Stage("concat", "concat", Per.LAYER, ("query", "concat"), _concat_reads, _concat),
    Stage("attention_output", "concat·W_O", Per.LAYER, ("query", "d_out"), _attention_output_reads, _attention_output),
    Stage(
        "attention_residual",
        "r",
        Per.LAYER,
        ("query", "d_out"),
        _after_reads("input", "attention_output", 0),
        _after,
        needs=_has_block,
    ),
    Stage("ffn_input", "u", Per.LAYER, ("query", "d_out"), _ffn_input_reads, _ffn_input, needs=_has_ffn),
    Stage("ffn_hidden", "h", Per.LAYER, ("query", "hidden"), _ffn_hidden_reads, feed_forward.hidden, needs=_has_ffn),
    Stage("ffn_output", "FFN", Per.LAYER, ("query", "d_out"), _ffn_output_reads, projections.affine, needs=_has_ffn),
    Stage("output", "output", Per.LAYER, ("query", "d_out"), _output_reads, _after),
    Stage(
        "final",
        "norm(output)",
        Per.EXPERIMENT,
        ("query", "d_out"),
        _final_reads,
        normalised,
        needs=lambda e, layer: e.final_norm is not None,
    ),
    Stage("logits", "logits", Per.EXPERIMENT, ("query", "vocabulary"), _logits_reads, _logits, needs=_with_unembedding),
    Stage(
        "probabilities",
        "p",
        Per.EXPERIMENT,
        ("query", "vocabulary"),
        lambda e, layer, head: (Unit("logits"),),
        softmax.softmax,
        needs=_with_unembedding,
    ),
)

STAGES: dict[str, Stage] = {stage.name: stage for stage in _TABLE}
"""Every stage by name, in the order of the computation."""

PAIR_STAGES = frozenset(stage.name for stage in _TABLE if stage.per is Per.HEAD and stage.axes == ("query", "key"))
"""The stages that hold a number for every pair of query and key."""


def stages_of(experiment: Experiment, layer: int) -> tuple[str, ...]:
    """Return the public stages that a layer of this experiment has, in order."""
    return tuple(
        stage.name
        for stage in _TABLE
        if stage.per is not Per.EXPERIMENT and not stage.internal and stage.exists(experiment, layer)
    )


def heads_of(experiment: Experiment, stage: str, layer: int) -> tuple[int | None, ...]:
    """Return the heads that a stage of a layer has one matrix of; (None,) for a stage without heads."""
    per = STAGES[stage].per
    attention = experiment.layers[layer].attention
    if per is Per.HEAD:
        return tuple(range(attention.heads))
    return tuple(range(attention.kv_heads)) if per is Per.KV_HEAD else (None,)


def unit_for(experiment: Experiment, stage: str, layer: int, head: int) -> Unit:
    """Return the unit of `stage` that query head `head` of `layer` uses."""
    per = STAGES[stage].per
    if per is Per.EXPERIMENT:
        return Unit(stage)
    if per is Per.LAYER:
        return Unit(stage, layer)
    return Unit(stage, layer, head if per is Per.HEAD else experiment.layers[layer].attention.kv_head_of(head))


@lru_cache(maxsize=8192)
def unit_at(path: str) -> Unit | None:
    """Return the unit that a path such as ``layers.0.key.0`` names, or None if it names no stage."""
    parts = path.split(".")
    if parts[0] != "layers":
        return Unit(path) if path in STAGES and STAGES[path].per is Per.EXPERIMENT else None
    if len(parts) not in (3, 4) or parts[2] not in STAGES:
        return None
    return Unit(parts[2], int(parts[1]), int(parts[3]) if len(parts) == 4 else None)
