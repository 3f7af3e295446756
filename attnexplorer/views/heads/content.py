"""From an evaluation to what the cards show. Pictures whose numbers have not changed are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.explaining.context import token_label
from attnexplorer.compute.head_metrics import mean_over_heads, output_rows, written_by
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import PAIR_STAGES, STAGES, unit_at
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.experiment.model import Attention, Experiment
from attnexplorer.figures.colours import diverging_for
from attnexplorer.figures.content import NumberStyle, token_labels
from attnexplorer.figures.flow import End
from attnexplorer.figures.head_bars import HeadBars
from attnexplorer.figures.labels import Labels
from attnexplorer.figures.matrix import MatrixPicture
from attnexplorer.figures.theme import Theme, position_colour
from attnexplorer.views.heads.flow_view import FlowContent
from attnexplorer.views.heads.output_card import OutputContent


class Kept:
    """Remembers the last value made from the very same things."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[tuple[Any, ...], Any]] = {}

    def get(self, name: str, marks: tuple[Any, ...], make: Any) -> Any:
        """Return the value made from `marks`, made anew only if one of them is another object."""
        known = self._values.get(name)
        if known is None or len(known[0]) != len(marks) or not all(map(_same, known[0], marks)):
            known = self._values[name] = (marks, make())
        return known[1]


def flow_content(
    evaluation: Evaluation,
    layer: int,
    head: int,
    drawn: str,
    theme: Theme,
    kept: Kept,
    *,
    differing: bool = False,
    obstacle: str = "",
) -> FlowContent | None:
    """Return the weights that flow: of one head, of all heads, or their mean; None if one is not evaluated.

    Of differences, more and less flow in two colours; where there are none to be drawn, an obstacle says why.
    """
    experiment = evaluation.experiment
    attention = experiment.layers[layer].attention
    heads: Sequence[int] = (head,)
    if drawn == "all":
        heads = [each for each in range(attention.heads) if each not in attention.muted_heads]
    elif drawn == "mean":
        heads = range(attention.heads)
    weights = [evaluation.arrays.get(Unit("weights", layer, each)) for each in heads]
    found = tuple(array for array in weights if array is not None)
    if obstacle:
        return FlowContent((), (), obstacle, *pair_labels(experiment, kept))
    if len(found) < len(weights):
        return None
    if drawn == "mean":
        found = (kept.get("mean", found, lambda: mean_over_heads(found)),)
    if differing:
        signs: tuple[Array, ...] = kept.get("signs", found, lambda: _by_sign(found))
        colours = (theme.positive[-2], theme.negative[-2]) * len(found)
        name = f"{_flow_name(drawn, head, attention)} · red: more in B, blue: less"
        return FlowContent(signs, colours, name, *pair_labels(experiment, kept), signed=True)
    colours = tuple(position_colour(each).name() for each in heads) if drawn == "all" else (theme.accent,)
    return FlowContent(found, colours, _flow_name(drawn, head, attention), *pair_labels(experiment, kept))


def pair_labels(experiment: Experiment, kept: Kept) -> tuple[Labels, Labels]:
    """Return the labels of queries and keys."""
    queries: Labels = kept.get(
        "queries",
        (experiment.query_tokens, experiment.sequence.padding),
        lambda: token_labels(experiment.query_tokens, experiment.sequence.padding),
    )
    keys: Labels = kept.get(
        "keys",
        (experiment.key_tokens, experiment.key_padding),
        lambda: token_labels(experiment.key_tokens, experiment.key_padding),
    )
    return queries, keys


def output_content(
    evaluation: Evaluation,
    layer: int,
    head: int,
    row: int,
    norms: Sequence[float | None],
    style: tuple[Theme, NumberStyle],
    kept: Kept,
) -> OutputContent:
    """Return what the heads add to the output, and one of them for the token at `row`."""
    experiment, (theme, numbers) = evaluation.experiment, style
    attention = experiment.layers[layer].attention
    bars = HeadBars(tuple(norms), frozenset(attention.muted_heads), head, theme, numbers.decimal_point)
    first = head * attention.d_v
    rows = None
    if attention.W_O is not None:
        marks = (attention.W_O, head, theme, numbers)
        rows = kept.get("rows", marks, lambda: _picture(output_rows(attention, head), *style))
    written = None
    output = evaluation.arrays.get(Unit("head_output", layer, head))
    if output is not None:
        written = kept.get(
            "written",
            (output, attention.W_O, head, row, theme, numbers),
            lambda: _picture(written_by(attention, head, output[row : row + 1]), *style),
        )
    labels = tuple(str(index + 1) for index in range(first, first + attention.d_v))
    return OutputContent(bars, rows, labels, written, token_label(experiment.query_tokens, row))


def output_change(
    content: OutputContent, base: Evaluation, layer: int, head: int, row: int, kept: Kept
) -> OutputContent:
    """Return what differs from another experiment in what a head adds; nothing where that has no such part."""
    layers = base.experiment.layers
    if layer >= len(layers) or head >= layers[layer].attention.heads or row >= len(base.experiment.query_tokens):
        return replace(content, rows=None, written=None, differing=True)
    style = (content.bars.theme, NumberStyle(2, content.bars.decimal_point))
    norms = (None,) * len(content.bars.values)
    before = output_content(base, layer, head, row, norms, style, _part(kept, "base"))
    changes = [
        None if a is None or b is None or a.values.shape != b.values.shape else _change(a, b, name, kept)
        for name, a, b in (("rows change", before.rows, content.rows), ("part change", before.written, content.written))
    ]
    return replace(content, rows=changes[0], written=changes[1], differing=True)


def pair_cell(cell: Cell | None, layer: int) -> tuple[Unit, int, int] | None:
    """Return a cell as a unit over pairs of this layer with row and column, or None if it is none."""
    unit = None if cell is None else unit_at(cell.path)
    if cell is None or unit is None or unit.stage not in PAIR_STAGES or unit.layer != layer:
        return None
    return unit, cell.row, cell.column


def token_row(cell: Cell | None, experiment: Experiment) -> int:
    """Return the query that a cell is about; the last one if it is about none."""
    last = len(experiment.query_tokens) - 1
    unit = None if cell is None else unit_at(cell.path)
    if cell is None or unit is None or STAGES[unit.stage].axes[0] != "query":
        return last
    return min(cell.row, last)


def isolated_end(hovered: End | None, cells: Sequence[Cell | None], layer: int, queries: int) -> End | None:
    """Return the token that stands out in the flow: the one under the pointer, else the query of the first cell."""
    if hovered is not None:
        return hovered
    for cell in cells:
        pair = pair_cell(cell, layer)
        if pair is not None and pair[1] < queries:
            return End("query", pair[1])
    return None


def _flow_name(drawn: str, head: int, attention: Attention) -> str:
    if drawn == "head":
        return f"head {head + 1}"
    if drawn == "mean":
        return f"mean over {attention.heads} heads"
    muted = len(attention.muted_heads)
    return f"all {attention.heads} heads but the {muted} muted" if muted else f"all {attention.heads} heads"


def _by_sign(weights: tuple[Array, ...]) -> tuple[Array, ...]:
    """Return of every matrix what is more than 0, and how much the rest is less."""
    return tuple(part for it in weights for part in (np.maximum(it, 0.0), np.maximum(-it, 0.0)))


def _part(kept: Kept, name: str) -> Kept:
    found: Kept = kept.get(name, (), Kept)
    return found


def _change(a: MatrixPicture, b: MatrixPicture, name: str, kept: Kept) -> MatrixPicture:
    def made() -> MatrixPicture:
        values = b.values - a.values
        return replace(b, values=values, scale=diverging_for(values), _memo={})

    found: MatrixPicture = kept.get(name, (a, b), made)
    return found


def _picture(values: Array, theme: Theme, numbers: NumberStyle) -> MatrixPicture:
    table = np.atleast_2d(values)
    return MatrixPicture(table, diverging_for(table), theme, numbers.decimals, numbers.decimal_point)


def _same(before: Any, now: Any) -> bool:
    return before is now or (isinstance(before, (int, str, NumberStyle)) and before == now)
