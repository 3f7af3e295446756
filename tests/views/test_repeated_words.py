"""A word that stands in a sentence twice is told apart by its position, in every workspace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from views_of_matrices import cell_centre, open_pipeline

from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.figures.flow import End
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.geometry.workspace import GeometryWorkspace
from attnexplorer.views.heads.workspace import HeadsWorkspace
from attnexplorer.views.table_context import TableContext

WORDS = ["the", "dog", "bit", "the", "man"]
TOLD = ("the (1)", "dog", "bit", "the (4)", "man")


@pytest.fixture
def context() -> Iterator[TableContext]:
    document = Document(new_experiment(WORDS, 6, 3, 3, 2, seed=4))
    yield TableContext(document, Appearance(), Lights(document))
    document.close()


def show(qtbot: QtBot, widget: HeadsWorkspace | GeometryWorkspace, document: Document) -> None:
    qtbot.addWidget(widget)
    widget.resize(1000, 800)
    widget.show()
    for _ in range(3):
        document.recomputation.finish()
        QApplication.processEvents()


def test_the_flow_and_its_sentence_tell_them_apart(qtbot: QtBot, context: TableContext) -> None:
    workspace = HeadsWorkspace(context)
    show(qtbot, workspace, context.document)
    flow = workspace.canvas.flow
    assert flow.view.picture.queries.texts == flow.view.picture.keys.texts == TOLD
    flow.end_hovered.emit(End("query", 3))
    assert "“the (4)” draws" in flow.view.spoken()
    workspace.canvas.numbers.finish()


def test_arrows_and_the_choice_of_a_pair_tell_them_apart(qtbot: QtBot, context: TableContext) -> None:
    workspace = GeometryWorkspace(context)
    show(qtbot, workspace, context.document)
    card = workspace.pair_card
    assert [card.query.itemText(row) for row in (0, 3)] == ["q the (1)", "q the (4)"]
    assert [card.key.itemText(row) for row in (0, 3)] == ["k the (1)", "k the (4)"]
    assert {arrow.token for arrow in workspace.view.picture.arrows} == set(TOLD)


def test_the_entry_that_blocks_a_pair_names_which_and_that_it_holds_for_all_heads(qtbot: QtBot) -> None:
    pipeline = open_pipeline(qtbot, new_experiment(WORDS, 6, 3, 3, 2, seed=4))
    table = pipeline.table("weights")
    at = cell_centre(table, 3, 0)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, table.viewport().mapToGlobal(at))
    QApplication.sendEvent(table.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    texts = [action.text() for action in menu.actions()]
    menu.close()
    assert "Block “the (4)” → “the (1)” for all heads" in texts
