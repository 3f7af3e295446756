"""Words of the embedding: new ones at the end, unused ones until they are removed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.orders import Order, taken
from attnexplorer.experiment.model import Experiment


def words_in_use(experiment: Experiment) -> set[str]:
    """Return the words that are looked up in E; the labels of a source with X are not."""
    source = experiment.source
    looked_up = () if source is None or source.X is not None else source.tokens
    return {*experiment.sequence.tokens, *looked_up}


def with_words(experiment: Experiment, words: Iterable[str], growth: Growth, like: str | None = None) -> Experiment:
    """Give every unknown word a row of E, by the growth rule or equal to the row of the word `like`.

    An untied W_U gets a column by the growth rule.
    """
    vocabulary = experiment.embedding.vocabulary
    known = set(vocabulary)
    new = [word for word in dict.fromkeys(words) if word not in known]
    if not new:
        return experiment
    row = None if like is None else vocabulary.index(like)
    places: Order = tuple(range(len(vocabulary)))
    rows = (*places, *(row for _ in new))
    columns: Order = (*places, *(None for _ in new))
    return _with_vocabulary(experiment, (*vocabulary, *new), rows, columns, growth)


def remove_unused_words(experiment: Experiment) -> Experiment:
    """Drop the words that no token uses, with their rows of E and columns of W_U."""
    used = words_in_use(experiment)
    vocabulary = experiment.embedding.vocabulary
    kept: Order = tuple(place for place, word in enumerate(vocabulary) if word in used)
    if len(kept) == len(vocabulary):
        return experiment
    words = tuple(word for word in vocabulary if word in used)
    return _with_vocabulary(experiment, words, kept, kept, Growth())


def _with_vocabulary(
    experiment: Experiment, words: tuple[str, ...], rows: Order, columns: Order, growth: Growth
) -> Experiment:
    E: Matrix = taken(experiment.embedding.E, (rows, None), "E", growth)
    unembedding = experiment.unembedding
    if unembedding is not None and unembedding.W_U is not None:
        unembedding = dataclasses.replace(unembedding, W_U=taken(unembedding.W_U, (None, columns), "W_U", growth))
    embedding = dataclasses.replace(experiment.embedding, vocabulary=words, E=E)
    return dataclasses.replace(experiment, embedding=embedding, unembedding=unembedding)
