"""What a cell of a parameter is, in words."""

from __future__ import annotations

from typing import NamedTuple

from attnexplorer.compute.explaining.context import token_label
from attnexplorer.experiment.model import Experiment


class ParameterNames(NamedTuple):
    """How a parameter and one cell of it are called."""

    symbol: str
    row_label: str
    column_label: str
    sentence: str


_AXES = {
    "W_Q": ("d_model", "d_k"),
    "W_K": ("d_source", "d_k"),
    "W_V": ("d_source", "d_v"),
    "b_Q": ("", "d_k"),
    "b_K": ("", "d_k"),
    "b_V": ("", "d_v"),
    "W_O": ("concat", "d_out"),
    "b_O": ("", "d_out"),
    "W_1": ("d_model", "hidden"),
    "W_gate": ("d_model", "hidden"),
    "b_1": ("", "hidden"),
    "W_2": ("hidden", "d_out"),
    "b_2": ("", "d_out"),
    "W_U": ("d_out", "word"),
    "gain": ("", "component"),
    "bias": ("", "component"),
    "table": ("position", "d_model"),
    "X": ("source token", "d_source"),
    "E": ("word", "d_model"),
}
_OF_HEADS = {"W_Q": "head", "b_Q": "head", "W_K": "KV head", "W_V": "KV head", "b_K": "KV head", "b_V": "KV head"}


def names_of(path: str, row: int, column: int, experiment: Experiment | None) -> ParameterNames:
    """Return the names of a parameter's cell; words and tokens are named where the experiment is given."""
    parts = path.split(".")
    name = next(part for part in reversed(parts) if not part.isdigit())
    where = _where(parts, name)
    row_axis, column_axis = _AXES[name]
    row_label = _label(row_axis, row, experiment)
    column_label = _label(column_axis, column, experiment)
    cell = f"from {row_label} to {column_label}" if row_axis else f"for {column_label}"
    if name in ("E", "table", "X"):
        cell = f"{row_label}, {column_label}"
    return ParameterNames(name, row_label or "1", column_label, f"{name}{where}: {cell}")


def _where(parts: list[str], name: str) -> str:
    index = int(parts[-1]) + 1 if parts[-1].isdigit() else None
    places = [f"layer {int(parts[1]) + 1}"] if parts[0] == "layers" else []
    if name in _OF_HEADS and index is not None:
        places.append(f"{_OF_HEADS[name]} {index}")
    elif name in ("gain", "bias"):
        places.append("final norm" if index is None else f"norm of the {'attention' if index == 1 else 'FFN'}")
    return "".join(f", {place}" for place in places)


def _label(axis: str, index: int, experiment: Experiment | None) -> str:
    if not axis:
        return ""
    if experiment is not None and axis == "word" and index < len(experiment.embedding.vocabulary):
        return token_label(experiment.embedding.vocabulary, index)
    if experiment is not None and axis == "source token":
        return token_label(experiment.key_tokens, index)
    return f"{axis} {index + 1}"
