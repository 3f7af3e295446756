"""Every stage of an experiment as a safetensors file, for programs that read tensors from there."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.progress import Step, silent
from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.trace_parts import trace_parts


def stages_safetensors(experiment: Experiment, stages: Collection[str] | None = None, step: Step = silent) -> bytes:
    """Return the bytes of a file with float64 tensors such as ``layers.0.query`` ([heads, n, d_k]).

    The metadata's entry `attnexplorer` is a JSON object with the lists `tokens` and, with a second sequence,
    `source_tokens`. Equal experiments give equal bytes. `step` is told how many layers are done.

    Raises
    ------
    ExperimentError
        If `stages` names one that the experiment does not have.
    """
    from safetensors.numpy import save

    tensors: dict[str, NDArray[Any]] = {}
    for part in trace_parts(experiment, stages, step):
        prefix = "" if part.layer is None else f"layers.{part.layer}."
        tensors |= {prefix + name: np.ascontiguousarray(array) for name, array in part.arrays.items()}
    return save(tensors, _texts(experiment))


def _texts(experiment: Experiment) -> dict[str, str]:
    # One entry, as the order in which the library writes several is not fixed.
    texts: dict[str, Any] = {"tokens": experiment.query_tokens}
    if experiment.source is not None:
        texts["source_tokens"] = experiment.key_tokens
    return {"attnexplorer": json.dumps(texts)}
