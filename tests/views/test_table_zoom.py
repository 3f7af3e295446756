"""The enlarged map of the Heads workspace: zoomed by wheel, keys and button, dragged about, fitted again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pointing import drag, turn_wheel
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.tokens import remove_token
from attnexplorer.figures.matrix import Block, number_look
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.heads.workspace import HeadsWorkspace
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.table_context import TableContext

CONTROL, ALT, LEFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier, Qt.MouseButton.LeftButton


class Bench:
    """The workspace on made-up tokens."""

    def __init__(self, tokens: int) -> None:
        self.document = Document(new_experiment([f"t{i}" for i in range(tokens)], 8, 4, 4, 2, seed=1))
        self.workspace = HeadsWorkspace(TableContext(self.document, Appearance(), Lights(self.document)))

    @property
    def table(self) -> MatrixTable:
        card = self.workspace.canvas.map
        assert card is not None
        return card.table

    @property
    def button(self) -> QToolButton:
        button = self.workspace.findChild(QToolButton, "map-zoom")
        assert isinstance(button, QToolButton)
        return button

    @property
    def size(self) -> tuple[float, float]:
        return self.table.cell_size.width, self.table.cell_size.height

    @property
    def has_numbers(self) -> bool:
        block = Block(0, 0, *self.table.content.shape)
        return number_look(self.table.content.picture, self.table.cell_size, block) is not None

    def cell(self, place: QPointF) -> tuple[int, int]:
        index = self.table.indexAt(place.toPoint())
        return index.row(), index.column()

    def scrolled(self) -> tuple[int, int]:
        return self.table.horizontalScrollBar().value(), self.table.verticalScrollBar().value()

    def settle(self) -> None:
        for _ in range(3):
            self.document.recomputation.finish()
            self.workspace.repaint()


Open = Callable[[int], Bench]


@pytest.fixture
def open_heads(qtbot: QtBot) -> Iterator[Open]:
    benches: list[Bench] = []

    def made(tokens: int) -> Bench:
        bench = Bench(tokens)
        benches.append(bench)
        qtbot.addWidget(bench.workspace)
        bench.workspace.resize(1300, 800)
        with qtbot.waitExposed(bench.workspace):
            bench.workspace.show()
        qtbot.waitUntil(lambda: bench.workspace.canvas.map is not None)
        bench.settle()
        return bench

    yield made
    for bench in benches:
        bench.workspace.close()
        bench.document.close()


@pytest.fixture
def large(open_heads: Open) -> Bench:
    return open_heads(64)


def test_the_wheel_with_ctrl_zooms_about_the_pointer_until_numbers_can_be_read(large: Bench) -> None:
    place = QPointF(260, 200)
    assert not large.has_numbers
    turn_wheel(large.table.viewport(), place, 4, CONTROL)
    cell, width = large.cell(place), large.size[0]
    assert large.size[0] > 8
    for _ in range(8):
        turn_wheel(large.table.viewport(), place, 1, CONTROL)
        assert large.cell(place) == cell
    assert large.size[0] > width
    assert large.has_numbers
    assert large.document.undo_stack.count() == 0


def test_without_ctrl_the_wheel_scrolls_what_is_zoomed(large: Bench) -> None:
    turn_wheel(large.table.viewport(), QPointF(200, 200), 6, CONTROL)
    size, before = large.size, large.scrolled()
    turn_wheel(large.table.viewport(), QPointF(200, 200), -1)
    assert large.size == size
    assert large.scrolled()[1] > before[1]


def test_the_middle_button_drags_what_is_zoomed_and_sets_no_number(large: Bench) -> None:
    before = large.document.experiment
    turn_wheel(large.table.viewport(), QPointF(300, 300), 9, CONTROL)
    start, scrolled = QPointF(200, 200), large.scrolled()
    cell = large.cell(start)
    drag(large.table.viewport(), [start, QPointF(180, 190), QPointF(150, 170)], Qt.MouseButton.MiddleButton)
    assert large.scrolled() == (scrolled[0] + 50, scrolled[1] + 30)
    assert large.cell(QPointF(150, 170)) == cell
    assert identical(large.document.experiment, before)


def test_a_button_makes_the_numbers_readable_and_then_shows_all_again(qtbot: QtBot, large: Bench) -> None:
    fitted = large.size
    assert large.button.text() == "Enlarge"
    large.table.setCurrentIndex(large.table.model().index(40, 30))
    qtbot.mouseClick(large.button, LEFT)
    assert large.has_numbers
    assert large.table.viewport().rect().contains(large.table.visualRect(large.table.currentIndex()).center())
    assert large.button.text() == "Fit"
    qtbot.mouseClick(large.button, LEFT)
    assert large.size == fitted
    assert large.table.horizontalScrollBar().maximum() == 0
    assert large.button.text() == "Enlarge"


def test_alt_with_plus_minus_and_0_does_it_by_keys(qtbot: QtBot, large: Bench) -> None:
    before, fitted = large.document.experiment, large.size
    large.table.setFocus()
    for _ in range(6):
        qtbot.keyClick(large.table, Qt.Key.Key_Plus, ALT)
    closer = large.size
    assert closer[0] > fitted[0]
    qtbot.keyClick(large.table, Qt.Key.Key_Minus, ALT)
    assert large.size[0] < closer[0]
    qtbot.keyClick(large.table, Qt.Key.Key_0, ALT)
    assert large.size == fitted
    assert identical(large.document.experiment, before)


def test_zooming_out_ends_with_the_whole_map(large: Bench) -> None:
    fitted = large.size
    turn_wheel(large.table.viewport(), QPointF(200, 200), 4, CONTROL)
    turn_wheel(large.table.viewport(), QPointF(200, 200), -9, CONTROL)
    assert large.size == fitted
    assert large.button.text() == "Enlarge"


def test_it_stays_zoomed_while_numbers_and_the_window_change_but_not_with_other_tokens(large: Bench) -> None:
    turn_wheel(large.table.viewport(), QPointF(200, 200), 6, CONTROL)
    size = large.size
    large.document.set_cell("embedding.E", 0, 0, 3.0)
    large.settle()
    large.workspace.resize(1200, 780)
    large.settle()
    assert large.size == size
    large.document.apply("Remove", lambda experiment: remove_token(experiment, "sequence", 3))
    large.settle()
    assert large.table.content.shape == (63, 63)
    assert large.button.text() == "Enlarge"
    assert large.size < size


def test_a_map_whose_numbers_can_be_read_is_left_alone(open_heads: Open) -> None:
    small = open_heads(4)
    size = small.size
    turn_wheel(small.table.viewport(), QPointF(20, 20), 3, CONTROL)
    assert small.size == size
    assert small.button.isHidden()
    assert small.table.indexAt(QPoint(20, 20)).isValid()
