"""Turning self-attention into cross-attention and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence as ListOf

import numpy as np
from numpy.typing import ArrayLike

from attnexplorer.experiment import rules
from attnexplorer.experiment.arrays import Matrix, frozen
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.orders import Order, aligned, resized, taken_stack
from attnexplorer.experiment.edits.positions import with_enough_rows
from attnexplorer.experiment.edits.reindexing import reindexed
from attnexplorer.experiment.edits.vocabulary import with_words
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import NOTHING, Experiment, Layer, Source


def make_cross_attention(
    experiment: Experiment, tokens: ListOf[str], X: ArrayLike | None = None, growth: Growth | None = None
) -> Experiment:
    """Take keys and values of every layer from other tokens, with vectors X [m, d_source] or looked up in E.

    Keys whose tokens are in both lists in the same succession keep pins, pairs and padding. W_K and W_V keep their
    first rows and grow by the rule. Segments are dropped: they are for self-attention only.
    """
    rule, words = growth or Growth(), tuple(tokens)
    vectors = None if X is None else _checked(X, len(words))
    rules.check_texts(words, "The source")
    if not words:
        raise ExperimentError("The source", "needs at least one token.")
    order = aligned(experiment.key_tokens, words)
    padding = tuple(old is not None and experiment.key_padding[old] for old in order)
    edited = _with_keys(experiment, order, rule)
    if vectors is None:
        edited = with_words(edited, words, rule)
    extra = NOTHING if experiment.source is None else experiment.source.extra
    source = Source(words, padding, vectors, extra)
    return _fitted(dataclasses.replace(edited, source=source), rule)


def make_self_attention(experiment: Experiment, growth: Growth | None = None) -> Experiment:
    """Take keys and values from the sequence itself; keys that are in both keep their pins and pairs."""
    if experiment.source is None:
        return experiment
    rule = growth or Growth()
    order = aligned(experiment.source.tokens, experiment.sequence.tokens)
    edited = _with_keys(experiment, order, rule)
    return _fitted(dataclasses.replace(edited, source=None), rule)


def _with_keys(experiment: Experiment, order: Order, growth: Growth) -> Experiment:
    """Give the keys, and only them, a new order: the layout of cross-attention keeps n and m apart."""
    apart = experiment
    if experiment.source is None:
        apart = dataclasses.replace(
            experiment,
            source=Source(experiment.sequence.tokens, experiment.sequence.padding),
            layers=tuple(_without_segments(layer) for layer in experiment.layers),
        )
    return reindexed(apart, {"m": order}, growth)


def _without_segments(layer: Layer) -> Layer:
    attention = layer.attention
    if attention.mask.segments is None:
        return layer
    mask = dataclasses.replace(attention.mask, segments=None)
    return dataclasses.replace(layer, attention=dataclasses.replace(attention, mask=mask))


def _fitted(experiment: Experiment, growth: Growth) -> Experiment:
    """Let W_K and W_V have a row for each column that keys are now made from."""
    layers = tuple(
        _with_source_width(layer, source_width(experiment, number), number, growth)
        for number, layer in enumerate(experiment.layers)
    )
    return with_enough_rows(dataclasses.replace(experiment, layers=layers), growth)


def source_width(experiment: Experiment, layer: int) -> int:
    """Return the number of columns of what layer `layer` makes keys and values from."""
    if experiment.source is None:
        return experiment.layers[layer].attention.d_model
    return experiment.d_model if experiment.source.X is None else int(experiment.source.X.shape[1])


def _with_source_width(layer: Layer, width: int, number: int, growth: Growth) -> Layer:
    attention = layer.attention
    if attention.d_source == width:
        return layer
    rows = resized(attention.d_source, width)
    W_K = taken_stack(attention.W_K, None, (rows, None), f"{number}.W_K", growth)
    W_V = taken_stack(attention.W_V, None, (rows, None), f"{number}.W_V", growth)
    return dataclasses.replace(layer, attention=dataclasses.replace(attention, W_K=W_K, W_V=W_V))


def _checked(X: ArrayLike, tokens: int) -> Matrix:
    vectors = frozen(X)
    if vectors.ndim != 2 or vectors.shape[0] != tokens or vectors.shape[1] < 1:
        shape = " × ".join(map(str, vectors.shape))
        raise ExperimentError(
            "source.X", f"is {shape}, but the source has {rules.counted(tokens, 'token')}: a row each is needed."
        )
    if not np.isfinite(vectors).all():
        raise ExperimentError("source.X", "holds a number that is not finite.")
    return vectors
