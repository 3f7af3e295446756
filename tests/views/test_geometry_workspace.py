"""The Geometry workspace on real documents: what is drawn, what pointer and keys do, what is refused and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest
from hand_made import one_layer
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from real_windows import label_text

from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.tokens import remove_token
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment, Position
from attnexplorer.figures.plane import plane_image
from attnexplorer.figures.plane_arrows import ArrowKind
from attnexplorer.figures.theme import position_colour
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.geometry.plane_view import PlaneView
from attnexplorer.views.geometry.workspace import GeometryWorkspace
from attnexplorer.views.table_context import TableContext

LEFT, SHIFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
K = "layers.0.key.0"
E = "embedding.E"


class Bench:
    """A shown workspace with its parts at hand."""

    def __init__(self, experiment: Experiment) -> None:
        self.document, self.appearance = Document(experiment), Appearance()
        self.appearance.choose_theme("light")
        context = TableContext(self.document, self.appearance, Lights(self.document))
        self.workspace = GeometryWorkspace(context)

    @property
    def view(self) -> PlaneView:
        return self.workspace.view

    @property
    def steps(self) -> int:
        return self.document.undo_stack.count()

    def settle(self) -> None:
        for _ in range(2):
            self.document.recomputation.finish()
            QApplication.processEvents()

    def show(self, *kinds: ArrowKind) -> None:
        for kind in ("query", "key", "value", "output", "input"):
            button = self.workspace.controls.kind_button(kind)
            if button.isChecked() != (kind in kinds):
                QTest.mouseClick(button, LEFT)
        self.settle()

    def index(self, kind: ArrowKind, row: int) -> int:
        return self.workspace.vectors.index((kind, row))

    def tip(self, kind: ArrowKind, row: int) -> QPoint:
        return self.view.tip_place(self.index(kind, row)).toPoint()

    def drag(
        self, kind: ArrowKind, row: int, *ways: tuple[int, int], modifier: Qt.KeyboardModifier | None = None
    ) -> None:
        """Drag a tip by so many pixels, and on by so many from where it began."""
        start = self.tip(kind, row)
        keys = modifier or Qt.KeyboardModifier.NoModifier
        QTest.mousePress(self.view, LEFT, keys, start)
        for way in ways:
            send_move(self.view, start + QPoint(*way), keys)
            self.settle()
        QTest.mouseRelease(self.view, LEFT, keys, start + QPoint(*ways[-1]))
        self.settle()

    def number(self, name: str) -> str:
        return self.workspace.pair_card.number(name)

    @property
    def refusal(self) -> str:
        return self.workspace.note.text

    def answer(self) -> str:
        link = self.workspace.note.findChild(QPushButton, "plane-remedy")
        text = link.text()
        QTest.mouseClick(link, LEFT)
        self.settle()
        return text


def send_move(view: PlaneView, place: QPoint, modifiers: Qt.KeyboardModifier, buttons: Qt.MouseButton = LEFT) -> None:
    """Move the pointer, with the left button down. Directly: the real pointer is elsewhere and would interfere."""
    at = QPointF(place)
    event = QMouseEvent(QEvent.Type.MouseMove, at, view.mapToGlobal(at), Qt.MouseButton.NoButton, buttons, modifiers)
    QApplication.sendEvent(view, event)


Open = Callable[[Experiment], Bench]


@pytest.fixture
def open_geometry(qtbot: QtBot) -> Iterator[Open]:
    benches: list[Bench] = []

    def made(experiment: Experiment) -> Bench:
        bench = Bench(experiment)
        benches.append(bench)
        qtbot.addWidget(bench.workspace)
        bench.workspace.resize(900, 640)
        with qtbot.waitExposed(bench.workspace):
            bench.workspace.show()
        bench.workspace.activateWindow()
        qtbot.waitUntil(bench.workspace.isActiveWindow)
        bench.settle()
        return bench

    yield made
    for bench in benches:
        bench.workspace.close()
        bench.document.close()


@pytest.fixture
def animal(open_geometry: Open) -> Bench:
    return open_geometry(load_example("animal-street"))


def test_the_arrows_end_at_the_very_numbers_of_the_matrices(animal: Bench) -> None:
    animal.show("query", "key", "value", "output", "input")
    paths = {"query": "layers.0.query.0", "key": K, "value": "layers.0.value.0"}
    paths |= {"output": "layers.0.head_output.0", "input": "layers.0.input"}
    for kind, path in paths.items():
        matrix = animal.document.matrix(path)
        assert matrix is not None
        tips = [animal.view.picture.tips[animal.index(kind, row)] for row in range(4)]  # type: ignore[arg-type]
        assert tips == [tuple(row) for row in matrix.tolist()], kind


def test_each_kind_is_switched_on_and_off_by_its_button(animal: Bench) -> None:
    assert {kind for kind, _ in animal.workspace.vectors} == {"query", "key"}
    animal.show("value", "output")
    assert {kind for kind, _ in animal.workspace.vectors} == {"value", "output"}
    animal.show()
    assert animal.workspace.vectors == ()
    assert animal.workspace.findChild(QLabel, "geometry-caption").text() == "nothing is switched on"


def test_only_what_is_shown_is_evaluated(animal: Bench) -> None:
    assert {unit.stage for unit in animal.document.evaluation.arrays} == {"query", "key"}
    animal.show("key", "output")
    assert {unit.stage for unit in animal.document.evaluation.arrays} == {"query", "key", "head_output"}
    animal.workspace.hide()
    animal.document.set_cell(E, 0, 0, 3.0)
    animal.settle()
    assert animal.document.evaluation.arrays == {}


def test_an_arrow_is_painted_in_the_colour_of_its_position(animal: Bench) -> None:
    animal.show("key")
    image = animal.view.grab().toImage()
    start, end = animal.view.plane_layout.place(0, 0), animal.view.tip_place(animal.index("key", 1))
    seen = {
        image.pixelColor(
            round(start.x() + (end.x() - start.x()) * t), round(start.y() + (end.y() - start.y()) * t)
        ).name()
        for t in np.linspace(0.2, 0.9, 60)
    }
    assert position_colour(1).name() in seen


def test_the_pair_it_and_animal_has_the_known_numbers(animal: Bench) -> None:
    assert [animal.number(name) for name in ("dot", "cosine", "query-length", "key-length", "angle")] == [
        "2.500",
        "0.9806",
        "1.414",
        "1.803",
        "11.3°",
    ]
    score = animal.document.evaluation.arrays
    assert float(score[Unit("query", 0, 0)][3] @ score[Unit("key", 0, 0)][0]) == 2.5


def test_selecting_a_pair_anywhere_shows_its_numbers(animal: Bench) -> None:
    animal.document.cursor.select(Cell("layers.0.weights.0", 1, 3))
    assert animal.workspace.pair == (1, 3)
    animal.document.cursor.select(Cell(K, 2, 1))
    assert animal.workspace.pair == (1, 2)
    assert animal.number("dot") == "0.1800"


def test_choosing_a_pair_in_the_lists_selects_its_score(qtbot: QtBot, animal: Bench) -> None:
    box = animal.workspace.pair_card.key
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert animal.document.cursor.selected == Cell("layers.0.scores.0", 3, 1)
    assert animal.number("dot") == "1.000"


def test_lengthening_the_key_doubles_the_dot_product_and_leaves_the_cosine(animal: Bench) -> None:
    before = animal.document.experiment
    QTest.mouseClick(animal.workspace.findChild(QPushButton, "key-double"), LEFT)
    animal.settle()
    assert [animal.number(name) for name in ("dot", "cosine", "key-length")] == ["5.000", "0.9806", "3.606"]
    assert animal.document.undo_stack.undoText() == "Make k of “animal” 2 times as long"
    QTest.mouseClick(animal.workspace.findChild(QPushButton, "key-half"), LEFT)
    animal.settle()
    assert animal.steps == 2
    assert identical(animal.document.experiment, before)


def test_dragging_a_pinned_key_edits_the_pin_in_one_undo_step(animal: Bench) -> None:
    before = animal.document.experiment
    unit, start = animal.view.plane_layout.unit, animal.view.picture.tips[animal.index("key", 1)]
    animal.drag("key", 1, (20, 0), (40, -30), (60, -20))
    moved = animal.document.experiment.pins[K][1]
    assert moved == pytest.approx([start[0] + 60 / unit, start[1] + 20 / unit], abs=0.006)
    assert animal.steps == 1
    assert animal.document.undo_stack.undoText() == "Move k of “street”"
    shown = animal.document.matrix(K)
    assert shown is not None
    assert animal.view.picture.tips[animal.index("key", 1)] == tuple(shown[1].tolist())
    animal.document.undo_stack.undo()
    assert identical(animal.document.experiment, before)


def test_a_drag_that_ends_where_it_began_leaves_no_step(animal: Bench) -> None:
    before = animal.document.experiment
    animal.drag("key", 0, (25, 25), (0, 0))
    assert animal.steps == 0
    assert identical(animal.document.experiment, before)


def test_escape_during_a_drag_puts_everything_back(qtbot: QtBot, animal: Bench) -> None:
    before = animal.document.experiment
    start = animal.tip("key", 0)
    QTest.mousePress(animal.view, LEFT, Qt.KeyboardModifier.NoModifier, start)
    send_move(animal.view, start + QPoint(30, 12), Qt.KeyboardModifier.NoModifier)
    assert not identical(animal.document.experiment, before)
    qtbot.keyClick(animal.view, Qt.Key.Key_Escape)
    QTest.mouseRelease(animal.view, LEFT, Qt.KeyboardModifier.NoModifier, start + QPoint(30, 12))
    assert identical(animal.document.experiment, before)
    assert animal.steps == 0


def test_dragging_with_shift_keeps_the_direction_and_so_the_cosine(animal: Bench) -> None:
    cosine = animal.number("cosine")
    animal.drag("key", 0, (40, -5), (80, -20), modifier=SHIFT)
    x, y = animal.document.experiment.pins[K][0]
    assert x > 1.5
    assert x / y == pytest.approx(1.5)
    assert animal.number("cosine") == cosine
    assert animal.number("dot") != "2.500"


def test_dragging_an_input_edits_the_row_of_its_word_and_everything_follows(animal: Bench) -> None:
    animal.show("input", "query")
    before = animal.view.picture.tips[animal.index("query", 3)]
    animal.drag("input", 3, (30, 0), (50, 0))
    word = animal.document.experiment.embedding.vocabulary.index("it")
    assert animal.document.experiment.embedding.E[word, 0] > 0.5
    assert animal.document.experiment.embedding.E[word, 1] == 0.5
    assert animal.view.picture.tips[animal.index("query", 3)] != before
    assert animal.steps == 1


def test_a_computed_vector_cannot_be_dragged_until_it_is_pinned(animal: Bench) -> None:
    animal.show("query")
    animal.drag("query", 0, (30, 10), (60, 10))
    assert animal.steps == 0
    assert animal.refusal == "Q, head 1 is computed from X and W_Q. Pinned, it can be dragged."
    assert animal.answer() == "Pin Q, head 1"
    assert animal.refusal == ""
    assert animal.steps == 1
    animal.drag("query", 0, (30, 10), (60, 10))
    assert animal.steps == 2
    assert animal.document.undo_stack.undoText() == "Move q of “animal”"


@pytest.mark.parametrize(
    ("example", "kind", "reason"),
    [
        ("animal-street", "output", "is the mean of the values, weighted by A"),
        ("block", "input", "X of layer 2 is the output of layer 1"),
        ("rope", "query", "is computed from Q and the positions"),
    ],
)
def test_a_refusal_says_where_the_vector_comes_from(
    open_geometry: Open, example: str, kind: ArrowKind, reason: str
) -> None:
    bench = open_geometry(load_example(example))
    bench.document.display.choose("layer", len(bench.document.experiment.layers) - 1)
    bench.show(kind)
    bench.workspace.controls.show_axes()
    bench.drag(kind, 0, (20, 20), (40, 20))
    assert bench.steps == 0
    assert reason in bench.refusal


def test_with_an_added_position_a_row_of_X_is_no_row_of_E(open_geometry: Open) -> None:
    bench = open_geometry(replace(load_example("animal-street"), position=Position(kind="sinusoidal")))
    bench.show("input")
    bench.drag("input", 0, (20, 20), (40, 20))
    assert bench.refusal.startswith("X is E[t] plus the position here")
    assert bench.steps == 0


def test_in_the_view_of_components_dragging_is_off_and_a_click_goes_to_two_axes(open_geometry: Open) -> None:
    bench = open_geometry(load_example("saturated"))
    assert bench.workspace.controls.axes is None
    assert bench.view.picture.horizontal.startswith("component 1, ")
    bench.drag("query", 2, (20, 20), (40, 20))
    assert "all 64 numbers" in bench.refusal
    assert bench.answer() == "Look along two axes and pin Q, head 1"
    assert (bench.view.picture.horizontal, bench.view.picture.vertical) == ("axis 1", "axis 2")
    assert bench.steps == 1
    bench.drag("query", 2, (20, 20), (40, 20))
    assert bench.steps == 2, "after one click the tip can be dragged"


def test_two_axes_are_chosen_from_lists(qtbot: QtBot, open_geometry: Open) -> None:
    bench = open_geometry(load_example("saturated"))
    bench.workspace.controls.show_axes()
    box = bench.workspace.controls.horizontal
    box.setFocus()
    for _ in range(4):
        qtbot.keyClick(box, Qt.Key.Key_Down)
    matrix = bench.document.matrix("layers.0.query.0")
    assert matrix is not None
    assert bench.view.picture.horizontal == "axis 5"
    assert bench.view.picture.tips[bench.index("query", 3)] == (matrix[3, 4], matrix[3, 1])


def test_vectors_of_another_width_are_named_and_shown_alone_by_a_click(open_geometry: Open) -> None:
    bench = open_geometry(load_example("saturated"))
    bench.show("query", "key", "input")
    assert {kind for kind, _ in bench.workspace.vectors} == {"query", "key"}
    label = bench.workspace.findChild(QLabel, "geometry-elsewhere")
    assert "x has 16 numbers, not 64" in label.text()
    label.linkActivated.emit("input")
    bench.settle()
    assert {kind for kind, _ in bench.workspace.vectors} == {"input"}
    assert label.isHidden()


def test_hovering_an_arrow_lights_its_row_everywhere(animal: Bench) -> None:
    none = Qt.KeyboardModifier.NoModifier
    send_move(animal.view, animal.tip("key", 0), none, Qt.MouseButton.NoButton)
    assert animal.document.cursor.hovered == Cell(K, 0, 0)
    assert animal.view.picture.arrows[animal.index("key", 0)].state == "lit"
    send_move(animal.view, QPoint(3, 3), none, Qt.MouseButton.NoButton)
    assert animal.document.cursor.hovered is None


def test_a_hovered_weight_lights_its_query_key_value_and_output(animal: Bench) -> None:
    animal.show("query", "key", "value", "output")
    animal.document.cursor.hover(Cell("layers.0.weights.0", 2, 1))
    lit = {animal.workspace.vectors[i] for i, arrow in enumerate(animal.view.picture.arrows) if arrow.state == "lit"}
    assert lit == {("query", 2), ("key", 1), ("value", 1), ("output", 2)}


def test_a_click_selects_and_tab_goes_from_arrow_to_arrow(qtbot: QtBot, animal: Bench) -> None:
    QTest.mouseClick(animal.view, LEFT, Qt.KeyboardModifier.NoModifier, animal.tip("key", 1))
    assert animal.document.cursor.selected == Cell(K, 1, 0)
    animal.view.setFocus()
    qtbot.keyClick(animal.view, Qt.Key.Key_Tab)
    assert animal.document.cursor.selected == Cell(K, 2, 0)
    qtbot.keyClick(animal.view, Qt.Key.Key_Backtab, SHIFT)
    assert animal.document.cursor.selected == Cell(K, 1, 0)
    assert animal.view.hasFocus()
    qtbot.keyClick(animal.view, Qt.Key.Key_F6)
    assert not animal.view.hasFocus()


def test_arrow_keys_nudge_the_selected_tip_finer_and_coarser(qtbot: QtBot, animal: Bench) -> None:
    animal.document.cursor.select(Cell(K, 1, 0))
    animal.view.setFocus()
    for _ in range(3):
        qtbot.keyClick(animal.view, Qt.Key.Key_Right)
    assert animal.document.experiment.pins[K][1].tolist() == [0.5, 0.8]
    qtbot.keyClick(animal.view, Qt.Key.Key_Up, SHIFT)
    assert animal.document.experiment.pins[K][1].tolist() == [0.5, 0.81]
    qtbot.keyClick(animal.view, Qt.Key.Key_Left, CONTROL)
    assert animal.document.experiment.pins[K][1].tolist() == [-0.5, 0.81]
    assert animal.steps == 1
    qtbot.wait(800)
    qtbot.keyClick(animal.view, Qt.Key.Key_Down)
    assert animal.steps == 2


def test_nudging_without_a_selected_arrow_says_what_to_do(qtbot: QtBot, animal: Bench) -> None:
    animal.view.setFocus()
    qtbot.keyClick(animal.view, Qt.Key.Key_Right)
    assert animal.steps == 0
    assert animal.refusal.startswith("Choose an arrow first")


def test_the_wheel_zooms_about_the_pointer_dragging_pans_and_F_fits(qtbot: QtBot, animal: Bench) -> None:
    fitted = animal.view.plane_layout
    place = QPointF(60, 200)
    before = fitted.point(place)
    turn = QWheelEvent(
        place,
        animal.view.mapToGlobal(place),
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(animal.view, turn)
    assert animal.view.plane_layout.unit == pytest.approx(fitted.unit * 1.44)
    assert animal.view.plane_layout.point(place) == pytest.approx(before)
    ground = QPoint(animal.view.width() - 20, animal.view.height() - 20)
    origin = animal.view.plane_layout.place(0, 0)
    QTest.mousePress(animal.view, LEFT, Qt.KeyboardModifier.NoModifier, ground)
    send_move(animal.view, ground - QPoint(30, 10), Qt.KeyboardModifier.NoModifier)
    QTest.mouseRelease(animal.view, LEFT, Qt.KeyboardModifier.NoModifier, ground - QPoint(30, 10))
    assert animal.view.plane_layout.place(0, 0) == origin - QPointF(30, 10)
    assert animal.steps == 0
    animal.view.setFocus()
    qtbot.keyClick(animal.view, Qt.Key.Key_F)
    assert animal.view.plane_layout == fitted


def test_it_follows_the_displayed_head(open_geometry: Open) -> None:
    bench = open_geometry(load_example("multi-head"))
    before = bench.view.picture.tips
    bench.document.display.choose("head", 1)
    bench.settle()
    assert bench.view.picture.tips != before
    bench.workspace.controls.show_axes()
    matrix = bench.document.matrix("layers.0.query.1")
    assert matrix is not None
    assert bench.view.picture.tips[bench.index("query", 0)] == tuple(matrix[0, :2].tolist())


@pytest.mark.parametrize(("tokens", "width"), [(1, 1), (1, 2), (64, 16)])
def test_any_number_of_tokens_and_any_width_is_drawn(open_geometry: Open, tokens: int, width: int) -> None:
    bench = open_geometry(new_experiment([f"t{i}" for i in range(tokens)], 4, width, width, 1, seed=1))
    assert len(bench.workspace.vectors) == 2 * tokens
    assert not bench.view.grab().isNull()


def test_fewer_tokens_than_the_selected_pair_take_the_last_ones(open_geometry: Open) -> None:
    bench = open_geometry(load_example("animal-street"))
    bench.document.cursor.select(Cell("layers.0.scores.0", 3, 3))
    bench.document.apply("Remove", lambda experiment: remove_token(experiment, "sequence", 3))
    bench.settle()
    assert bench.workspace.pair == (2, 2)
    assert len(bench.workspace.vectors) == 6


def test_a_pair_that_was_selected_before_the_workspace_was_made_is_the_one_it_shows(qtbot: QtBot) -> None:
    document, appearance = Document(load_example("animal-street")), Appearance()
    document.cursor.select(Cell("layers.0.weights.0", 1, 2))
    workspace = GeometryWorkspace(TableContext(document, appearance, Lights(document)))
    qtbot.addWidget(workspace, before_close_func=lambda _widget: document.close())
    assert workspace.pair == (1, 2)


def test_what_is_on_screen_is_the_picture_of_a_figure_also_after_a_drag(open_geometry: Open) -> None:
    bench = open_geometry(load_example("saturated"))
    bench.drag("query", 2, (20, 20), (40, 20))
    bench.answer()
    for way in ((30, 20), (-40, 10)):
        bench.drag("query", 2, way)
        view = bench.view
        shown = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        drawn = plane_image(view.picture, view.plane_layout, view.devicePixelRatioF())
        inner = view.rect().adjusted(2, 2, -2, -2)
        assert shown.copy(inner) == drawn.copy(inner)


def test_why_there_is_no_cosine_is_said_rightly(open_geometry: Open) -> None:
    zeros = open_geometry(one_layer([[0.0, 0.0], [1.0, 2.0]]))
    zeros.document.cursor.select(Cell("layers.0.scores.0", 0, 1))
    zeros.settle()
    assert "A vector of zeros has no direction" in label_text(zeros.workspace, "pair-product")
    huge = open_geometry(one_layer([[1.7e308, 1.7e308], [1.0, 2.0]]))
    huge.document.cursor.select(Cell("layers.0.scores.0", 0, 1))
    huge.settle()
    assert "A length is not a finite number" in label_text(huge.workspace, "pair-product")
