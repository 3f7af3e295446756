"""The Scaling workspace on real documents: known numbers, the dragged cursor, maps, temperature, gradients, data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hand_made import one_layer, with_scores
from pointing import point_at
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from attnexplorer.compute.metrics import jacobian, sensitivity
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.arrays import frozen
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.masks import set_scale
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment, Position
from attnexplorer.figures.matrix import Block
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.scale_track import FOOT, LARGEST, ScaleTrack
from attnexplorer.views.scaling.curve_view import CurveView, scale_axis
from attnexplorer.views.scaling.map_grid import MapGrid
from attnexplorer.views.scaling.map_layout import Spot
from attnexplorer.views.scaling.workspace import ScalingWorkspace
from attnexplorer.views.table_context import TableContext

LEFT = Qt.MouseButton.LeftButton
USUAL = 1 / 2**0.5
WEIGHTS = Unit("weights", 0, 0)
Open = Callable[..., "Bench"]


class Bench:
    """A workspace on a document, with its parts at hand."""

    def __init__(self, experiment: Experiment) -> None:
        self.document = Document(experiment)
        self.appearance = Appearance()
        self.workspace = ScalingWorkspace(TableContext(self.document, self.appearance, Lights(self.document)))

    def part(self, kind: type, name: str) -> object:
        found = self.workspace.findChild(kind, name)
        assert found is not None, name
        return found

    def text(self, name: str) -> str:
        label = self.part(QLabel, name)
        assert isinstance(label, QLabel)
        return "" if label.isHidden() else label.text()

    def curve(self, name: str = "entropy_bits") -> CurveView:
        found = self.part(CurveView, f"curve-{name}")
        assert isinstance(found, CurveView)
        return found

    @property
    def values(self) -> list[str]:
        return [view.plot.value for view in self.workspace.curves.views if view.plot is not None]

    @property
    def maps(self) -> MapGrid:
        return self.workspace.comparison.maps

    @property
    def scale(self) -> object:
        return self.document.experiment.layers[0].attention.scale

    def settle(self) -> None:
        for _ in range(3):
            QApplication.processEvents()
            self.document.recomputation.finish()
        QApplication.processEvents()

    def type_scale(self, qtbot: QtBot, text: str) -> None:
        field = self.part(QLineEdit, "workspace-scale-field")
        assert isinstance(field, QLineEdit)
        field.selectAll()
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        self.settle()

    def enter(self, qtbot: QtBot, name: str, text: str) -> None:
        field = self.part(QLineEdit, name)
        assert isinstance(field, QLineEdit)
        field.selectAll()
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        self.settle()

    def drag(self, qtbot: QtBot, view: CurveView, *factors: float) -> None:
        places = [point(view.place_of(factor)) for factor in factors]
        qtbot.mousePress(view, LEFT, pos=places[0])
        for place in places[1:]:
            qtbot.mouseMove(view, place)
        qtbot.mouseRelease(view, LEFT, pos=places[-1])
        self.settle()

    def select(self, row: int, key: int = 0) -> None:
        self.document.cursor.select(Cell(WEIGHTS.path, row, key))
        self.settle()


def point(place: QPointF) -> QPoint:
    return QPoint(round(place.x()), round(place.y()))


@pytest.fixture
def open_workspace(qtbot: QtBot) -> Iterator[Open]:
    benches: list[Bench] = []

    def made(experiment: Experiment, width: int = 906, height: int = 1100) -> Bench:
        bench = Bench(experiment)
        benches.append(bench)
        qtbot.addWidget(bench.workspace)
        bench.workspace.resize(width, height)
        bench.workspace.show()
        bench.settle()
        return bench

    yield made
    for bench in benches:
        bench.workspace.close()
        bench.workspace.laboratory.sampling.wait()
        bench.document.close()


@pytest.fixture
def animal(open_workspace: Open) -> Bench:
    return open_workspace(load_example("animal-street"))


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ("1/sqrt(2)", ["1.723", "3.301", "52.9%", "0.404"]),
        ("1", ["1.469", "2.768", "64.7%", "0.355"]),
        ("4", ["0.051", "1.036", "99.5%", "0.008"]),
    ],
)
def test_the_row_of_it_has_the_known_numbers(qtbot: QtBot, animal: Bench, typed: str, numbers: list[str]) -> None:
    animal.type_scale(qtbot, typed)
    assert animal.values == numbers
    assert animal.text("curves-caption") == "row of “it”, as the scale goes from 0 to 4"


def test_the_curves_lie_on_the_slider_s_own_scale() -> None:
    for d_k in (1, 2, 64):
        track = ScaleTrack(d_k)
        axis = scale_axis(track)
        assert (axis.foot, axis.high) == (FOOT, LARGEST)
        for factor in (0.0, track.smallest / 3, track.smallest, track.usual, 1.0, 2.5, 4.0):
            assert axis.fraction(factor) == pytest.approx(track.fraction(factor))


def test_dragging_the_cursor_sets_the_scale_as_one_step(qtbot: QtBot, animal: Bench) -> None:
    before = animal.document.experiment
    animal.drag(qtbot, animal.curve(), USUAL, 1.5, 2.0, 3.0)
    assert isinstance(animal.scale, float)
    assert animal.scale == pytest.approx(3.0, rel=0.03)
    assert animal.document.undo_stack.count() == 1
    shown = animal.curve().plot
    assert shown is not None
    assert shown.marker is not None
    assert shown.marker.x == animal.scale
    animal.document.undo_stack.undo()
    assert identical(animal.document.experiment, before)


def test_a_drag_that_comes_back_leaves_nothing_to_undo(qtbot: QtBot, animal: Bench) -> None:
    animal.drag(qtbot, animal.curve("largest_weight"), USUAL, 2.0, 3.0, USUAL)
    assert animal.scale == "sqrt_dk"
    assert animal.document.undo_stack.count() == 0


def test_near_a_mark_the_cursor_is_drawn_to_it_and_the_mark_is_kept_by_name(qtbot: QtBot, animal: Bench) -> None:
    animal.drag(qtbot, animal.curve(), 2.0, 1.02)
    assert animal.scale == "none"
    animal.drag(qtbot, animal.curve("gradient_left"), 2.0, 0.72)
    assert animal.scale == "sqrt_dk"


def test_the_cursor_moves_by_keys(qtbot: QtBot, animal: Bench) -> None:
    view = animal.curve()
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    animal.settle()
    assert animal.scale == "none"
    qtbot.keyClick(view, Qt.Key.Key_End)
    animal.settle()
    assert animal.scale == 4.0
    qtbot.keyClick(view, Qt.Key.Key_Left)
    animal.settle()
    assert isinstance(animal.scale, float)
    assert 3.5 < animal.scale < 4.0


def test_a_scale_beyond_4_is_typed_and_said(qtbot: QtBot, animal: Bench) -> None:
    animal.type_scale(qtbot, "7.5")
    assert animal.scale == 7.5
    assert "× 7.5 lies beyond slider and curves" in animal.text("comparison-note")
    assert animal.curve("largest_weight").plot.value == "100.0%"


def test_what_is_no_number_is_refused_beside_the_field(qtbot: QtBot, animal: Bench) -> None:
    animal.type_scale(qtbot, "much")
    assert "much" in animal.text("workspace-scaling-error")
    assert animal.scale == "sqrt_dk"


def test_three_scales_stand_side_by_side(qtbot: QtBot, animal: Bench) -> None:
    animal.type_scale(qtbot, "0.25")
    assert [it.title for it in animal.maps.maps] == ["× 1/√dₖ", "× 0.25, set", "× 1, no scaling"]
    assert [it.chosen for it in animal.maps.maps] == [False, True, False]
    set_now, unscaled = (animal.maps.maps[index].content.picture.values for index in (1, 2))
    assert np.array_equal(set_now, animal.document.evaluation.arrays[WEIGHTS])
    assert np.round(unscaled[3], 4)[0] == 0.6466
    assert animal.maps.maps[0].captions[0] == "row: largest 52.9% · effective keys 3.30"
    bars = animal.workspace.comparison.bars.picture.bars
    assert [bar.label for bar in bars] == ["× 1/√dₖ", "× 0.25", "× 1"]
    assert [round(share, 4) for share in bars[0].shares or ()] == [0.5294, 0.1833, 0.1041, 0.1833]


def test_a_drag_makes_only_the_map_of_the_set_scale_anew(qtbot: QtBot, animal: Bench) -> None:
    first, chosen, last = animal.maps.maps
    animal.drag(qtbot, animal.curve(), USUAL, 2.0)
    assert animal.maps.maps[0] is first
    assert animal.maps.maps[1] is not chosen
    assert animal.maps.maps[2] is last


def test_the_pixels_of_a_map_have_the_colours_of_its_weights(animal: Bench) -> None:
    image = animal.maps.grab().toImage()
    for index in range(3):
        picture = animal.maps.maps[index].content.picture
        colours = picture.colours(Block(0, 0, *picture.values.shape))
        rect = animal.maps.cell_rect(Spot(index, 2, 0))
        inside = image.pixelColor(int(rect.left() + 4), int(rect.top() + 4)).rgba()
        assert inside == int(colours[2, 0])


def test_with_d_k_1_there_are_two_scales(open_workspace: Open) -> None:
    bench = open_workspace(new_experiment(["a", "b"], 2, 1, 2, 1, 0))
    assert [it.title for it in bench.maps.maps] == ["× 1 = 1/√dₖ", "× 1, set"]


def test_a_click_on_a_map_chooses_the_row_for_everything(qtbot: QtBot, animal: Bench) -> None:
    qtbot.mouseClick(animal.maps, LEFT, pos=point(animal.maps.cell_rect(Spot(0, 1, 0)).center()))
    animal.settle()
    assert animal.document.cursor.selected == Cell(WEIGHTS.path, 1, 0)
    assert animal.text("curves-caption").startswith("row of “street”")
    rows = animal.part(QComboBox, "scaling-row")
    assert isinstance(rows, QComboBox)
    assert rows.currentText() == "street"


def test_the_row_is_chosen_by_list_and_by_arrow_keys_too(qtbot: QtBot, animal: Bench) -> None:
    rows = animal.workspace.comparison.rows
    rows.setFocus()
    qtbot.keyClick(rows, Qt.Key.Key_Up)
    animal.settle()
    assert animal.document.cursor.selected == Cell(WEIGHTS.path, 2, 0)
    qtbot.keyClick(animal.maps, Qt.Key.Key_Up)
    qtbot.keyClick(animal.maps, Qt.Key.Key_Right)
    animal.settle()
    assert animal.document.cursor.selected == Cell(WEIGHTS.path, 1, 1)


def test_the_cell_under_the_pointer_lights_up_elsewhere(qtbot: QtBot, animal: Bench) -> None:
    point_at(animal.maps, point(animal.maps.cell_rect(Spot(2, 2, 1)).center()))
    point_at(animal.maps, point(animal.maps.cell_rect(Spot(2, 3, 1)).center()))
    assert animal.document.cursor.hovered == Cell(WEIGHTS.path, 3, 1)


def test_temperature_is_shown_to_be_the_same_knob(qtbot: QtBot, animal: Bench) -> None:
    said = animal.text("knobs-knob")
    assert said.startswith("One knob by two names: × 0.7071 ÷ 2 would give the weights of × 0.3536 ÷ 1")
    animal.enter(qtbot, "scaling-temperature", "4")
    assert animal.document.experiment.layers[0].attention.temperature == 4.0
    assert "× 0.7071 ÷ 4 gives the weights of × 0.1768 ÷ 1; this row differs by" in animal.text("knobs-knob")
    weights = animal.document.evaluation.arrays[WEIGHTS]
    fold = animal.part(QPushButton, "fold-temperature")
    assert isinstance(fold, QPushButton)
    qtbot.mouseClick(fold, LEFT)
    animal.settle()
    attention = animal.document.experiment.layers[0].attention
    assert (attention.temperature, attention.scale_factor) == (1.0, pytest.approx(USUAL / 4))
    assert np.allclose(animal.document.evaluation.arrays[WEIGHTS], weights, rtol=0, atol=1e-12)
    assert fold.isHidden()
    animal.document.undo_stack.undo()
    assert animal.document.experiment.layers[0].attention.temperature == 4.0


def test_a_temperature_that_cannot_be_is_refused_in_a_sentence(qtbot: QtBot, animal: Bench) -> None:
    animal.enter(qtbot, "scaling-temperature", "-1")
    assert "above 0" in animal.text("knobs-error")
    assert animal.document.experiment.layers[0].attention.temperature == 1.0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"softcap": 0.5}, "as the softcap comes between them"),
        ({"position": Position("alibi")}, "as ALiBi’s penalty comes between them"),
    ],
)
def test_where_they_are_two_knobs_it_is_said(open_workspace: Open, settings: dict[str, object], said: str) -> None:
    experiment = one_layer(2 * np.random.default_rng(1).normal(size=(4, 3)), temperature=2.0, **settings)
    bench = open_workspace(experiment)
    assert bench.text("knobs-knob").startswith("Two knobs here, ")
    assert said in bench.text("knobs-knob")
    assert "differ by up to 0." in bench.text("knobs-knob")
    assert not bench.workspace.knobs.fold.isEnabled()


def test_a_constant_added_to_the_row_changes_nothing_and_is_not_kept(qtbot: QtBot, animal: Bench) -> None:
    animal.enter(qtbot, "scaling-shift", "12")
    said = animal.text("knobs-shift-result")
    assert said.startswith("With 12 added to each of its scores this row differs by")
    assert said.endswith("softmax knows the differences between scores only.")
    assert animal.document.undo_stack.count() == 0


def test_with_a_softcap_a_constant_is_noticed(open_workspace: Open) -> None:
    bench = open_workspace(one_layer(np.eye(3), softcap=1.0))
    assert bench.text("knobs-shift-result").endswith("the softcap bends what is added.")
    assert "by up to 0." in bench.text("knobs-shift-result")


def test_the_gradient_pictures_are_the_jacobian_and_its_column_sums(qtbot: QtBot, animal: Bench) -> None:
    animal.type_scale(qtbot, "2")
    weights = animal.document.evaluation.arrays[WEIGHTS]
    of_row, of_all = animal.workspace.gradient.maps.maps
    assert np.array_equal(of_row.content.picture.values, jacobian(weights[3]))
    assert np.array_equal(of_all.content.picture.values, sensitivity(weights))
    assert of_row.content.rows.texts == of_row.content.columns.texts == animal.document.experiment.key_tokens


def test_a_one_hot_row_passes_no_gradient_and_it_is_said(animal: Bench) -> None:
    animal.select(0)
    assert animal.text("gradient-caption") == "the row of “animal” passes none: all its derivatives are 0"
    assert not animal.workspace.gradient.maps.maps[0].content.picture.values.any()


def test_pins_behind_the_scale_are_said(open_workspace: Open) -> None:
    bench = open_workspace(load_example("given-scores"))
    assert bench.text("comparison-note") == "The scaled scores of this row are pinned: the scale has no effect on it."
    assert bench.curve().plot is not None


def test_pinned_weights_are_told_from_what_softmax_gives(open_workspace: Open) -> None:
    pin = np.full((2, 2), 0.5)
    bench = open_workspace(with_scores([[1.0, 0.0], [0.0, 3.0]], pins={WEIGHTS.path: frozen(pin)}))
    assert "The weights of this row are pinned" in bench.text("comparison-note")
    assert bench.maps.maps[1].content.picture.values[1, 1] == pytest.approx(1 / (1 + np.exp(-3)))


def test_a_fully_masked_row_is_said_and_has_no_bars(open_workspace: Open) -> None:
    bench = open_workspace(one_layer(np.eye(2), padding=[True, True]))
    assert "fully masked" in bench.text("comparison-note")
    assert bench.workspace.comparison.bars.isHidden()
    assert bench.values == ["0.000", "0.000", "0.0%", "0.000"]


def test_scores_that_become_infinite_are_told_as_no_numbers(qtbot: QtBot, open_workspace: Open) -> None:
    bench = open_workspace(with_scores([[1e308, 0.0]]))
    bench.type_scale(qtbot, "4")
    assert bench.values == ["NaN"] * 4
    assert bench.maps.maps[1].captions[0] == "the row is not a number"
    assert bench.workspace.comparison.bars.picture.bars[1].shares is None


def test_all_heads_are_shown_at_the_set_scale_and_a_click_displays_one(qtbot: QtBot, open_workspace: Open) -> None:
    bench = open_workspace(load_example("multi-head"), height=1900)
    heads = bench.workspace.heads
    assert [it.title for it in heads.maps.maps] == [f"Head {number}" for number in range(1, 13)]
    arrays = bench.document.evaluation.arrays
    for head, it in enumerate(heads.maps.maps):
        assert it.content.picture.values is arrays[Unit("weights", 0, head)]
    qtbot.mouseClick(heads.maps, LEFT, pos=point(heads.maps.frame().places[4].center()))
    bench.settle()
    assert bench.document.display["head"] == 4
    assert [it.chosen for it in heads.maps.maps].index(True) == 4
    assert bench.text("comparison-caption").startswith("all rows of head 5")
    qtbot.keyClick(heads.maps, Qt.Key.Key_Right)
    bench.settle()
    assert bench.document.display["head"] == 5


def test_with_one_head_there_is_no_card_of_all_heads(animal: Bench) -> None:
    assert animal.workspace.heads.isHidden()


def test_heads_out_of_sight_are_not_computed_until_scrolled_to(open_workspace: Open) -> None:
    bench = open_workspace(load_example("multi-head"), height=400)
    assert Unit("weights", 0, 7) not in bench.document.evaluation.arrays
    bench.workspace.ensureWidgetVisible(bench.workspace.heads.maps)
    bench.settle()
    assert Unit("weights", 0, 7) in bench.document.evaluation.arrays
    assert len(bench.workspace.heads.maps.maps) == 12


def test_a_hidden_workspace_has_nothing_computed(animal: Bench) -> None:
    animal.workspace.hide()
    animal.document.set_value("layers.0.attention.scale", 2.0, "Set scale")
    animal.settle()
    assert dict(animal.document.evaluation.arrays) == {}
    animal.workspace.show()
    animal.settle()
    assert animal.values[2] != "52.9%"


def test_the_data_of_a_curve_are_copied_with_headings(qtbot: QtBot, animal: Bench) -> None:
    qtbot.keyClick(animal.curve("largest_weight"), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QApplication.clipboard().text().splitlines()
    assert lines[0] == "scale\tlargest_weight"
    assert lines[1] == "0\t0.25"
    numbers = np.array([[float(cell) for cell in line.split("\t")] for line in lines[1:]])
    at = int(np.argmin(np.abs(numbers[:, 0] - 1.0)))
    assert numbers[at] == pytest.approx([1.0, 0.6466], abs=1e-4)
    assert numbers[-1] == pytest.approx([4.0, 0.9950], abs=1e-4)


def test_all_curves_are_copied_and_saved_from_the_export_menu(
    animal: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = animal.part(QToolButton, "curves-export")
    assert isinstance(export, QToolButton)
    menu = export.menu()
    menu.aboutToShow.emit()
    entries = {action.text(): action for action in menu.actions()}
    entries["Copy data of all curves"].trigger()
    heading = "scale\tentropy_bits\teffective_keys\tlargest_weight\tgradient_left"
    assert QApplication.clipboard().text().splitlines()[0] == heading
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args: (str(tmp_path / "curves"), ""))
    entries["Save data of all curves…"].trigger()
    assert (tmp_path / "curves.tsv").read_text(encoding="utf-8").splitlines()[0] == heading
    assert "Gradient left" in entries


def test_a_curve_s_picture_is_saved_and_a_failure_is_told(
    animal: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, chosen = animal.curve(), tmp_path / "entropy.svg"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args: (str(chosen), "SVG picture (*.svg)"))
    menu = QMenu(animal.workspace)
    view.fill_menu(menu)
    save = next(action for action in menu.actions() if action.text() == "Save picture…")
    save.trigger()
    assert b"<svg" in chosen.read_bytes()
    chosen = tmp_path / "not there" / "entropy.svg"
    save.trigger()
    assert animal.text("curves-error").startswith("entropy.svg could not be written")


@pytest.mark.parametrize("tokens", [1, 4, 16, 64])
@pytest.mark.parametrize("width", [490, 906, 1416])
def test_cards_stand_within_the_page_and_nothing_overlaps(open_workspace: Open, tokens: int, width: int) -> None:
    words = [f"token{index}" for index in range(tokens)]
    bench = open_workspace(new_experiment(words, 8, 4, 2, 2, 0), width, 700)
    bench.settle()
    workspace = bench.workspace
    cards = [workspace.knobs, workspace.comparison, workspace.curves, workspace.heads, workspace.gradient]
    cards.append(workspace.laboratory)
    page = cards[0].parentWidget()
    rects = [card.geometry() for card in cards if not card.isHidden()]
    assert len(rects) == 6
    assert all(page.rect().contains(rect) for rect in rects)
    assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[i + 1 :])
    for card in cards:
        assert card.layout().minimumSize().width() <= card.width()
    last = bench.maps.frame().places[-1]
    assert last.right() <= bench.maps.width() + 1
    assert last.bottom() <= bench.maps.height() + 1


def test_the_workspace_takes_the_dark_theme(animal: Bench) -> None:
    animal.appearance.choose_theme("dark")
    animal.settle()
    assert all(it.content.picture.theme.name == "dark" for it in animal.maps.maps)
    assert all(view.plot.theme.name == "dark" for view in animal.workspace.curves.views)
    animal.appearance.choose_theme(None)


@pytest.mark.parametrize("text_scale", [0.85, 1.0, 1.25, 2.0])
@pytest.mark.parametrize("width", [611, 808, 1003, 1187])
def test_what_changes_of_a_map_is_all_that_is_painted_anew(open_workspace: Open, text_scale: float, width: int) -> None:
    bench = open_workspace(load_example("animal-street"))
    bench.appearance.set_text_scale(text_scale)
    bench.workspace.resize(width, 900)
    bench.settle()
    seen = bench.maps.grab().toImage()
    bench.document.apply("Scale", lambda experiment: set_scale(experiment, 0, 1.7))
    bench.settle()
    for index in range(3):
        part = bench.maps.changing_part(index)
        bench.maps.render(seen, part.boundingRect().topLeft(), part, QWidget.RenderFlag(0))
    assert seen == bench.maps.grab().toImage()


def test_scores_too_small_for_any_number_hatch_nothing_under_any_scale(open_workspace: Open) -> None:
    bench = open_workspace(one_layer([[1e200, 0.0], [-1e200, 1.0]], scale=0.5))
    maps = bench.maps.maps
    assert len(maps) == 3
    assert [it.content.picture.hatched is None or not it.content.picture.hatched.any() for it in maps] == [True] * 3
