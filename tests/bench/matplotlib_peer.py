"""matplotlib_peer.py TOKENS WIDTH HEIGHT [MAPS]: images with `set_data`, then `draw` with Agg, a measurement a frame.

Four maps unless another number of them is given, up to six beside one another.
"""

from __future__ import annotations

import itertools
import sys
import time

import numpy as np
from peer import serve


def main() -> None:
    """Serve measurements."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    tokens = int(sys.argv[1])
    width, height = (int(argument) for argument in sys.argv[2:4])
    figure = Figure(figsize=(width / 100, height / 100), dpi=100)
    canvas = FigureCanvasAgg(figure)
    frames = itertools.cycle(np.random.default_rng(1).standard_normal((5, tokens, tokens)))
    images = []
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 4
    across = min(count, 6)
    for place in range(1, count + 1):
        axes = figure.add_subplot(-(-count // across), across, place, title=f"map {place}")
        images.append(axes.imshow(next(frames), cmap="RdBu", vmin=-3, vmax=3, interpolation="nearest"))
    canvas.draw()

    def measure() -> float:
        data = next(frames)
        start = time.perf_counter()
        for image in images:
            image.set_data(data)
        canvas.draw()
        return time.perf_counter() - start

    serve(f"matplotlib {mpl.__version__}", measure)


if __name__ == "__main__":
    main()
