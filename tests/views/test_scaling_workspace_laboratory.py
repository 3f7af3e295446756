"""The d_k laboratory in the Scaling workspace: drawing in the background, stopping, choosing, applying."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from attnexplorer.compute.dot_products import WIDTHS, pairs_for
from attnexplorer.document.document import Document
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.examples import load_example
from attnexplorer.figures.curves import place_on
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.scaling.laboratory import LaboratoryCard
from attnexplorer.views.scaling.laboratory_plots import histogram_table, width_table
from attnexplorer.views.scaling.sampling import Sampling

LEFT = Qt.MouseButton.LeftButton
LONG = 120_000
QUICK = 7
"""So many widths are drawn in no time."""


class Bench:
    """A laboratory on a document."""

    def __init__(self, example: str) -> None:
        self.document = Document(load_example(example))
        self.card = LaboratoryCard(self.document, Appearance())

    def text(self, name: str) -> str:
        label = self.card.findChild(QLabel, f"laboratory-{name}")
        assert isinstance(label, QLabel)
        return "" if label.isHidden() else label.text()

    @property
    def found(self) -> int:
        return len(self.card.sampling.results(self.card.seed))

    @property
    def d_k(self) -> int:
        return self.document.experiment.layers[0].attention.d_k


def opened(qtbot: QtBot, example: str) -> Bench:
    bench = Bench(example)
    qtbot.addWidget(bench.card)
    bench.card.resize(900, 480)
    bench.card.show()
    bench.card.apply_appearance()
    return bench


@pytest.fixture
def animal(qtbot: QtBot) -> Iterator[Bench]:
    bench = opened(qtbot, "animal-street")
    yield bench
    closed(bench)


@pytest.fixture
def rope(qtbot: QtBot) -> Iterator[Bench]:
    bench = opened(qtbot, "rope")
    yield bench
    closed(bench)


def closed(bench: Bench) -> None:
    bench.card.rest()
    bench.card.sampling.wait()
    bench.card.close()
    bench.document.close()


def drawn(qtbot: QtBot, bench: Bench, widths: int) -> None:
    """Draw until so many widths are known, then stop."""
    bench.card.begin()
    qtbot.waitUntil(lambda: bench.found >= widths, timeout=LONG)
    bench.card.cancel.click()
    bench.card.sampling.wait()
    QApplication.processEvents()


def test_all_widths_are_drawn_in_the_background_with_progress(qtbot: QtBot, animal: Bench) -> None:
    shares: list[float] = []
    animal.card.sampling.progressed.connect(shares.append)
    animal.card.begin()
    assert animal.card.sampling.running
    assert not animal.card.cancel.isHidden()
    qtbot.waitUntil(lambda: not animal.card.sampling.running, timeout=LONG)
    assert animal.text("state") == "Seed 1: 51,200 pairs at dₖ = 1 to 12,810 at dₖ = 4,096."
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert animal.card.cancel.isHidden()
    found = animal.card.sampling.results(1)
    table = width_table(found, ("pairs", "variance", "scaled_variance"))
    assert table.columns[0] == tuple(float(width) for width in WIDTHS)
    assert table.columns[1] == tuple(float(pairs_for(width)) for width in WIDTHS)
    assert table.columns[2] == pytest.approx(table.columns[0], rel=0.05)
    assert table.columns[3] == pytest.approx([1.0] * len(WIDTHS), rel=0.05)


def test_the_first_width_is_that_of_the_heads(qtbot: QtBot, animal: Bench) -> None:
    assert animal.d_k == 2
    drawn(qtbot, animal, 1)
    assert animal.card.chosen_width == 2
    assert 2 in animal.card.sampling.results(1)
    assert animal.text("sentence").startswith("At dₖ = 2, 32,000 pairs: variance ")
    assert not animal.card.apply.isEnabled()


def test_drawing_is_cancelled_and_goes_on(qtbot: QtBot, animal: Bench) -> None:
    drawn(qtbot, animal, 2)
    before = animal.found
    assert not animal.card.sampling.running
    assert animal.text("state") == f"Seed 1: {before} of 13 widths drawn."
    animal.card.begin()
    assert not animal.card.sampling.running
    qtbot.mouseClick(animal.card.resume, LEFT)
    assert animal.card.sampling.running
    qtbot.waitUntil(lambda: animal.found >= QUICK, timeout=LONG)


def test_out_of_sight_it_rests_and_in_sight_it_goes_on(qtbot: QtBot, animal: Bench) -> None:
    animal.card.begin()
    animal.card.rest()
    assert not animal.card.sampling.running
    animal.card.begin()
    assert animal.card.sampling.running


def test_what_was_drawn_for_a_seed_is_kept(qtbot: QtBot, animal: Bench) -> None:
    drawn(qtbot, animal, QUICK)
    first = animal.card.sampling.results(1)[4]
    animal.card.seeds.setFocus()
    animal.card.seeds.selectAll()
    qtbot.keyClicks(animal.card.seeds, "23")
    qtbot.keyClick(animal.card.seeds, Qt.Key.Key_Return)
    assert animal.card.seed == 23
    qtbot.waitUntil(lambda: animal.found >= 3, timeout=LONG)
    assert animal.card.sampling.results(23)[4].variance != first.variance
    assert animal.card.sampling.results(1)[4] is first


def test_a_new_seed_is_taken_by_chance_and_shown(qtbot: QtBot, animal: Bench) -> None:
    qtbot.mouseClick(animal.card.new_seed, LEFT)
    assert animal.card.seeds.value() == animal.card.seed != 1
    assert f"Seed {animal.card.seed}:" in animal.text("state")


def test_a_width_is_chosen_from_the_list_and_in_the_plots(qtbot: QtBot, animal: Bench) -> None:
    drawn(qtbot, animal, QUICK)
    animal.card.widths.setFocus()
    qtbot.keyClick(animal.card.widths, Qt.Key.Key_Down)
    assert animal.card.chosen_width == 4
    view = animal.card.variance
    plot = view.plot
    assert plot is not None
    place = place_on(plot, view.plot_layout, 16.0, 16.0)
    qtbot.mouseClick(view, LEFT, pos=QPoint(round(place.x()), round(place.y())))
    assert animal.card.chosen_width == 16
    histogram = animal.card.unscaled.plot
    assert histogram is not None
    assert histogram.caption == "dashed: normal curve of variance 16"
    assert (histogram.x.low, histogram.x.high) == (-16.0, 16.0)


def test_both_histograms_share_one_axis_and_hold_every_pair(qtbot: QtBot, animal: Bench) -> None:
    drawn(qtbot, animal, QUICK)
    found = animal.card.sampling.results(1)[2]
    unscaled, scaled = animal.card.unscaled.plot, animal.card.scaled.plot
    assert unscaled is not None
    assert scaled is not None
    assert unscaled.x == scaled.x
    for is_scaled in (False, True):
        table = histogram_table(found, is_scaled)
        assert table.headings == ("from", "to", "count", "density")
        assert sum(table.columns[2]) + found.beyond == found.pairs


def test_the_data_of_a_plot_are_copied(qtbot: QtBot, animal: Bench) -> None:
    drawn(qtbot, animal, QUICK)
    qtbot.keyClick(animal.card.largest, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QApplication.clipboard().text().splitlines()
    assert lines[0] == "d_k\tpairs\tlargest\tscaled_largest"
    assert lines[1].startswith("1\t51200\t0.")


def test_my_heads_are_made_as_wide_as_chosen_in_one_step(qtbot: QtBot, animal: Bench) -> None:
    before = animal.document.experiment
    animal.card.choose_width(64)
    assert animal.card.apply.text() == "Make my heads 64 wide"
    qtbot.mouseClick(animal.card.apply, LEFT)
    assert animal.d_k == 64
    assert animal.document.experiment.layers[0].attention.scale == "sqrt_dk"
    assert animal.document.undo_stack.count() == 1
    assert animal.document.undo_stack.undoText() == "Make the heads 64 wide"
    animal.document.undo_stack.undo()
    assert identical(animal.document.experiment, before)


def test_a_width_that_cannot_be_is_refused_beside_the_button(qtbot: QtBot, rope: Bench) -> None:
    rope.card.choose_width(1)
    qtbot.mouseClick(rope.card.apply, LEFT)
    assert "even" in rope.card.notice.message.text()
    assert not rope.card.notice.message.isHidden()
    assert rope.document.undo_stack.count() == 0


def test_only_the_last_seeds_are_kept(qtbot: QtBot) -> None:
    sampling = Sampling()
    for seed in range(18):
        sampling.start(seed, 1)
        qtbot.waitUntil(lambda seed=seed: 1 in sampling.results(seed), timeout=LONG)
    sampling.stop()
    sampling.wait()
    QApplication.processEvents()
    assert not sampling.results(0)
    assert sampling.results(17)
