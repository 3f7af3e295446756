"""Every stage of an experiment as strict JSON, numbers with full precision."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from attnexplorer.compute.projections import Array
from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.trace_parts import TracePart, trace_parts


def trace_json(experiment: Experiment, stages: Collection[str] | None = None) -> Iterator[str]:
    """Yield the pieces of one JSON object: tokens, `embeddings`, a list of layers, and what comes after them.

    Arrays are nested lists in their shapes; JSON has no infinities, so such cells are "-inf", "inf" and "nan".

    Raises
    ------
    ExperimentError
        If `stages` names one that the experiment does not have.
    """
    source = None if experiment.source is None else list(experiment.source.tokens)
    parts = trace_parts(experiment, stages)
    before = next(parts)
    yield f'{{"tokens": {json.dumps(experiment.sequence.tokens)},\n"source_tokens": {json.dumps(source)}'
    yield from (f",\n{member}" for member in _members(before))
    yield ',\n"layers": ['
    for _ in experiment.layers:
        part = next(parts)
        yield ",\n{" if part.layer else "{"
        for member in _members(part):
            yield f"{member},\n"
        yield f'"fully_masked_rows": {json.dumps(part.fully_masked_rows)}}}'
    yield "]"
    yield from (f",\n{member}" for member in _members(next(parts)))
    yield "}\n"


def cells(array: Array) -> Any:
    """Return an array as nested lists of numbers, with text where JSON has no number."""
    if np.isfinite(array).all():
        return array.tolist()
    written = array.astype(object)
    written[np.isnan(array)] = "nan"
    written[np.isposinf(array)] = "inf"
    written[np.isneginf(array)] = "-inf"
    return written.tolist()


def _members(part: TracePart) -> Iterator[str]:
    for name, array in part.arrays.items():
        yield f'"{name}": {json.dumps(cells(array))}'
