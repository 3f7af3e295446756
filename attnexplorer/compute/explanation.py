"""A cell → its arithmetic: how every number of an experiment is made, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from attnexplorer.compute.explaining.block import BLOCK_STAGES, block_cell
from attnexplorer.compute.explaining.context import Context, label_of_column, label_of_row
from attnexplorer.compute.explaining.pairs import (
    FULLY_MASKED,
    head_output_cell,
    masked_cell,
    scaled_cell,
    scores_cell,
    weights_cell,
)
from attnexplorer.compute.explaining.parameters import names_of
from attnexplorer.compute.explaining.pieces import (
    Explanation,
    Line,
    Piece,
    Reference,
    Span,
    Step,
    spans,
)
from attnexplorer.compute.explaining.vectors import position_cell, vector_cell
from attnexplorer.compute.numbers import percent, significant_text
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.pinning import is_wholly_pinned

__all__ = [
    "EXPLAINED_STAGES",
    "Explanation",
    "Line",
    "Piece",
    "Reference",
    "Span",
    "Step",
    "explain",
    "explain_parameter",
    "localised",
    "needed_units",
    "spans",
]

_Maker = Callable[[Context, Unit, int, int], list[Step]]

_SHARES = ("weights", "probabilities")
_MAKERS: dict[str, _Maker] = {
    "position_table": position_cell,
    "source_position_table": position_cell,
    "scores": scores_cell,
    "scaled": scaled_cell,
    "masked": masked_cell,
    "weights": weights_cell,
    "head_output": head_output_cell,
    **dict.fromkeys(
        (
            *("embeddings", "source_embeddings", "source_input", "input", "attention_input"),
            *("query", "key", "value", "query_rotated", "key_rotated"),
        ),
        vector_cell,
    ),
    **dict.fromkeys(BLOCK_STAGES, block_cell),
}
EXPLAINED_STAGES = frozenset(_MAKERS)
"""Every stage whose cells can be explained."""

_FOLLOWED_UP = frozenset(
    (
        *("weights", "masked", "scaled", "scores", "query_rotated", "key_rotated"),
        *("query", "key", "value", "attention_input", "probabilities", "logits"),
    )
)
_NOT_READ = frozenset(
    (
        *("visible", "distance", "query_angles", "key_angles"),
        *("embeddings", "position_table", "source_embeddings", "source_position_table"),
    )
)


@np.errstate(all="ignore")
def explain(
    experiment: Experiment, array_of: Callable[[Unit], Array], unit: Unit, row: int, column: int
) -> Explanation:
    """Return how one number of a stage is made.

    `array_of` gives the finished arrays of the same experiment; it is asked only for `needed_units`.
    """
    context = Context(experiment, array_of)
    made = _MAKERS[unit.stage](context, unit, row, column)
    steps = tuple(replace(step, number=place) for place, step in enumerate(made, start=1))
    value = context.cell(unit, row, column)
    return Explanation(
        path=unit.path,
        row=row,
        column=column,
        symbol=STAGES[unit.stage].symbol,
        row_label=label_of_row(experiment, unit, row),
        column_label=label_of_column(experiment, unit, column),
        value=value,
        value_text=_value_text(unit, value),
        steps=steps,
        notes=_notes(context, unit, row),
        made_in=next((step.number for step in reversed(steps) if step.verb != "carry"), None),
    )


def needed_units(experiment: Experiment, unit: Unit) -> tuple[Unit, ...]:
    """Return the units whose arrays an explanation of a cell of `unit` reads, itself among them."""
    found: dict[Unit, None] = {}
    _collect(experiment, unit, found)
    return tuple(found)


def explain_parameter(
    path: str, row: int, column: int, value: float, experiment: Experiment | None = None
) -> Explanation:
    """Say what a parameter's cell is; a vector such as a bias is one row.

    With the experiment, words and tokens are called by their names.
    """
    names = names_of(path, row, column, experiment)
    kind = "given, not computed" if names.symbol == "X" else "a parameter: given, and fixed at inference"
    return Explanation(
        path=path,
        row=row,
        column=column,
        symbol=names.symbol,
        row_label=names.row_label,
        column_label=names.column_label,
        value=value,
        value_text=significant_text(value),
        notes=(f"{names.sentence}; {kind}.",),
    )


def localised(explanation: Explanation, decimal_point: str) -> Explanation:
    """Return an explanation with another decimal mark in all its numbers."""
    if decimal_point == ".":
        return explanation
    steps = tuple(
        replace(step, lines=tuple(tuple(_localised(piece, decimal_point) for piece in line) for line in step.lines))
        for step in explanation.steps
    )
    return replace(explanation, steps=steps, value_text=explanation.value_text.replace(".", decimal_point))


def _value_text(unit: Unit, value: float) -> str:
    if unit.stage not in _SHARES:
        return significant_text(value)
    # Exactly 0, as a mask makes it, is not the same as too little to show.
    return "0 %" if value == 0.0 else percent(value)


def _localised(piece: Piece, decimal_point: str) -> Piece:
    if piece.value is not None:
        return piece._replace(text=piece.text.replace(".", decimal_point))
    # Where the comma is the decimal mark, a semicolon separates.
    return piece._replace(text=";") if piece.text == "," and decimal_point == "," else piece


def _collect(experiment: Experiment, unit: Unit, found: dict[Unit, None]) -> None:
    if unit in found:
        return
    found[unit] = None
    if unit.stage == "weights":
        kv_head = experiment.layers[unit.layer or 0].attention.kv_head_of(unit.head or 0)
        found.update({Unit("value", unit.layer, kv_head): None, Unit("head_output", unit.layer, unit.head): None})
    if unit.stage == "input" or is_wholly_pinned(experiment, unit.path):
        return
    for read in STAGES[unit.stage].reads(experiment, unit.layer or 0, unit.head or 0):
        if isinstance(read, Unit) and read.stage not in _NOT_READ:
            if unit.stage in _FOLLOWED_UP and read.stage in _FOLLOWED_UP:
                _collect(experiment, read, found)
            else:
                found[read] = None


def _notes(context: Context, unit: Unit, row: int) -> tuple[str, ...]:
    """Answer one misunderstanding where it arises, and say when a row sees nothing."""
    if unit.stage == "masked" and bool(np.isneginf(context.row(unit, row)).all()):
        return (FULLY_MASKED,)
    return {
        "scores": ("A dot product is neither a probability nor a cosine: it grows with the vectors' lengths.",),
        "weights": ("A weight says how much of a value is mixed in; it is neither a confidence nor an explanation.",),
        "probabilities": ("This is the share of one word. The attention weights are not its confidence.",),
        "embeddings": ("Wherever this word stands, it starts as the same row of E.",),
    }.get(unit.stage, ())
