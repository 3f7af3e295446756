"""Heads, Scaling and Geometry at work: what an edit or a step of the scale makes them paint, and the floor of that."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from floor import Stages, images_of
from measuring import Row, Run, interleaved
from peer import MATPLOTLIB, Peer
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from real_window import EDITED, PaintCount, RealWindow, Size
from workspace_floor import AllHeads, MapImage, MetricTexts, PlaneImage

from attnexplorer.compute.units import Unit
from attnexplorer.figures.fonts import font
from attnexplorer.figures.matrix import CellSize
from attnexplorer.figures.plane import arrow_labels
from attnexplorer.views.geometry.plane_view import PlaneView

EDITS = {name: (Size(16, 64, 4), Size(64, 256, 8), Size(512, 768, 12)) for name in ("heads", "scaling", "geometry")}
DRAGS = {name: (Size(16, 64, 4), Size(64, 256, 16), Size(512, 768, 12)) for name in EDITS}
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
    tip: TipDrag | None = None
    """The arrow whose tip is dragged, where the scale changes nothing that is seen."""

    def edit(self) -> Run:
        """Return what sets one number of W_Q and waits for the pixels."""
        values = itertools.cycle((0.25, 0.5, -0.25, -0.5, 0.125))
        return self._run(lambda: self.shown.document.set_cell(EDITED, 0, 0, next(values)))

    def drag(self, steps: int) -> Run:
        """Return what takes the next step of a drag: of a tip, or of the scale by the very call of the slider."""
        if self.tip is not None:
            return self._run(self.tip.step)
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
            if self.tip is not None:
                heads.move_key()
            else:
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


class TipDrag:
    """A hand that leads the tip of an arrow round in a circle, by real mouse events; each turn is one gesture."""

    def __init__(self, view: PlaneView, arrow: int, steps: int) -> None:
        self._view, self._steps, self._taken = view, steps, 0
        self._start = view.tip_place(arrow)

    def step(self) -> None:
        """Move on to the next place; at the end let go at the beginning and take hold again."""
        turn = self._taken % self._steps
        if turn == 0:
            self._send(QEvent.Type.MouseButtonRelease, self._start)
            self._send(QEvent.Type.MouseButtonPress, self._start)
        self._taken += 1
        angle = 2 * math.pi * (turn + 1) / self._steps
        self._send(QEvent.Type.MouseMove, self._start + QPointF(40 * (1 - math.cos(angle)), 40 * math.sin(angle)))

    def _send(self, kind: QEvent.Type, at: QPointF) -> None:
        held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
        place = self._view.mapToGlobal(at)
        event = QMouseEvent(kind, at, place, button, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(self._view, event)


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


def _geometry(shown: RealWindow, workspace: Any, drag: bool) -> Side:
    view = workspace.view
    tip = None
    if drag:
        # Pinned keys can be dragged, where two of their numbers are the axes.
        shown.document.pin_as_shown(Unit("key", 0, 0).path)
        shown.document.display.choose("geometry_view", "axes")
        shown.rest(1.0)
        tip = TipDrag(view, workspace.vectors.index(("key", 0)), STEPS)
    labels = len(arrow_labels(view.picture, view.plane_layout))
    plane = PlaneImage(view.width(), view.height(), font("text", 12), labels)

    def draw(arrays: AllHeads) -> None:
        plane.draw(np.concatenate([arrays.queries[0], arrays.keys[0]]))

    return Side(shown, (view,), (0,), draw, labels, tip)


def _seen(widget: QWidget) -> bool:
    return widget.isVisible() and not widget.visibleRegion().isEmpty()
