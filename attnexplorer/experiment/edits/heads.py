"""Edits of a layer's heads. A head takes its matrices, biases, rows of W_O, pins and muting with it."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import numpy as np

from attnexplorer.experiment import rules
from attnexplorer.experiment.arrays import Matrix, frozen
from attnexplorer.experiment.edits.blocks import create_W_O
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.layout import Layout
from attnexplorer.experiment.edits.orders import Order, duplicated, moved, removed, resized
from attnexplorer.experiment.edits.reindexing import Change, reindexed, without_pins
from attnexplorer.experiment.edits.widths import layer_at, require_count
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Attention, Experiment
from attnexplorer.experiment.paths import replace
from attnexplorer.experiment.pinning import KV_HEAD_STAGES

Keep = Literal["first", "mean"]
KV_NAMES = ("W_K", "W_V", "b_K", "b_V")


def set_heads(experiment: Experiment, layer: int, heads: int, growth: Growth | None = None) -> Experiment:
    """Set the number of query heads: the first stay, new ones come last.

    Without sharing, KV heads follow. With sharing the groups keep their size if the number allows it, else the number
    of KV heads stays and groups change; where neither works the edit is refused.
    """
    attention = layer_at(experiment, layer).attention
    require_count("The number of heads", heads)
    if heads == attention.heads:
        return experiment
    order = resized(attention.heads, heads)
    kv_order = _following(attention, order)
    if kv_order is None and heads % attention.kv_heads == 0:
        kv_order = tuple(range(attention.kv_heads))
    return _with_heads(experiment, layer, order, kv_order, growth)


def duplicate_head(experiment: Experiment, layer: int, head: int) -> Experiment:
    """Copy a head just after itself, with its rows of W_O: they are copied, not halved, so its part counts twice."""
    attention = _head_at(experiment, layer, head)
    order = duplicated(attention.heads, head)
    return _with_heads(experiment, layer, order, _following(attention, order), None)


def remove_head(experiment: Experiment, layer: int, head: int) -> Experiment:
    """Remove a head; the last one stays."""
    attention = _head_at(experiment, layer, head)
    if attention.heads == 1:
        raise ExperimentError(f"Layer {layer + 1}", "needs at least one head.")
    order = removed(attention.heads, head)
    return _with_heads(experiment, layer, order, _following(attention, order), None)


def move_head(experiment: Experiment, layer: int, start: int, end: int) -> Experiment:
    """Move the head at `start` so that it stands at `end`; in a group that shares a KV head, within its group only."""
    attention = _head_at(experiment, layer, start)
    _head_at(experiment, layer, end)
    order = moved(attention.heads, start, end)
    if start == end:
        return experiment
    return _with_heads(experiment, layer, order, _following(attention, order), None)


def set_kv_heads(experiment: Experiment, layer: int, kv_heads: int, keep: Keep = "first") -> Experiment:
    """Set the number of KV heads, which must divide the number of heads.

    A KV head that comes to serve several old groups is the first of them, or their mean. More KV heads begin as copies
    of the one their queries used, so that no number of the output changes. Pins of a mean are dropped.
    """
    attention = layer_at(experiment, layer).attention
    require_count("The number of KV heads", kv_heads)
    if attention.heads % kv_heads:
        raise ExperimentError(
            f"Layer {layer + 1}",
            f"has {rules.counted(attention.heads, 'head')}, which {kv_heads} KV heads cannot share evenly.",
        )
    if kv_heads == attention.kv_heads:
        return experiment
    groups = _served(attention, kv_heads)
    edited = reindexed(experiment, {f"kv.{layer}": tuple(group[0] for group in groups)}, Growth())
    return edited if keep == "first" else _averaged(edited, attention, layer, groups)


def set_muted(experiment: Experiment, layer: int, head: int, muted: bool) -> Experiment:
    """Mute a head, or let it be heard."""
    attention = _head_at(experiment, layer, head)
    others = [other for other in attention.muted_heads if other != head]
    heads = tuple(sorted([*others, head] if muted else others))
    return replace(experiment, f"layers.{layer}.attention.muted_heads", heads)


def _head_at(experiment: Experiment, layer: int, head: int) -> Attention:
    attention = layer_at(experiment, layer).attention
    if not 0 <= head < attention.heads:
        raise ExperimentError(f"Layer {layer + 1}", f"has no head {head + 1}; heads go from 1 to {attention.heads}.")
    return attention


def _following(attention: Attention, order: Order) -> Order | None:
    """Return the KV heads' order with every head's KV head kept, or None where groups cannot stay whole."""
    if attention.kv_heads == 1 and attention.heads > 1:
        return (0,)
    size = attention.heads // attention.kv_heads
    if len(order) % size:
        return None
    groups = [
        {old // size for old in order[start : start + size] if old is not None} for start in range(0, len(order), size)
    ]
    if any(len(group) > 1 for group in groups):
        return None
    return tuple(group.pop() if group else None for group in groups)


def _with_heads(
    experiment: Experiment, layer: int, order: Order, kv_order: Order | None, growth: Growth | None
) -> Experiment:
    attention = experiment.layers[layer].attention
    if kv_order is None:
        raise ExperimentError(
            f"Layer {layer + 1}",
            f"shares {attention.kv_heads} KV heads among {attention.heads} heads in groups of "
            f"{attention.heads // attention.kv_heads}, which this would break. "
            f"Set the KV heads to 1 or {attention.heads} first.",
        )
    change = {f"heads.{layer}": order, f"kv.{layer}": kv_order}
    if len(order) == attention.heads and attention.W_O is None and not Layout(experiment).is_concat_free(layer):
        return _with_heads_in_place(experiment, layer, change)
    return reindexed(experiment, change, growth or Growth())


def _with_heads_in_place(experiment: Experiment, layer: int, change: Change) -> Experiment:
    """Reorder heads where a residual takes the concatenation as it is, so that what follows cannot follow."""
    path = f"layers.{layer}.attention.W_O"
    return replace(reindexed(create_W_O(experiment, layer), change, Growth()), path, None)


def _served(attention: Attention, kv_heads: int) -> list[list[int]]:
    """Return, for each of the new KV heads, the old ones that its queries used."""
    size = attention.heads // kv_heads
    return [
        sorted({attention.kv_head_of(head) for head in range(new * size, (new + 1) * size)}) for new in range(kv_heads)
    ]


def _averaged(edited: Experiment, old: Attention, layer: int, groups: list[list[int]]) -> Experiment:
    merged: dict[str, Any] = {
        name: tuple(_mean(stack, group) for group in groups)
        for name in KV_NAMES
        if (stack := getattr(old, name)) is not None
    }
    attention = dataclasses.replace(edited.layers[layer].attention, **merged)
    means = [new for new, group in enumerate(groups) if len(group) > 1]
    pinned = {f"layers.{layer}.{stage}.{new}" for stage in KV_HEAD_STAGES for new in means}
    return without_pins(replace(edited, f"layers.{layer}.attention", attention), pinned)


def _mean(stack: tuple[Matrix, ...], group: list[int]) -> Matrix:
    return stack[group[0]] if len(group) == 1 else frozen(np.mean([stack[head] for head in group], axis=0))
