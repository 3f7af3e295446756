"""Random valid experiments for hypothesis, with every feature of the format mixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st

from attnexplorer.experiment import model
from attnexplorer.experiment.arrays import Matrix, frozen
from attnexplorer.experiment.pinning import BLOCKABLE, pin_shape, pinnable_paths

Draw = Callable[[st.SearchStrategy[Any]], Any]
_Value = TypeVar("_Value")

WORDS = (
    *("the", "cat", "sat", "it", "", " ", "\n", "\x00", 'quo"te', "\\"),
    *("Ġthe", "▁cat", "É", "你好", "שלום", "\N{WOMAN}\u200d\N{WOMAN}\u200d\N{GIRL}"),
)
SPECIAL_NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.1, 1 / 3, 5e-324, -1e-300, 2.0**53 + 2)
"""Numbers whose bits are easily lost; none is so large that a product overflows."""


@st.composite
def experiments(draw: Draw, *, max_tokens: int = 5, max_layers: int = 2, with_extra: bool = True) -> model.Experiment:
    """Return valid experiments: small, but with any mixture of features.

    Numbers are mostly normal with a spread near 1, some are those of `SPECIAL_NUMBERS`.
    """
    width = draw(st.integers(1, 4))
    vocabulary = tuple(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6, unique=True)))
    sequence = model.Sequence(*_tokens(draw, st.sampled_from(vocabulary), max_tokens), extra=_extra(draw, with_extra))
    source = _maybe(draw, _source, vocabulary, max_tokens)
    position = _position(draw, width, max(len(sequence.tokens), 0 if source is None else len(source.tokens)))
    layers, d_out = _layers(draw, sequence, source, position, width, draw(st.integers(1, max_layers)))
    experiment = model.Experiment(
        sequence=sequence,
        embedding=model.Embedding(vocabulary, _matrix(draw, len(vocabulary), width)),
        layers=layers,
        title=draw(st.sampled_from(("", "A title", "Ümläut “quoted” \\ \t"))),
        notes=draw(st.sampled_from(("", "Some *notes*.\n\nTwo paragraphs."))),
        source=source,
        position=position,
        final_norm=_maybe(draw, _final_norm, d_out),
        unembedding=_maybe(draw, _unembedding, d_out, width, len(vocabulary)),
        view=draw(st.sampled_from((model.NOTHING, MappingProxyType({"tab": "heads", "sizes": [1, 2.5, [True]]})))),
        extra=_extra(draw, with_extra),
    )
    return replace(experiment, pins=_pins(draw, experiment))


def _seeded(draw: Draw) -> np.random.Generator:
    return np.random.default_rng(draw(st.integers(0, 2**32 - 1)))


def _matrix(draw: Draw, rows: int, columns: int) -> Matrix:
    return frozen(_numbers(draw, (rows, columns)))


def _vector(draw: Draw, width: int) -> Matrix:
    return frozen(_numbers(draw, (width,)))


def _numbers(draw: Draw, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    random = _seeded(draw)
    numbers = random.normal(size=shape)
    if draw(st.booleans()):
        chosen = random.random(shape) < 0.3
        numbers[chosen] = random.choice(SPECIAL_NUMBERS, size=int(chosen.sum()))
    return numbers


def _maybe(draw: Draw, build: Callable[..., _Value], *arguments: Any) -> _Value | None:
    return build(draw, *arguments) if draw(st.booleans()) else None


def _tokens(draw: Draw, words: st.SearchStrategy[str], most: int) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    tokens = tuple(draw(st.lists(words, min_size=1, max_size=most)))
    if draw(st.booleans()):
        return tokens, (False,) * len(tokens)
    return tokens, tuple(draw(st.lists(st.booleans(), min_size=len(tokens), max_size=len(tokens))))


def _extra(draw: Draw, wanted: bool) -> model.Extra:
    if not wanted or not draw(st.booleans()):
        return model.NOTHING
    values: st.SearchStrategy[Any] = st.sampled_from(
        (None, True, 3, 0.5, "text", [1, {"deep": [None]}], {"a": {"b": []}})
    )
    return MappingProxyType({"from_a_newer_version": draw(values)})


def _source(draw: Draw, vocabulary: tuple[str, ...], most: int) -> model.Source:
    if draw(st.booleans()):
        return model.Source(*_tokens(draw, st.sampled_from(vocabulary), most))
    tokens, padding = _tokens(draw, st.sampled_from(WORDS), most)
    return model.Source(tokens, padding, _matrix(draw, len(tokens), draw(st.integers(1, 4))))


def _position(draw: Draw, width: int, longest: int) -> model.Position:
    kind = draw(st.sampled_from(("none", "sinusoidal", "learned", "rope", "alibi")))
    offset = draw(st.integers(0, 3))
    rows = offset + longest + draw(st.integers(0, 1))
    return model.Position(
        kind=kind,
        base=draw(st.sampled_from((10000.0, 100.0, 1.5))),
        interleaved=draw(st.booleans()),
        offset=offset,
        table=_matrix(draw, rows, width) if kind == "learned" else None,
    )


def _layers(
    draw: Draw, sequence: model.Sequence, source: model.Source | None, position: model.Position, width: int, count: int
) -> tuple[tuple[model.Layer, ...], int]:
    layers, d_model = [], width
    for _ in range(count):
        d_source = d_model if source is None else width if source.X is None else source.X.shape[1]
        layer = _layer(draw, sequence, source, position, d_model, int(d_source))
        layers.append(layer)
        d_model = layer.d_out
    return tuple(layers), d_model


def _layer(
    draw: Draw,
    sequence: model.Sequence,
    source: model.Source | None,
    position: model.Position,
    d_model: int,
    d_source: int,
) -> model.Layer:
    residual = draw(st.booleans())
    mask = _mask(draw, len(sequence.tokens), None if source is None else len(source.tokens))
    attention = _attention(draw, d_model, d_source, position.kind == "rope", d_model if residual else None, mask)
    ffn = _maybe(draw, _ffn, attention.d_out, residual)
    layer = model.Layer(attention, None, residual, ffn)
    return replace(layer, norm=_maybe(draw, _norm, layer, d_model))


def _attention(
    draw: Draw, d_model: int, d_source: int, even: bool, d_out: int | None, mask: model.Mask
) -> model.Attention:
    kv_heads, group = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    heads = kv_heads * group
    d_k = draw(st.integers(1, 2)) * 2 if even else draw(st.integers(1, 4))
    d_v = draw(st.integers(1, 3))
    needs_projection = d_out is not None and d_out != heads * d_v
    out = draw(st.integers(1, 4)) if d_out is None else d_out
    projection = _matrix(draw, heads * d_v, out) if needs_projection or draw(st.booleans()) else None
    return model.Attention(
        W_Q=tuple(_matrix(draw, d_model, d_k) for _ in range(heads)),
        W_K=tuple(_matrix(draw, d_source, d_k) for _ in range(kv_heads)),
        W_V=tuple(_matrix(draw, d_source, d_v) for _ in range(kv_heads)),
        b_Q=_maybe(draw, _vectors, [d_k] * heads),
        b_K=_maybe(draw, _vectors, [d_k] * kv_heads),
        b_V=_maybe(draw, _vectors, [d_v] * kv_heads),
        W_O=projection,
        b_O=_maybe(draw, _vector, heads * d_v if projection is None else out),
        scale=draw(st.sampled_from(("sqrt_dk", "none", 0.0, 0.25, -1.5))),
        temperature=draw(st.sampled_from((1.0, 0.5, 3.0))),
        softcap=draw(st.sampled_from((None, 2.0, 30.0))),
        mask=mask,
        muted_heads=tuple(draw(st.lists(st.integers(0, heads - 1), max_size=2, unique=True))),
    )


def _vectors(draw: Draw, widths: list[int]) -> tuple[Matrix, ...]:
    return tuple(_vector(draw, width) for width in widths)


def _mask(draw: Draw, queries: int, source_tokens: int | None) -> model.Mask:
    keys = queries if source_tokens is None else source_tokens
    pairs = st.lists(st.tuples(st.integers(0, queries - 1), st.integers(0, keys - 1)), max_size=3).map(tuple)
    segment = st.one_of(st.integers(0, 1), st.sampled_from(("a", "0")))
    segments = st.lists(segment, min_size=queries, max_size=queries).map(tuple)
    return model.Mask(
        causal=draw(st.booleans()),
        window=draw(st.none() | st.integers(1, 3)),
        prefix=draw(st.none() | st.integers(0, keys)),
        segments=None if source_tokens is not None else draw(st.none() | segments),
        align=draw(st.sampled_from(("end", "start"))),
        blocked=draw(pairs),
        allowed=draw(pairs),
    )


def _ffn(draw: Draw, width: int, residual: bool) -> model.FeedForward:
    hidden = draw(st.integers(1, 4))
    out = width if residual else draw(st.integers(1, 4))
    return model.FeedForward(
        activation=draw(st.sampled_from(("relu", "gelu", "gelu_tanh", "silu"))),
        W_1=_matrix(draw, width, hidden),
        W_2=_matrix(draw, hidden, out),
        b_1=_maybe(draw, _vector, hidden),
        b_2=_maybe(draw, _vector, out),
        W_gate=_maybe(draw, _matrix, width, hidden),
    )


def _norm(draw: Draw, layer: model.Layer, d_model: int) -> model.Norm:
    placement = draw(st.sampled_from(("pre", "post")))
    attention = layer.attention.d_out
    widths = [d_model, attention] if placement == "pre" else [attention, layer.d_out]
    widths = widths if layer.ffn is not None else widths[:1]
    return model.Norm(
        kind=draw(st.sampled_from(("layernorm", "rmsnorm"))),
        placement=placement,
        gain=_vectors(draw, widths),
        bias=_maybe(draw, _vectors, widths),
        eps=draw(st.sampled_from((1e-5, 1e-3))),
    )


def _final_norm(draw: Draw, width: int) -> model.FinalNorm:
    kind = draw(st.sampled_from(("layernorm", "rmsnorm")))
    return model.FinalNorm(kind, _vector(draw, width), _maybe(draw, _vector, width))


def _unembedding(draw: Draw, d_out: int, d_model: int, words: int) -> model.Unembedding:
    if d_out == d_model and draw(st.booleans()):
        return model.Unembedding()
    return model.Unembedding(_matrix(draw, d_out, words))


def _pins(draw: Draw, experiment: model.Experiment) -> MappingProxyType[str, Matrix]:
    paths = draw(st.lists(st.sampled_from(pinnable_paths(experiment)), max_size=3, unique=True))
    return MappingProxyType({path: _pin(draw, experiment, path) for path in paths})


def _pin(draw: Draw, experiment: model.Experiment, path: str) -> Matrix:
    numbers = _numbers(draw, pin_shape(experiment, path))
    chances = _seeded(draw).random(numbers.shape)
    if draw(st.booleans()):
        numbers[chances < 0.4] = np.nan
    if path.split(".")[2] in BLOCKABLE and draw(st.booleans()):
        numbers[chances > 0.8] = -np.inf
    return frozen(numbers)
