"""From a specification and an experiment to the bytes of a file, in any format; and into the file, all or nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from attnexplorer.compute.progress import Step, silent
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.saving import write_whole
from attnexplorer.figures.carrying import MOST_BYTES, experiment_text
from attnexplorer.figures.deck import WALKTHROUGH, page, walkthrough
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.layout import lay_out, on_slide
from attnexplorer.figures.pdf import pdf_bytes
from attnexplorer.figures.png import png_bytes
from attnexplorer.figures.spec import ASPECTS, FigureSpec, Sweep
from attnexplorer.figures.svg import svg_bytes

if TYPE_CHECKING:
    from attnexplorer.figures.animation import AnimationFormat

Format = Literal["png", "svg", "pdf", "pptx", "gif", "webp"]
FORMATS: tuple[Format, ...] = get_args(Format)
SCREEN_DPI = 110.0
"""The resolution of an animation unless another is asked for."""


@dataclass(frozen=True, slots=True)
class Export:
    """How a figure becomes a file.

    Parameters
    ----------
    carry
        The longest experiment in bytes that the file carries; 0: none.
    sweep, seconds, loops
        What an animation shows, for how long until it begins again, and how often it is played; 0: for ever.
    """

    form: Format
    carry: int = MOST_BYTES
    sweep: Sweep = "scale"
    seconds: float = 4.0
    loops: int = 0


def format_of(path: str | os.PathLike[str]) -> Format:
    """Return the format that a file's name says.

    Raises
    ------
    FigureError
        If it is none of `FORMATS`.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    for form in FORMATS:
        if suffix == form:
            return form
    found = f"it ends in .{suffix}" if suffix else "it has no ending"
    raise FigureError(f"{Path(path).name}: the name of a figure ends in {_listed()}, but {found}")


def figure_bytes(
    spec: FigureSpec, experiment: Experiment, export: Export, other: Experiment | None = None, step: Step = silent
) -> bytes:
    """Return a figure as the bytes of a file; `step` is told how far a deck or an animation is.

    Raises
    ------
    FigureError
        If the experiment has no such figure, or it cannot be made at that size or in that format.
    """
    carried = experiment_text(experiment, export.carry) if export.carry else None
    if spec.what == WALKTHROUGH:
        return _deck_bytes(spec, experiment, export, carried, step)
    makers: dict[Format, Callable[[], bytes]] = {
        "png": lambda: png_bytes(lay_out(spec, experiment, other), spec.dpi, carried),
        "svg": lambda: svg_bytes(lay_out(spec, experiment, other), carried),
        "pdf": lambda: pdf_bytes([lay_out(spec, experiment, other)], carried),
        "pptx": lambda: _slide_bytes(spec, experiment, other, carried),
        "gif": lambda: _animation_bytes("gif", spec, experiment, export, step),
        "webp": lambda: _animation_bytes("webp", spec, experiment, export, step),
    }
    return makers[export.form]()


def write_figure(
    path: str | os.PathLike[str],
    spec: FigureSpec,
    experiment: Experiment,
    export: Export | None = None,
    other: Experiment | None = None,
) -> None:
    """Write a figure to a file, replacing it as a whole; the format is the one that the name says unless given.

    Raises
    ------
    FigureError, FileError
        If it cannot be made or written; an existing file is then still whole.
    """
    write_whole(figure_bytes(spec, experiment, export or Export(format_of(path)), other), path)


def settings_text(spec: FigureSpec, experiment: Experiment) -> str:
    """Return what a figure shows and how it was set, for the notes of a slide."""
    usual = FigureSpec()
    names = FigureSpec.__dataclass_fields__
    changed = [f"{name} = {getattr(spec, name)}" for name in names if getattr(spec, name) != getattr(usual, name)]
    title = experiment.title or "untitled experiment"
    return "\n".join([f"Attention Explorer: {title}", f"figure = {spec.what}", *changed])


def _deck_bytes(spec: FigureSpec, experiment: Experiment, export: Export, carried: bytes | None, step: Step) -> bytes:
    if export.form not in ("pdf", "pptx"):
        raise FigureError(f"{WALKTHROUGH} is a deck of many pages: PDF or PPTX, not {export.form.upper()}")
    pages = walkthrough(spec, experiment, titled=export.form == "pdf", step=step)
    if export.form == "pptx":
        from attnexplorer.figures.pptx import pptx_bytes

        notes = [f"{settings_text(spec, experiment)}\n{page.title}\n{page.figure.description}" for page in pages]
        return pptx_bytes([page.figure for page in pages], spec.slide, [page.title for page in pages], notes, carried)
    size = ASPECTS[spec.slide]
    return pdf_bytes([on_slide(page.figure, *size) for page in pages], carried)


def _slide_bytes(spec: FigureSpec, experiment: Experiment, other: Experiment | None, carried: bytes | None) -> bytes:
    from attnexplorer.figures.pptx import pptx_bytes

    figure, title = page(spec, experiment, other)
    note = f"{settings_text(spec, experiment)}\n{figure.description}"
    return pptx_bytes([figure], spec.slide, [title], [note], carried)


def _animation_bytes(
    form: AnimationFormat, spec: FigureSpec, experiment: Experiment, export: Export, step: Step
) -> bytes:
    from attnexplorer.figures.animation import Motion, animation_bytes

    return animation_bytes(form, spec, experiment, Motion(export.sweep, export.seconds, export.loops), step)


def _listed() -> str:
    endings = [f".{form}" for form in FORMATS]
    return f"{', '.join(endings[:-1])} or {endings[-1]}"
