"""Animations, GIF or WebP: the scale swept, the mask switched, rows uncovered, the sequence growing."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from PySide6.QtGui import QImage

from attnexplorer.compute.progress import Step, silent
from attnexplorer.experiment.captured import Capture
from attnexplorer.experiment.edits.masks import set_scale, toggle_causal
from attnexplorer.experiment.edits.tokens import remove_token
from attnexplorer.experiment.model import Experiment, Layer
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Figure
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.png import figure_image, pixel_size
from attnexplorer.figures.spec import POINTS_PER_INCH, SWEEPS, FigureSpec, Sweep

AnimationFormat = Literal["gif", "webp"]
MOST_FRAMES = 200
MOST_PIXELS_IN_ALL: dict[AnimationFormat, int] = {"gif": 400_000_000, "webp": 130_000_000}
"""All pictures are in memory until the file is made: a byte a pixel in a GIF, three in a WebP."""
_LARGEST_SCALE = 4.0
_STEPS = 22
_SHORTEST, _LONGEST = 0.1, 600.0
_MOST_LOOPS = 1000
_LARGEST_WEBP_SIDE = 16_383


class Frame(NamedTuple):
    """What one picture of an animation shows, and which share of the time it stays."""

    spec: FigureSpec
    experiment: Experiment
    share: float = 1.0


class Motion(NamedTuple):
    """What moves, for how many seconds until it begins again, and how often it is played; 0: for ever."""

    sweep: Sweep = "scale"
    seconds: float = 4.0
    loops: int = 0


class Extent(NamedTuple):
    """How large an animation is: pictures, their size in pixels, and about how many bytes the file will have."""

    frames: int
    width: int
    height: int
    size: int


def animation_bytes(
    form: AnimationFormat, spec: FigureSpec, experiment: Experiment, motion: Motion, step: Step = silent
) -> bytes:
    """Return an animation as the bytes of a file.

    Raises
    ------
    FigureError
        If there are too many or too large pictures.
    """
    module = _pillow(form)
    _check_motion(motion)
    shown = frames(spec, experiment, motion.sweep)
    figures, size = _drawn(form, spec, shown)
    pictures = []
    for done, figure in enumerate(figures):
        step(done, len(figures))
        pictures.append(_picture(module, form, figure, spec.dpi, size))
    step(len(figures), len(figures))
    return _encoded(form, pictures, _durations(shown, motion.seconds), motion.loops)


def animation_extent(form: AnimationFormat, spec: FigureSpec, experiment: Experiment, sweep: Sweep) -> Extent:
    """Return how large an animation will be, judged by one of its pictures.

    Raises
    ------
    FigureError
        As for `animation_bytes`.
    """
    module = _pillow(form)
    shown = frames(spec, experiment, sweep)
    middle = shown[len(shown) // 2]
    figures, size = _drawn(form, spec, (shown[0], middle, shown[-1]), len(shown))
    one = _encoded(form, [_picture(module, form, figures[1], spec.dpi, size)], [100], 0)
    return Extent(len(shown), *size, len(one) * len(shown))


def _pillow(form: AnimationFormat) -> Any:
    try:
        from PIL import Image, features
    except ImportError:
        raise FigureError(f"{form.upper()} needs the package Pillow, which is not installed") from None
    if form == "webp" and not features.check("webp"):
        raise FigureError("this build of the package Pillow cannot write WebP")
    return Image


def _check_motion(motion: Motion) -> None:
    if not _SHORTEST <= motion.seconds <= _LONGEST:
        raise FigureError(f"the duration is {motion.seconds:g} s, but {_SHORTEST:g} to {_LONGEST:g} s was expected")
    if not 0 <= motion.loops <= _MOST_LOOPS:
        raise FigureError(f"the animation would be played {motion.loops} times, but at most {_MOST_LOOPS} are possible")


def _drawn(
    form: AnimationFormat, spec: FigureSpec, shown: Sequence[Frame], count: int | None = None
) -> tuple[list[Figure], tuple[int, int]]:
    """Return the figures on canvases of one size, and that size in pixels; `count` of them are there in all."""
    figures = _one_size([lay_out(replace(frame.spec, transparent=False), frame.experiment) for frame in shown])
    size = pixel_size(figures[0], spec.dpi)
    count = len(figures) if count is None else count
    if size[0] * size[1] * count > MOST_PIXELS_IN_ALL[form]:
        million = MOST_PIXELS_IN_ALL[form] // 1_000_000
        pictures = f"{count} pictures of {size[0]:,} × {size[1]:,} pixels"
        raise FigureError(f"{pictures} are more than {million} million pixels")
    if form == "webp" and max(size) > _LARGEST_WEBP_SIDE:
        raise FigureError(f"the side of a WebP is at most {_LARGEST_WEBP_SIDE:,} pixels")
    return figures, size


def _durations(shown: Sequence[Frame], seconds: float) -> list[int]:
    """Return the milliseconds of each picture, in whole hundredths of a second."""
    total = sum(frame.share for frame in shown)
    return [max(20, round(seconds * 1000 * frame.share / total / 10) * 10) for frame in shown]


def _encoded(form: AnimationFormat, pictures: Sequence[Any], durations: Sequence[int], loops: int) -> bytes:
    buffer = io.BytesIO()
    settings: dict[str, Any] = {"save_all": True, "append_images": pictures[1:], "duration": list(durations)}
    if form == "webp":
        # Lossless: cells keep their hard edges, and numbers stay readable.
        settings |= {"lossless": True, "quality": 40, "method": 2, "loop": loops}
    else:
        settings |= {"disposal": 1, "optimize": False} | _gif_loops(loops)
    pictures[0].save(buffer, form.upper(), **settings)
    return buffer.getvalue()


def _gif_loops(loops: int) -> dict[str, int]:
    """A GIF counts how often it is repeated, and without a count is played once."""
    if loops == 0:
        return {"loop": 0}
    return {} if loops == 1 else {"loop": loops - 1}


def frames(spec: FigureSpec, experiment: Experiment, sweep: Sweep) -> tuple[Frame, ...]:
    """Return what an animation shows, picture by picture."""
    makers = {"scale": _scale_frames, "mask": _mask_frames, "rows": _row_frames, "tokens": _token_frames}
    if sweep not in makers:
        raise FigureError(f"there is no sweep {sweep!r}; there are {', '.join(makers)}")
    if sweep not in sweeps_of(experiment):
        possible = ", ".join(sweeps_of(experiment))
        raise FigureError(f"nothing here makes captured weights, so there is no sweep {sweep}; there is {possible}")
    found = makers[sweep](spec, experiment)
    if len(found) > MOST_FRAMES:
        raise FigureError(f"the animation would have {len(found):,} pictures, but at most {MOST_FRAMES} are possible")
    return tuple(found)


def sweeps_of(experiment: Experiment) -> tuple[Sweep, ...]:
    """Return what an animation can vary: of captured weights nothing but how many rows are uncovered."""
    return ("rows",) if isinstance(experiment, Capture) else SWEEPS


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


def _picture(module: Any, form: AnimationFormat, figure: Figure, dpi: float, size: tuple[int, int]) -> Any:
    image = figure_image(figure, figure.points_per_pixel / POINTS_PER_INCH * dpi, size)
    picture = _plain_picture(module, image)
    if form == "webp":
        return picture
    return picture.quantize(colors=255, method=module.Quantize.MAXCOVERAGE, dither=module.Dither.NONE)


def _plain_picture(module: Any, image: QImage) -> Any:
    converted = image.convertToFormat(QImage.Format.Format_RGB888)
    line, rows = converted.bytesPerLine(), converted.height()
    data = np.frombuffer(converted.constBits(), dtype=np.uint8).reshape(rows, line)[:, : converted.width() * 3]
    return module.frombytes("RGB", (converted.width(), rows), np.ascontiguousarray(data).tobytes())
