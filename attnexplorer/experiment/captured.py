"""Captures: attention weights that another program computed, in the place of an experiment that makes its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.model import Attention, Embedding, Experiment, Layer, Sequence, Source

REFUSAL = "These weights were computed by another program: they are shown, but cannot be edited."
"""Why a capture takes no edit."""
CAPTURE_SUFFIX = ".npz"
"""How the names of their files end."""
CAPTURED_STAGES = ("weights",)
"""What there is of a capture; all else went into these numbers elsewhere, and nobody knows it here."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Capture(Experiment):
    """An experiment of which only tokens and weights are known.

    It is read like any other, so that trace, checks, views and figures serve both. Its layers say how many heads there
    are and nothing else: no parameter of it is ever given out, and no stage but `CAPTURED_STAGES` exists.

    Parameters
    ----------
    attention
        [layers, heads, n, m], read-only, in the type that it was captured in.
    """

    attention: NDArray[np.floating[Any]]

    def weights(self, layer: int, head: int) -> NDArray[np.float64]:
        """Return the weights of one head, read-only float64: [n, m]."""
        matrix = np.array(self.attention[layer, head], dtype=np.float64)
        matrix.setflags(write=False)
        return matrix


def captured(
    attention: NDArray[np.floating[Any]],
    tokens: tuple[str, ...],
    source_tokens: tuple[str, ...] | None = None,
    title: str = "",
) -> Capture:
    """Return a capture of weights [layers, heads, n, m] whose numbers of tokens have been checked."""
    layers, heads = attention.shape[:2]
    nothing = frozen(np.zeros((1, 1)))
    each = (nothing,) * heads
    layer = Layer(Attention(W_Q=each, W_K=each, W_V=each))
    asked = tokens if source_tokens is None else source_tokens
    vocabulary = tuple(dict.fromkeys((*tokens, *asked)))
    return Capture(
        sequence=Sequence(tokens, (False,) * len(tokens)),
        embedding=Embedding(vocabulary, frozen(np.zeros((len(vocabulary), 1)))),
        layers=(layer,) * layers,
        title=title,
        source=None if source_tokens is None else Source(source_tokens, (False,) * len(source_tokens)),
        attention=attention,
    )
