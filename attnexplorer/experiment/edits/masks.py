"""Edits of a layer's mask, scale, temperature and softcap."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from collections.abc import Sequence as ListOf
from typing import Any

from attnexplorer.experiment.edits.widths import layer_at
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Align, Experiment, Pair
from attnexplorer.experiment.paths import replace

SAME = 1e-9
"""Two scale factors closer than this, relatively, are the same."""


def toggle_causal(experiment: Experiment, layer: int) -> Experiment:
    """Turn the causal rule on or off."""
    return _with_mask(experiment, layer, causal=not layer_at(experiment, layer).attention.mask.causal)


def set_window(experiment: Experiment, layer: int, window: int | None) -> Experiment:
    """Let a query see only keys less than `window` places away, or all."""
    if window is not None and window < 1:
        raise ExperimentError("The window", "must be at least 1.")
    return _with_mask(experiment, layer, window=window)


def set_prefix(experiment: Experiment, layer: int, prefix: int | None) -> Experiment:
    """Let the first `prefix` keys pass the causal rule and the window."""
    keys = len(experiment.key_tokens)
    if prefix is not None and not 0 <= prefix <= keys:
        raise ExperimentError("The prefix", f"must be between 0 and the number of keys, {keys}.")
    return _with_mask(experiment, layer, prefix=prefix)


def set_segments(experiment: Experiment, layer: int, segments: ListOf[str | int] | None) -> Experiment:
    """Give every token a segment, within which alone it attends; self-attention only."""
    tokens = len(experiment.query_tokens)
    if segments is not None and experiment.source is not None:
        raise ExperimentError("Segments", "are for self-attention; this experiment has a source.")
    if segments is not None and len(segments) != tokens:
        raise ExperimentError("Segments", f"must be {tokens}, one a token, not {len(segments)}.")
    return _with_mask(experiment, layer, segments=None if segments is None else tuple(segments))


def set_align(experiment: Experiment, layer: int, align: Align) -> Experiment:
    """Align the queries with the end or with the start of the keys."""
    return _with_mask(experiment, layer, align=align)


def block_pair(experiment: Experiment, layer: int, query: int, key: int) -> Experiment:
    """Block one pair; it is no longer explicitly allowed."""
    return set_blocked_pairs(experiment, layer, [(query, key)], True)


def allow_pair(experiment: Experiment, layer: int, query: int, key: int) -> Experiment:
    """Allow one pair whatever the rules say; it is no longer explicitly blocked."""
    return set_allowed_pairs(experiment, layer, [(query, key)], True)


def clear_pair(experiment: Experiment, layer: int, query: int, key: int) -> Experiment:
    """Leave one pair to the rules."""
    return _without_pairs(experiment, layer, _checked(experiment, [(query, key)]))


def cycle_pair(experiment: Experiment, layer: int, query: int, key: int) -> Experiment:
    """Go on from the rules to blocked, from blocked to allowed, from allowed to the rules."""
    mask = layer_at(experiment, layer).attention.mask
    if (query, key) in mask.allowed:
        return clear_pair(experiment, layer, query, key)
    if (query, key) in mask.blocked:
        return allow_pair(experiment, layer, query, key)
    return block_pair(experiment, layer, query, key)


def set_blocked_pairs(experiment: Experiment, layer: int, pairs: Iterable[Pair], blocked: bool) -> Experiment:
    """Block several pairs, or leave them to the rules."""
    chosen = _checked(experiment, pairs)
    cleared = _without_pairs(experiment, layer, chosen)
    mask = cleared.layers[layer].attention.mask
    return _with_mask(cleared, layer, blocked=(*mask.blocked, *chosen)) if blocked else cleared


def set_allowed_pairs(experiment: Experiment, layer: int, pairs: Iterable[Pair], allowed: bool) -> Experiment:
    """Allow several pairs, or leave them to the rules."""
    chosen = _checked(experiment, pairs)
    cleared = _without_pairs(experiment, layer, chosen)
    mask = cleared.layers[layer].attention.mask
    return _with_mask(cleared, layer, allowed=(*mask.allowed, *chosen)) if allowed else cleared


def set_scale(experiment: Experiment, layer: int, factor: float) -> Experiment:
    """Set what QKᵀ is multiplied by; 1/√d_k and 1 are kept by name, so that 1/√d_k follows d_k."""
    attention = layer_at(experiment, layer).attention
    if not math.isfinite(factor):
        raise ExperimentError("The scale", "must be a finite number.")
    scale: float | str = float(factor)
    if math.isclose(factor, attention.d_k**-0.5, rel_tol=SAME):
        scale = "sqrt_dk"
    elif math.isclose(factor, 1.0, rel_tol=SAME):
        scale = "none"
    return replace(experiment, f"layers.{layer}.attention.scale", scale)


def set_temperature(experiment: Experiment, layer: int, temperature: float) -> Experiment:
    """Set what masked scores are divided by."""
    layer_at(experiment, layer)
    if not (math.isfinite(temperature) and temperature > 0):
        raise ExperimentError("The temperature", "must be a number above 0.")
    return replace(experiment, f"layers.{layer}.attention.temperature", float(temperature))


def set_softcap(experiment: Experiment, layer: int, softcap: float | None) -> Experiment:
    """Set the bound c of c · tanh(score / c), or take it away."""
    layer_at(experiment, layer)
    if softcap is not None and not (math.isfinite(softcap) and softcap > 0):
        raise ExperimentError("The softcap", "must be a number above 0.")
    return replace(experiment, f"layers.{layer}.attention.softcap", None if softcap is None else float(softcap))


def _with_mask(experiment: Experiment, layer: int, **changes: Any) -> Experiment:
    mask = dataclasses.replace(layer_at(experiment, layer).attention.mask, **changes)
    return replace(experiment, f"layers.{layer}.attention.mask", mask)


def _without_pairs(experiment: Experiment, layer: int, pairs: tuple[Pair, ...]) -> Experiment:
    mask, gone = layer_at(experiment, layer).attention.mask, set(pairs)
    blocked = tuple(pair for pair in mask.blocked if tuple(pair) not in gone)
    allowed = tuple(pair for pair in mask.allowed if tuple(pair) not in gone)
    return _with_mask(experiment, layer, blocked=blocked, allowed=allowed)


def _checked(experiment: Experiment, pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    n, m = len(experiment.query_tokens), len(experiment.key_tokens)
    chosen = tuple(dict.fromkeys((int(query), int(key)) for query, key in pairs))
    for query, key in chosen:
        if not (0 <= query < n and 0 <= key < m):
            raise ExperimentError("The mask", f"has no pair of query {query + 1} and key {key + 1}: it is {n} × {m}.")
    return chosen
