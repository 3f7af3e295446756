"""Why a pair of query and key is seen or not, in words. Positions are counted from 1, as on screen."""

from __future__ import annotations

from attnexplorer.compute.explaining.context import token_label
from attnexplorer.compute.masks import query_positions, rules_that_block
from attnexplorer.experiment.model import Experiment, Mask


def why_blocked(experiment: Experiment, layer: int, query: int, key: int) -> tuple[str, ...]:
    """Return a phrase for each rule that blocks a pair; empty where the pair is seen."""
    mask = experiment.layers[layer].attention.mask
    queries = len(experiment.query_tokens)
    rules = rules_that_block(mask, experiment.key_padding, queries, query, key)
    return tuple(_blocked_by(rule, experiment, mask, query, key) for rule in rules)


def why_allowed(experiment: Experiment, layer: int, query: int, key: int) -> str:
    """Return why a pair that is seen is seen."""
    mask = experiment.layers[layer].attention.mask
    if (query, key) in mask.allowed:
        return "this pair is allowed by hand, over every rule"
    place = _place(experiment, mask, query)
    if mask.prefix is not None and key < mask.prefix and (mask.causal or mask.window is not None):
        return f"position {key + 1} is in the prefix of {mask.prefix}"
    reasons = [f"position {key + 1} ≤ {place + 1}"] if mask.causal else []
    if mask.window is not None:
        reasons.append(f"{abs(place - key)} apart, less than the window of {mask.window}")
    if mask.segments is not None:
        reasons.append("the same segment")
    return ", ".join(reasons) or "no rule blocks this pair"


def _blocked_by(rule: str, experiment: Experiment, mask: Mask, query: int, key: int) -> str:
    place = _place(experiment, mask, query)
    if rule == "causal":
        return f"the causal mask (position {key + 1} > {place + 1})"
    if rule == "window":
        return f"the window of {mask.window} ({abs(place - key)} apart)"
    if rule == "segments" and mask.segments is not None:
        return f"the segments ({mask.segments[query]} and {mask.segments[key]} differ)"
    if rule == "padding":
        return f"padding (key {key + 1}, {token_label(experiment.key_tokens, key)}, is padding)"
    return "hand (this very pair)"


def _place(experiment: Experiment, mask: Mask, query: int) -> int:
    return int(query_positions(mask, len(experiment.query_tokens), len(experiment.key_tokens))[query])
