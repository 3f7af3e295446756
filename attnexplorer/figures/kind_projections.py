"""Where the queries, keys and values of one head come from: X × W_Q = Q, X × W_K = K, X × W_V = V."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from attnexplorer.compute.stage_reads import compared_units, key_origin, query_origin
from attnexplorer.compute.stages import unit_for
from attnexplorer.compute.units import Unit
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.equation import MOST_NUMBERS, WIDEST_MAP, WIDEST_VECTOR, Part, equation
from attnexplorer.figures.figure import Group, beside, stacked
from attnexplorer.figures.kind_matrix import matrix_panel, natural_cell
from attnexplorer.figures.kinds import Built, Kind, register
from attnexplorer.figures.matrix import CellSize
from attnexplorer.figures.matrix_figure import LabelChoice, MatrixPanel, smallest_numbers
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.titles import Title, matrix_title, place_words

_WIDEST_CELL, _HIGHEST_CELL = 42.0, 28.0
"""With numbers in them."""
_LARGEST_SQUARE = 30.0


def build_projections(request: Request, fit: Fit) -> Built:
    """Return an equation a line: those of the queries, the keys and the values of a head."""
    lines = {name: tuple(_equation(request, name)) for name in ("Q", "K", "V")}
    shapes = [part.content.shape for part in chain(*lines.values())]
    in_all, too_many = sum(map(math.prod, shapes)), max(map(max, shapes)) > MOST_NUMBERS
    panels = [
        [_panel(request, part, name, in_all, _cell(request, part.content, too_many, fit)) for part in line]
        for name, line in lines.items()
    ]
    theme = request.spec.colours
    rows = [equation(theme, line, shown) for line, shown in zip(lines.values(), panels, strict=True)]
    place = place_words(request.experiment, Unit("query", request.layer, request.head).path)
    return Built(
        _arranged(rows, fit),
        Title("Q, K, V", ", ".join(part for part in ("from the tokens, by projection", place) if part)),
        "The input times the parameters gives the queries, the keys and the values.",
        smallest_numbers(chain(*panels), too_many=too_many),
    )


def _arranged(equations: Sequence[Group], fit: Fit) -> Group:
    """Return the equations below one another, or as many beside one another as make them largest in a wide place."""
    counts = (1,) if fit.aspect is None else (1, 2, 3)
    lines = ([beside(equations[start : start + count], 36.0) for start in range(0, 3, count)] for count in counts)
    return max((stacked(each, 18.0) for each in lines), key=lambda way: fit.scale_of(way.width, way.height))


def _equation(request: Request, name: str) -> Iterator[Part]:
    """Yield the matrices of a projection, from what is projected to what is compared."""
    experiment, layer = request.experiment, request.layer
    attention = experiment.layers[layer].attention
    head = request.head if name == "Q" else attention.kv_head_of(request.head)
    origin = query_origin(experiment, layer) if name == "Q" else key_origin(experiment, layer)
    yield _part(request, origin.path, "")
    base = f"layers.{layer}.attention"
    yield _part(request, f"{base}.W_{name}.{head}", "×")
    if getattr(attention, f"b_{name}") is not None:
        yield _part(request, f"{base}.b_{name}.{head}", "+")
    stage = {"Q": "query", "K": "key", "V": "value"}[name]
    yield _made(request, unit_for(experiment, stage, layer, request.head).path, "=")
    for compared in compared_units(experiment, layer, request.head):
        if compared.stage == f"{stage}_rotated":
            yield _made(request, compared.path, "RoPE")


def _part(request: Request, path: str, before: str, rows: LabelChoice = "names") -> Part:
    title, labels = matrix_title(request.experiment, path), request.spec.labels
    shown: LabelChoice = rows if labels else "none"
    return Part(request.content(path), title.symbol, title.words, before, False, shown, "names" if labels else "none")


def _made(request: Request, path: str, before: str) -> Part:
    """Return a result, which is none where all of it is pinned."""
    part, pin = _part(request, path, before, "colours"), request.experiment.pins.get(path)
    if pin is not None and not np.isnan(pin).any():
        return replace(part, before="pinned", arrow=True)
    words = part.words if pin is None else f"{part.words}, partly pinned"
    return replace(part, words=words, arrow=before != "=")


def _panel(request: Request, part: Part, name: str, in_all: int, cell: CellSize) -> MatrixPanel:
    spec = replace(request.spec, colour_bar=False, highlight=None, rows_shown=None)
    panel = matrix_panel(part.content, spec, cell, in_all)
    shown = request.spec.rows_shown if name == "Q" and part.content.rows.coloured else None
    return replace(
        panel,
        heading=part.heading(spec.colours),
        row_labels=part.rows,
        column_labels=part.columns,
        rows_shown=shown,
    )


def _cell(request: Request, content: MatrixContent, too_many: bool, fit: Fit) -> CellSize:
    """Return cells of the same size for all matrices with as many tokens, or as long vectors."""
    rows, columns = content.shape
    if request.spec.numbers and not too_many:
        natural = natural_cell(content, True, 1.0)
        width, height = min(natural.width, _WIDEST_CELL), min(natural.height, _HIGHEST_CELL)
    else:
        along = WIDEST_MAP if content.rows.coloured else WIDEST_VECTOR
        width, height = min(_LARGEST_SQUARE, WIDEST_VECTOR / columns), min(_LARGEST_SQUARE, along / rows)
    return CellSize(width * fit.cells, height * min(fit.cells, 1.5))


register(
    Kind(
        "projections",
        "where queries, keys and values of a head come from: X × W_Q = Q, …",
        build_projections,
        needs=("query", "key", "value"),
    )
)
