"""Heads, Scaling and Geometry at work: what an edit or a step of the scale makes them paint, and the floor of that."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from floor import Stages, images_of
from measuring import Row, Run, interleaved
from peer import MATPLOTLIB, Peer
from PySide6.QtWidgets import QWidget
from real_window import EDITED, PaintCount, RealWindow, Size
from workspace_floor import AllHeads, MapImage, MetricTexts, PlaneImage

from attnexplorer.figures.fonts import font
from attnexplorer.figures.matrix import CellSize
from attnexplorer.figures.plane import arrow_labels

EDITS = {name: (Size(16, 64, 4), Size(64, 256, 8), Size(512, 768, 12)) for name in ("heads", "scaling", "geometry")}
DRAGS = {name: (Size(16, 64, 4), Size(64, 256, 16), Size(512, 768, 12)) for name in ("heads", "scaling")}
REACH = 1.5
FRAME = 16.0
FRAMES_A_SECOND = {64: 60.0, 512: 20.0}
SCALE = "layers.0.attention.scale"
STEPS, BURST = 100, 20
_MOST_MEASURED = 128
"""Maps of more tokens get their metrics only when the drag has come to rest."""


def edit_rows(quick: bool) -> Iterator[Row]:
    """Measure one number of W_Q set, in every other workspace."""
    for name, sizes in EDITS.items():
        for size in sizes[: 2 if quick else None]:
            side = sides(name, size, drag=False)
            runs = {"window": side.edit(), "floor": side.floor_of_edit()}
            times = interleaved(runs, 15 if quick else 41)
            notes = {"numbers": side.numbers, "within_a_frame": times["window"].median <= FRAME}
            yield Row("P1", f"{name}, {size}", times["window"], "floor", times["floor"], REACH, notes)
            side.shown.close()


def drag_rows(quick: bool) -> Iterator[Row]:
    """Measure the steps of a drag of the scale where it changes what is shown."""
    for name, sizes in DRAGS.items():
        for size in sizes[: 2 if quick else None]:
            side = sides(name, size, drag=True)
            yield from _drag_rows(name, size, side)
            side.shown.close()


def _drag_rows(name: str, size: Size, side: Side) -> Iterator[Row]:
    area = side.painted[0]
    with Peer(MATPLOTLIB, "matplotlib_peer.py", size.tokens, area.width(), area.height(), len(side.heads)) as peer:
        runs = {"window": side.drag(STEPS), "floor": side.floor_of_drag()}
        if peer.introduction:
            runs["matplotlib"] = peer.run
        times = interleaved(runs, STEPS, burst=BURST)
    rate, wanted = 1e3 / times["window"].median, FRAMES_A_SECOND.get(size.tokens)
    notes = {
        "frames_a_second": rate,
        "wanted": wanted,
        "reached": None if wanted is None else rate >= wanted,
        "maps": len(side.heads),
        "numbers": side.numbers,
    }
    yield Row("P2", f"{name}, {size}", times["window"], "floor", times["floor"], REACH, notes)
    if "matplotlib" in times:
        about = {"peer": peer.introduction}
        yield Row("P2", f"{name}, {size}", times["window"], "matplotlib", times["matplotlib"], 1 / 20, about)


@dataclass(slots=True)
class Side:
    """One workspace in a real window: the widgets that an edit must paint, and what the floor draws."""

    shown: RealWindow
    painted: tuple[QWidget, ...]
    heads: tuple[int, ...]
    draw: Callable[[AllHeads], None]
    numbers: int

    def edit(self) -> Run:
        """Return what sets one number of W_Q and waits for the pixels."""
        values = itertools.cycle((0.25, 0.5, -0.25, -0.5, 0.125))
        return self._run(lambda: self.shown.document.set_cell(EDITED, 0, 0, next(values)))

    def drag(self, steps: int) -> Run:
        """Return what takes the next step of a drag of the scale, by the very call of the slider."""
        document = self.shown.document
        factors = itertools.cycle(np.linspace(0.05, 1.5, steps).tolist())
        gesture = document.new_gesture()
        return self._run(lambda: document.set_value(SCALE, next(factors), "Set scale", gesture))

    def floor_of_edit(self) -> Run:
        """Return the floor of the edit."""
        heads = AllHeads(self.shown.document.experiment)
        values = itertools.cycle((0.25, 0.5, -0.25))

        def run() -> float:
            start = time.perf_counter()
            heads.W_Q[0][0, 0] = next(values)
            heads.from_query()
            self.draw(heads)
            return time.perf_counter() - start

        return run

    def floor_of_drag(self) -> Run:
        """Return the floor of a step."""
        heads = AllHeads(self.shown.document.experiment)

        def run() -> float:
            start = time.perf_counter()
            heads.scale = heads.scale * 1.01 if heads.scale < 1.5 else 0.05
            heads.from_scale(self.heads)
            self.draw(heads)
            return time.perf_counter() - start

        return run

    def _run(self, change: Callable[[], object]) -> Run:
        counts = [PaintCount(widget) for widget in self.painted]

        def run() -> float:
            start = time.perf_counter()
            change()
            self.shown.until_painted(counts)
            return time.perf_counter() - start

        return run


def sides(name: str, size: Size, *, drag: bool) -> Side:
    """Show a workspace, and find out what is in sight of it."""
    shown = RealWindow(size)
    shown.window.show_workspace(name)
    shown.rest(1.0)
    made = {"heads": _heads, "scaling": _scaling, "geometry": _geometry}[name]
    return made(shown, shown.window.workspaces[name].widget, drag)


def _heads(shown: RealWindow, workspace: Any, drag: bool) -> Side:
    canvas = workspace.canvas
    grid, layout = canvas.grid.grid, canvas.grid.grid_layout
    region = canvas.grid.visibleRegion()
    heads = tuple(k for k, _ in enumerate(grid.tiles) if drag or k == 0 if region.intersects(layout.tile_rect(k)))
    tokens = len(shown.document.experiment.query_tokens)
    cell = CellSize(layout.cell, layout.cell)
    maps = {head: MapImage(grid.tiles[head].picture, cell, layout.pool) for head in heads}
    metrics = MetricTexts(tokens, font("number", 10), layout.tile_width) if tokens <= _MOST_MEASURED else None
    outputs = _seen(canvas.output)
    large = images_of([canvas.map.table], Stages(shown.document.experiment)) if _seen(canvas.map.table) else []

    def draw(arrays: AllHeads) -> None:
        for head in heads:
            maps[head].draw(arrays.weights[head])
            if metrics is not None:
                metrics.draw(arrays.weights[head])
        if outputs:
            arrays.write(heads)
        for image in large:
            image.draw()

    numbers = sum(it.numbers for it in (*maps.values(), *large))
    return Side(shown, (canvas.grid,), heads, draw, numbers)


def _scaling(shown: RealWindow, workspace: Any, drag: bool) -> Side:
    maps = workspace.comparison.maps
    frame = maps.frame()
    # A drag changes the map in the middle only; an edit of the scores changes all three.
    changed = [it for it in maps.maps if it.chosen or not drag]
    images = [MapImage(it.content.picture, frame.cell) for it in changed]
    several = workspace.heads.maps if _seen(workspace.heads) else None
    small = [] if several is None else [MapImage(it.content.picture, several.frame().cell) for it in several.maps]
    heads = tuple(range(len(small))) if small and drag else (0,)

    def draw(arrays: AllHeads) -> None:
        for image in images:
            image.draw(arrays.weights[0])
        for head in heads if small else ():
            small[head].draw(arrays.weights[head])

    return Side(shown, (maps,), heads, draw, sum(it.numbers for it in images + small))


def _geometry(shown: RealWindow, workspace: Any, _drag: bool) -> Side:
    view = workspace.view
    labels = len(arrow_labels(view.picture, view.plane_layout))
    plane = PlaneImage(view.width(), view.height(), font("text", 12), labels)

    def draw(arrays: AllHeads) -> None:
        plane.draw(np.concatenate([arrays.queries[0], arrays.keys[0]]))

    return Side(shown, (view,), (0,), draw, labels)


def _seen(widget: QWidget) -> bool:
    return widget.isVisible() and not widget.visibleRegion().isEmpty()
