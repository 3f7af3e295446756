"""The laboratory's plots and tables, from what was found for one seed."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from attnexplorer.compute.dot_products import ROW, SPAN, WIDTHS, DotProducts, normal_density
from attnexplorer.figures.axes import Axis, linear_axis, log_axis
from attnexplorer.figures.curves import Plot
from attnexplorer.figures.series import Bins, Colour, Line, Points, Series
from attnexplorer.figures.theme import Theme
from attnexplorer.views.scaling.curve_data import Table

UNSCALED: Colour = "bad"
SCALED: Colour = "accent"
_WIDTH_AXIS = log_axis(0.8, 5120.0, WIDTHS[::4], WIDTHS)
Found = Mapping[int, DotProducts]


def histogram(found: DotProducts, scaled: bool, theme: Theme, decimal_point: str) -> Plot:
    """Return the histogram of q·k, or of q·k/√d_k, with the normal curve of its variance; both on the axis of q·k."""
    stretch = 1.0 / math.sqrt(found.d_k) if scaled else 1.0
    reach = SPAN * math.sqrt(found.d_k)
    edges, heights = found.edges * stretch, found.density / stretch
    variance = 1.0 if scaled else float(found.d_k)
    xs = np.linspace(-SPAN, SPAN, 129) * math.sqrt(variance)
    curve = normal_density(xs, variance)
    top = 1.08 * float(max(heights.max(), curve.max()))
    colour = SCALED if scaled else UNSCALED
    series = (
        Bins(tuple(edges.tolist()), tuple(heights.tolist()), colour),
        Line(tuple(xs.tolist()), tuple(curve.tolist()), "text", dashed=True),
    )
    title = "q·k scaled" if scaled else "q·k"
    caption = f"{'by 1/√dₖ; ' if scaled else ''}dashed: normal curve of variance {variance:,.0f}"
    return Plot(title, linear_axis(-reach, reach, 5, decimal_point), Axis(0.0, top), series, theme, caption)


def variances(found: Found, chosen: int, theme: Theme) -> Plot:
    """Return variance against d_k, both axes logarithmic, unscaled and scaled."""
    series: tuple[Series, ...] = (
        Line((1.0, 4096.0), (1.0, 4096.0), "muted", dashed=True),
        Line((1.0, 4096.0), (1.0, 1.0), "muted", dashed=True),
        _points(found, "variance", UNSCALED, chosen, "q·k"),
        _points(found, "scaled_variance", SCALED, chosen, "q·k/√dₖ"),
    )
    caption = "against dₖ, log axes; dashed: dₖ, 1"
    return Plot("Variance", _WIDTH_AXIS, log_axis(0.5, 8192.0, WIDTHS[::4], WIDTHS), series, theme, caption)


def largest_weights(found: Found, chosen: int, theme: Theme, decimal_point: str) -> Plot:
    """Return the mean of the largest softmax weight against d_k, unscaled and scaled."""
    lines = tuple(
        Line(*_coordinates(found, name), colour) for name, colour in (("largest", UNSCALED), ("scaled_largest", SCALED))
    )
    series: tuple[Series, ...] = (
        *lines,
        _points(found, "largest", UNSCALED, chosen, "q·k"),
        _points(found, "scaled_largest", SCALED, chosen, "q·k/√dₖ"),
    )
    caption = f"of {ROW}, on average, against dₖ"
    return Plot("Largest weight", _WIDTH_AXIS, linear_axis(0.0, 1.0, 2, decimal_point), series, theme, caption)


def histogram_table(found: DotProducts, scaled: bool) -> Table:
    """Return the bins of a histogram: their edges, how many dot products lie in each, and the density."""
    stretch = 1.0 / math.sqrt(found.d_k) if scaled else 1.0
    edges = found.edges * stretch
    columns = (edges[:-1], edges[1:], found.counts.astype(float), found.density / stretch)
    return Table(("from", "to", "count", "density"), tuple(tuple(column.tolist()) for column in columns))


def width_table(found: Found, names: tuple[str, ...]) -> Table:
    """Return numbers against d_k: `names` are those of `DotProducts`."""
    widths = sorted(found)
    columns = [tuple(float(width) for width in widths)]
    columns += [tuple(float(getattr(found[width], name)) for width in widths) for name in names]
    return Table(("d_k", *names), tuple(columns))


def _coordinates(found: Found, name: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    widths = sorted(found)
    return tuple(float(width) for width in widths), tuple(float(getattr(found[width], name)) for width in widths)


def _points(found: Found, name: str, colour: Colour, chosen: int, label: str) -> Points:
    xs, ys = _coordinates(found, name)
    return Points(xs, ys, colour, "circle" if colour == UNSCALED else "square", float(chosen), label)
