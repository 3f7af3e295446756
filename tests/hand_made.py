"""Small experiments made by hand, for tests that know the numbers that must come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attnexplorer.experiment import model
from attnexplorer.experiment.arrays import frozen


def one_layer(
    X: ArrayLike,
    *,
    heads: int = 1,
    kv_heads: int = 1,
    position: model.Position | None = None,
    pins: Mapping[str, ArrayLike] | None = None,
    padding: Sequence[bool] | None = None,
    source: model.Source | None = None,
    **attention: Any,
) -> model.Experiment:
    """Return one attention layer in which every projection is the identity, a token a row of `X`."""
    rows = frozen(X)
    count, width = rows.shape
    tokens = tuple(f"t{index}" for index in range(count))
    eye = frozen(np.eye(width))
    d_source = width if source is None or source.X is None else source.X.shape[1]
    key_eye = frozen(np.eye(int(d_source), width))
    parameters = {"W_Q": (eye,) * heads, "W_K": (key_eye,) * kv_heads, "W_V": (key_eye,) * kv_heads, **attention}
    return model.Experiment(
        sequence=model.Sequence(tokens, tuple(padding or (False,) * count)),
        embedding=model.Embedding(tokens, rows),
        layers=(model.Layer(model.Attention(**parameters)),),
        position=position or model.Position(),
        source=source,
        pins=MappingProxyType({path: frozen(values) for path, values in (pins or {}).items()}),
    )


def with_scores(scores: ArrayLike, **settings: Any) -> model.Experiment:
    """Return one layer of one head whose raw scores are pinned and whose values are the rows of the identity."""
    pinned = np.asarray(scores, dtype=np.float64)
    queries, keys = pinned.shape
    given = {"layers.0.scores.0": pinned, "layers.0.value.0": np.eye(keys), **settings.pop("pins", {})}
    settings.setdefault("scale", "none")
    if queries != keys:
        tokens = tuple(f"s{index}" for index in range(keys))
        padding = tuple(settings.pop("source_padding", (False,) * keys))
        settings["source"] = model.Source(tokens, padding, frozen(np.zeros((keys, keys))))
    return one_layer(np.zeros((queries, keys)), pins=given, **settings)
