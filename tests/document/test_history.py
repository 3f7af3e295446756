"""Gestures: many edits become one step of undo, and nothing is kept of those that were taken into it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication

from attnexplorer.document.commands import CellsCommand
from attnexplorer.document.document import Document
from attnexplorer.experiment.examples import load_example

E = "embedding.E"


@pytest.fixture
def document(qapp: QCoreApplication) -> Iterator[Document]:
    document = Document(load_example("animal-street"))
    yield document
    document.close()


def commands() -> int:
    """How many commands there are, in the stack or forgotten elsewhere."""
    gc.collect()
    return sum(type(it) is CellsCommand for it in gc.get_objects())


def set_first(document: Document, value: float, gesture: int = -1) -> None:
    document.set_cell(E, 0, 0, value, gesture)


def test_a_long_gesture_leaves_one_command_in_the_memory(document: Document) -> None:
    before, gesture = commands(), document.new_gesture()
    for value in range(200):
        set_first(document, value + 0.5, gesture)
    assert document.undo_stack.count() == 1
    assert commands() == before + 1
    document.undo_stack.undo()
    assert document.experiment.embedding.E[0, 0] == load_example("animal-street").embedding.E[0, 0]
    document.undo_stack.clear()
    assert commands() == before


def test_an_edit_after_undo_forgets_what_was_undone(document: Document) -> None:
    before = commands()
    for value in range(1, 11):
        set_first(document, value)
    for _ in range(10):
        document.undo_stack.undo()
    set_first(document, 5.0)
    assert commands() == before + 1


def test_a_gesture_that_comes_back_to_where_it_began_is_no_step(document: Document) -> None:
    start, gesture = float(document.experiment.embedding.E[0, 0]), document.new_gesture()
    for value in (3.0, 4.0, start):
        set_first(document, value, gesture)
    assert document.undo_stack.count() == 0
    assert not document.modified
    set_first(document, 6.0, gesture)
    assert document.undo_stack.count() == 1


def test_a_gesture_that_goes_on_after_saving_begins_another_step(document: Document) -> None:
    gesture = document.new_gesture()
    set_first(document, 3.0, gesture)
    document.undo_stack.setClean()
    set_first(document, 4.0, gesture)
    assert document.undo_stack.count() == 2
    assert document.modified


def test_the_name_of_the_step_and_its_place_are_told_while_the_gesture_goes_on(document: Document) -> None:
    told: list[object] = []
    gesture = document.new_gesture()
    document.set_cells(E, [0], [0], [3.0], gesture, "first")
    document.undo_stack.undoTextChanged.connect(told.append)
    document.undo_stack.indexChanged.connect(told.append)
    document.set_cells(E, [0], [0], [4.0], gesture, "second")
    assert told == [1, "second"]
    assert document.undo_stack.undoText() == "second"
