"""What the scale does to one row: the bars with and without it, and how spread the row is under every scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtGui import QPainter

from attnexplorer.compute.explaining.context import token_label
from attnexplorer.compute.numbers import significant_text
from attnexplorer.compute.scale_curves import ScaleCurves, curve_factors, scale_curves
from attnexplorer.compute.scaling import row_at_scale, scaling_units
from attnexplorer.figures.axes import Axis, Tick, linear_axis
from attnexplorer.figures.bars import Bar, BarsLayout, BarsPicture, label_column, paint_bars
from attnexplorer.figures.curves import Marker, Plot, PlotLayout, paint_plot
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Piece, beside, stacked
from attnexplorer.figures.kinds import Built, Kind, register
from attnexplorer.figures.request import Fit, Request
from attnexplorer.figures.series import Line
from attnexplorer.figures.titles import Title

_LARGEST = 4.0
_WIDTH = 560.0
_FOOT = 0.06
_PLOT_HEIGHT = 150.0
_BAR_PIXELS = 12.0


@dataclass(frozen=True, slots=True)
class BarsPiece:
    """Stacked bars."""

    picture: BarsPicture
    layout: BarsLayout

    @property
    def width(self) -> float:
        """The width in pixels."""
        return self.layout.width

    @property
    def height(self) -> float:
        """The height in pixels."""
        return self.layout.height(len(self.picture.bars))

    def paint(self, painter: QPainter) -> None:
        """Paint the bars."""
        paint_bars(painter, self.picture, self.layout)


@dataclass(frozen=True, slots=True)
class PlotPiece:
    """A plot with axes."""

    plot: Plot
    layout: PlotLayout

    @property
    def width(self) -> float:
        """The width in pixels."""
        return self.layout.width

    @property
    def height(self) -> float:
        """The height in pixels."""
        return self.layout.height

    def paint(self, painter: QPainter) -> None:
        """Paint the plot."""
        paint_plot(painter, self.plot, self.layout)


def build_scaling(request: Request, fit: Fit) -> Built:
    """Return bars of one row under three scales, and its metrics under all scales."""
    row = scaled_row(request)
    width = _WIDTH if fit.width is None else max(_WIDTH * 0.4, fit.width)
    bars = _bars(request, row, width)
    plots = _plots(request, row, (width - 24.0) / 2)
    token = token_label(request.experiment.query_tokens, row)
    head = f", head {request.head + 1}" if request.experiment.layers[request.layer].attention.heads > 1 else ""
    words = f"the row of “{token}” with and without √dₖ{head}"
    pieces: list[Piece] = [bars, beside(plots, 24.0)]
    return Built(
        stacked(pieces, 16.0), Title("Scaling", words), "Bars of softmax weights under three scales, and curves."
    )


def scaled_row(request: Request) -> int:
    """Return the row that is looked at, the last one unless another is asked for."""
    rows = len(request.experiment.query_tokens)
    row = rows - 1 if request.spec.row is None else request.spec.row
    if not 0 <= row < rows:
        raise FigureError(f"there is no row {row}; rows count from 0 to {rows - 1}")
    return row


def _bars(request: Request, row: int, width: float) -> BarsPiece:
    experiment, layer, head, spec = request.experiment, request.layer, request.head, request.spec
    arrays = request.arrays(scaling_units(experiment, layer, head))
    attention = experiment.layers[layer].attention
    bars = []
    for factor, label in _compared(request):
        shown = row_at_scale(experiment, arrays.__getitem__, layer, head, row, factor)
        chosen = factor == attention.scale_factor
        if shown.finite:
            bars.append(Bar(label, tuple(shown.weights.tolist()), chosen))
        else:
            bars.append(Bar(label, None, chosen, "not a number: the scores become infinite"))
    tokens = experiment.key_tokens
    names = tuple(token_label(tokens, key) for key in range(len(tokens)))
    layout = BarsLayout(width, label_column([bar.label for bar in bars], _BAR_PIXELS), 22.0, 6.0, _BAR_PIXELS)
    return BarsPiece(BarsPicture(tuple(bars), names, spec.colours, spec.decimal_point), layout)


def _compared(request: Request) -> list[tuple[float, str]]:
    """Return the scales of the bars with their labels: 1/√d_k, none, and the one that is set or else 4."""
    attention = request.experiment.layers[request.layer].attention
    usual, chosen = 1.0 / math.sqrt(attention.d_k), attention.scale_factor
    found = [(usual, "× 1/√dₖ"), (1.0, "× 1")] if attention.d_k > 1 else [(1.0, "× 1 = 1/√dₖ")]
    third = _LARGEST if any(math.isclose(chosen, factor) for factor, _ in found) else chosen
    return [*found, (third, f"× {significant_text(third, 3, request.spec.decimal_point).removesuffix('.00')}")]


def _plots(request: Request, row: int, width: float) -> list[PlotPiece]:
    experiment, layer, head = request.experiment, request.layer, request.head
    attention = experiment.layers[layer].attention
    arrays = request.arrays(scaling_units(experiment, layer, head))
    smallest = 1.0 / (4.0 * attention.d_k)
    factors = curve_factors(smallest, _LARGEST, 160, 12, (attention.scale_factor,))
    curves = scale_curves(experiment, arrays.__getitem__, layer, head, row, factors)
    return [
        _plot(request, curves, "largest weight", "of the row", curves.largest.tolist(), 1.0, width),
        _plot(request, curves, "gradient left", "norm of the Jacobian", curves.gradient.tolist(), None, width),
    ]


def _plot(
    request: Request, curves: ScaleCurves, title: str, caption: str, ys: list[float], high: float | None, width: float
) -> PlotPiece:
    spec = request.spec
    attention = request.experiment.layers[request.layer].attention
    chosen = attention.scale_factor
    at = int(abs(curves.factors - min(chosen, _LARGEST)).argmin())
    finite = [y for y in ys if math.isfinite(y)]
    y_axis = linear_axis(0.0, high or (max(finite, default=1.0) * 1.05 or 1.0), decimal_point=spec.decimal_point)
    line = Line(tuple(curves.factors.tolist()), tuple(ys))
    value = significant_text(ys[at], 3, spec.decimal_point)
    marker = Marker(float(curves.factors[at]), ys[at])
    plot = Plot(title, _scale_axis(attention.d_k), y_axis, (line,), spec.colours, caption, value, marker=marker)
    return PlotPiece(plot, PlotLayout(width, _PLOT_HEIGHT, 12.0))


def _scale_axis(d_k: int) -> Axis:
    usual = 1.0 / math.sqrt(d_k)
    ticks = [Tick(usual, ("1/√dₖ",)), Tick(0.0, ("0",)), Tick(_LARGEST, ("4",))]
    if d_k > 1:
        ticks.append(Tick(1.0, ("1",)))
    return Axis(1.0 / (4.0 * d_k), _LARGEST, "log", _FOOT, tuple(ticks))


register(Kind("scaling", "one row of softmax with and without the scale", build_scaling, needs=("scores",)))
