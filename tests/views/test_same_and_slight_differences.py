"""B − A of next to nothing says how little it is; of nothing at all a sentence says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from attnexplorer.compute.numbers import limit_text, telling_text
from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.figures.flow import End
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.geometry.workspace import GeometryWorkspace
from attnexplorer.views.heads.workspace import HeadsWorkspace
from attnexplorer.views.table_context import TableContext

SAME = "A and B are the same here."


@pytest.fixture
def context() -> Iterator[TableContext]:
    document = Document(new_experiment(["a", "dog", "bites"], 6, 3, 3, 2, seed=4))
    yield TableContext(document, Appearance(), Lights(document))
    document.close()


def show(qtbot: QtBot, context: TableContext, make: Callable[[TableContext], QWidget]) -> QWidget:
    widget = make(context)
    qtbot.addWidget(widget)
    widget.resize(1000, 800)
    widget.show()
    settle(context)
    return widget


def settle(context: TableContext) -> None:
    for _ in range(3):
        context.document.recomputation.finish()
        context.document.comparison.finish()
        QApplication.processEvents()


def compare(context: TableContext, change: float) -> None:
    """Keep the present state as A and change one number of B."""
    document = context.document
    document.comparison.keep(document.experiment, "kept", "B-A")
    if change:
        document.set_cell("embedding.E", 0, 0, float(document.experiment.embedding.E[0, 0]) + change)
    settle(context)


def text_of(widget: QWidget, name: str) -> str:
    label = widget.findChild(QLabel, name)
    assert label is not None
    return label.text()


@pytest.mark.parametrize("stage", ["weights", "scores"])
def test_heads_and_flow_say_that_nothing_differs(qtbot: QtBot, context: TableContext, stage: str) -> None:
    workspace = show(qtbot, context, HeadsWorkspace)
    assert isinstance(workspace, HeadsWorkspace)
    context.document.display.choose("heads_stage", stage)
    compare(context, 0.0)
    assert workspace.tools.limits_text.text().startswith(SAME)
    assert workspace.canvas.flow.view.picture.flows == ()
    compare(context, 0.5)
    assert not workspace.tools.limits_text.text().startswith(SAME)
    workspace.canvas.numbers.finish()


def test_a_slight_difference_of_weights_is_told_with_its_size(qtbot: QtBot, context: TableContext) -> None:
    workspace = show(qtbot, context, HeadsWorkspace)
    assert isinstance(workspace, HeadsWorkspace)
    compare(context, 1e-6)
    told = workspace.tools.limits_text.text()
    assert told.startswith("Colours: −") and "e−" in told and "0.00" not in told
    picture = next(tile.picture for tile in workspace.canvas.grid.grid.tiles if tile.picture is not None)
    assert picture.decimals == -1
    flow = workspace.canvas.flow
    assert flow.view.picture.full < 1e-4
    flow.end_hovered.emit(End("query", 0))
    settle(context)
    assert any("e−" in label.text() and "up to" in label.text() for label in flow.findChildren(QLabel))
    workspace.canvas.numbers.finish()


def test_the_plane_says_that_nothing_differs_and_holds_no_share_of_nothing(qtbot: QtBot, context: TableContext) -> None:
    workspace = show(qtbot, context, GeometryWorkspace)
    compare(context, 0.0)
    assert text_of(workspace, "geometry-elsewhere") == SAME
    assert "NaN" not in text_of(workspace, "geometry-caption")
    compare(context, 0.5)
    assert text_of(workspace, "geometry-elsewhere") == ""
    assert "of the squared length" in text_of(workspace, "geometry-caption")


def test_ends_of_colours_keep_their_digits_however_small_they_are() -> None:
    assert [limit_text(it) for it in (0.0, 2.5, 12.0, 7.7e-7, -7.7e-7, 1e-9)] == [
        "0", "2.5", "12", "7.7e−7", "−7.7e−7", "1e−9",
    ]  # fmt: skip
    assert limit_text(0.25, ",") == "0,25"
    assert [telling_text(it) for it in (0.0, 0.49, 0.004, -3.2e-8)] == ["0.00", "0.49", "0.0040", "−3.2e−8"]
