"""A whole walkthrough as a deck: the pipeline, then every stage from X to the output, one a page."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from attnexplorer.compute.stages import STAGES, Per
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.figure import Figure
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.request import matrix_names
from attnexplorer.figures.spec import FigureSpec

WALKTHROUGH = "walkthrough"
WORDS = "a deck: the pipeline, then every stage from X to the output (PDF or PPTX)"
_SKIPPED = ("embeddings",)


class Page(NamedTuple):
    """A figure of a deck and the title that stands above it."""

    figure: Figure
    title: str


def walkthrough(spec: FigureSpec, experiment: Experiment, titled: bool = False) -> tuple[Page, ...]:
    """Return the pages of a deck; `titled`: the title of each is part of its figure."""
    names = ["pipeline", *(name for name in matrix_names(experiment, spec.layer) if name not in _SKIPPED)]
    return tuple(page(_page_spec(spec, name), experiment, titled=titled) for name in names)


def page(spec: FigureSpec, experiment: Experiment, other: Experiment | None = None, titled: bool = False) -> Page:
    """Return a figure at its natural size, without its title unless `titled`, and that title."""
    natural = replace(spec, width_cm=None, height_cm=None, width_px=None, height_px=None)
    figure = lay_out(natural if titled else replace(natural, title=""), experiment, other)
    return Page(figure, figure.title if spec.title is None else spec.title)


def _page_spec(spec: FigureSpec, name: str) -> FigureSpec:
    per_head = name in STAGES and STAGES[name].per in (Per.HEAD, Per.KV_HEAD)
    head = spec.head if per_head or name == "pipeline" else 0
    return replace(spec, what=name, title=None, highlight=None, head=head)
