"""What an edit drops, in sentences to be shown before the user is asked whether to make it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from attnexplorer.experiment import rules
from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.model import Experiment, Layer


def losses(before: Experiment, after: Experiment, name_of: Callable[[str], str] = str) -> tuple[str, ...]:
    """Name what `before` holds and `after`, the same experiment after a structural edit, no longer does.

    Counts are compared, so what has only moved is not named. `name_of` says what a stage is called on screen.
    """
    whole = [*_pins(before, after, name_of), *_tokens(before, after), *_matrices(before, after)]
    lost_layers = len(before.layers) - len(after.layers)
    if lost_layers > 0:
        whole.append(f"{rules.counted(lost_layers, 'layer')} with everything in {'it' if lost_layers == 1 else 'them'}")
    sentences = [f"This drops {_listed(whole)}."] if whole else []
    if lost_layers == 0:
        for number, (old, new) in enumerate(zip(before.layers, after.layers, strict=True)):
            sentences += _layer_sentences(old, new, f" of layer {number + 1}" if len(before.layers) > 1 else "")
    return tuple(sentences)


def _layer_sentences(old: Layer, new: Layer, place: str) -> list[str]:
    a, b = old.attention, new.attention
    lost = _layer(old, new)
    sentences = [f"This drops {_listed(lost)}{place}."] if lost else []
    if 1 < a.kv_heads == b.kv_heads and a.heads != b.heads:
        sentences.append(f"This changes the groups of heads that share a KV head{place}.")
    return sentences


def _listed(things: Sequence[str]) -> str:
    return " and ".join(part for part in (", ".join(things[:-1]), things[-1]) if part)


def _pins(before: Experiment, after: Experiment, name_of: Callable[[str], str]) -> list[str]:
    old, new = _pinned_cells(before), _pinned_cells(after)
    lost = [(old[stage] - new[stage], name_of(stage)) for stage in old if old[stage] > new[stage]]
    # The noun stands once: "8 pinned cells of K", "8 of V".
    words = [f"{count} of {name}" for count, name in lost[1:]]
    return [f"{rules.counted(lost[0][0], 'pinned cell')} of {lost[0][1]}", *words] if lost else []


def _pinned_cells(experiment: Experiment) -> Counter[str]:
    cells: Counter[str] = Counter()
    for path, pin in experiment.pins.items():
        cells[path.split(".")[2]] += int((~np.isnan(pin)).sum())
    return cells


def _tokens(before: Experiment, after: Experiment) -> list[str]:
    sides = [("sequence", before.sequence.padding, after.sequence.padding)]
    if before.source is not None:
        sides.append(("source", before.source.padding, () if after.source is None else after.source.padding))
    lost = []
    for side, old, new in sides:
        fewer = sum(old) - sum(new)
        if fewer > 0:
            lost.append(f"{rules.counted(fewer, 'padding mark')} of the {side}")
    if before.source is not None and before.source.X is not None and (after.source is None or after.source.X is None):
        lost.append("the vectors X of the source")
    return lost


def _matrices(before: Experiment, after: Experiment) -> list[str]:
    lost = [
        *_shrunk("E", before.embedding.E, after.embedding.E),
        *_shrunk("the position table", before.position.table, after.position.table),
    ]
    if before.source is not None and after.source is not None and after.source.X is not None:
        lost += _shrunk("X", before.source.X, after.source.X)
    if before.unembedding is not None and after.unembedding is not None:
        lost += _shrunk("W_U", before.unembedding.W_U, after.unembedding.W_U)
    elif before.unembedding is not None and before.unembedding.W_U is not None:
        lost.append("W_U")
    if before.final_norm is not None and after.final_norm is None:
        lost.append("the final norm")
    return lost


def _layer(old: Layer, new: Layer) -> list[str]:
    a, b = old.attention, new.attention
    lost = []
    for name, had, has in (
        ("head", a.heads, b.heads),
        ("KV head", a.kv_heads, b.kv_heads),
        ("muted head", len(a.muted_heads), len(b.muted_heads)),
        ("blocked pair", len(a.mask.blocked), len(b.mask.blocked)),
        ("allowed pair", len(a.mask.allowed), len(b.mask.allowed)),
    ):
        if had > has:
            lost.append(rules.counted(had - has, name))
    if a.mask.segments is not None and b.mask.segments is None:
        lost.append("the segments")
    for name in ("W_Q", "W_K", "W_V"):
        lost += _shrunk(name, getattr(a, name)[0], getattr(b, name)[0])
    lost += _shrunk("W_O", a.W_O, b.W_O)
    lost += [name for name in ("b_Q", "b_K", "b_V", "b_O") if getattr(a, name) is not None and getattr(b, name) is None]
    return [*lost, *_block(old, new)]


def _block(old: Layer, new: Layer) -> list[str]:
    if old.norm is not None and new.norm is None:
        return ["the norms"]
    if old.ffn is None:
        return []
    if new.ffn is None:
        return ["the FFN"]
    lost = []
    for name in ("W_1", "W_2", "W_gate"):
        lost += _shrunk(name, getattr(old.ffn, name), getattr(new.ffn, name))
    return lost


def _shrunk(name: str, old: Matrix | None, new: Matrix | None) -> list[str]:
    """Return the whole matrix if it is gone, or the rows and columns that it loses."""
    if old is None:
        return []
    if new is None:
        return [name]
    return [
        f"{rules.counted(before - after, word)} of {name}"
        for before, after, word in zip(old.shape, new.shape, ("row", "column"), strict=True)
        if before > after
    ]
