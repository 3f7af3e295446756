"""What matrices and cells are called in menus and messages; everything counts from 1."""

from __future__ import annotations

from attnexplorer.compute.stages import STAGES, unit_at
from attnexplorer.compute.units import Per, Unit
from attnexplorer.experiment.model import Experiment

_STAGE_NAMES = {
    "embeddings": "looked-up embeddings",
    "input": "X",
    "query": "Q",
    "key": "K",
    "value": "V",
    "query_rotated": "rotated Q",
    "key_rotated": "rotated K",
    "scores": "QKᵀ",
    "scaled": "scaled scores",
    "masked": "masked scores",
    "weights": "weights A",
    "head_output": "Z",
    "concat": "concatenation",
    "attention_output": "attention output",
    "attention_residual": "residual r",
    "ffn_input": "FFN input",
    "ffn_hidden": "FFN hidden",
    "ffn_output": "FFN output",
}
_PER_HEAD = ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V")


def matrix_name(experiment: Experiment, path: str) -> str:
    """Return the name of a matrix, with its head and layer where there are several."""
    unit = unit_at(path)
    if unit is not None:
        return _stage_name(experiment, unit)
    parts = path.split(".")
    if parts[0] != "layers":
        return {"embedding.E": "E", "position.table": "position table", "source.X": "source X"}.get(path, parts[-1])
    name = next((part for part in reversed(parts) if not part.isdigit()), path)
    layer = _layer_suffix(experiment, int(parts[1]))
    if name in _PER_HEAD:
        noun = _head_noun(experiment, int(parts[1]), shared=name[-1] in "KV")
        return f"{name}, {noun} {int(parts[-1]) + 1}{layer}"
    if name in ("gain", "bias"):
        return f"{name} of the {'FFN' if parts[-1] == '1' else 'attention'} norm{layer}"
    return f"{name}{layer}"


def cell_name(experiment: Experiment, path: str, row: int, column: int) -> str:
    """Return the name of a cell: "W_Q, head 1, row 3, column 2"."""
    return f"{matrix_name(experiment, path)}, row {row + 1}, column {column + 1}"


def stage_name(stage: str) -> str:
    """Return the name of a stage, whatever head or layer: "K"."""
    return _STAGE_NAMES.get(stage, STAGES[stage].symbol)


def _stage_name(experiment: Experiment, unit: Unit) -> str:
    name = stage_name(unit.stage)
    head = ""
    if unit.head is not None:
        noun = _head_noun(experiment, unit.layer or 0, shared=STAGES[unit.stage].per is Per.KV_HEAD)
        head = f", {noun} {unit.head + 1}"
    return f"{name}{head}{'' if unit.layer is None else _layer_suffix(experiment, unit.layer)}"


def _head_noun(experiment: Experiment, layer: int, *, shared: bool) -> str:
    """Return "KV head" for what belongs to a key and value head that several heads share."""
    if not shared or layer >= len(experiment.layers):
        return "head"
    attention = experiment.layers[layer].attention
    return "KV head" if attention.kv_heads < attention.heads else "head"


def _layer_suffix(experiment: Experiment, layer: int) -> str:
    return f", layer {layer + 1}" if len(experiment.layers) > 1 else ""
