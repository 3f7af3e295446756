"""What an edit drops, in sentences to be shown before it is made."""

from __future__ import annotations

from collections import Counter

import numpy as np

from attnexplorer.experiment import rules
from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.model import Experiment, Layer


def losses(before: Experiment, after: Experiment) -> tuple[str, ...]:
    """Name what `before` holds and `after`, the same experiment after a structural edit, no longer does.

    Counts are compared, so what has only moved is not named.
    """
    sentences = [*_pins(before, after), *_tokens(before, after), *_matrices(before, after)]
    if len(before.layers) == len(after.layers):
        for number, (old, new) in enumerate(zip(before.layers, after.layers, strict=True)):
            sentences += [f"Layer {number + 1}: {sentence}" for sentence in _layer(old, new)]
    elif len(before.layers) > len(after.layers):
        lost = len(before.layers) - len(after.layers)
        sentences.append(f"{rules.counted(lost, 'layer')} {_is(lost)} dropped, with everything in it.")
    return tuple(sentences)


def _pins(before: Experiment, after: Experiment) -> list[str]:
    old, new = _pinned_cells(before), _pinned_cells(after)
    return [
        f"{rules.counted(old[stage] - new[stage], 'pinned cell')} of {stage} {_is(old[stage] - new[stage])} dropped."
        for stage in old
        if old[stage] > new[stage]
    ]


def _pinned_cells(experiment: Experiment) -> Counter[str]:
    cells: Counter[str] = Counter()
    for path, pin in experiment.pins.items():
        cells[path.split(".")[2]] += int((~np.isnan(pin)).sum())
    return cells


def _tokens(before: Experiment, after: Experiment) -> list[str]:
    sides = [("sequence", before.sequence.padding, after.sequence.padding)]
    if before.source is not None:
        sides.append(("source", before.source.padding, () if after.source is None else after.source.padding))
    sentences = []
    for side, old, new in sides:
        lost = sum(old) - sum(new)
        if lost > 0:
            sentences.append(f"{rules.counted(lost, 'padding mark')} of the {side} {_is(lost)} dropped.")
    if before.source is not None and before.source.X is not None and (after.source is None or after.source.X is None):
        sentences.append("The vectors X of the source are dropped.")
    return sentences


def _matrices(before: Experiment, after: Experiment) -> list[str]:
    sentences = [
        *_shrunk("E", before.embedding.E, after.embedding.E),
        *_shrunk("The position table", before.position.table, after.position.table),
    ]
    if before.source is not None and after.source is not None and after.source.X is not None:
        sentences += _shrunk("X", before.source.X, after.source.X)
    if before.unembedding is not None and after.unembedding is not None:
        sentences += _shrunk("W_U", before.unembedding.W_U, after.unembedding.W_U)
    elif before.unembedding is not None and before.unembedding.W_U is not None:
        sentences.append("W_U is dropped.")
    if before.final_norm is not None and after.final_norm is None:
        sentences.append("The final norm is dropped.")
    return sentences


def _layer(old: Layer, new: Layer) -> list[str]:
    a, b = old.attention, new.attention
    sentences = []
    for name, had, has in (
        ("head", a.heads, b.heads),
        ("KV head", a.kv_heads, b.kv_heads),
        ("muted head", len(a.muted_heads), len(b.muted_heads)),
        ("blocked pair", len(a.mask.blocked), len(b.mask.blocked)),
        ("allowed pair", len(a.mask.allowed), len(b.mask.allowed)),
    ):
        if had > has:
            sentences.append(f"{rules.counted(had - has, name)} {_is(had - has)} dropped.")
    if 1 < a.kv_heads == b.kv_heads and a.heads != b.heads:
        sentences.append("the groups of heads that share a KV head change.")
    if a.mask.segments is not None and b.mask.segments is None:
        sentences.append("the segments are dropped.")
    for name in ("W_Q", "W_K", "W_V"):
        sentences += _shrunk(name, getattr(a, name)[0], getattr(b, name)[0])
    sentences += _shrunk("W_O", a.W_O, b.W_O)
    for name in ("b_Q", "b_K", "b_V", "b_O"):
        if getattr(a, name) is not None and getattr(b, name) is None:
            sentences.append(f"{name} is dropped.")
    return [*sentences, *_block(old, new)]


def _block(old: Layer, new: Layer) -> list[str]:
    if old.norm is not None and new.norm is None:
        return ["the norms are dropped."]
    if old.ffn is None:
        return []
    if new.ffn is None:
        return ["the FFN is dropped."]
    sentences = []
    for name in ("W_1", "W_2", "W_gate"):
        sentences += _shrunk(name, getattr(old.ffn, name), getattr(new.ffn, name))
    return sentences


def _shrunk(name: str, old: Matrix | None, new: Matrix | None) -> list[str]:
    if old is None:
        return []
    if new is None:
        return [f"{name} is dropped."]
    lost = [
        rules.counted(before - after, word)
        for before, after, word in zip(old.shape, new.shape, ("row", "column"), strict=True)
        if before > after
    ]
    return [f"{name} loses {' and '.join(lost)}."] if lost else []


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
