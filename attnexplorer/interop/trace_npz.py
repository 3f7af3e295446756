"""Every stage of an experiment as a NumPy archive of plain arrays, without pickle."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import IO, Any
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from attnexplorer.compute.progress import Step, silent
from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.trace_parts import trace_parts


def write_trace_npz(
    experiment: Experiment, file: IO[bytes], stages: Collection[str] | None = None, step: Step = silent
) -> None:
    """Write an archive with keys such as ``layers.0.query``, read by `numpy.load`; equal experiments give equal bytes.

    `step` is told how many layers are done.

    Raises
    ------
    ExperimentError
        If `stages` names one that the experiment does not have.
    """
    with ZipFile(file, "w") as archive:
        for key, array in _entries(experiment, stages, step):
            # A ZipInfo of its own has a fixed date, where a bare name would carry the time of writing.
            with archive.open(ZipInfo(f"{key}.npy"), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)


def _entries(experiment: Experiment, stages: Collection[str] | None, step: Step) -> Iterator[tuple[str, NDArray[Any]]]:
    yield "tokens", np.array(experiment.sequence.tokens, dtype=np.str_)
    if experiment.source is not None:
        yield "source_tokens", np.array(experiment.source.tokens, dtype=np.str_)
    for part in trace_parts(experiment, stages, step):
        prefix = "" if part.layer is None else f"layers.{part.layer}."
        for name, array in part.arrays.items():
            yield prefix + name, array
        if part.layer is not None:
            yield f"{prefix}fully_masked_rows", np.array(part.fully_masked_rows, dtype=np.intp).reshape(-1, 2)
