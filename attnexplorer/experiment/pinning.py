"""Which stages can be pinned in an experiment, and the shapes of such pins."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from attnexplorer.experiment import rules
from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment, Layer

QUERY_HEAD_STAGES = ("query", "query_rotated", "scores", "scaled", "masked", "weights", "head_output")
KV_HEAD_STAGES = ("key", "value", "key_rotated")
WHOLE_STAGES = ("input", "concat", "attention_output", "ffn_hidden", "ffn_output", "output")
PINNABLE = (
    *("input", "query", "key", "value", "query_rotated", "key_rotated", "scores", "scaled", "masked", "weights"),
    *("head_output", "concat", "attention_output", "ffn_hidden", "ffn_output", "output"),
)
BLOCKABLE = ("scores", "scaled", "masked")
"""The stages in whose pins -inf is allowed."""

_PATH = re.compile(r"layers\.(0|[1-9][0-9]{0,8})\.([a-z_]+)(?:\.(0|[1-9][0-9]{0,8}))?", re.ASCII)


class PinPath(NamedTuple):
    """The parts of a stage path; `head` is None for stages that all heads share."""

    layer: int
    stage: str
    head: int | None

    def __str__(self) -> str:
        """Return the path as it stands in a file."""
        return f"layers.{self.layer}.{self.stage}" + ("" if self.head is None else f".{self.head}")


def pin_path(experiment: Experiment, path: str) -> PinPath:
    """Return the parts of a stage path that can be pinned in this experiment.

    Raises
    ------
    ExperimentError
        If it is no such path.
    """
    place = _place(path)
    match = _PATH.fullmatch(path)
    if match is None or match[2] not in PINNABLE:
        example = "layers.0.key.0 or layers.0.output"
        raise ExperimentError(place, f"is no stage that can be pinned; a path like {example} was expected")
    rules.check_integer(int(match[1]), f"{place}: the layer", 0, len(experiment.layers) - 1)
    found = PinPath(int(match[1]), match[2], None if match[3] is None else int(match[3]))
    _check_exists(experiment, found, place)
    _check_head(experiment.layers[found.layer], found, place)
    return found


def pin_shape(experiment: Experiment, path: str) -> tuple[int, int]:
    """Return the shape that a pin at `path` must have.

    Raises
    ------
    ExperimentError
        If `path` names no stage that can be pinned in this experiment.
    """
    found = pin_path(experiment, path)
    return _shape(experiment, experiment.layers[found.layer], found.stage)


def is_wholly_pinned(experiment: Experiment, path: str) -> bool:
    """Tell whether every number of a stage is pinned, so that nothing before it has a part in it."""
    pin = experiment.pins.get(path)
    return pin is not None and not bool(np.isnan(pin).any())


def pinnable_paths(experiment: Experiment) -> tuple[str, ...]:
    """Return every path that can be pinned in this experiment, layer by layer in the order of evaluation."""
    return tuple(
        str(PinPath(index, stage, head))
        for index, layer in enumerate(experiment.layers)
        for stage in PINNABLE
        if stage_exists(experiment, layer, stage)
        for head in _heads(layer, stage)
    )


def stage_exists(experiment: Experiment, layer: Layer, stage: str) -> bool:
    """Tell whether a pinnable stage exists in a layer of this experiment."""
    if stage in ("query_rotated", "key_rotated"):
        return experiment.position.kind == "rope"
    return layer.ffn is not None if stage in ("ffn_hidden", "ffn_output") else stage in PINNABLE


def check_pins(experiment: Experiment) -> None:
    """Refuse pins of stages that do not exist, of a wrong shape, and infinities where none is allowed."""
    for path, matrix in experiment.pins.items():
        found = pin_path(experiment, path)
        rows, columns = _shape(experiment, experiment.layers[found.layer], found.stage)
        rules.check_axes(matrix, _place(path), 2)
        if matrix.shape != (rows, columns):
            message = f"is {rules.size(matrix)}, but {found.stage} is {rows} × {columns}"
            raise ExperimentError(_place(path), message)
        _check_cells(matrix, found.stage, _place(path))


def _check_exists(experiment: Experiment, found: PinPath, place: str) -> None:
    if stage_exists(experiment, experiment.layers[found.layer], found.stage):
        return
    needed = "an FFN in the layer" if found.stage.startswith("ffn_") else 'the position kind "rope"'
    raise ExperimentError(place, f"is pinned, but {found.stage} exists only with {needed}")


def _check_head(layer: Layer, found: PinPath, place: str) -> None:
    if found.stage in WHOLE_STAGES:
        if found.head is not None:
            raise ExperimentError(place, f"names a head, but {found.stage} is the same for all heads")
    elif found.head is None:
        raise ExperimentError(place, f"names no head, but {found.stage} is one matrix a head")
    else:
        name = "the KV head" if found.stage in KV_HEAD_STAGES else "the head"
        rules.check_integer(found.head, f"{place}: {name}", 0, len(_heads(layer, found.stage)) - 1)


def _check_cells(matrix: Matrix, stage: str, place: str) -> None:
    allowed = ~np.isposinf(matrix) if stage in BLOCKABLE else ~np.isinf(matrix)
    if not allowed.all():
        row, column = np.argwhere(~allowed)[0]
        value = '"-inf"' if matrix[row, column] < 0 else "infinite"
        expected = f"a finite number or null was expected in {stage}"
        raise ExperimentError(f"{place}[{row}][{column}]", f"is {value}, but {expected}")


def _heads(layer: Layer, stage: str) -> tuple[int | None, ...]:
    if stage in WHOLE_STAGES:
        return (None,)
    return tuple(range(layer.attention.kv_heads if stage in KV_HEAD_STAGES else layer.attention.heads))


def _shape(experiment: Experiment, layer: Layer, stage: str) -> tuple[int, int]:
    attention, queries, keys = layer.attention, len(experiment.query_tokens), len(experiment.key_tokens)
    if stage in ("scores", "scaled", "masked", "weights"):
        return queries, keys
    if stage in KV_HEAD_STAGES:
        return keys, attention.d_v if stage == "value" else attention.d_k
    if stage == "ffn_hidden" and layer.ffn is not None:
        return queries, int(layer.ffn.W_1.shape[1])
    widths = {
        "input": attention.d_model,
        "query": attention.d_k,
        "query_rotated": attention.d_k,
        "head_output": attention.d_v,
        "concat": attention.heads * attention.d_v,
        "attention_output": attention.d_out,
    }
    return queries, widths.get(stage, layer.d_out)


def _place(path: str) -> str:
    shown = path if len(path) <= 60 else path[:60] + "…"
    return f"pins.{shown}" if re.fullmatch(r"[\w.…-]+", shown) else f"pins[{rules.quoted(shown)}]"
