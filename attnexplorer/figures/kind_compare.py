"""A matrix of two experiments, A and B, and what changed from one to the other: B − A."""

from __future__ import annotations

from dataclasses import replace

from attnexplorer.compute.numbers import shape_text
from attnexplorer.figures.comparison import Compared, compared
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import beside
from attnexplorer.figures.kind_matrix import matrix_panel, natural_cell
from attnexplorer.figures.kinds import Built, Kind, register
from attnexplorer.figures.matrix_figure import MatrixPanel, heading_line, smallest_numbers
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.titles import Title, matrix_title, place_words

_GAP = 26.0
TEXTS: dict[Compared, str] = {"A": "A", "B": "B", "B-A": "B − A"}


def build_compare(request: Request, fit: Fit) -> Built:
    """Return A, B and B − A beside one another; A and B share their colours, the difference is centred at zero."""
    spec = request.spec
    if request.other is None:
        raise FigureError("a comparison needs a second experiment")
    path = request.path_of(spec.stage)
    first = request.with_experiment(request.other).content(path)
    second = request.content(path)
    if first.shape != second.shape:
        shapes = f"{shape_text(*first.shape)} in A, but {shape_text(*second.shape)} in B"
        raise FigureError(f"the two cannot be compared: {spec.stage} is {shapes}")
    cells = 3 * first.shape[0] * first.shape[1]
    panels: list[MatrixPanel] = []
    for which, name in TEXTS.items():
        content = compared(first, second, which)
        bar = spec.colour_bar or which == "B-A"
        cell = natural_cell(first, spec.numbers, fit.cells, 260.0)
        panel = matrix_panel(content, replace(spec, colour_bar=bar), cell, cells)
        rows = panel.row_labels if name == "A" else "colours" if spec.labels else "none"
        heading = heading_line(name, _named(request, name), spec.colours.text, spec.colours.muted, 16.0)
        panels.append(replace(panel, heading=heading, heading_above_cells=True, row_labels=rows))
    title, place = matrix_title(request.experiment, path), place_words(request.experiment, path)
    words = ", ".join(part for part in (f"{title.words} of two experiments", place) if part)
    described = "Three heatmaps: A, B and their difference."
    return Built(beside(panels, _GAP, "end"), Title("", words), described, smallest_numbers(panels))


def _named(request: Request, name: str) -> str:
    experiment = {"A": request.other, "B": request.experiment}.get(name)
    title = "" if experiment is None else " ".join(experiment.title.split())
    return title if len(title) <= 28 else title[:27] + "…"


register(Kind("compare", "a matrix of two experiments, and what changed", build_compare))
