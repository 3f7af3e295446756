"""A whole walkthrough as a deck: two overviews, then every stage from X to the output, one a page."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from attnexplorer.compute.progress import Step, silent
from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Per
from attnexplorer.experiment.model import Attention, Experiment
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Figure
from attnexplorer.figures.kinds import kind_of
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.request import matrix_names
from attnexplorer.figures.spec import ASPECTS, Aspect, FigureSpec
from attnexplorer.figures.titles import stage_words

WALKTHROUGH = "walkthrough"
WORDS = "a deck: the pipeline, the projections, then every stage from X to the output (PDF or PPTX)"
_OVERVIEWS = {"pipeline": "the pipeline", "projections": "where Q, K and V come from"}
_SKIPPED = ("embeddings",)
_TITLE_SHARE = 0.18
"""Of the height of a slide."""


class Page(NamedTuple):
    """A figure of a deck and the title that stands above it."""

    figure: Figure
    title: str


def has_walkthrough(experiment: Experiment, layer: int = 0) -> bool:
    """Tell whether there is a deck of an experiment; of a capture, whose stages are not known, there is none."""
    return not kind_of("pipeline").missing(experiment, layer)


def walkthrough(
    spec: FigureSpec, experiment: Experiment, titled: bool = False, step: Step = silent
) -> tuple[Page, ...]:
    """Return the pages of a deck; `titled`: the title of each is part of its figure."""
    names = page_names(spec, experiment)
    pages = []
    for done, name in enumerate(names):
        step(done, len(names))
        pages.append(page(page_spec(spec, name), experiment, titled=titled))
    step(len(names), len(names))
    return tuple(pages)


def page_names(spec: FigureSpec, experiment: Experiment) -> tuple[str, ...]:
    """Return what the pages of a deck show: the wanted stages, or everything, in the order of the computation.

    Without a wish, pages that would only repeat the one before are left out, such as the heads of one side by side.

    Raises
    ------
    FigureError
        If a wanted stage is not there.
    """
    overviews = (name for name in _OVERVIEWS if not kind_of(name).missing(experiment, spec.layer))
    every = (*overviews, *(name for name in matrix_names(experiment, spec.layer) if name not in _SKIPPED))
    for name in spec.stages:
        if name not in every:
            raise FigureError(f"the deck has no page {name!r}; it has {', '.join(every)}")
    if spec.stages:
        return tuple(name for name in every if name in spec.stages)
    return tuple(name for name in every if not _repeats(name, experiment.layers[spec.layer].attention))


def page_words(name: str) -> str:
    """Return what a page shows in words."""
    return _OVERVIEWS[name] if name in _OVERVIEWS else stage_words(name)


def _repeats(name: str, attention: Attention) -> bool:
    """Tell whether a page would show the numbers of the one before it: nothing happens to them in between."""
    if name == "concat":
        return attention.heads == 1 and not attention.muted_heads
    return name == "attention_output" and attention.W_O is None and attention.b_O is None


def page(spec: FigureSpec, experiment: Experiment, other: Experiment | None = None, titled: bool = False) -> Page:
    """Return a figure at its natural size, without its title unless `titled`, and that title."""
    natural = replace(spec, width_cm=None, height_cm=None, width_px=None, height_px=None)
    shown = natural if titled else replace(natural, title="")
    figure = lay_out(shown, experiment, other, aspect=_aspect_below_title(spec.slide))
    return Page(figure, figure.title if spec.title is None else spec.title)


def _aspect_below_title(slide: Aspect) -> float:
    width, height = ASPECTS[slide]
    return width / (height * (1 - _TITLE_SHARE))


def page_spec(spec: FigureSpec, name: str) -> FigureSpec:
    """Return what one page of a deck shows."""
    per_head = name in STAGES and STAGES[name].per in (Per.HEAD, Per.KV_HEAD)
    head = spec.head if per_head or name in _OVERVIEWS else 0
    return replace(spec, what=name, title=None, highlight=None, head=head)
