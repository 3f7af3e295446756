"""One head as a row of matrices with what is done between them: Q × Kᵀ → ÷ √d_k → mask → softmax → × V = Z."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from attnexplorer.compute.stage_reads import compared_units
from attnexplorer.compute.stages import unit_for
from attnexplorer.compute.units import Unit
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.equation import MOST_NUMBERS, WIDEST_MAP, WIDEST_VECTOR, Part, equation
from attnexplorer.figures.figure import Group, stacked
from attnexplorer.figures.kind_matrix import matrix_panel, natural_cell, transposed
from attnexplorer.figures.kinds import Built, Kind, register
from attnexplorer.figures.matrix import CellSize
from attnexplorer.figures.matrix_figure import LabelChoice, MatrixPanel, smallest_numbers
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.titles import Title, mask_words, place_words, scale_symbol

_WRAP_FROM = 6.5
"""A row this many times as wide as it is high is broken into two."""

_SMALLEST_BEFORE_WRAP = 0.7


def build_pipeline(request: Request, fit: Fit) -> Built:
    """Return the row of matrices of one head, in two lines where one would be a ribbon."""
    parts = _parts(request)
    lines = _lines(request, parts, fit, _line_count(request, parts, fit))
    place = place_words(request.experiment, Unit("weights", request.layer, request.head).path)
    words = ", ".join(part for part in ("one head, step by step", place) if part)
    description = "From left to right: queries, keys, raw scores, scaled, masked, attention weights, values, output."
    panels = [_panel(request, part, parts, fit) for part in parts]
    return Built(
        stacked(lines, 18.0),
        Title("softmax(Q K^{T} / √d_{k}) V" if _usual(request) else "attention", words),
        description,
        smallest_numbers(panels, too_many=_has_too_many(request)),
    )


def _line_count(request: Request, parts: Sequence[Part], fit: Fit) -> int:
    """Return in how many lines the matrices stand: as few as fit the width with cells that are not much smaller."""
    if fit.width is None:
        (line,) = _lines(request, parts, fit, 1)
        return 1 if line.width <= _WRAP_FROM * line.height else 2
    smaller = Fit(_SMALLEST_BEFORE_WRAP, fit.width)
    for count in (1, 2, 3):
        if max(line.width for line in _lines(request, parts, smaller, count)) <= fit.width:
            return count
    return 4


def _lines(request: Request, parts: Sequence[Part], fit: Fit, count: int) -> list[Group]:
    panels = [_panel(request, part, parts, fit) for part in parts]
    step = -(-len(parts) // count)
    ranges = [slice(start, start + step) for start in range(0, len(parts), step)]
    return [equation(request.spec.colours, parts[those], panels[those]) for those in ranges]


def _usual(request: Request) -> bool:
    return request.experiment.layers[request.layer].attention.scale == "sqrt_dk"


def _parts(request: Request) -> list[Part]:
    experiment, layer, head = request.experiment, request.layer, request.head
    names: LabelChoice = "names" if request.spec.labels else "none"
    colours: LabelChoice = "colours" if request.spec.labels else "none"
    query, key = compared_units(experiment, layer, head)
    prime = "′" if query.stage == "query_rotated" else ""

    def stage(name: str) -> MatrixContent:
        return request.content(unit_for(experiment, name, layer, head).path)

    scale = scale_symbol(experiment.layers[layer])
    return [
        Part(request.content(query.path), f"Q{prime}", "queries", "", False, names, names),
        Part(transposed(request.content(key.path)), f"K{prime}^{{T}}", "keys", "×", False, "none", names),
        Part(stage("scores"), "S", "raw scores", "=", False, colours, names),
        Part(stage("scaled"), "", "scaled scores", scale, True, colours, colours),
        Part(
            stage("masked"),
            "",
            f"masked: {mask_words(experiment, layer)}".replace("masked: no mask", "no mask"),
            "mask",
            True,
            colours,
            colours,
        ),
        Part(stage("weights"), "A", "weights", "softmax", True, colours, names),
        Part(stage("value"), "V", "values", "×", False, names, names),
        Part(stage("head_output"), "Z", "head output", "=", False, colours, names),
    ]


def _panel(request: Request, part: Part, parts: Sequence[Part], fit: Fit) -> MatrixPanel:
    spec = replace(request.spec, colour_bar=False)
    in_all = sum(other.content.shape[0] * other.content.shape[1] for other in parts)
    cell = _cell(request, part.content, fit)
    panel = matrix_panel(part.content, replace(spec, highlight=None, rows_shown=None), cell, in_all)
    heading = part.heading(spec.colours)
    shown = spec.rows_shown if part.content.rows.coloured and part.symbol not in ("V",) else None
    return replace(panel, heading=heading, row_labels=part.rows, column_labels=part.columns, rows_shown=shown)


def _has_too_many(request: Request) -> bool:
    return max(request.content(Unit("scores", request.layer, request.head).path).shape) > MOST_NUMBERS


def _cell(request: Request, content: MatrixContent, fit: Fit) -> CellSize:
    """Return cells that are as high in every matrix of tokens; vectors wider than a map have narrower ones."""
    pairs = request.content(Unit("scores", request.layer, request.head).path)
    natural = natural_cell(pairs, request.spec.numbers and not _has_too_many(request), 1.0, WIDEST_MAP)
    side = min(natural.width, 42.0)
    along, across = content.shape
    is_turned = not content.rows.coloured
    width = side if content.columns.coloured else min(side, max(WIDEST_VECTOR / across, 1.0), 42.0)
    if content.columns.coloured is False and across <= 4:
        width = side
    height = min(natural.height, 28.0)
    if is_turned:
        height = height if along <= 4 else max(1.0, WIDEST_VECTOR / along)
    return CellSize(width * fit.cells, height * min(fit.cells, 1.5))


register(Kind("pipeline", "one head as a row of matrices, from Q and K to Z", build_pipeline, needs=("query",)))
