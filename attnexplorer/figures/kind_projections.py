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
from attnexplorer.experiment.pinning import is_wholly_pinned
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.equation import MOST_NUMBERS, WIDEST_MAP, WIDEST_VECTOR, Part, equation
from attnexplorer.figures.figure import Group, beside, stacked
from attnexplorer.figures.kind_matrix import matrix_panel, natural_cell
from attnexplorer.figures.kinds import Built, Kind, register
from attnexplorer.figures.matrix import CellSize
from attnexplorer.figures.matrix_figure import LabelChoice, MatrixPanel, smallest_numbers
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.titles import Title, matrix_title, place_words

_WIDTH_OF_NUMBERS, _HEIGHT_OF_NUMBERS = 42.0, 28.0
_LARGEST_SQUARE = 30.0
_APART = 64.0
_STAGES = {"Q": "query", "K": "key", "V": "value"}


def build_projections(request: Request, fit: Fit) -> Built:
    """Return an equation a line: those of the queries, the keys and the values of a head."""
    lines = {name: tuple(_equation(request, name)) for name in ("Q", "K", "V")}
    in_all = sum(math.prod(part.content.shape) for part in chain(*lines.values()))
    panels = [[_panel(request, part, name, in_all, fit) for part in line] for name, line in lines.items()]
    theme = request.spec.colours
    rows = [equation(theme, line, shown) for line, shown in zip(lines.values(), panels, strict=True)]
    place = place_words(request.experiment, Unit("query", request.layer, request.head).path)
    return Built(
        _arranged(rows, fit),
        Title("Q, K, V", ", ".join(part for part in ("from the tokens, by projection", place) if part)),
        "The input times the parameters gives the queries, the keys and the values.",
        _smallest_numbers(request, [line[-1] for line in panels]),
    )


def _smallest_numbers(request: Request, results: Sequence[MatrixPanel]) -> float | None:
    """Return how large the numbers of the results are; of wide inputs and their parameters none are expected."""
    if request.spec.numbers and any(_has_too_many(panel.content) for panel in results):
        return 0.0
    return smallest_numbers(results)


def _arranged(equations: Sequence[Group], fit: Fit) -> Group:
    """Return the equations below one another, or beside one another in a place so wide that they are larger so."""
    ways = stacked(equations, 18.0), beside(equations, _APART)
    return ways[0] if fit.aspect is None else max(ways, key=lambda way: fit.scale_of(way.width, way.height))


def _equation(request: Request, name: str) -> Iterator[Part]:
    """Yield the matrices of a projection, from what is projected to what is compared; a pinned result has none."""
    experiment, layer, stage = request.experiment, request.layer, _STAGES[name]
    made = unit_for(experiment, stage, layer, request.head)
    if is_wholly_pinned(experiment, made.path):
        yield _made(request, made, "")
    else:
        yield from _operands(request, name)
        yield _made(request, made, "=")
    for compared in compared_units(experiment, layer, request.head):
        if compared.stage == f"{stage}_rotated":
            yield _made(request, compared, "RoPE")


def _operands(request: Request, name: str) -> Iterator[Part]:
    experiment, layer = request.experiment, request.layer
    attention = experiment.layers[layer].attention
    head = request.head if name == "Q" else attention.kv_head_of(request.head)
    yield _part(request, (query_origin if name == "Q" else key_origin)(experiment, layer).path, "")
    base = f"layers.{layer}.attention"
    yield _part(request, f"{base}.W_{name}.{head}", "×")
    if getattr(attention, f"b_{name}") is not None:
        yield _part(request, f"{base}.b_{name}.{head}", "+")


def _part(request: Request, path: str, before: str, rows: LabelChoice = "names") -> Part:
    title, labels = matrix_title(request.experiment, path), request.spec.labels
    place = place_words(request.experiment, path)
    words = f"{title.words}, {place}" if place.startswith("KV head") else title.words
    shown: LabelChoice = rows if labels else "none"
    return Part(request.content(path), title.symbol, words, before, False, shown, "names" if labels else "none")


def _made(request: Request, unit: Unit, before: str) -> Part:
    """Return a result; it is none of what stands before it where it is pinned."""
    part = _part(request, unit.path, before, "colours" if before else "names")
    pin, words = request.experiment.pins.get(unit.path), part.words
    if pin is not None and not np.isnan(pin).all():
        how = "pinned" if is_wholly_pinned(request.experiment, unit.path) else "partly pinned"
        words = f"{words}, {how}"
    return replace(part, words=words, arrow=before == "RoPE")


def _panel(request: Request, part: Part, name: str, in_all: int, fit: Fit) -> MatrixPanel:
    numbers = request.spec.numbers and not _has_too_many(part.content)
    spec = replace(request.spec, colour_bar=False, highlight=None, rows_shown=None, numbers=numbers)
    panel = matrix_panel(part.content, spec, _cell(part.content, numbers, fit), in_all)
    is_result = name == "Q" and part.before in ("=", "RoPE")
    return replace(
        panel,
        heading=part.heading(spec.colours),
        row_labels=part.rows,
        column_labels=part.columns,
        rows_shown=request.spec.rows_shown if is_result else None,
    )


def _has_too_many(content: MatrixContent) -> bool:
    return max(content.shape) > MOST_NUMBERS


def _cell(content: MatrixContent, numbers: bool, fit: Fit) -> CellSize:
    """Return cells of which each side is the same in all matrices with as many tokens, or as long vectors."""
    (rows, columns), along = content.shape, WIDEST_MAP if content.rows.coloured else WIDEST_VECTOR
    width, height = (min(_LARGEST_SQUARE, room / count) for room, count in ((WIDEST_VECTOR, columns), (along, rows)))
    if columns <= MOST_NUMBERS:
        width = _WIDTH_OF_NUMBERS
    if rows <= MOST_NUMBERS:
        height = _HEIGHT_OF_NUMBERS
    if numbers:
        width = max(width, natural_cell(content, True, 1.0).width)
    return CellSize(width * fit.cells, height * min(fit.cells, 1.5))


register(
    Kind(
        "projections",
        "where queries, keys and values of a head come from: X × W_Q = Q, …",
        build_projections,
        needs=("query", "key", "value"),
    )
)
