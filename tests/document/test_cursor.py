"""The one cursor of all views."""

from __future__ import annotations

from attnexplorer.document.cursor import Cell, Cursor

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
