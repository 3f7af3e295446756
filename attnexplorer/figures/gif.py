"""Animated GIF: the slider of the scale swept, the mask switched, rows uncovered, the sequence growing."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtGui import QImage

from attnexplorer.experiment.edits.masks import set_scale, toggle_causal
from attnexplorer.experiment.edits.tokens import remove_token
from attnexplorer.experiment.model import Experiment, Layer
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Figure
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.png import figure_image, pixel_size
from attnexplorer.figures.spec import POINTS_PER_INCH, FigureSpec, Sweep

MOST_FRAMES = 200
MOST_PIXELS_IN_ALL = 400_000_000
_LARGEST_SCALE = 4.0
_STEPS = 22
_SHORTEST, _LONGEST = 0.1, 600.0

Stopped = Callable[[], bool]


class Frame(NamedTuple):
    """What one picture of an animation shows, and which share of the time it stays."""

    spec: FigureSpec
    experiment: Experiment
    share: float = 1.0


def gif_bytes(
    spec: FigureSpec,
    experiment: Experiment,
    sweep: Sweep,
    seconds: float = 4.0,
    loop: bool = True,
    stopped: Stopped = lambda: False,
) -> bytes:
    """Return an animation as the bytes of a GIF file; `seconds` is the time of one round.

    Raises
    ------
    FigureError
        If there are too many or too large pictures, or it was stopped.
    """
    try:
        from PIL import Image
    except ImportError:
        raise FigureError("GIF needs the package Pillow, which is not installed") from None
    if not _SHORTEST <= seconds <= _LONGEST:
        raise FigureError(f"the duration is {seconds:g} s, but {_SHORTEST:g} to {_LONGEST:g} s was expected")
    shown = frames(spec, experiment, sweep)
    figures = _one_size([lay_out(replace(frame.spec, transparent=False), frame.experiment) for frame in shown])
    size = pixel_size(figures[0], spec.dpi)
    if size[0] * size[1] * len(figures) > MOST_PIXELS_IN_ALL:
        million = MOST_PIXELS_IN_ALL // 1_000_000
        raise FigureError(
            f"{len(figures)} pictures of {size[0]:,} × {size[1]:,} pixels are more than {million} million pixels"
        )
    pictures = []
    for figure in figures:
        if stopped():
            raise FigureError("the animation was stopped before it was done")
        image = figure_image(figure, figure.points_per_pixel / POINTS_PER_INCH * spec.dpi, size)
        pictures.append(_palette_image(Image, image))
    total = sum(frame.share for frame in shown)
    durations = [max(20, round(seconds * 1000 * frame.share / total / 10) * 10) for frame in shown]
    buffer = io.BytesIO()
    looping = {"loop": 0} if loop else {}
    pictures[0].save(
        buffer,
        "GIF",
        save_all=True,
        append_images=pictures[1:],
        duration=durations,
        disposal=1,
        optimize=False,
        **looping,
    )
    return buffer.getvalue()


def frames(spec: FigureSpec, experiment: Experiment, sweep: Sweep) -> tuple[Frame, ...]:
    """Return what an animation shows, picture by picture."""
    makers = {"scale": _scale_frames, "mask": _mask_frames, "rows": _row_frames, "tokens": _token_frames}
    if sweep not in makers:
        raise FigureError(f"there is no sweep {sweep!r}; there are {', '.join(makers)}")
    found = makers[sweep](spec, experiment)
    if len(found) > MOST_FRAMES:
        raise FigureError(f"the animation would have {len(found):,} pictures, but at most {MOST_FRAMES} are possible")
    return tuple(found)


def _scale_frames(spec: FigureSpec, experiment: Experiment) -> list[Frame]:
    """Sweep the scale from 0 to 4 and back; it rests at 1/√d_k, and the caption says the scale."""
    d_k = _layer(spec, experiment).attention.d_k
    usual = 1.0 / d_k**0.5
    rising = np.unique([0.0, *np.geomspace(1 / (4 * d_k), _LARGEST_SCALE, _STEPS), usual]).tolist()
    factors = [*rising, *rising[-2:0:-1]]
    return [
        Frame(
            replace(spec, caption=_scale_caption(factor, usual, spec)),
            set_scale(experiment, spec.layer, factor),
            4.0 if factor in (0.0, usual, _LARGEST_SCALE) else 1.0,
        )
        for factor in factors
    ]


def _scale_caption(factor: float, usual: float, spec: FigureSpec) -> str:
    text = f"scale × {factor:.3f}".replace(".", spec.decimal_point)
    return f"{text} = 1/√dₖ" if factor == usual else text


def _mask_frames(spec: FigureSpec, experiment: Experiment) -> list[Frame]:
    causal = _layer(spec, experiment).attention.mask.causal
    other = toggle_causal(experiment, spec.layer)
    on, off = (experiment, other) if causal else (other, experiment)
    return [Frame(replace(spec, caption="causal mask off"), off), Frame(replace(spec, caption="causal mask on"), on)]


def _row_frames(spec: FigureSpec, experiment: Experiment) -> list[Frame]:
    rows = len(experiment.query_tokens)
    steps = [Frame(replace(spec, rows_shown=shown), experiment) for shown in range(rows + 1)]
    return [*steps[:-1], steps[-1]._replace(share=3.0)]


def _token_frames(spec: FigureSpec, experiment: Experiment) -> list[Frame]:
    found = [Frame(spec, experiment, 3.0)]
    while len(experiment.query_tokens) > 1:
        experiment = remove_token(experiment, "sequence", len(experiment.query_tokens) - 1)
        found.append(Frame(spec, experiment))
    return found[::-1]


def _layer(spec: FigureSpec, experiment: Experiment) -> Layer:
    if not 0 <= spec.layer < len(experiment.layers):
        raise FigureError(f"there is no layer {spec.layer}; layers count from 0 to {len(experiment.layers) - 1}")
    return experiment.layers[spec.layer]


def _one_size(figures: Sequence[Figure]) -> list[Figure]:
    """Return the figures on canvases of one size, each at its left upper corner."""
    width, height = max(f.width for f in figures), max(f.height for f in figures)
    return [replace(figure, width=width, height=height) for figure in figures]


def _palette_image(module: Any, image: QImage) -> Any:
    converted = image.convertToFormat(QImage.Format.Format_RGB888)
    line, rows = converted.bytesPerLine(), converted.height()
    data = np.frombuffer(converted.constBits(), dtype=np.uint8).reshape(rows, line)[:, : converted.width() * 3]
    picture = module.frombytes("RGB", (converted.width(), rows), np.ascontiguousarray(data).tobytes())
    return picture.quantize(colors=255, method=module.Quantize.MAXCOVERAGE, dither=module.Dither.NONE)
