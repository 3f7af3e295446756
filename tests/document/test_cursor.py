"""The one cursor of all views."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from attnexplorer.document.cursor import Cell, Cursor
from attnexplorer.document.document import Document
from attnexplorer.document.lights import Lights
from attnexplorer.experiment.examples import load_example

FIRST, SECOND = Cell("layers.0.scores.0", 1, 2), Cell("embedding.E", 0, 0)


def test_what_the_pointer_is_over_is_shown_before_what_is_selected() -> None:
    cursor = Cursor()
    assert cursor.shown is None
    cursor.select(FIRST)
    assert cursor.shown == FIRST
    cursor.hover(SECOND)
    assert cursor.shown == SECOND
    cursor.hover(None)
    assert cursor.shown == FIRST


def test_only_real_changes_are_told() -> None:
    cursor, heard = Cursor(), []
    cursor.selection_changed.connect(lambda cell: heard.append(("selected", cell)))
    cursor.hover_changed.connect(lambda cell: heard.append(("hovered", cell)))
    for cell in (FIRST, FIRST, Cell(*FIRST), SECOND, None, None):
        cursor.select(cell)
    cursor.hover(FIRST)
    cursor.hover(FIRST)
    assert heard == [("selected", FIRST), ("selected", SECOND), ("selected", None), ("hovered", FIRST)]


def test_a_cell_that_a_view_still_shows_but_that_is_gone_is_the_nearest_one(qapp: QCoreApplication) -> None:
    document = Document(load_example("animal-street"))
    lights, rows = Lights(document), len(document.experiment.embedding.vocabulary)
    for point in (document.cursor.select, document.cursor.hover):
        point(Cell("embedding.E", rows + 3, 0))
        assert document.cursor.shown == Cell("embedding.E", rows - 1, 0)
        point(Cell("layers.7.weights.0", 0, 0))
        assert document.cursor.shown is None
    assert lights.on("embedding.E") == ()
    document.close()
