"""Which key a query may see, and which rule forbids it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment, Mask, Pair

Visibility = NDArray[np.bool_]
_WORDS = {"blocked": "by hand"}
"""What a rule is called on screen where that is not its name in the file."""


def visible(mask: Mask, padding: tuple[bool, ...], queries: int) -> Visibility:
    """Return which pairs are seen: True where no rule blocks them, or where they are in `allowed`. Shape: [n, m]."""
    seen = np.ones((queries, len(padding)), dtype=np.bool_)
    for _, blocked in blocking_rules(mask, padding, queries):
        seen &= ~blocked
    _set(seen, mask.allowed, True)
    seen.setflags(write=False)
    return seen


def blocking_rules(mask: Mask, padding: tuple[bool, ...], queries: int) -> Iterator[tuple[str, Visibility]]:
    """Yield each rule that is switched on, by its name in the file, with the pairs it blocks. Shape: [n, m] each."""
    keys = len(padding)
    back = query_positions(mask, queries, keys)[:, None] - np.arange(keys)
    reachable = np.arange(keys) < (mask.prefix or 0)
    if mask.causal:
        yield "causal", (back < 0) & ~reachable
    if mask.window is not None:
        yield "window", (np.abs(back) >= mask.window) & ~reachable
    if mask.segments is not None:
        names = np.array([str(segment) for segment in mask.segments])
        yield "segments", names[:, None] != names
    if any(padding):
        yield "padding", np.broadcast_to(np.array(padding, dtype=np.bool_), (queries, keys))
    if mask.blocked:
        cells = np.zeros((queries, keys), dtype=np.bool_)
        _set(cells, mask.blocked, True)
        yield "blocked", cells


def rules_that_block(mask: Mask, padding: tuple[bool, ...], queries: int, query: int, key: int) -> tuple[str, ...]:
    """Return the names of the rules that block one pair; empty when the pair is seen."""
    if (query, key) in mask.allowed:
        return ()
    return tuple(name for name, blocked in blocking_rules(mask, padding, queries) if blocked[query, key])


def blocked_by(experiment: Experiment, layer: int, query: int, key: int) -> str:
    """Return what blocks a pair: "blocked: causal, padding". No rule does so where −∞ itself is pinned."""
    mask, queries = experiment.layers[layer].attention.mask, len(experiment.query_tokens)
    rules = rules_that_block(mask, experiment.key_padding, queries, query, key)
    return f"blocked: {', '.join(_WORDS.get(rule, rule) for rule in rules) or 'pinned to −∞'}"


def diagonal(mask: Mask, queries: int, keys: int) -> str:
    """Return where the diagonal lies, counted from 1: "query i stands at key i + 1"; nothing for a square map."""
    if queries == keys:
        return ""
    shift = int(query_positions(mask, queries, keys)[0])
    sign = "+" if shift > 0 else "−"
    return "query i stands at key i" + (f" {sign} {abs(shift)}" if shift else "")


def query_positions(mask: Mask, queries: int, keys: int) -> NDArray[np.intp]:
    """Return where each query stands among the keys: i + s with s = m - n, or 0 when aligned at the start."""
    shift = 0 if mask.align == "start" else keys - queries
    return np.arange(queries) + shift


def masked(scaled: Array, seen: Visibility, temperature: float, penalty: Array | None = None) -> Array:
    """Return (scaled - penalty) / temperature with -inf where a pair is not seen. Shape: [n, m] → [n, m].

    Where none of this changes anything, the result is `scaled` itself.
    Sources: the additive mask of Vaswani et al. 2017, section 3.2.3; the penalty of Press et al. 2022 (ALiBi).
    """
    if penalty is None and temperature == 1.0 and seen.all():
        return scaled
    y = scaled.copy() if penalty is None else scaled - penalty
    if temperature != 1.0:
        y /= temperature
    np.putmask(y, ~seen, -np.inf)
    return y


def blocked_pairs(
    experiment: Experiment, unit: Unit, shape: tuple[int, ...], seen: Visibility | None = None
) -> Visibility:
    """Return where -inf says what it should: blocked by a rule, or by a pin of a unit's stage or one before it.

    `seen` are the pairs that the rules of the mask allow, where they are known. Shapes: [n, m].
    """
    right = np.zeros(shape, dtype=np.bool_)
    if unit.stage == "weights":
        return right
    for stage in ("scores", "scaled", "masked"):
        pin = experiment.pins.get(unit._replace(stage=stage).path)
        if pin is not None:
            # A finite pin takes the place of whatever an earlier stage blocked.
            right = (pin == -np.inf) | (right & np.isnan(pin))
        if stage == unit.stage:
            break
    if unit.stage != "masked":
        return right
    if seen is None:
        mask = experiment.layers[unit.layer or 0].attention.mask
        seen = visible(mask, experiment.key_padding, len(experiment.query_tokens))
    return right | ~seen


def fully_masked(masked: Array) -> NDArray[np.bool_]:
    """Return which rows see no key at all. Shape: [n, m] → [n]."""
    return np.asarray(np.isneginf(masked).all(axis=1))


def _set(cells: Visibility, pairs: tuple[Pair, ...], value: bool) -> None:
    if pairs:
        rows, columns = zip(*pairs, strict=True)
        cells[list(rows), list(columns)] = value
