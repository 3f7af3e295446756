"""The flow view on paper: queries left, keys right, a line for every weight."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QPainter

from attnexplorer.compute.units import Unit
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.flow import End, Flow, FlowLayout, FlowPicture, flow_layout, paint_flow, readable_threshold
from attnexplorer.figures.kinds import Built, Kind, register
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.theme import position_colour
from attnexplorer.figures.titles import Title

_WIDTH = 380.0
_PITCH = 26.0
_LEAST_PITCH = 3.0
_MARGINS = 8.0
_TALLEST = 1400.0


@dataclass(frozen=True, slots=True)
class FlowPiece:
    """The lines between two columns of tokens."""

    picture: FlowPicture
    layout: FlowLayout

    @property
    def width(self) -> float:
        """The width in pixels."""
        return self.layout.width

    @property
    def height(self) -> float:
        """The height in pixels."""
        return self.layout.height

    def paint(self, painter: QPainter) -> None:
        """Paint the lines and tokens."""
        paint_flow(painter, self.picture, self.layout)


def build_flow(request: Request, fit: Fit) -> Built:
    """Return the lines of one head in the colours of the keys, or of all heads in the colours of the heads."""
    spec, experiment = request.spec, request.experiment
    every = range(experiment.layers[request.layer].attention.heads)
    heads = every if spec.head is None else (request.head,)
    units = tuple(Unit("weights", request.layer, head) for head in heads)
    arrays = request.arrays(units)
    content = request.content(units[0].path)
    weights = tuple(arrays[unit] for unit in units)
    flows = tuple(Flow(matrix, position_colour(head).name()) for head, matrix in zip(heads, weights, strict=True))
    threshold = readable_threshold(weights)
    rows, columns = content.rows, content.columns
    picture = FlowPicture(
        flows, rows, columns, spec.colours, threshold, _isolated(request), by_position=len(heads) == 1
    )
    height = min(_TALLEST, max(content.shape) * _PITCH) * min(1.0, fit.cells) + _MARGINS
    width = _WIDTH if fit.width is None else fit.width
    which = (
        "all heads" if spec.head is None and len(every) > 1 else f"head {request.head + 1}" if len(every) > 1 else ""
    )
    layer = f"layer {request.layer + 1}" if len(experiment.layers) > 1 else ""
    hidden = f"weights below {threshold * 100:g} % left out" if threshold else ""
    words = ", ".join(part for part in ("from query (left) to key", which, layer, hidden) if part)
    return Built(
        FlowPiece(picture, flow_layout(picture, width, height)),
        Title("A", words),
        "Lines from every query to the keys it attends to; the wider, the larger the weight.",
    )


def _isolated(request: Request) -> End | None:
    row = request.spec.row
    if row is None:
        return None
    if not 0 <= row < len(request.experiment.query_tokens):
        raise FigureError(f"there is no row {row}; rows count from 0")
    return End("query", row)


register(Kind("flow", "two columns of tokens, a line for every weight", build_flow))
