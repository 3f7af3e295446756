"""From the choices to the figure that the preview shows: one of the pages of a deck, or of the pictures of a sweep."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from attnexplorer.compute.engine import Engine
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.animation import MOST_FRAMES, MOST_PIXELS_IN_ALL, animation_extent, frames
from attnexplorer.figures.command_words import ANIMATIONS
from attnexplorer.figures.deck import WALKTHROUGH, page, page_names, page_spec
from attnexplorer.figures.export import Export
from attnexplorer.figures.figure import Figure
from attnexplorer.figures.layout import lay_out, on_slide
from attnexplorer.figures.png import pixel_size
from attnexplorer.figures.spec import ASPECTS, CM_PER_INCH, POINTS_PER_INCH, FigureSpec

_LEFT_OUT = "The numbers do not fit the cells at this size and are left out"


class Pictured(NamedTuple):
    """A figure, and of how many pages or pictures it is one."""

    figure: Figure
    pages: int = 1


def pictured(
    spec: FigureSpec,
    experiment: Experiment,
    export: Export,
    other: Experiment | None = None,
    place: int = 0,
    engine: Engine | None = None,
) -> Pictured:
    """Return the page or picture at a place.

    Raises
    ------
    FigureError
        As the export does.
    """
    if spec.what == WALKTHROUGH:
        names = page_names(spec, experiment)
        shown = page_spec(spec, names[min(place, len(names) - 1)])
        return Pictured(_slide(shown, experiment, None), len(names))
    if export.form == "pptx":
        return Pictured(_slide(spec, experiment, other))
    if export.form in ANIMATIONS:
        all_frames = frames(spec, experiment, export.sweep)
        frame = all_frames[min(place, len(all_frames) - 1)]
        return Pictured(lay_out(replace(frame.spec, transparent=False), frame.experiment), len(all_frames))
    return Pictured(lay_out(spec, experiment, other, engine))


def _slide(spec: FigureSpec, experiment: Experiment, other: Experiment | None) -> Figure:
    return on_slide(page(spec, experiment, other, titled=True).figure, *ASPECTS[spec.slide])


def extent_words(shown: Pictured, spec: FigureSpec, export: Export) -> str:
    """Return how large the figure is, and whether its numbers had to be left out."""
    words = _size(shown, spec, export)
    return f"{words}. {_LEFT_OUT}" if shown.figure.numbers_left_out else words


def _size(shown: Pictured, spec: FigureSpec, export: Export) -> str:
    width, height = (points / POINTS_PER_INCH * CM_PER_INCH for points in shown.figure.points)
    size = f"{_number(width, spec)} × {_number(height, spec)} cm"
    label = f"labels {_number(shown.figure.points_per_pixel * 12, spec)} pt"
    if spec.what == WALKTHROUGH:
        return f"{shown.pages} pages of {size}"
    if export.form == "pptx":
        return f"One slide of {size}, {label}"
    if export.form in ("svg", "pdf"):
        return f"{size}, {label}"
    across, down = pixel_size(shown.figure, spec.dpi)
    return f"{size}, {label}, {across:,} × {down:,} pixels at {spec.dpi:g} dpi"


def animation_words(spec: FigureSpec, experiment: Experiment, export: Export) -> str:
    """Return how large an animation will be; takes as long as two pictures of it."""
    if export.form not in ("gif", "webp"):
        return ""
    form = export.form
    extent = animation_extent(form, spec, experiment, export.sweep)
    million = MOST_PIXELS_IN_ALL[form] // 1_000_000
    return (
        f"{extent.frames} pictures of {extent.width:,} × {extent.height:,} pixels, at most about"
        f" {size_words(extent.size)} (up to {MOST_FRAMES} pictures and {million} million pixels are possible)"
    )


def size_words(size: int) -> str:
    """Return a number of bytes as people say it."""
    if size < 1000:
        return f"{size} bytes"
    if size < 1_000_000:
        return f"{size / 1000:.0f} kB"
    return f"{size / 1_000_000:.1f} MB"


def _number(value: float, spec: FigureSpec) -> str:
    return f"{value:.1f}".replace(".", spec.decimal_point)
