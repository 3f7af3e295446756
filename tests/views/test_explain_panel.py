"""The Explain panel on a real document, with real clicks and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pointing import point_at
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from attnexplorer.compute.checks import BLOCKED, FULLY_MASKED, SUMS
from attnexplorer.compute.explanation import EXPLAINED_STAGES, needed_units
from attnexplorer.compute.stages import heads_of, stages_of
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.masks import block_pair
from attnexplorer.experiment.edits.tokens import remove_token
from attnexplorer.experiment.examples import example_names, load_example
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import replace
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.explain.checks_view import CheckLine, ChecksView
from attnexplorer.views.explain.flow import PlacedWord
from attnexplorer.views.explain.panel import NOTHING_SELECTED, ExplainPanel
from attnexplorer.views.explain.steps_view import StepsView

LEFT = Qt.MouseButton.LeftButton
WEIGHT = Cell("layers.0.weights.0", 3, 0)


class Bench:
    """A panel on a document, with its parts at hand."""

    def __init__(self, experiment: Experiment) -> None:
        self.document = Document(experiment)
        self.appearance = Appearance()
        self.panel = ExplainPanel(self.document, self.appearance)
        self.steps = self.panel.findChild(StepsView)
        self.checks = self.panel.findChild(ChecksView)

    def settle(self) -> None:
        self.document.recomputation.finish()
        while self.panel.waits:
            QTest.qWait(10)
        QApplication.processEvents()

    def select(self, cell: Cell | None) -> None:
        self.document.cursor.select(cell)
        self.settle()

    def label(self, name: str) -> QLabel:
        return self.panel.findChild(QLabel, f"explain-{name}")

    def factor(self, text: str) -> PlacedWord:
        return next(p for p in self.steps.words if p.word.text == text and p.word.reference is not None)

    def middle(self, text: str) -> QPoint:
        return self.factor(text).rect.center().toPoint()

    def check(self, name: str) -> CheckLine:
        return next(line for line in self.checks.lines if line.check is not None and line.check.name == name)


@pytest.fixture
def open_panel(qtbot: QtBot) -> Iterator[Callable[[Experiment], Bench]]:
    benches: list[Bench] = []

    def made(experiment: Experiment) -> Bench:
        bench = Bench(experiment)
        benches.append(bench)
        qtbot.addWidget(bench.panel)
        bench.panel.resize(270, 700)
        bench.panel.show()
        bench.settle()
        return bench

    yield made
    for bench in benches:
        bench.panel.close()
        bench.document.close()


@pytest.fixture
def animal(open_panel: Callable[[Experiment], Bench]) -> Bench:
    bench = open_panel(load_example("animal-street"))
    bench.select(WEIGHT)
    return bench


def test_without_a_selection_it_says_what_to_click(open_panel: Callable[[Experiment], Bench]) -> None:
    bench = open_panel(load_example("animal-street"))
    assert bench.label("empty").text() == NOTHING_SELECTED
    assert bench.label("empty").isVisible()
    assert not bench.steps.isVisible()
    assert not bench.panel.findChild(QPushButton, "copy-LaTeX").isVisible()


def test_the_weight_of_it_for_animal_is_explained_down_from_the_tokens(animal: Bench) -> None:
    assert animal.label("heading").text() == "A[it, animal] = <b>52.94&nbsp;%</b>"
    assert not animal.label("empty").isVisible()
    verbs = [step.verb for step in animal.steps.steps]
    assert [verb for verb in ("compare", "scale", "mask", "exponentiate", "normalise") if verb not in verbs] == []
    texts = [place.word.text for place in animal.steps.words]
    assert {"2.500", "1.768", "0.5294"} <= set(texts)


def test_all_steps_are_inside_the_panel_at_every_width(animal: Bench) -> None:
    for width in (230, 270, 420):
        animal.panel.resize(width, 700)
        animal.settle()
        assert animal.steps.height() >= animal.steps.heightForWidth(animal.steps.width())
        assert all(place.rect.right() <= animal.steps.width() + 0.5 for place in animal.steps.words)
        assert animal.panel.widget().width() <= animal.panel.viewport().width()


def test_only_what_the_explanation_and_the_checks_read_is_evaluated(animal: Bench) -> None:
    needed = set(needed_units(animal.document.experiment, Unit("weights", 0, 0)))
    assert needed <= set(animal.document.evaluation.arrays)
    animal.panel.hide()
    animal.document.set_cell("embedding.E", 0, 0, 0.3)
    animal.settle()
    assert animal.document.evaluation.arrays == {}


def test_an_edit_changes_the_explanation_at_once(animal: Bench) -> None:
    animal.document.set_value("layers.0.attention.scale", 4.0, "Set scale")
    animal.settle()
    assert "99.50" in animal.label("heading").text()
    animal.document.undo_stack.undo()
    animal.settle()
    assert "52.94" in animal.label("heading").text()


def test_hovering_elsewhere_changes_nothing_here(animal: Bench) -> None:
    before = animal.panel.grab().toImage()
    animal.document.cursor.hover(Cell("layers.0.weights.0", 0, 0))
    animal.settle()
    assert animal.panel.grab().toImage() == before


def test_a_factor_under_the_pointer_lights_up_its_cell(qtbot: QtBot, animal: Bench) -> None:
    point_at(animal.steps, animal.middle("1.50"))
    assert animal.document.cursor.hovered == Cell("layers.0.key.0", 0, 0)
    point_at(animal.steps, QPoint(2, 2))
    assert animal.document.cursor.hovered is None


def test_a_click_on_a_factor_leads_to_how_it_is_made(qtbot: QtBot, animal: Bench) -> None:
    qtbot.mouseClick(animal.steps, LEFT, pos=animal.middle("2.50"))
    animal.settle()
    assert animal.document.cursor.selected == Cell("layers.0.scores.0", 3, 0)
    assert animal.label("heading").text().startswith("QKᵀ[it, animal] = <b>2.500")


def test_factors_are_reached_by_keys(qtbot: QtBot, animal: Bench) -> None:
    animal.panel.activateWindow()
    animal.steps.setFocus()
    qtbot.waitUntil(animal.steps.hasFocus)
    qtbot.keyClick(animal.steps, Qt.Key.Key_End)
    last = [p.word.reference for p in animal.steps.words if p.word.reference is not None][-1]
    assert animal.document.cursor.hovered == Cell(*last)
    qtbot.keyClick(animal.steps, Qt.Key.Key_Home)
    assert animal.document.cursor.hovered == Cell("layers.0.input", 3, 0)
    qtbot.keyClick(animal.steps, Qt.Key.Key_Right)
    qtbot.keyClick(animal.steps, Qt.Key.Key_Return)
    assert animal.document.cursor.selected == Cell("layers.0.attention.W_Q.0", 0, 0)
    assert animal.document.cursor.hovered is None


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_factor_is_shaded_in_the_colour_of_its_sign(animal: Bench, theme: str) -> None:
    assert theme in ("light", "dark")
    animal.appearance.choose_theme("light" if theme == "light" else "dark")
    animal.settle()
    rect = animal.factor("1.50").rect
    image = animal.steps.grab().toImage()
    seen = image.pixelColor(round(rect.left()) + 2, round(rect.center().y()))
    assert seen.name() == animal.appearance.theme.positive[1]
    animal.appearance.choose_theme(None)


def test_each_copy_link_puts_its_form_on_the_clipboard(qtbot: QtBot, animal: Bench) -> None:
    copied = {}
    for name in ("LaTeX", "NumPy", "Markdown", "Text"):
        qtbot.mouseClick(animal.panel.findChild(QPushButton, f"copy-{name}"), LEFT)
        copied[name] = QGuiApplication.clipboard().text()
        assert animal.label("copied").text() == f"Copied as {name}."
    assert copied["LaTeX"].startswith("\\noindent")
    assert "**compare**" in copied["Markdown"]
    assert copied["Text"].startswith("A[it, animal] = 52.94 %")
    compile(copied["NumPy"], "copied", "exec")
    assert copied["NumPy"].rstrip().splitlines()[-1].startswith("print(")


def test_a_parameter_is_explained_as_one(animal: Bench) -> None:
    animal.select(Cell("layers.0.attention.W_Q.0", 0, 1))
    assert animal.label("heading").text().startswith("W<sub>Q</sub>[")
    assert "parameter" in animal.label("notes").text()
    assert not animal.steps.isVisible()


def test_after_the_last_row_is_removed_only_what_is_there_is_explained(animal: Bench) -> None:
    animal.document.apply("Remove", lambda experiment: remove_token(experiment, "sequence", 3))
    animal.settle()
    assert animal.document.cursor.selected != WEIGHT
    shown = animal.panel.explanation
    assert shown is None or shown.row < 3
    animal.document.undo_stack.undo()
    animal.settle()
    animal.select(WEIGHT)
    assert "52.94" in animal.label("heading").text()


def test_a_selection_in_a_stage_that_is_no_more_is_dropped(open_panel: Callable[[Experiment], Bench]) -> None:
    bench = open_panel(load_example("rope"))
    bench.select(Cell("layers.0.query_rotated.0", 0, 0))
    assert bench.panel.explanation is not None
    bench.document.set_value("position.kind", "none", "No position")
    bench.settle()
    assert bench.document.cursor.selected is None


@pytest.mark.parametrize("name", example_names())
def test_a_cell_of_every_stage_of_every_example_is_explained(
    open_panel: Callable[[Experiment], Bench], name: str
) -> None:
    experiment = load_example(name)
    bench = open_panel(experiment)
    for layer in range(len(experiment.layers)):
        for stage in stages_of(experiment, layer):
            unit = Unit(stage, layer, heads_of(experiment, stage, layer)[-1])
            assert stage in EXPLAINED_STAGES
            bench.select(Cell(unit.path, 0, 0))
            explanation = bench.panel.explanation
            assert explanation is not None
            assert (explanation.path, explanation.row, explanation.column) == (unit.path, 0, 0)
            shown = bench.document.matrix(unit.path)
            assert shown is not None
            assert explanation.value == shown[0, 0]


def test_sixty_four_components_wrap_and_name_what_is_left_out(open_panel: Callable[[Experiment], Bench]) -> None:
    bench = open_panel(new_experiment([f"w{k}" for k in range(64)], 64, 64, 8, 1, 0))
    bench.select(Cell("layers.0.weights.0", 63, 3))
    texts = [place.word.text for place in bench.steps.words]
    assert "(… 58 more)" in texts
    assert all(place.rect.right() <= bench.steps.width() + 0.5 for place in bench.steps.words)


def test_a_token_of_three_hundred_letters_stays_inside(open_panel: Callable[[Experiment], Bench]) -> None:
    bench = open_panel(new_experiment(["x" * 300, "שלום", "<b> 👩"], 2, 2, 2, 1, 0))
    for row in range(3):
        bench.select(Cell("layers.0.weights.0", row, 0))
        assert bench.panel.widget().width() <= bench.panel.viewport().width()
        assert all(place.rect.right() <= bench.steps.width() + 0.5 for place in bench.steps.words)
    assert "&lt;b&gt;" in bench.label("heading").text()


def test_the_checks_of_the_displayed_head_are_live(animal: Bench) -> None:
    assert animal.check(SUMS).text == f"✓ {SUMS}"
    assert animal.check("padding gets none").text == "– padding gets none"
    animal.document.set_cells("layers.0.weights.0", [0], [3], [0.5])
    animal.settle()
    assert animal.check(SUMS).text.startswith(f"✗ {SUMS} ")
    assert animal.check(BLOCKED).text.startswith(f"✗ {BLOCKED} ")
    assert "row 1" in animal.check(BLOCKED).text
    bad = animal.appearance.theme.bad
    assert bad in animal.check(SUMS).findChildren(QLabel)[1].styleSheet()
    animal.document.undo_stack.undo()
    animal.settle()
    assert animal.check(SUMS).text == f"✓ {SUMS}"


def test_a_finding_leads_to_its_cell_by_click_and_by_key(qtbot: QtBot, animal: Bench) -> None:
    animal.document.set_cells("layers.0.weights.0", [0], [3], [0.5])
    animal.settle()
    line = animal.check(BLOCKED)
    qtbot.mouseClick(line, LEFT)
    assert animal.document.cursor.selected == Cell("layers.0.weights.0", 0, 3)
    animal.select(WEIGHT)
    line = animal.check(BLOCKED)
    assert line.focusPolicy() & Qt.FocusPolicy.TabFocus == Qt.FocusPolicy.TabFocus
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert animal.document.cursor.selected == Cell("layers.0.weights.0", 0, 3)


def test_a_note_is_told_and_the_tooltip_says_what_was_looked_at(open_panel: Callable[[Experiment], Bench]) -> None:
    bench = open_panel(replace(load_example("animal-street"), "sequence.padding", (True, False, False, False)))
    line = bench.check(FULLY_MASKED)
    assert line.text.startswith(f"i {FULLY_MASKED} ")
    assert "fully masked" in line.text
    assert "fully masked" in line.toolTip()
    assert "rows" in bench.check("softmax over the keys").toolTip()


def test_another_head_has_its_checks_and_its_name(open_panel: Callable[[Experiment], Bench]) -> None:
    bench = open_panel(load_example("multi-head"))
    assert bench.label("checks-title").text() == "CHECKS OF HEAD 1"
    bench.document.display.choose("head", 1)
    bench.settle()
    assert bench.label("checks-title").text() == "CHECKS OF HEAD 2"


def test_everything_fits_with_larger_type(animal: Bench) -> None:
    animal.appearance.set_text_scale(1.5)
    animal.settle()
    assert animal.steps.height() >= animal.steps.heightForWidth(animal.steps.width())
    assert animal.panel.widget().width() <= animal.panel.viewport().width()
    animal.appearance.set_text_scale(1.0)


def test_why_a_blocked_pair_has_no_weight_is_said_before_the_arithmetic(
    open_panel: Callable[[Experiment], Bench],
) -> None:
    bench = open_panel(block_pair(load_example("multi-head"), 0, 2, 1))
    for cell, sentence in (
        (Cell("layers.0.weights.0", 2, 1), "This pair is blocked (by hand), so its weight is exactly 0."),
        (Cell("layers.0.masked.0", 2, 1), "This pair is blocked (by hand), so its score is −∞."),
    ):
        bench.select(cell)
        assert bench.label("why").isVisible() and bench.label("why").text() == sentence
        assert bench.label("why").y() < bench.steps.y()
    bench.select(Cell("layers.0.weights.0", 0, 1))
    assert bench.label("why").text() == "This pair is blocked (causal), so its weight is exactly 0."
    for visible in (Cell("layers.0.weights.0", 2, 0), Cell("layers.0.scores.0", 2, 1), None):
        bench.select(visible)
        assert not bench.label("why").isVisible()
