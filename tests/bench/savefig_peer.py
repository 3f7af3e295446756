"""savefig_peer.py FORM WIDTH HEIGHT MAPS: heatmaps from an .npy file, written by `savefig`, a measurement a file.

Width and height are points. The figure is made beforehand: only `savefig` is timed. The maps are images, which is the
fastest that it has for them.
"""

from __future__ import annotations

import io
import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peer import serve

DPI = 300


def main() -> None:
    """Serve measurements; the introduction ends with the number of bytes of the file."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    form, width, height = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    figure = Figure(figsize=(width / 72, height / 72))
    FigureCanvasAgg(figure)
    draw(figure, np.load(sys.argv[4], allow_pickle=False))

    def saved() -> bytes:
        file = io.BytesIO()
        figure.savefig(file, format=form, dpi=DPI)
        return file.getvalue()

    def measure() -> float:
        start = time.perf_counter()
        saved()
        return time.perf_counter() - start

    serve(f"matplotlib {mpl.__version__}, bytes: {len(saved())}", measure)


def draw(figure: Any, maps: NDArray[np.float64]) -> None:
    """Draw one map with its numbers, or several beside one another with names at the edges only."""
    columns = 4 if len(maps) > 1 else 1
    axes = figure.subplots(-(-len(maps) // columns), columns, squeeze=False)
    names = [f"t{position + 1}" for position in range(maps.shape[1])]
    figure.suptitle("A  attention weights")
    for head, (place, values) in enumerate(zip(axes.flat, maps, strict=True)):
        place.imshow(values, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
        left, upper = head % columns == 0, head < columns
        place.tick_params(length=0, labelsize=6, labelleft=left, labeltop=upper, labelbottom=False)
        place.set_xticks(range(len(names)), names, rotation=90 if len(maps) > 1 else 0)
        place.set_yticks(range(len(names)), names)
        if len(maps) > 1:
            place.set_title(f"head {head + 1}", fontsize=8)
            continue
        for row, column in np.ndindex(values.shape):
            colour = "white" if values[row, column] > 0.5 else "black"
            place.text(column, row, f"{values[row, column]:.2f}", ha="center", va="center", fontsize=7, color=colour)


if __name__ == "__main__":
    main()
