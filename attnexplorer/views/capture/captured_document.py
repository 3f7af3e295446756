"""A capture as a document: read like the evaluation of an experiment, but only tokens and weights are there."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import Unit
from attnexplorer.document.document import Document
from attnexplorer.document.recompute import Recomputation
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Attention, Embedding, Experiment, Layer, Sequence, Source
from attnexplorer.interop.capture import Capture

REFUSAL = "These weights were computed by another program: they are shown, but cannot be edited."


class CapturedDocument(Document):
    """Shows the weights of a capture; every edit is refused in a sentence."""

    captured = True
    """Tells views that nothing but weights is there, and that nothing can be edited."""

    def __init__(self, capture: Capture, parent: QObject | None = None) -> None:
        experiment = _stand_in(capture)
        super().__init__(experiment, parent)
        self.capture = capture
        self.recomputation.stop()
        self.recomputation.deleteLater()
        self.recomputation = _Playback(capture, experiment, self)
        self.recomputation.evaluated.connect(self._on_recomputation_evaluated)

    def _push(self, command: QUndoCommand) -> NoReturn:
        raise ExperimentError("", REFUSAL)


class _Playback(Recomputation):
    """Hands out what was captured in place of what would be computed."""

    def __init__(self, capture: Capture, experiment: Experiment, parent: QObject) -> None:
        super().__init__(experiment, parent)
        self._capture = capture
        # Which pairs a mask blocked is not known of a capture, so none counts as blocked.
        self._visible: Any = np.ones(capture.attention.shape[2:], dtype=np.bool_)
        self._visible.setflags(write=False)

    def flush(self) -> None:
        self._timer.stop()
        arrays = {unit: array for unit in self._units() if (array := self._array(unit)) is not None}
        self._show(Evaluation(self._experiment, arrays, (), 0.0))

    def _array(self, unit: Unit) -> Array | None:
        """Return the same array as before where there was one, so that views see that nothing has changed."""
        known = self._latest.arrays.get(unit)
        if known is not None:
            return known
        if unit.stage == "visible":
            visible: Array = self._visible
            return visible
        if unit.stage != "weights" or unit.layer is None or unit.head is None:
            return None
        return self._capture.weights(unit.layer, unit.head)


def _stand_in(capture: Capture) -> Experiment:
    """Return a valid experiment with the tokens, layers and heads of a capture; its numbers are never shown."""
    vocabulary = tuple(dict.fromkeys((*capture.tokens, *capture.key_tokens)))
    nothing = frozen(np.zeros((1, 1)))
    heads = (nothing,) * capture.heads
    layer = Layer(Attention(W_Q=heads, W_K=heads, W_V=heads, W_O=frozen(np.zeros((capture.heads, 1)))))
    sources = capture.source_tokens
    return Experiment(
        sequence=Sequence(capture.tokens, (False,) * len(capture.tokens)),
        embedding=Embedding(vocabulary, frozen(np.zeros((len(vocabulary), 1)))),
        layers=(layer,) * capture.layers,
        title=capture.title,
        source=None if sources is None else Source(sources, (False,) * len(sources)),
    )
