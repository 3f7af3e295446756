"""The table of edges: what each stage reads, parameters and stages, and which cells of it go where."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from attnexplorer.compute.edges import (
    Edge,
    looked_up,
    pairs_of_columns,
    same,
    shifted_columns,
    shifted_rows,
    transposed_rows,
    whole_columns,
    whole_rows,
)
from attnexplorer.compute.stage_reads import compared_units, key_origin, query_origin
from attnexplorer.compute.stages import STAGES, heads_of
from attnexplorer.compute.units import Per, Unit
from attnexplorer.experiment.model import Experiment


def edges_into(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    """Yield an edge for each matrix, parameter or stage, that a unit reads."""
    maker = _EDGES.get(unit.stage)
    return iter(()) if maker is None or _is_bypassed(experiment, unit.stage) else maker(experiment, unit)


def readers_of(experiment: Experiment, path: str, unit: Unit | None) -> Iterator[Unit]:
    """Yield the units that may read a matrix: a parameter (where `unit` is None) or a unit's."""
    names, layers = _reading_stages(experiment, path, unit)
    for name in names:
        stage = STAGES[name]
        if stage.per is Per.EXPERIMENT:
            if stage.exists(experiment, 0) and not _is_bypassed(experiment, name):
                yield Unit(name)
            continue
        for layer in layers:
            if stage.exists(experiment, layer):
                yield from (Unit(name, layer, head) for head in heads_of(experiment, name, layer))


def shape_of(experiment: Experiment, unit: Unit) -> tuple[int, int]:
    """Return the shape of a unit's matrix without computing it."""
    rows, columns = STAGES[unit.stage].axes
    return _length(experiment, unit, rows), _length(experiment, unit, columns)


def _is_bypassed(experiment: Experiment, stage: str) -> bool:
    """Tell whether a stage of the second sequence is not read, because its vectors are given or not placed."""
    source = experiment.source
    if stage == "source_embeddings":
        return source is None or source.X is not None
    if stage == "source_position_table":
        return source is None or source.X is not None or experiment.position.kind not in ("sinusoidal", "learned")
    return False


def _length(experiment: Experiment, unit: Unit, axis: str) -> int:
    if axis == "query":
        return len(experiment.query_tokens)
    if axis == "key":
        return len(experiment.key_tokens)
    if unit.layer is None:
        return _experiment_width(experiment, unit.stage, axis)
    layer = experiment.layers[unit.layer]
    attention = layer.attention
    if axis == "hidden":
        return 0 if layer.ffn is None else int(layer.ffn.W_1.shape[1])
    if axis == "d_out":
        return layer.d_out if unit.stage in ("output", "ffn_output") else attention.d_out
    widths = {"d_model": attention.d_model, "d_k": attention.d_k, "d_v": attention.d_v}
    return {**widths, "concat": attention.heads * attention.d_v, "pair": attention.d_k // 2}[axis]


def _experiment_width(experiment: Experiment, stage: str, axis: str) -> int:
    if axis == "vocabulary":
        unembedding = experiment.unembedding
        tied = unembedding is None or unembedding.W_U is None
        return len(experiment.embedding.vocabulary) if tied else int(unembedding.W_U.shape[1])  # type: ignore[union-attr]
    if axis == "d_out":
        return experiment.layers[-1].d_out
    if axis == "d_source" and stage == "source_input" and experiment.source is not None:
        X = experiment.source.X
        return experiment.d_model if X is None else int(X.shape[1])
    return experiment.d_model


_PARAMETER_READERS = {
    "W_Q": ("query",),
    "b_Q": ("query",),
    "W_K": ("key",),
    "b_K": ("key",),
    "W_V": ("value",),
    "b_V": ("value",),
    "W_O": ("attention_output",),
    "b_O": ("attention_output",),
    "W_1": ("ffn_hidden",),
    "b_1": ("ffn_hidden",),
    "W_gate": ("ffn_hidden",),
    "W_2": ("ffn_output",),
    "b_2": ("ffn_output",),
    "gain": ("attention_input", "attention_residual", "ffn_input", "output"),
    "bias": ("attention_input", "attention_residual", "ffn_input", "output"),
}
_EXPERIMENT_READERS = {
    "embedding.E": ("embeddings", "source_embeddings", "source_input", "input", "logits"),
    "position.table": ("position_table", "source_position_table", "source_input", "input"),
    "source.X": ("source_input",),
    "final_norm.gain": ("final",),
    "final_norm.bias": ("final",),
    "unembedding.W_U": ("logits",),
}
_STAGE_READERS = {
    "embeddings": ("input",),
    "position_table": ("input",),
    "source_embeddings": ("source_input",),
    "source_position_table": ("source_input",),
    "source_input": ("key", "value"),
    "input": ("attention_input", "query", "key", "value", "attention_residual"),
    "attention_input": ("query", "key", "value"),
    "query": ("query_rotated", "scores"),
    "key": ("key_rotated", "scores"),
    "value": ("head_output",),
    "query_rotated": ("scores",),
    "key_rotated": ("scores",),
    "scores": ("scaled",),
    "scaled": ("masked",),
    "masked": ("weights",),
    "weights": ("head_output",),
    "head_output": ("concat",),
    "concat": ("attention_output",),
    "attention_output": ("attention_residual", "output"),
    "attention_residual": ("ffn_input", "output"),
    "ffn_input": ("ffn_hidden",),
    "ffn_hidden": ("ffn_output",),
    "ffn_output": ("output",),
    "output": ("input", "final", "logits"),
    "final": ("logits",),
    "logits": ("probabilities",),
}


def _reading_stages(experiment: Experiment, path: str, unit: Unit | None) -> tuple[tuple[str, ...], Iterable[int]]:
    every = range(len(experiment.layers))
    if unit is None:
        if path in _EXPERIMENT_READERS:
            # Only the first layer's input reads E and the position table.
            return _EXPERIMENT_READERS[path], range(1)
        parts = path.split(".")
        is_matrix = parts[0] == "layers" and len(parts) > 3 and parts[3] in _PARAMETER_READERS
        return (_PARAMETER_READERS[parts[3]], (int(parts[1]),)) if is_matrix else ((), ())
    names = _STAGE_READERS.get(unit.stage, ())
    if unit.layer is None:
        return names, every if unit.stage == "source_input" else range(1)
    if unit.stage == "output":
        following = unit.layer + 1
        return (("input",), (following,)) if following < len(experiment.layers) else (("final", "logits"), ())
    return names, (unit.layer,)


def _embedding_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    yield looked_up("embedding.E", experiment.embedding.vocabulary, _tokens(experiment, unit))


def _position_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    if experiment.position.kind == "learned":
        yield shifted_rows("position.table", experiment.position.offset, len(_tokens(experiment, unit)))


def _placed_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    """A looked-up vector with its position: by the stages in between, and directly by the parameters."""
    prefix = "source_" if unit.stage == "source_input" else ""
    yield same(f"{prefix}embeddings")
    yield from _embedding_edges(experiment, unit)
    if experiment.position.kind in ("sinusoidal", "learned"):
        yield same(f"{prefix}position_table")
        yield from _position_edges(experiment, unit)


def _source_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    if experiment.source is not None and experiment.source.X is not None:
        yield same("source.X")
    else:
        yield from _placed_edges(experiment, unit)


def _input_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    if unit.layer:
        yield same(Unit("output", unit.layer - 1).path)
    else:
        yield from _placed_edges(experiment, unit)


def _norm_edges(experiment: Experiment, unit: Unit, place: int) -> Iterator[Edge]:
    norm = experiment.layers[unit.layer or 0].norm
    height = len(experiment.query_tokens)
    yield whole_columns(f"layers.{unit.layer}.norm.gain.{place}", 1, height)
    if norm is not None and norm.bias is not None:
        yield whole_columns(f"layers.{unit.layer}.norm.bias.{place}", 1, height)


def _attention_input_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    width = shape_of(experiment, unit)[1]
    yield whole_rows(Unit("input", unit.layer).path, width, width)
    yield from _norm_edges(experiment, unit, 0)


def _projection_edges(letter: str) -> Callable[[Experiment, Unit], Iterator[Edge]]:
    def edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
        layer = unit.layer or 0
        attention, (height, width) = experiment.layers[layer].attention, shape_of(experiment, unit)
        origin = (query_origin if letter == "Q" else key_origin)(experiment, layer)
        above = attention.d_model if letter == "Q" else attention.d_source
        yield whole_rows(origin.path, above, width)
        yield whole_columns(f"layers.{layer}.attention.W_{letter}.{unit.head}", above, height)
        if getattr(attention, f"b_{letter}") is not None:
            yield whole_columns(f"layers.{layer}.attention.b_{letter}.{unit.head}", 1, height)

    return edges


def _rotation_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    base = Unit(unit.stage.removesuffix("_rotated"), unit.layer, unit.head)
    yield pairs_of_columns(base.path, shape_of(experiment, unit)[1], experiment.position.interleaved)


def _score_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    query, key = compared_units(experiment, unit.layer or 0, unit.head or 0)
    (height, width), d_k = shape_of(experiment, unit), experiment.layers[unit.layer or 0].attention.d_k
    yield whole_rows(query.path, d_k, width)
    yield transposed_rows(key.path, d_k, height)


def _from_stage(stage: str) -> Callable[[Experiment, Unit], Iterator[Edge]]:
    def edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
        yield same(Unit(stage, unit.layer, unit.head).path)

    return edges


def _softmax_edges(stage: str) -> Callable[[Experiment, Unit], Iterator[Edge]]:
    def edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
        width = shape_of(experiment, unit)[1]
        yield whole_rows(Unit(stage, unit.layer, unit.head).path, width, width)

    return edges


def _mix_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    height, width = shape_of(experiment, unit)
    keys = len(experiment.key_tokens)
    kv_head = experiment.layers[unit.layer or 0].attention.kv_head_of(unit.head or 0)
    yield whole_rows(Unit("weights", unit.layer, unit.head).path, keys, width)
    yield whole_columns(Unit("value", unit.layer, kv_head).path, keys, height)


def _concat_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    attention = experiment.layers[unit.layer or 0].attention
    for head in range(attention.heads):
        if head not in attention.muted_heads:
            yield shifted_columns(Unit("head_output", unit.layer, head).path, head * attention.d_v, attention.d_v)


def _affine_edges(
    experiment: Experiment, unit: Unit, source: str, W: tuple[str, int], bias: str | None
) -> Iterator[Edge]:
    height, width = shape_of(experiment, unit)
    yield whole_rows(source, W[1], width)
    yield whole_columns(W[0], W[1], height)
    if bias is not None:
        yield whole_columns(bias, 1, height)


def _attention_output_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    attention, path = experiment.layers[unit.layer or 0].attention, f"layers.{unit.layer}.attention"
    concat, bias = Unit("concat", unit.layer).path, None if attention.b_O is None else f"{path}.b_O"
    if attention.W_O is not None:
        yield from _affine_edges(experiment, unit, concat, (f"{path}.W_O", attention.W_O.shape[0]), bias)
        return
    yield same(concat)
    if bias is not None:
        yield whole_columns(bias, 1, len(experiment.query_tokens))


def _sum_edges(before: str, added: str, place: int) -> Callable[[Experiment, Unit], Iterator[Edge]]:
    def edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
        layer, width = experiment.layers[unit.layer or 0], shape_of(experiment, unit)[1]
        parts = [added, before] if layer.residual else [added]
        post = layer.norm is not None and layer.norm.placement == "post"
        for part in parts:
            path = Unit(part, unit.layer).path
            yield whole_rows(path, width, width) if post else same(path)
        if post:
            yield from _norm_edges(experiment, unit, place)

    return edges


def _ffn_input_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    norm, width = experiment.layers[unit.layer or 0].norm, shape_of(experiment, unit)[1]
    before = Unit("attention_residual", unit.layer).path
    if norm is None or norm.placement == "post":
        yield same(before)
        return
    yield whole_rows(before, width, width)
    yield from _norm_edges(experiment, unit, 1)


def _ffn_hidden_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    ffn, path = experiment.layers[unit.layer or 0].ffn, f"layers.{unit.layer}.ffn"
    assert ffn is not None
    inner, bias = int(ffn.W_1.shape[0]), None if ffn.b_1 is None else f"{path}.b_1"
    yield from _affine_edges(experiment, unit, Unit("ffn_input", unit.layer).path, (f"{path}.W_1", inner), bias)
    if ffn.W_gate is not None:
        yield whole_columns(f"{path}.W_gate", inner, len(experiment.query_tokens))


def _ffn_output_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    ffn, path = experiment.layers[unit.layer or 0].ffn, f"layers.{unit.layer}.ffn"
    assert ffn is not None
    inner, bias = int(ffn.W_2.shape[0]), None if ffn.b_2 is None else f"{path}.b_2"
    yield from _affine_edges(experiment, unit, Unit("ffn_hidden", unit.layer).path, (f"{path}.W_2", inner), bias)


def _output_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    layer = experiment.layers[unit.layer or 0]
    if layer.ffn is not None:
        yield from _sum_edges("attention_residual", "ffn_output", 1)(experiment, unit)
        return
    has_block = layer.residual or layer.norm is not None
    yield same(Unit("attention_residual" if has_block else "attention_output", unit.layer).path)


def _final_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    height, width = shape_of(experiment, unit)
    yield whole_rows(Unit("output", len(experiment.layers) - 1).path, width, width)
    yield whole_columns("final_norm.gain", 1, height)
    if experiment.final_norm is not None and experiment.final_norm.bias is not None:
        yield whole_columns("final_norm.bias", 1, height)


def _logit_edges(experiment: Experiment, unit: Unit) -> Iterator[Edge]:
    height, width = shape_of(experiment, unit)
    inner = experiment.layers[-1].d_out
    last = Unit("output", len(experiment.layers) - 1) if experiment.final_norm is None else Unit("final")
    yield whole_rows(last.path, inner, width)
    if experiment.unembedding is not None and experiment.unembedding.W_U is not None:
        yield whole_columns("unembedding.W_U", inner, height)
    else:
        yield transposed_rows("embedding.E", inner, height)


def _tokens(experiment: Experiment, unit: Unit) -> tuple[str, ...]:
    return experiment.key_tokens if unit.stage.startswith("source") else experiment.query_tokens


_EDGES: dict[str, Callable[[Experiment, Unit], Iterator[Edge]]] = {
    "embeddings": _embedding_edges,
    "source_embeddings": _embedding_edges,
    "position_table": _position_edges,
    "source_position_table": _position_edges,
    "source_input": _source_edges,
    "input": _input_edges,
    "attention_input": _attention_input_edges,
    "query": _projection_edges("Q"),
    "key": _projection_edges("K"),
    "value": _projection_edges("V"),
    "query_rotated": _rotation_edges,
    "key_rotated": _rotation_edges,
    "scores": _score_edges,
    "scaled": _from_stage("scores"),
    "masked": _from_stage("scaled"),
    "weights": _softmax_edges("masked"),
    "head_output": _mix_edges,
    "concat": _concat_edges,
    "attention_output": _attention_output_edges,
    "attention_residual": _sum_edges("input", "attention_output", 0),
    "ffn_input": _ffn_input_edges,
    "ffn_hidden": _ffn_hidden_edges,
    "ffn_output": _ffn_output_edges,
    "output": _output_edges,
    "final": _final_edges,
    "logits": _logit_edges,
    "probabilities": _softmax_edges("logits"),
}
