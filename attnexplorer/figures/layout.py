"""From a specification and an experiment to a figure that is laid out at the wanted size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attnexplorer.compute.engine import Engine
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Figure, Group, Piece, Placed, stacked
from attnexplorer.figures.kinds import Built, built
from attnexplorer.figures.matrix_figure import LABEL_PIXELS, heading_line
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.spec import CM_PER_INCH, POINTS_PER_INCH, FigureSpec, check_spec
from attnexplorer.figures.titles import Title, experiment_words
from attnexplorer.figures.typeset import Style, marked_up, plain_text, wrapped

MARGIN = 12.0
USUAL_POINTS = 9.0
_TITLE_GAP = 6.0
_CAPTION_GAP = 10.0
_FACTORS = (0.02, 12.0)
_TRIES = 18
_LEAST_CAPTION = 200.0
_LEAST_NUMBER_POINTS = 4.0
"""Smaller numbers cannot be read on paper."""


def lay_out(
    spec: FigureSpec,
    experiment: Experiment,
    other: Experiment | None = None,
    engine: Engine | None = None,
    aspect: float | None = None,
) -> Figure:
    """Return the figure that a specification describes; an `engine` keeps the numbers for the next one.

    `aspect` is the width over the height of the place that the figure is for, if its size is left open.

    Raises
    ------
    FigureError
        If the experiment has no such figure, or it does not fit the wanted size.
    """
    check_spec(spec)
    request = Request(spec, experiment, other, engine or Engine())
    made, figure = _sized(request, aspect)
    if made.number_pixels is None or made.number_pixels * figure.points_per_pixel >= _LEAST_NUMBER_POINTS:
        return figure
    # Cells that need not hold numbers are squares, and leave the room to the rest.
    _, figure = _sized(replace(request, spec=replace(spec, numbers=False)), aspect)
    return replace(figure, numbers_left_out=True)


def _sized(request: Request, aspect: float | None) -> tuple[Built, Figure]:
    spec = request.spec
    width, height = spec.wanted_points
    if spec.font_size is None or (width is None and height is None):
        return _scaled(request, width, height, aspect)
    return _fitted(request, width, height, spec.font_size / LABEL_PIXELS)


def _scaled(request: Request, width: float | None, height: float | None, aspect: float | None) -> tuple[Built, Figure]:
    """Return the figure at its natural proportions; type grows and shrinks with it."""
    made, group = _whole(request, Fit(aspect=aspect if width is None or height is None else width / height))
    scale = (request.spec.font_size or USUAL_POINTS) / LABEL_PIXELS
    scales = [wanted / size for wanted, size in ((width, group.width), (height, group.height)) if wanted is not None]
    return made, _figure(request, made, group, min(scales, default=scale), width, height)


def _fitted(request: Request, width: float | None, height: float | None, scale: float) -> tuple[Built, Figure]:
    """Return the figure with type of the wanted size; the cells take the room that is left."""
    room = None if width is None else width / scale - 2 * MARGIN
    if room is not None and room < LABEL_PIXELS:
        raise FigureError(_too_small(request, width, height))

    def fits(factor: float) -> bool:
        _, group = _whole(request, Fit(factor, room))
        wide = width is None or group.width <= width / scale + 0.01
        return wide and (height is None or group.height <= height / scale + 0.01)

    factor = _largest(fits)
    if factor is None:
        raise FigureError(_too_small(request, width, height))
    made, group = _whole(request, Fit(factor, room))
    return made, _figure(request, made, group, scale, width, height)


def _largest(fits: Callable[[float], bool]) -> float | None:
    """Return the largest factor that fits, by halving; None if not even the smallest does."""
    low, high = _FACTORS
    if not fits(low):
        return None
    if fits(high):
        return high
    for _ in range(_TRIES):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _whole(request: Request, fit: Fit) -> tuple[Built, Group]:
    """Return what a kind built, and all of the figure: title, content and caption with a margin around them."""
    made = built(request, fit)
    spec = request.spec
    width = made.piece.width if fit.width is None else fit.width
    pieces: list[Piece] = []
    pieces += _title_lines(spec, made.title, None if fit.width is None else width)
    pieces.append(made.piece)
    body = stacked(pieces, _TITLE_GAP)
    if spec.caption is not None:
        text = spec.caption or experiment_words(request.experiment, request.layer)
        style = Style("text", 11.0, spec.colours.muted)
        lines = wrapped(
            marked_up(_literal(text), style), max(body.width, _LEAST_CAPTION if fit.width is None else width)
        )
        body = stacked([body, stacked(lines)], _CAPTION_GAP)
    return made, Group(body.width + 2 * MARGIN, body.height + 2 * MARGIN, (Placed(MARGIN, MARGIN, body),))


def _title_lines(spec: FigureSpec, title: Title, width: float | None) -> list[Piece]:
    if spec.title is not None:
        if not spec.title.strip():
            return []
        line = heading_line(
            "", _literal(" ".join(spec.title.split())), spec.colours.text, spec.colours.text, 18.0 / 0.68 * 0.9
        )
    else:
        line = heading_line(title.symbol, title.words, spec.colours.text, spec.colours.muted)
    if width is None or line.width <= width:
        return [line]
    return [stacked(wrapped(line.runs, width))]


def _figure(
    request: Request, made: Built, group: Group, scale: float, width: float | None, height: float | None
) -> Figure:
    """Return the figure on a canvas of exactly the wanted size, its content in the middle."""
    spec = request.spec
    across = group.width if width is None else width / scale
    down = group.height if height is None else height / scale
    placed = Placed((across - group.width) / 2, (down - group.height) / 2, group)
    named = ": ".join(part for part in (plain_text(made.title.symbol).strip(), made.title.words) if part)
    said = spec.title or named
    return Figure(
        across,
        down,
        Group(across, down, (placed,)),
        spec.colours,
        scale,
        ground=not spec.transparent,
        title=" ".join(said.split()),
        description=f"{made.description} {experiment_words(request.experiment, request.layer)}".strip(),
    )


def on_slide(figure: Figure, width_cm: float, height_cm: float) -> Figure:
    """Return a figure in the middle of a slide, as large as it fits but with type no larger than 26 pt."""
    across, down = (cm / CM_PER_INCH * POINTS_PER_INCH for cm in (width_cm, height_cm))
    scale = min(across * 0.94 / figure.width, down * 0.9 / figure.height, 26.0 / LABEL_PIXELS)
    placed = Placed((across / scale - figure.width) / 2, (down / scale - figure.height) / 2, figure.content)
    size = (across / scale, down / scale)
    return replace(figure, width=size[0], height=size[1], content=Group(*size, (placed,)), points_per_pixel=scale)


def _too_small(request: Request, width: float | None, height: float | None) -> str:
    sizes = [f"{points / POINTS_PER_INCH * CM_PER_INCH:.3g} cm" for points in (width, height) if points is not None]
    return f"{request.spec.what} does not fit {' × '.join(sizes)} with type of {request.spec.font_size:g} pt"


def _literal(text: str) -> str:
    return text.replace("\\", "\\\\").replace("{", "\\{").replace("}", "\\}")
