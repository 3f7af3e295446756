"""The step that normalises a vector."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attnexplorer.compute.explaining.context import Context, at
from attnexplorer.compute.explaining.pieces import (
    COMPONENTS_SHOWN,
    Line,
    Piece,
    Reference,
    Step,
    equation,
    line,
    number,
    squares,
    total,
)
from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import NormKind

NormParameters = tuple[NormKind, float, Array, Array | None]
"""Kind, eps, gain and bias."""


def norm_step(
    context: Context,
    unit: Unit,
    row: int,
    columns: list[int],
    values: Array,
    values_at: Callable[[int], Reference | None],
    parameters: NormParameters,
    paths: tuple[str, str],
) -> Step:
    """Return how components of `unit` come from the vector `values`; `paths` are those of gain and bias."""
    kind, eps, gain, bias = parameters
    shown = columns if len(columns) <= COMPONENTS_SHOWN else columns[:1]
    count = number(float(len(values)), None, str(len(values)))
    mean = float(values.mean()) if kind == "layernorm" else None
    spread = float(np.mean((values - (mean or 0.0)) ** 2))
    lines: list[Line] = []
    if mean is not None:
        lines.append(equation(line("(", total(values, values_at), ")", "÷", count), mean))
    lines.append(equation(line("(", squares(values, mean, values_at), ")", "÷", count), spread))
    for c in shown:
        parts = line(
            _centred(number(values[c], values_at(c)), mean),
            *("÷", "√", "(", number(spread), "+", number(eps), ")"),
            *("×", number(gain[c], Reference(paths[0], 0, c))),
        )
        if bias is not None:
            parts = line(parts, "+", number(bias[c], Reference(paths[1], 0, c)))
        lines.append(equation(parts, context.cell(unit, row, c), at(unit, row, c)))
    return Step("normalise the vector", _subject(kind, bias is not None), tuple(lines))


def _centred(value: Piece, mean: float | None) -> Line:
    return line(value) if mean is None else line("(", value, "−", number(mean), ")")


def _subject(kind: NormKind, with_bias: bool) -> str:
    bias = " + bias" if with_bias else ""
    if kind == "layernorm":
        return f"(x − mean) / √(variance + eps) × gain{bias}"
    return f"x / √(mean of squares + eps) × gain{bias}"
