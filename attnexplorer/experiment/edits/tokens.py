"""Edits of the tokens of the sequence or of the source.

Pins, blocked and allowed pairs, padding, segments, the prefix and the source's X move with their tokens; new pin cells
stay computed, and a pin with no cell left disappears. The rows of a learned position table move with their tokens too,
except where two sequences share the table: there a row belongs to its place, and the table only grows at its end.
Shuffling leaves table and prefix alone, as it asks what the places do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence as ListOf
from typing import Literal

from attnexplorer.experiment import rules
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.orders import Order, aligned, inserted, is_unchanged, moved, removed, shuffled
from attnexplorer.experiment.edits.positions import with_enough_rows
from attnexplorer.experiment.edits.reindexing import reindexed
from attnexplorer.experiment.edits.vocabulary import with_words
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment, Sequence, Source
from attnexplorer.experiment.paths import replace_all

Side = Literal["sequence", "source"]


def add_token(experiment: Experiment, side: Side, index: int, word: str, growth: Growth | None = None) -> Experiment:
    """Put a token before place `index`; a word not yet in the vocabulary gets a row by the growth rule."""
    tokens = _side(experiment, side).tokens
    _require_place(side, index, len(tokens) + 1)
    words = (*tokens[:index], word, *tokens[index:])
    return _reordered(experiment, side, words, inserted(len(tokens), index), growth or Growth())


def remove_token(experiment: Experiment, side: Side, index: int) -> Experiment:
    """Remove one token; the last one stays, and so does the word in the vocabulary."""
    tokens = _side(experiment, side).tokens
    _require_place(side, index, len(tokens))
    if len(tokens) == 1:
        raise ExperimentError(f"The {side}", "needs at least one token.")
    words = (*tokens[:index], *tokens[index + 1 :])
    return _reordered(experiment, side, words, removed(len(tokens), index), Growth())


def move_token(experiment: Experiment, side: Side, start: int, end: int) -> Experiment:
    """Move the token at `start` so that it stands at `end`."""
    tokens = _side(experiment, side).tokens
    _require_place(side, start, len(tokens))
    _require_place(side, end, len(tokens))
    order = moved(len(tokens), start, end)
    return _reordered(experiment, side, tuple(tokens[old] for old in order if old is not None), order, Growth())


def shuffle_tokens(experiment: Experiment, side: Side, seed: int) -> Experiment:
    """Put the tokens into the order `shuffled` gives for a seed; what belongs to places stays in place.

    That is the rows of a learned position table, and the prefix.
    """
    tokens = _side(experiment, side).tokens
    order = shuffled(len(tokens), seed)
    words = tuple(tokens[old] for old in order if old is not None)
    edited = _reordered(experiment, side, words, order, Growth(), table_moves=False)
    prefixes = {
        f"layers.{number}.attention.mask.prefix": layer.attention.mask.prefix
        for number, layer in enumerate(experiment.layers)
        if layer.attention.mask.prefix is not None
    }
    return replace_all(edited, prefixes)


def rename_token(experiment: Experiment, side: Side, index: int, word: str) -> Experiment:
    """Give a token another word: a known one has its row of E, a new one a row at first equal to the old word's."""
    tokens = _side(experiment, side).tokens
    _require_place(side, index, len(tokens))
    rules.check_texts([word], f"The {side}")
    if tokens[index] == word:
        return experiment
    if _is_looked_up(experiment, side):
        experiment = with_words(experiment, [word], Growth(), like=tokens[index])
    return _with_side(experiment, side, tokens=(*tokens[:index], word, *tokens[index + 1 :]))


def set_tokens(experiment: Experiment, side: Side, words: ListOf[str], growth: Growth | None = None) -> Experiment:
    """Replace all tokens; those that both lists have in the same succession keep what belongs to them."""
    new = tuple(words)
    if not new:
        raise ExperimentError(f"The {side}", "needs at least one token.")
    return _reordered(experiment, side, new, aligned(_side(experiment, side).tokens, new), growth or Growth())


def set_padding(experiment: Experiment, side: Side, index: int, padded: bool) -> Experiment:
    """Say whether a token is padding, which nobody may attend to."""
    padding = _side(experiment, side).padding
    _require_place(side, index, len(padding))
    return _with_side(experiment, side, padding=(*padding[:index], bool(padded), *padding[index + 1 :]))


def _reordered(
    experiment: Experiment,
    side: Side,
    words: tuple[str, ...],
    order: Order,
    growth: Growth,
    *,
    table_moves: bool = True,
) -> Experiment:
    owner = _side(experiment, side)
    rules.check_texts(words, f"The {side}")
    if words == owner.tokens and is_unchanged(order, len(owner.tokens)):
        return experiment
    if _is_looked_up(experiment, side):
        experiment = with_words(experiment, words, growth)
    change = {"n" if side == "sequence" else "m": order}
    if table_moves:
        change |= _table_order(experiment, side, order)
    padding = tuple(old is not None and owner.padding[old] for old in order)
    edited = _with_side(reindexed(experiment, change, growth), side, tokens=words, padding=padding)
    return with_enough_rows(edited, growth)


def _table_order(experiment: Experiment, side: Side, order: Order) -> dict[str, Order]:
    position, source = experiment.position, experiment.source
    shared = source is not None and (source.X is None or side == "source")
    if position.table is None or position.kind != "learned" or shared:
        return {}
    offset, end = position.offset, position.offset + len(experiment.sequence.tokens)
    rows = (None if old is None else offset + old for old in order)
    return {"positions": (*range(offset), *rows, *range(end, len(position.table)))}


def _side(experiment: Experiment, side: Side) -> Sequence | Source:
    owner = experiment.sequence if side == "sequence" else experiment.source
    if owner is None:
        raise ExperimentError("The source", "is not there: this experiment is self-attention.")
    return owner


def _is_looked_up(experiment: Experiment, side: Side) -> bool:
    return side == "sequence" or (experiment.source is not None and experiment.source.X is None)


def _with_side(
    experiment: Experiment,
    side: Side,
    *,
    tokens: tuple[str, ...] | None = None,
    padding: tuple[bool, ...] | None = None,
) -> Experiment:
    owner = _side(experiment, side)
    changed = dataclasses.replace(
        owner,
        tokens=owner.tokens if tokens is None else tokens,
        padding=owner.padding if padding is None else padding,
    )
    if isinstance(changed, Sequence):
        return dataclasses.replace(experiment, sequence=changed)
    return dataclasses.replace(experiment, source=changed)


def _require_place(side: Side, index: int, size: int) -> None:
    if not 0 <= index < size:
        raise ExperimentError(f"The {side}", f"has no place {index + 1}; places go from 1 to {size}.")
