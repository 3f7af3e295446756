"""P2: the scale slider dragged in 100 steps over its whole range; frames a second, against the floor and matplotlib."""

from __future__ import annotations

import time
from collections.abc import Iterator

import workspaces
from floor import Stages, TableImage, images_of
from measuring import Row, Run, interleaved
from peer import MATPLOTLIB, Peer
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from real_window import PaintCount, RealWindow, Size

from attnexplorer.views.scale_slider import RADIUS, ScaleSlider

SIZES = (Size(4, 2, 1), Size(16, 64, 4), Size(64, 256, 16), Size(256, 512, 8), Size(512, 768, 12))
QUICK_SIZES = SIZES[:3]
STEPS = 100
REACH = 1.5
BURST = 20
"""Steps of the drag without a pause: a drag with pauses is a row of single edits."""
MATPLOTLIB_REACH = 1 / 20
FRAMES_A_SECOND = {64: 60.0, 512: 20.0}


def rows(quick: bool) -> Iterator[Row]:
    """Measure every size, the slider and as much as fits of the maps above it on screen."""
    for size in QUICK_SIZES if quick else SIZES:
        shown = RealWindow(size)
        yield from _rows(shown, size)
        shown.close()
    yield from workspaces.drag_rows(quick)


class Drag:
    """A hand on the slider: each step is a real mouse event, with Shift so that no mark draws the handle to itself."""

    def __init__(self, slider: ScaleSlider) -> None:
        self._slider = slider
        self._steps = 0
        left, right = RADIUS, slider.width() - RADIUS
        self._places = [left + (right - left) * step / STEPS for step in range(1, STEPS + 1)]
        self.requests = 0
        slider.factor_requested.connect(self._on_factor_requested)

    def step(self) -> None:
        """Move on to the next place; at the end let go and take hold at the beginning again."""
        place = self._steps % STEPS
        if place == 0:
            self._send(QEvent.Type.MouseButtonRelease, self._places[-1])
            self._send(QEvent.Type.MouseButtonPress, self._places[0])
        else:
            self._send(QEvent.Type.MouseMove, self._places[place])
        self._steps += 1

    def _send(self, kind: QEvent.Type, x: float) -> None:
        at = QPointF(x, 13.0)
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
        held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
        modifier = Qt.KeyboardModifier.ShiftModifier
        event = QMouseEvent(kind, at, self._slider.mapToGlobal(at), button, held, modifier)
        handler = {
            QEvent.Type.MouseButtonPress: self._slider.mousePressEvent,
            QEvent.Type.MouseButtonRelease: self._slider.mouseReleaseEvent,
            QEvent.Type.MouseMove: self._slider.mouseMoveEvent,
        }[kind]
        handler(event)

    def _on_factor_requested(self, _factor: float, _begins: bool) -> None:
        self.requests += 1


def _rows(shown: RealWindow, size: Size) -> Iterator[Row]:
    slider = shown.pipeline.canvas.scaling.findChild(ScaleSlider)
    bar = shown.pipeline.verticalScrollBar()
    bottom = slider.mapTo(shown.pipeline.canvas, slider.rect().bottomLeft()).y() + 20
    bar.setValue(bottom - shown.pipeline.viewport().height())
    shown.rest()
    drag = Drag(slider)
    drag.step()
    changed = shown.tables_changed_by(drag.step)
    assert changed, "no map is on screen together with the slider"
    stages = Stages(shown.document.experiment)
    images = images_of(changed, stages)
    counts = [PaintCount(table.viewport()) for table in changed]

    def frame() -> float:
        before = drag.requests
        start = time.perf_counter()
        drag.step()
        shown.until_painted(counts)
        seconds = time.perf_counter() - start
        assert drag.requests == before + 1, "a step asked for nothing"
        return seconds

    size_of_maps = (shown.pipeline.viewport().width(), max(table.height() for table in changed) + 40)
    with Peer(MATPLOTLIB, "matplotlib_peer.py", size.tokens, *size_of_maps) as peer:
        runs: dict[str, Run] = {"window": frame, "floor": _floor(stages, images)}
        if peer.introduction:
            runs["matplotlib"] = peer.run
        else:
            print(f"matplotlib is not installed; {MATPLOTLIB} can name a Python that has it.")
        times = interleaved(runs, STEPS, burst=BURST)
    rate = 1e3 / times["window"].median
    wanted = FRAMES_A_SECOND.get(size.tokens)
    notes = {
        "frames_a_second": rate,
        "wanted": wanted,
        "reached": None if wanted is None else rate >= wanted,
        "tables": len(changed),
        "numbers": sum(image.numbers for image in images),
        "steps": drag.requests,
        "paints_of_a_map": min(count.paints for count in counts),
        "evaluation_ms": shown.document.evaluation.seconds * 1e3,
    }
    yield Row("P2", str(size), times["window"], "floor", times["floor"], REACH, notes)
    if "matplotlib" in times:
        about = {"peer": peer.introduction}
        yield Row("P2", str(size), times["window"], "matplotlib", times["matplotlib"], MATPLOTLIB_REACH, about)


def _floor(stages: Stages, images: list[TableImage]) -> Run:
    def run() -> float:
        start = time.perf_counter()
        stages.scale = stages.scale * 1.01 if stages.scale < 3.5 else 0.1
        stages.from_scale()
        for image in images:
            image.draw()
        return time.perf_counter() - start

    return run
