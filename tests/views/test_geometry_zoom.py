"""The plane of the Geometry workspace, zoomed and pushed, and arrows that are dragged then."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pointing import drag, turn_wheel
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.examples import load_example
from attnexplorer.figures.theme import position_colour
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.geometry.plane_view import PlaneView
from attnexplorer.views.geometry.workspace import GeometryWorkspace
from attnexplorer.views.table_context import TableContext

K = "layers.0.key.0"
ALT, MIDDLE = Qt.KeyboardModifier.AltModifier, Qt.MouseButton.MiddleButton


class Bench:
    """The workspace on the first example, whose keys are pinned and so can be dragged."""

    def __init__(self) -> None:
        self.document, self.appearance = Document(load_example("animal-street")), Appearance()
        context = TableContext(self.document, self.appearance, Lights(self.document))
        self.workspace = GeometryWorkspace(context)

    @property
    def view(self) -> PlaneView:
        return self.workspace.view

    def tip(self, row: int) -> QPointF:
        return self.view.tip_place(self.workspace.vectors.index(("key", row)))

    def settle(self) -> None:
        for _ in range(2):
            self.document.recomputation.finish()
            QApplication.processEvents()

    @property
    def ground(self) -> QPointF:
        return QPointF(self.view.width() - 20, self.view.height() - 20)


@pytest.fixture
def bench(qtbot: QtBot) -> Iterator[Bench]:
    bench = Bench()
    qtbot.addWidget(bench.workspace)
    bench.workspace.resize(900, 640)
    with qtbot.waitExposed(bench.workspace):
        bench.workspace.show()
    bench.settle()
    yield bench
    bench.workspace.close()
    bench.document.close()


@pytest.mark.parametrize("notches", [5, -3])
def test_an_arrow_is_dragged_to_the_number_under_the_pointer_however_it_is_zoomed(bench: Bench, notches: int) -> None:
    before = bench.document.experiment
    turn_wheel(bench.view, bench.tip(1), notches)
    start = bench.tip(1)
    end = start + QPointF(48, -24)
    drag(bench.view, [start, start + QPointF(20, -8), end])
    bench.settle()
    unit, moved = bench.view.plane_layout.unit, bench.document.experiment.pins[K][1]
    assert moved == pytest.approx(bench.view.plane_layout.point(end), abs=1.5 / unit)
    assert bench.tip(1).x() == pytest.approx(end.x(), abs=1.5)
    assert bench.document.undo_stack.count() == 1
    bench.document.undo_stack.undo()
    assert identical(bench.document.experiment, before)


def test_a_zoomed_arrow_is_painted_where_its_tip_is_told_to_be(bench: Bench) -> None:
    turn_wheel(bench.view, bench.tip(1), 4)
    origin, tip = bench.view.plane_layout.place(0.0, 0.0), bench.tip(1)
    image = bench.view.grab().toImage()
    shaft = [tip + (origin - tip) * (step / 400) for step in range(4, 120)]
    seen = {image.pixelColor((place + QPointF(0, side)).toPoint()).name() for place in shaft for side in (-1, 0, 1)}
    assert position_colour(1).name() in seen


def test_a_double_click_on_the_ground_fits_and_one_on_an_arrow_does_not(qtbot: QtBot, bench: Bench) -> None:
    fitted = bench.view.plane_layout
    turn_wheel(bench.view, bench.tip(1), 2)
    closer = bench.view.plane_layout
    qtbot.mouseDClick(bench.view, Qt.MouseButton.LeftButton, pos=bench.tip(1).toPoint())
    qtbot.mouseRelease(bench.view, Qt.MouseButton.LeftButton, pos=bench.tip(1).toPoint())
    assert bench.view.plane_layout == closer
    qtbot.mouseDClick(bench.view, Qt.MouseButton.LeftButton, pos=bench.ground.toPoint())
    assert bench.view.plane_layout == fitted


def test_the_button_and_0_fit(qtbot: QtBot, bench: Bench) -> None:
    fitted = bench.view.plane_layout
    turn_wheel(bench.view, bench.ground, 4)
    button = bench.workspace.findChild(QToolButton, "plane-fit")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert bench.view.plane_layout == fitted
    qtbot.keyClick(bench.view, Qt.Key.Key_Plus)
    assert bench.view.plane_layout.unit == pytest.approx(fitted.unit * 1.2)
    qtbot.keyClick(bench.view, Qt.Key.Key_0)
    assert bench.view.plane_layout == fitted


def test_alt_and_arrow_keys_push_the_ground_and_leave_the_arrows(qtbot: QtBot, bench: Bench) -> None:
    before, origin = bench.document.experiment, bench.view.plane_layout.place(0, 0)
    qtbot.keyClick(bench.view, Qt.Key.Key_Left, ALT)
    qtbot.keyClick(bench.view, Qt.Key.Key_Up, ALT)
    moved = bench.view.plane_layout.place(0, 0) - origin
    assert (moved.x(), moved.y()) == pytest.approx((40, 40))
    assert identical(bench.document.experiment, before)


def test_the_middle_button_pushes_the_ground_even_from_the_tip_of_an_arrow(bench: Bench) -> None:
    before, selected = bench.document.experiment, bench.document.cursor.selected
    start = bench.tip(1)
    drag(bench.view, [start, start + QPointF(10, 10), start + QPointF(35, -15)], MIDDLE)
    bench.settle()
    moved = bench.tip(1) - start
    assert (moved.x(), moved.y()) == pytest.approx((35, -15))
    assert identical(bench.document.experiment, before)
    assert bench.document.cursor.selected == selected
