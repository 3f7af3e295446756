"""A matrix of two experiments, A and B, and what changed from one to the other: B − A."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attnexplorer.compute.numbers import shape_text
from attnexplorer.figures.colours import ColourScale, largest_magnitude
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import beside
from attnexplorer.figures.kind_matrix import matrix_panel, natural_cell
from attnexplorer.figures.kinds import Built, Kind, register
from attnexplorer.figures.matrix_figure import MatrixPanel, heading_line
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.titles import Title, matrix_title, place_words

_GAP = 26.0


def build_compare(request: Request, fit: Fit) -> Built:
    """Return A, B and B − A beside one another; A and B share their colours, the difference is centred at zero."""
    spec = request.spec
    if request.other is None:
        raise FigureError("a comparison needs a second experiment")
    path = request.path_of(spec.stage)
    first = request.content(path)
    second = request.with_experiment(request.other).content(path)
    if first.shape != second.shape:
        shapes = f"{shape_text(*first.shape)} in A, but {shape_text(*second.shape)} in B"
        raise FigureError(f"the two cannot be compared: {spec.stage} is {shapes}")
    contents = compared(first, second)
    cells = 3 * first.shape[0] * first.shape[1]
    panels: list[MatrixPanel] = []
    for name, content in zip(("A", "B", "B − A"), contents, strict=True):
        bar = spec.colour_bar or name == "B − A"
        cell = natural_cell(first, spec.numbers, fit.cells, 260.0)
        panel = matrix_panel(content, replace(spec, colour_bar=bar), cell, cells)
        rows = panel.row_labels if name == "A" else "colours" if spec.labels else "none"
        heading = heading_line(name, _named(request, name), spec.colours.text, spec.colours.muted, 16.0)
        panels.append(replace(panel, heading=heading, heading_above_cells=True, row_labels=rows))
    title, place = matrix_title(request.experiment, path), place_words(request.experiment, path)
    words = ", ".join(part for part in (f"{title.words} of two experiments", place) if part)
    return Built(beside(panels, _GAP, "end"), Title("", words), "Three heatmaps: A, B and their difference.")


def compared(first: MatrixContent, second: MatrixContent) -> tuple[MatrixContent, MatrixContent, MatrixContent]:
    """Return A, B and B − A with shared colours. A pair that both block has no difference and stays hatched."""
    a, b = first.picture, second.picture
    with np.errstate(invalid="ignore"):
        difference = b.values - a.values
    both = np.isneginf(a.values) & np.isneginf(b.values)
    difference[both] = -np.inf
    shared = max(largest_magnitude(a.values), largest_magnitude(b.values)) or 1.0
    scale = a.scale if a.scale.kind == "sequential" else ColourScale("diverging", -shared, shared)
    limit = largest_magnitude(difference) or shared if a.scale.kind == "sequential" else shared
    hatched = None if a.hatched is None or b.hatched is None else a.hatched & b.hatched
    changed = replace(
        b, values=difference, scale=ColourScale("diverging", -limit, limit), hatched=hatched, pinned=None, _memo={}
    )
    return (
        replace(first, picture=replace(a, scale=scale, _memo={})),
        replace(second, picture=replace(b, scale=scale, _memo={})),
        replace(second, picture=changed),
    )


def _named(request: Request, name: str) -> str:
    experiment = {"A": request.experiment, "B": request.other}.get(name)
    title = "" if experiment is None else " ".join(experiment.title.split())
    return title if len(title) <= 28 else title[:27] + "…"


register(Kind("compare", "a matrix of two experiments, and what changed", build_compare))
