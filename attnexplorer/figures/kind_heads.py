"""All heads of a layer side by side, one stage of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from attnexplorer.compute.numbers import shape_text
from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Per
from attnexplorer.figures.colour_bar import ColourBar
from attnexplorer.figures.colours import ColourScale
from attnexplorer.figures.comparison import compared
from attnexplorer.figures.content import MatrixContent
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Faded, Piece, beside, grid
from attnexplorer.figures.head_grid_painting import FADED
from attnexplorer.figures.kind_matrix import matrix_panel, natural_cell
from attnexplorer.figures.kinds import Built, Kind, register
from attnexplorer.figures.matrix import CellSize
from attnexplorer.figures.matrix_figure import LabelChoice, MatrixPanel, heading_line, smallest_numbers
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.titles import Title, matrix_title

_GAP = 18.0
_MAP = 190.0
_HEADING_PIXELS = 13.0
_NUMBERS_UP_TO = 12
"""So many rows or columns can have numbers: of more, the figure would be larger than a desk."""


def build_heads(request: Request, fit: Fit, stage: str | None = None) -> Built:
    """Return a grid of one stage of every head; names of tokens stand at its left and upper edges."""
    spec, experiment = request.spec, request.experiment
    stage = stage or spec.stage
    request.check_stage(stage)
    heads = _heads(request, stage)
    contents = shared_colours(_contents(request, [request.path_of_head(stage, head) for head in heads]))
    rows, width = contents[0].shape
    too_many = max(rows, width) > _NUMBERS_UP_TO
    natural = natural_cell(contents[0], spec.numbers and not too_many, 1.0, _MAP)
    cell = CellSize(natural.width * fit.cells, natural.height * fit.cells)
    tile = width * cell.width + _GAP, rows * cell.height + _GAP + _HEADING_PIXELS
    columns = columns_for(len(heads)) if fit.aspect is None else _columns_within(fit, len(heads), *tile)
    in_all = sum(content.shape[0] * content.shape[1] for content in contents)
    panels: list[MatrixPanel] = []
    pieces: list[Piece] = []
    attention = experiment.layers[request.layer].attention
    shared = stage in ("key", "value", "key_rotated", "W_K", "W_V") and attention.kv_heads < attention.heads
    tile_noun = "KV head" if shared else "head"
    for place, (head, content) in enumerate(zip(heads, contents, strict=True)):
        panel = matrix_panel(content, replace(spec, colour_bar=False), cell, in_all)
        muted = head in _muted(request, stage)
        name = f"{tile_noun} {head + 1}{' (muted)' if muted else ''}"
        heading = heading_line("", name, spec.colours.text, spec.colours.text, _HEADING_PIXELS / 0.68)
        names: LabelChoice = "names" if spec.labels else "none"
        colours: LabelChoice = "colours" if spec.labels else "none"
        panel = replace(
            panel,
            heading=heading,
            heading_above_cells=True,
            row_labels=names if place % columns == 0 else colours,
            column_labels=names if place < columns else colours,
        )
        panels.append(panel)
        pieces.append(Faded(panel, FADED) if muted else panel)
    title = matrix_title(experiment, request.path_of_head(stage, 0))
    layer = f", layer {request.layer + 1}" if len(experiment.layers) > 1 else ""
    layer += "" if spec.shown == "B" else f", {spec.shown.replace('-', ' − ')}"
    noun = "key and value head" if stage in ("key", "value", "key_rotated", "W_K", "W_V") else "head"
    words = f"{title.words} of {len(heads)} {noun}{'' if len(heads) == 1 else 's'}{layer}"
    whole: Piece = grid(pieces, columns, _GAP)
    if spec.colour_bar:
        picture = contents[0].picture
        height = max(60.0, min(220.0, whole.height))
        whole = beside([whole, ColourBar(picture.scale, picture.theme, height, spec.decimal_point)], _GAP, "end")
    described = f"{len(heads)} heatmaps, one a head."
    return Built(whole, Title(title.symbol, words), described, smallest_numbers(panels, too_many=too_many))


def _heads(request: Request, stage: str) -> list[int]:
    """Return the heads that are shown, in their order; a stage that heads share is shown whole."""
    heads, wanted = request.heads(stage), request.spec.heads
    if not heads:
        raise FigureError(f"{stage} has no heads: there is one for the whole layer, or none at all")
    if not wanted or _is_shared(stage):
        return list(heads)
    for head in wanted:
        if head not in heads:
            raise FigureError(f"there is no head {head}; there are {len(heads)}, counted from 0")
    return list(wanted)


def _is_shared(stage: str) -> bool:
    return stage in ("W_K", "W_V", "b_K", "b_V") or (stage in STAGES and STAGES[stage].per is Per.KV_HEAD)


def _muted(request: Request, stage: str) -> tuple[int, ...]:
    """Return the heads that are muted; keys and values are those of several heads, muted or not."""
    return () if _is_shared(stage) else request.experiment.layers[request.layer].attention.muted_heads


def _contents(request: Request, paths: Sequence[str]) -> list[MatrixContent]:
    """Return matrices of B, or where there is an A, what is wanted of the two."""
    shown = request.spec.shown
    contents = [request.content(path) for path in paths]
    if shown == "B":
        return contents
    if request.other is None:
        raise FigureError("a comparison needs a second experiment")
    base = request.with_experiment(request.other)
    pairs = [(base.content(path), content) for path, content in zip(paths, contents, strict=True)]
    for a, b in pairs:
        if a.shape != b.shape:
            shapes = f"{shape_text(*a.shape)} in A, but {shape_text(*b.shape)} in B"
            raise FigureError(f"the two cannot be compared: {a.path} is {shapes}")
    return [compared(a, b, shown) for a, b in pairs]


def shared_colours(contents: Sequence[MatrixContent]) -> list[MatrixContent]:
    """Return matrices with one colour scale that holds them all; weights have theirs already."""
    pictures = [content.picture for content in contents]
    if pictures[0].scale.kind == "sequential":
        return list(contents)
    limit = max(picture.scale.high for picture in pictures)
    scale = ColourScale("diverging", -limit, limit)
    return [replace(c, picture=replace(c.picture, scale=scale, _memo={})) for c in contents]


def columns_for(count: int) -> int:
    """Return how many panels stand beside one another: a block rather wide than high, with few places left empty."""
    least = math.ceil(math.sqrt(count))
    return min(range(least, min(count, 2 * least) + 1), key=lambda columns: (-count % columns, columns))


def _columns_within(fit: Fit, count: int, width: float, height: float) -> int:
    """Return with how many panels beside one another they become largest in the room; the fuller block of equals."""

    def scale(columns: int) -> float:
        return fit.scale_of(columns * width, math.ceil(count / columns) * height)

    return max(range(1, count + 1), key=lambda columns: (round(scale(columns), 9), -(-count % columns)))


register(Kind("heads", "all heads of a layer side by side", build_heads))
