"""Carrying a change of axes through every matrix, mask and pin of an experiment."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.edits.growth import Fill, Growth, not_pinned, ones, zeros
from attnexplorer.experiment.edits.layout import Layout
from attnexplorer.experiment.edits.orders import Order, is_unchanged, new_places, product, taken, taken_stack
from attnexplorer.experiment.model import (
    Attention,
    Embedding,
    Experiment,
    FeedForward,
    FinalNorm,
    Layer,
    Mask,
    Norm,
    Pair,
    Position,
    Source,
    Unembedding,
)
from attnexplorer.experiment.pinning import KV_HEAD_STAGES

Change = Mapping[str, Order]
"""New orders by axis, in the names of `layout.Layout`."""

PIN_AXES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "input": ("n", "input"),
        "query": ("n", "d_k"),
        "query_rotated": ("n", "d_k"),
        "key": ("m", "d_k"),
        "key_rotated": ("m", "d_k"),
        "value": ("m", "d_v"),
        "scores": ("n", "m"),
        "scaled": ("n", "m"),
        "masked": ("n", "m"),
        "weights": ("n", "m"),
        "head_output": ("n", "d_v"),
        "concat": ("n", "concat"),
        "attention_output": ("n", "attention"),
        "ffn_hidden": ("n", "hidden"),
        "ffn_output": ("n", "output"),
        "output": ("n", "output"),
    }
)
STACKS = {
    "W_Q": ("heads", "input", "d_k"),
    "W_K": ("kv", "source", "d_k"),
    "W_V": ("kv", "source", "d_v"),
    "b_Q": ("heads", "d_k"),
    "b_K": ("kv", "d_k"),
    "b_V": ("kv", "d_v"),
}
FFN_AXES = {
    "W_1": ("attention", "hidden"),
    "W_gate": ("attention", "hidden"),
    "W_2": ("hidden", "output"),
    "b_1": ("hidden",),
    "b_2": ("output",),
}


def reindexed(experiment: Experiment, change: Change, growth: Growth) -> Experiment:
    """Return the experiment with axes in a new order and everything that follows from them.

    Tokens and padding are the caller's: new tokens need words. Gains grow by ones, biases by zeros, pins by null cells.
    """
    orders = _Orders(experiment, change)
    return dataclasses.replace(
        experiment,
        embedding=_embedding(experiment.embedding, orders, growth),
        position=_position(experiment.position, orders, growth),
        source=None if experiment.source is None else _source(experiment.source, orders, growth),
        layers=tuple(_layer(layer, number, orders, growth) for number, layer in enumerate(experiment.layers)),
        final_norm=_final_norm(experiment.final_norm, orders),
        unembedding=_unembedding(experiment.unembedding, orders, growth),
        pins=_pins(experiment.pins, orders),
    )


def best_prefix(prefix: int, order: Order) -> int:
    """Return the length of the prefix that agrees best with which tokens were in it.

    Where two lengths agree equally well the longer one is taken; a new token at the end stays outside.
    """
    wrong = sum(old is not None and old < prefix for old in order)
    new, best = 0, (wrong, 0, 0)
    for length, old in enumerate(order, 1):
        new += old is None
        wrong += 0 if old is None else -1 if old < prefix else 1
        best = min(best, (wrong, new, -length))
    return -best[2]


def without_pins(experiment: Experiment, paths: set[str]) -> Experiment:
    """Return the experiment without some pins."""
    kept = {path: pin for path, pin in experiment.pins.items() if path not in paths}
    if len(kept) == len(experiment.pins):
        return experiment
    return dataclasses.replace(experiment, pins=MappingProxyType(kept))


class _Orders:
    """A change, resolved through the layout to every axis it reaches."""

    def __init__(self, experiment: Experiment, change: Change) -> None:
        self._layout = Layout(experiment)
        self.last = f"input.{len(experiment.layers)}"
        self._orders = {self._layout.group(axis): order for axis, order in change.items()}
        for number, layer in enumerate(experiment.layers):
            self._add_concat(number, layer.attention)

    def of(self, axis: str) -> Order | None:
        """Return the new order of an axis, None where it stays."""
        return self._orders.get(self._layout.group(axis))

    def all(self, axes: tuple[str, ...], layer: int) -> tuple[Order | None, ...]:
        """Return the orders of a matrix of a layer."""
        return tuple(self.of(_in_layer(axis, layer)) for axis in axes)

    def _add_concat(self, number: int, attention: Attention) -> None:
        heads, d_v = self.of(f"heads.{number}"), self.of(f"d_v.{number}")
        if is_unchanged(heads, attention.heads) and is_unchanged(d_v, attention.d_v):
            return
        if attention.W_O is None:
            self._layout.require_only_downstream(number)
        outer = tuple(range(attention.heads)) if heads is None else heads
        inner = tuple(range(attention.d_v)) if d_v is None else d_v
        self._orders[self._layout.group(f"concat.{number}")] = product(outer, inner, attention.d_v)


def _in_layer(axis: str, layer: int) -> str:
    if axis in ("n", "m"):
        return axis
    return f"input.{layer + 1}" if axis == "output" else f"{axis}.{layer}"


def _embedding(embedding: Embedding, orders: _Orders, growth: Growth) -> Embedding:
    E = taken(embedding.E, (None, orders.of("d_model")), "E", growth)
    return embedding if E is embedding.E else dataclasses.replace(embedding, E=E)


def _position(position: Position, orders: _Orders, growth: Growth) -> Position:
    if position.table is None or position.kind != "learned":
        return position
    table = taken(position.table, (orders.of("positions"), orders.of("d_model")), "table", growth)
    return position if table is position.table else dataclasses.replace(position, table=table)


def _source(source: Source, orders: _Orders, growth: Growth) -> Source:
    if source.X is None:
        return source
    X = taken(source.X, (orders.of("m"), orders.of("d_source")), "X", growth)
    return source if X is source.X else dataclasses.replace(source, X=X)


def _layer(layer: Layer, number: int, orders: _Orders, growth: Growth) -> Layer:
    return dataclasses.replace(
        layer,
        attention=_attention(layer.attention, number, orders, growth),
        norm=None if layer.norm is None else _norm(layer.norm, layer.ffn is not None, number, orders),
        ffn=None if layer.ffn is None else _feed_forward(layer.ffn, number, orders, growth),
    )


def _attention(attention: Attention, number: int, orders: _Orders, growth: Growth) -> Attention:
    changed: dict[str, Any] = {}
    for name, (heads, *axes) in STACKS.items():
        stack = getattr(attention, name)
        fill: Fill = growth if name.startswith("W") else zeros
        if stack is not None:
            head_order = orders.of(f"{heads}.{number}")
            changed[name] = taken_stack(stack, head_order, orders.all(tuple(axes), number), f"{number}.{name}", fill)
    W_O, b_O = attention.W_O, attention.b_O
    if W_O is not None:
        W_O = taken(W_O, orders.all(("concat", "attention"), number), f"{number}.W_O", growth)
    if b_O is not None:
        b_O = taken(b_O, orders.all(("attention",), number), f"{number}.b_O", zeros)
    heads_order = orders.of(f"heads.{number}")
    muted = attention.muted_heads
    if heads_order is not None:
        muted = tuple(new for new, old in enumerate(heads_order) if old in muted)
    mask = _mask(attention.mask, orders.of("n"), orders.of("m"))
    return dataclasses.replace(attention, **changed, W_O=W_O, b_O=b_O, muted_heads=muted, mask=mask)


def _mask(mask: Mask, queries: Order | None, keys: Order | None) -> Mask:
    if queries is None and keys is None:
        return mask
    prefix, segments = mask.prefix, mask.segments
    if prefix is not None and keys is not None:
        prefix = best_prefix(prefix, keys)
    if segments is not None and queries is not None:
        segments = _segments(segments, queries)
    return dataclasses.replace(
        mask,
        prefix=prefix,
        segments=segments,
        blocked=_pairs(mask.blocked, queries, keys),
        allowed=_pairs(mask.allowed, queries, keys),
    )


def _pairs(pairs: tuple[Pair, ...], queries: Order | None, keys: Order | None) -> tuple[Pair, ...]:
    rows = None if queries is None else new_places(queries)
    columns = None if keys is None else new_places(keys)
    moved = (
        (query if rows is None else rows.get(query), key if columns is None else columns.get(key))
        for query, key in pairs
    )
    return tuple((query, key) for query, key in moved if query is not None and key is not None)


def _segments(segments: tuple[str | int, ...], order: Order) -> tuple[str | int, ...]:
    """Give a new token the segment of the nearest old token before it, or else after it."""
    known = [old for old in order if old is not None]
    latest = known[0] if known else 0
    result = []
    for old in order:
        latest = latest if old is None else old
        result.append(segments[latest])
    return tuple(result)


def _norm(norm: Norm, has_ffn: bool, number: int, orders: _Orders) -> Norm:
    """Without an FFN a second row normalises nothing, so it stays as it is."""
    axes = ("input", "attention") if norm.placement == "pre" else ("attention", "output")
    used = axes if has_ffn else axes[:1]
    row_orders = [orders.all((axis,), number) for axis in used]

    def rows(old: tuple[Matrix, ...], fill: Fill) -> tuple[Matrix, ...]:
        changed = (taken(row, order, "row", fill) for row, order in zip(old, row_orders, strict=False))
        return (*changed, *old[len(used) :])

    bias = None if norm.bias is None else rows(norm.bias, zeros)
    return dataclasses.replace(norm, gain=rows(norm.gain, ones), bias=bias)


def _feed_forward(ffn: FeedForward, number: int, orders: _Orders, growth: Growth) -> FeedForward:
    changed: dict[str, Any] = {}
    for name, axes in FFN_AXES.items():
        matrix = getattr(ffn, name)
        fill: Fill = growth if name.startswith("W") else zeros
        if matrix is not None:
            changed[name] = taken(matrix, orders.all(axes, number), f"{number}.{name}", fill)
    return dataclasses.replace(ffn, **changed)


def _final_norm(norm: FinalNorm | None, orders: _Orders) -> FinalNorm | None:
    if norm is None:
        return None
    last = (orders.of(orders.last),)
    bias = None if norm.bias is None else taken(norm.bias, last, "bias", zeros)
    return dataclasses.replace(norm, gain=taken(norm.gain, last, "gain", ones), bias=bias)


def _unembedding(unembedding: Unembedding | None, orders: _Orders, growth: Growth) -> Unembedding | None:
    if unembedding is None or unembedding.W_U is None:
        return unembedding
    return dataclasses.replace(unembedding, W_U=taken(unembedding.W_U, (orders.of(orders.last), None), "W_U", growth))


def _pins(pins: Mapping[str, Matrix], orders: _Orders) -> Mapping[str, Matrix]:
    changed: dict[str, Matrix] = {}
    for path, pin in pins.items():
        _, layer, stage, *head = path.split(".")
        number = int(layer)
        carried = taken(pin, orders.all(PIN_AXES[stage], number), path, not_pinned)
        if not np.isnan(carried).all():
            changed.update(dict.fromkeys(_pin_paths(path, number, stage, head, orders), carried))
    return MappingProxyType(changed)


def _pin_paths(path: str, layer: int, stage: str, head: list[str], orders: _Orders) -> list[str]:
    if not head:
        return [path]
    order = orders.of(f"{'kv' if stage in KV_HEAD_STAGES else 'heads'}.{layer}")
    if order is None:
        return [path]
    return [f"layers.{layer}.{stage}.{new}" for new, old in enumerate(order) if old == int(head[0])]
