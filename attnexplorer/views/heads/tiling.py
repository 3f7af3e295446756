"""From what is to be seen to the tiles of all heads, and in words what their colours stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Unit
from attnexplorer.document.viewpoint import Viewpoint
from attnexplorer.figures.colours import ColourScale
from attnexplorer.figures.head_grid import Metric, Tile
from attnexplorer.figures.matrix import MatrixPicture
from attnexplorer.figures.theme import position_colour
from attnexplorer.views.heads.choices import Choices, Colouring
from attnexplorer.views.heads.head_numbers import HeadNumbers
from attnexplorer.views.heads.mixing import Mixing
from attnexplorer.views.heads.tiles import PictureStyle, TilePictures, limits_text, metric_list, scales_of

Place = tuple[int, int]
"""A layer, and the head of it that is chosen."""


class Tiling:
    """Makes tiles; pictures whose numbers have not changed are kept."""

    def __init__(self, viewpoint: Viewpoint, numbers: HeadNumbers, mixing: Mixing) -> None:
        self._viewpoint, self._numbers, self._mixing = viewpoint, numbers, mixing
        self._pictures = TilePictures()
        self.fixed = False
        """Whether no head can ever be muted here."""

    def colouring(self, choices: Choices) -> Colouring:
        """Return how the shown stage, or its difference, is coloured."""
        return choices.colouring(differing=self._viewpoint.base is not None)

    def scales(self, evaluation: Evaluation, layer: int, choices: Choices) -> dict[int, ColourScale]:
        """Return the colour scale of every head; scores of A, of B and their difference share theirs."""
        others: list[Array] = []
        if choices.stage != "weights":
            both = self._viewpoint.compared
            others = [array for each in both for array in _arrays_of(each, layer, choices.stage).values()]
        return scales_of(_arrays_of(evaluation, layer, choices.stage), self.colouring(choices), others)

    def tiles(
        self,
        evaluation: Evaluation,
        place: Place,
        order: Sequence[int],
        choices: Choices,
        scales: Mapping[int, ColourScale],
        style: PictureStyle,
        *,
        dotted: bool,
    ) -> tuple[Tile, ...]:
        """Return a tile for every head in an order, and that of the mean where it is chosen."""
        pictures = self._pictures.of_heads(evaluation, place[0], scales, choices.stage, style)
        mark = style.numbers.decimal_point
        soloed = self._mixing.soloed(place[0])
        shown = [self._tile(evaluation, place, each, pictures.get(each), soloed, mark, dotted=dotted) for each in order]
        if choices.with_mean:
            differing = self._viewpoint.base is not None
            mean = self._pictures.of_mean(evaluation, place[0], style, differing=differing)
            shown.append(Tile(f"mean of {len(order)}", mean, mixing=False))
        return tuple(shown)

    def told(self, layer: int, choices: Choices, scales: Mapping[int, ColourScale], style: PictureStyle) -> str:
        """Return what the colours stand for, or why there is nothing to be shown."""
        obstacle = self._viewpoint.obstacle(Unit(choices.stage, layer, 0))
        experiment = self._viewpoint.evaluation.experiment
        heads = range(experiment.layers[layer].attention.heads)
        same = "" if obstacle else self._viewpoint.same([Unit(choices.stage, layer, head) for head in heads])
        text = obstacle or same or limits_text(scales, self.colouring(choices), style.numbers.decimal_point)
        if style.pool > 1:
            text += f" · every dot of a small map is the largest of {style.pool} × {style.pool} numbers"
        return text

    def _tile(
        self,
        evaluation: Evaluation,
        place: Place,
        head: int,
        picture: MatrixPicture | None,
        soloed: frozenset[int],
        decimal_point: str,
        *,
        dotted: bool,
    ) -> Tile:
        layer, chosen = place
        attention = evaluation.experiment.layers[layer].attention
        kv_head = attention.kv_head_of(head)
        return Tile(
            str(head + 1),
            picture,
            self._metrics(head, decimal_point, two_sequences=evaluation.experiment.source is not None),
            f"KV {kv_head + 1}" if attention.kv_heads < attention.heads else "",
            kv_head,
            head in attention.muted_heads,
            head in soloed,
            head == chosen,
            fixed=self.fixed or bool(self._viewpoint.held),
            dot=position_colour(head).name() if dotted else "",
        )

    def _metrics(self, head: int, decimal_point: str, *, two_sequences: bool) -> tuple[Metric, ...]:
        return metric_list(
            self._numbers.metrics(head),
            decimal_point,
            two_sequences=two_sequences,
            signed=self._viewpoint.base is not None,
            missing="–" if self._numbers.complete else "…",
        )


def _arrays_of(evaluation: Evaluation, layer: int, stage: str) -> dict[int, Array]:
    """Return the arrays of a stage by head, as far as they are evaluated."""
    layers = evaluation.experiment.layers
    heads = range(layers[layer].attention.heads) if layer < len(layers) else ()
    arrays = ((head, evaluation.arrays.get(Unit(stage, layer, head))) for head in heads)
    return {head: array for head, array in arrays if array is not None}
