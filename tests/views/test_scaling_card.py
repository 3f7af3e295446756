"""The Scaling card on a real document: slider, typed value, bars, metrics and notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from pointing import point_at
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.widths import set_d_k
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.theme import position_colour
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.scale_slider import ScaleSlider
from attnexplorer.views.scaling_card import ScalingCard
from attnexplorer.views.weight_bars import WeightBars

LEFT = Qt.MouseButton.LeftButton
SCALE = "layers.0.attention.scale"
USUAL = 1 / 2**0.5
Open = Callable[[Experiment], "Bench"]


class Bench:
    """A card on a document, with its parts at hand."""

    def __init__(self, experiment: Experiment) -> None:
        self.document = Document(experiment)
        self.card = ScalingCard(self.document, Appearance())
        self.slider = self.card.findChild(ScaleSlider, "scale-slider")
        self.bars = self.card.findChild(WeightBars, "weight-bars")
        self.field = self.card.findChild(QLineEdit, "scale-field")

    def text(self, name: str) -> str:
        label = self.card.findChild(QLabel, f"scaling-{name}")
        return "" if label.isHidden() else label.text().replace("&nbsp;", " ")

    @property
    def scale(self) -> object:
        return self.document.experiment.layers[0].attention.scale

    @property
    def steps(self) -> int:
        return self.document.undo_stack.count()

    def settle(self) -> None:
        self.document.recomputation.finish()
        QApplication.processEvents()

    def set_scale(self, scale: object) -> None:
        self.document.set_value(SCALE, scale, "Set scale")
        self.settle()

    def at(self, factor: float) -> QPoint:
        place = self.slider.place_of(factor)
        return QPoint(round(place.x()), round(place.y()))

    def drag(self, qtbot: QtBot, *factors: float) -> None:
        qtbot.mousePress(self.slider, LEFT, pos=self.at(self.slider.factor))
        for factor in factors:
            qtbot.mouseMove(self.slider, self.at(factor))
        qtbot.mouseRelease(self.slider, LEFT, pos=self.at(factors[-1]))
        self.settle()


@pytest.fixture
def open_card(qtbot: QtBot) -> Iterator[Open]:
    benches: list[Bench] = []

    def made(experiment: Experiment) -> Bench:
        bench = Bench(experiment)
        benches.append(bench)
        qtbot.addWidget(bench.card)
        bench.card.resize(700, 260)
        bench.card.show()
        bench.settle()
        return bench

    yield made
    for bench in benches:
        bench.card.close()
        bench.document.close()


@pytest.fixture
def animal(open_card: Open) -> Bench:
    return open_card(load_example("animal-street"))


def shares(bench: Bench, bar: int) -> list[float]:
    found = bench.bars.picture.bars[bar].shares
    assert found is not None
    return [round(share, 4) for share in found]


def test_the_row_of_it_is_compared_with_and_without_scaling(animal: Bench) -> None:
    assert [bar.label for bar in animal.bars.picture.bars] == ["× 1/√dₖ", "× 1", "× 4"]
    assert shares(animal, 0) == [0.5294, 0.1833, 0.1041, 0.1833]
    assert shares(animal, 1)[0] == 0.6466
    assert shares(animal, 2)[0] == 0.995
    assert animal.text("caption") == "row of “it”: what softmax does with and without √dₖ"
    assert animal.text("d-k") == "dₖ = 2"


@pytest.mark.parametrize(
    ("scale", "numbers"),
    [
        ("sqrt_dk", ("1.72", "3.30", "52.9%", "0.404")),
        ("none", ("1.47", "2.77", "64.7%", "0.355")),
        (4.0, ("0.05", "1.04", "99.5%", "0.008")),
    ],
)
def test_the_metrics_have_the_known_numbers(animal: Bench, scale: object, numbers: tuple[str, ...]) -> None:
    animal.set_scale(scale)
    text = animal.text("metrics")
    assert [f"<b>{number}</b>" in text for number in numbers] == [True] * 4, text
    assert f"entropy <b>{numbers[0]}</b> of 2.00 bits" in text


def test_the_bars_are_painted_in_the_colours_of_the_positions(animal: Bench) -> None:
    layout, image = animal.bars.bars_layout(), animal.bars.grab().toImage()
    for bar in range(3):
        rect = layout.rect(bar)
        edge = rect.left()
        for key, share in enumerate(animal.bars.picture.bars[bar].shares or ()):
            width = share * rect.width()
            if width > 6:
                seen = image.pixelColor(round(edge + width / 2), round(rect.top()) + 1)
                assert seen.name() == position_colour(key).name(), (bar, key)
            edge += width


def test_the_chosen_bar_is_the_row_of_weights_exactly(animal: Bench) -> None:
    animal.document.recomputation.watch("weights", lambda experiment: {Unit("weights", 0, 0)})
    animal.set_scale(0.37)
    weights = animal.document.matrix("layers.0.weights.0")
    assert weights is not None
    chosen = animal.bars.picture.bars[2]
    assert (chosen.label, chosen.chosen) == ("× 0.37", True)
    assert chosen.shares == tuple(weights[3].tolist())


def test_a_drag_is_one_undo_step_with_the_last_number_in_its_name(qtbot: QtBot, animal: Bench) -> None:
    before = animal.document.experiment
    animal.drag(qtbot, 1.5, 2.0, 3.0, 0.3)
    assert animal.steps == 1
    assert animal.document.undo_stack.undoText() == f"Set scale to {animal.scale:g}"
    assert animal.scale == pytest.approx(0.3, rel=0.02)
    animal.document.undo_stack.undo()
    assert identical(animal.document.experiment, before)
    assert animal.slider.factor == USUAL


@pytest.mark.parametrize("start", ["sqrt_dk", "none", 0.123456789, 0.7071067811865476, -3.0, 17.5])
def test_a_drag_that_ends_where_it_began_leaves_no_step(qtbot: QtBot, open_card: Open, start: object) -> None:
    bench = open_card(load_example("animal-street"))
    bench.set_scale(start)
    bench.document.undo_stack.clear()
    before = bench.document.experiment
    began = bench.slider.factor
    bench.drag(qtbot, 2.0, 0.2, 3.0, began)
    assert bench.steps == 0
    assert identical(bench.document.experiment, before)


def test_every_move_of_a_drag_is_set_at_once_and_evaluated_once_later(qtbot: QtBot, animal: Bench) -> None:
    evaluated: list[object] = []
    animal.document.evaluated.connect(evaluated.append)
    qtbot.mousePress(animal.slider, LEFT, pos=animal.at(USUAL))
    for factor in (1.5, 2.0, 3.0):
        qtbot.mouseMove(animal.slider, animal.at(factor))
        assert animal.document.experiment.layers[0].attention.scale_factor == pytest.approx(factor, rel=0.03)
    qtbot.mouseRelease(animal.slider, LEFT, pos=animal.at(3.0))
    animal.settle()
    assert len(evaluated) <= 4
    assert animal.bars.picture.bars[2].label == f"× {animal.scale:g}"


def test_at_the_marks_the_names_are_written_and_survive_another_d_k(qtbot: QtBot, animal: Bench) -> None:
    animal.drag(qtbot, 1.0)
    assert animal.scale == "none"
    animal.drag(qtbot, USUAL)
    assert animal.scale == "sqrt_dk"
    animal.document.apply("Set d_k", lambda experiment: set_d_k(experiment, 0, 16))
    animal.settle()
    assert animal.slider.factor == 0.25
    assert animal.slider.track.d_k == 16
    assert animal.text("d-k") == "dₖ = 16"


def test_held_keys_are_one_step_and_single_presses_are_steps_of_their_own(qtbot: QtBot, animal: Bench) -> None:
    qtbot.keyClick(animal.slider, Qt.Key.Key_Right)
    qtbot.keyClick(animal.slider, Qt.Key.Key_Right)
    assert animal.steps == 2
    qtbot.keyClick(animal.slider, Qt.Key.Key_Home)
    assert animal.scale == 0.0


def type_scale(qtbot: QtBot, bench: Bench, text: str) -> None:
    bench.card.activateWindow()
    bench.field.setFocus()
    bench.field.selectAll()
    qtbot.keyClicks(bench.field, text)
    qtbot.keyClick(bench.field, Qt.Key.Key_Return)
    bench.settle()


@pytest.mark.parametrize(
    ("text", "scale"),
    [("1/sqrt(8)", 1 / math.sqrt(8)), ("1/sqrt(2)", "sqrt_dk"), ("1.0", "none"), ("1e6", 1e6), ("-2", -2.0)],
)
def test_a_typed_number_or_expression_is_set(qtbot: QtBot, animal: Bench, text: str, scale: object) -> None:
    animal.set_scale(0.5)
    type_scale(qtbot, animal, text)
    assert animal.scale == scale
    assert animal.text("error") == ""


@pytest.mark.parametrize("text", ["abc", "1/0", "inf", "", "1,5"])
def test_a_typed_text_that_is_no_number_is_refused_beside_the_field(qtbot: QtBot, animal: Bench, text: str) -> None:
    animal.field.selectAll()
    qtbot.keyClick(animal.field, Qt.Key.Key_Delete)
    type_scale(qtbot, animal, text)
    assert animal.steps == 0
    assert animal.text("error").endswith(".")
    assert animal.field.property("bad") is True
    qtbot.keyClick(animal.field, Qt.Key.Key_Escape)
    assert animal.text("error") == ""
    assert animal.field.text() == "0.7071"


def test_a_number_beyond_the_slider_puts_it_at_its_end_and_says_so(qtbot: QtBot, animal: Bench) -> None:
    type_scale(qtbot, animal, "40")
    assert animal.slider.place_of(40.0) == animal.slider.place_of(4.0)
    assert animal.text("note") == "× 40 lies beyond the slider, which stands at its right end, 4."
    type_scale(qtbot, animal, "-1")
    assert animal.text("note") == "× −1 lies beyond the slider, which stands at its left end, 0."
    assert animal.field.text() == "−1"


def test_the_selected_row_of_a_pair_stage_is_looked_at_and_otherwise_the_last(animal: Bench) -> None:
    animal.document.cursor.select(Cell("layers.0.scores.0", 1, 0))
    assert "“street”" in animal.text("caption")
    assert "of 1.00 bits" in animal.text("metrics")
    assert shares(animal, 0)[2:] == [0.0, 0.0]
    animal.document.cursor.select(Cell("layers.0.query.0", 0, 0))
    assert "“it”" in animal.text("caption")


def test_a_fully_masked_row_says_so_and_has_no_bars(open_card: Open) -> None:
    experiment = load_example("animal-street")
    bench = open_card(experiment)
    bench.document.set_value("sequence.padding", (True,) * 4, "Pad")
    bench.settle()
    assert bench.text("note") == "This row is fully masked: no key can be seen, every weight is 0."
    assert bench.bars.isHidden()
    assert bench.text("metrics") == ""
    bench.document.undo_stack.undo()
    bench.settle()
    assert not bench.bars.isHidden()


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        ("scaled", "The scaled scores of this row are pinned: the scale has no effect on it."),
        ("masked", "The masked scores of this row are pinned: the scale has no effect on it."),
        ("weights", "The weights of this row are pinned: the scale does not reach them."),
    ],
)
def test_a_pin_behind_the_scores_is_named(animal: Bench, stage: str, words: str) -> None:
    pin = frozen(np.full((4, 4), 0.25))
    animal.document.set_value(f"pins.layers.0.{stage}.0", pin, "Pin")
    animal.settle()
    assert words in animal.text("note")
    same = shares(animal, 0) == shares(animal, 1) == shares(animal, 2)
    assert same == (stage != "weights")


def test_a_pinned_row_of_scores_is_scaled_like_any_other(animal: Bench) -> None:
    scores = np.full((4, 4), np.nan)
    scores[3] = (math.log(2), 0, 0, 0)
    animal.document.set_value("pins.layers.0.scores.0", frozen(scores), "Pin")
    animal.settle()
    assert shares(animal, 1) == [0.4, 0.2, 0.2, 0.2]
    assert animal.text("note") == ""


def test_infinite_scores_are_named_and_no_bar_of_nonsense_is_painted(animal: Bench) -> None:
    animal.set_scale(1e308)
    chosen = animal.bars.picture.bars[2]
    assert chosen.shares is None
    assert "not a number" in chosen.instead
    assert animal.text("metrics") == ""


def test_the_segment_under_the_pointer_lights_up_its_cell(qtbot: QtBot, animal: Bench) -> None:
    layout = animal.bars.bars_layout()
    inside = QPointF(layout.label_width + 0.6 * layout.extent, 5).toPoint()
    point_at(animal.bars, inside)
    assert animal.document.cursor.hovered == Cell("layers.0.weights.0", 3, 1)
    point_at(animal.bars, QPoint(3, 5))
    assert animal.document.cursor.hovered is None


@pytest.mark.parametrize("tokens", [1, 4, 16, 64])
def test_any_number_of_tokens_fills_the_bars(open_card: Open, tokens: int) -> None:
    bench = open_card(new_experiment([f"w{k}" for k in range(tokens)], 4, 4, 2, 1, 0))
    for bar in bench.bars.picture.bars:
        assert bar.shares is not None
        assert len(bar.shares) == tokens
        assert sum(bar.shares) == pytest.approx(1.0)
    rect, image = bench.bars.bars_layout().rect(0), bench.bars.grab().toImage()
    assert image.pixelColor(round(rect.right()) - 1, 1).name() == position_colour(tokens - 1).name()


def test_one_column_of_queries_has_one_bar_for_the_two_equal_scales(open_card: Open) -> None:
    bench = open_card(new_experiment(["a", "b"], 2, 1, 2, 1, 0))
    assert [bar.label for bar in bench.bars.picture.bars] == ["× 1 = 1/√dₖ", "× 4"]


def test_a_hidden_card_has_nothing_evaluated_for_it(animal: Bench) -> None:
    animal.card.hide()
    animal.set_scale(2.0)
    assert animal.document.evaluation.arrays == {}
    animal.card.show()
    animal.settle()
    assert animal.bars.picture.bars[2].label == "× 2"
    assert animal.slider.factor == 2.0


def test_a_note_that_comes_or_goes_asks_for_another_height(qtbot: QtBot, animal: Bench) -> None:
    with qtbot.waitSignal(animal.card.height_changed):
        animal.set_scale(40.0)
    assert animal.card.heightForWidth(700) > 0
