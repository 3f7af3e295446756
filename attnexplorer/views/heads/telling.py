"""What a tool tip says about a part of the grid."""

from __future__ import annotations

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.explaining.context import token_label
from attnexplorer.compute.numbers import exact_text, significant_text
from attnexplorer.compute.stages import unit_at
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.figures.content import NumberStyle
from attnexplorer.figures.head_grid import Hit
from attnexplorer.views.heads.head_numbers import HeadNumbers

_NAMES = {
    "entropy": "mean entropy H, bits",
    "distance_back": "mean distance looked back, tokens",
    "on_self": "mean share on the own position",
    "on_first": "mean share on the first key",
}


def told_hit(
    evaluation: Evaluation,
    layer: int,
    head: int,
    hit: Hit,
    cell: Cell | None,
    numbers: HeadNumbers,
    style: NumberStyle,
) -> str:
    """Return the tool tip: what a button does, the number of a cell, or all metrics of a head."""
    attention = evaluation.experiment.layers[layer].attention
    if hit.part == "mute":
        verb = "Let head {} be heard" if head in attention.muted_heads else "Mute head {}: it adds nothing (M)"
        return verb.format(head + 1)
    if hit.part == "solo":
        return f"Let head {head + 1} play alone: mute all others; again brings the former mutes back (S)"
    if cell is not None:
        return _told_cell(evaluation, cell, style.decimal_point)
    return "\n".join([f"Head {head + 1}", *_told_metrics(head, numbers, style.decimal_point)])


def _told_cell(evaluation: Evaluation, cell: Cell, decimal_point: str) -> str:
    experiment, unit = evaluation.experiment, unit_at(cell.path)
    array = None if unit is None else evaluation.arrays.get(unit)
    if array is None or unit is None:
        return ""
    number = exact_text(float(array[cell.row, cell.column]), decimal_point)
    seen = evaluation.arrays.get(Unit("visible", unit.layer))
    blocked = ", blocked" if seen is not None and not seen[cell.row, cell.column] else ""
    query = token_label(experiment.query_tokens, cell.row)
    key = token_label(experiment.key_tokens, cell.column)
    place = f"query {cell.row + 1}, key {cell.column + 1}, head {(unit.head or 0) + 1}"
    return f"{query} → {key}: {number}{blocked}\n{place}"


def _told_metrics(head: int, numbers: HeadNumbers, decimal_point: str) -> list[str]:
    metrics = numbers.metrics(head)
    if metrics is None:
        return []
    told = [(name, getattr(metrics, key)) for key, name in _NAMES.items()]
    return [f"{name}: {significant_text(value, 4, decimal_point)}" for name, value in told if value is not None]
