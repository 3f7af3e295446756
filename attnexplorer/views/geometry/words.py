"""What the Geometry workspace says about the plane: names of axes, what is shown, and what is not."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attnexplorer.compute.numbers import percent
from attnexplorer.compute.planes import Plane
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.plane_vectors import NAMES
from attnexplorer.views.geometry.vectors import Rows


def axis_names(plane: Plane, decimal_point: str) -> tuple[str, str]:
    """Return the names of the two directions, components with their share of the squared length."""
    if plane.axes is not None:
        first, second = plane.axes
        return f"axis {first + 1}", "" if first == second else f"axis {second + 1}"
    shares = ("" if math.isnan(it) else f", {percent(it, 0, decimal_point)}" for it in plane.shares)
    first_name, second_name = (f"component {n}{share}" for n, share in enumerate(shares, start=1))
    return first_name, second_name


def caption(
    experiment: Experiment, place: tuple[int, int], rows: Sequence[Rows], plane: Plane | None, decimal_point: str
) -> str:
    """Return what is drawn, and how much of it can be seen where there are more than two directions."""
    if plane is None:
        return "nothing is switched on"
    layer, head = place
    names = ", ".join(NAMES[r.kind] for r in rows)
    names += f", head {head + 1}" if experiment.layers[layer].attention.heads > 1 else ""
    names += f", layer {layer + 1}" if len(experiment.layers) > 1 else ""
    if rows[0].width <= 2 or math.isnan(plane.share):
        # Of vectors that are all 0 no part lies anywhere.
        return names
    return f"{names} · this plane holds {percent(plane.share, 0, decimal_point)} of the squared length of the arrows"


def elsewhere_text(rows: Sequence[Rows], width: int, accent: str) -> str:
    """Return why some vectors are not in the plane, with a link (to their kind) that shows them alone."""
    return " ".join(
        f"{r.letter} has {_count(r.width)}, not {width}, and is not in this plane: "
        f'<a style="color:{accent}" href="{r.kind}">show {r.letter} alone</a>.'
        for r in rows
    )


def _count(width: int) -> str:
    return "1 number" if width == 1 else f"{width} numbers"
