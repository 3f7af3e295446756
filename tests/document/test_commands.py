"""The undo commands by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QUndoStack

from attnexplorer.document.commands import ALONE, EVERYTHING, CellsCommand, ExperimentCommand, ValueCommand
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits import widths
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment

W_Q = "layers.0.attention.W_Q.0"
SCALE = "layers.0.attention.scale"


class Holder:
    """The present experiment and what was said to have changed."""

    def __init__(self) -> None:
        self.experiment = load_example("animal-street")
        self.changes: list[frozenset[str]] = []
        self.stack = QUndoStack()

    def present(self) -> Experiment:
        return self.experiment

    def apply(self, experiment: Experiment, paths: frozenset[str]) -> None:
        self.experiment = experiment
        self.changes.append(paths)

    def cells(self, value: float, row: int = 0, gesture: int = ALONE) -> CellsCommand:
        cells = (np.array([row]), np.array([0]))
        return CellsCommand(self.present, self.apply, W_Q, cells, np.array([value]), f"Set {value}", gesture)

    def value(self, scale: Any, gesture: int = ALONE) -> ValueCommand:
        return ValueCommand(self.present, self.apply, SCALE, scale, f"Scale {scale}", gesture)

    def d_k(self, d_k: int, gesture: int = ALONE) -> ExperimentCommand:
        after = widths.set_d_k(self.experiment, 0, d_k)
        return ExperimentCommand(self.present, self.apply, after, f"d_k {d_k}", gesture)


@pytest.fixture
def holder(qapp: QCoreApplication) -> Holder:
    return Holder()


def test_a_command_is_done_when_it_is_pushed_and_says_what_changed(holder: Holder) -> None:
    holder.stack.push(holder.cells(5.0))
    holder.stack.push(holder.value(0.5))
    holder.stack.push(holder.d_k(3))
    assert holder.changes == [{W_Q}, {SCALE}, EVERYTHING]
    assert holder.experiment.layers[0].attention.W_Q[0][0, 0] == 5.0
    assert holder.experiment.layers[0].attention.scale == 0.5
    assert holder.experiment.layers[0].attention.d_k == 3


def test_a_command_does_nothing_before_it_is_pushed(holder: Holder) -> None:
    before = holder.experiment
    command = holder.value(0.5)
    assert command.outcome().layers[0].attention.scale == 0.5
    assert holder.experiment is before


def test_commands_of_one_gesture_become_one_with_the_last_name(holder: Holder) -> None:
    for make in (holder.cells, holder.value):
        count = holder.stack.count()
        for value in (2.0, 3.0, 4.0):
            holder.stack.push(make(value, gesture=7))
        assert holder.stack.count() == count + 1
        assert holder.stack.undoText().endswith("4.0")
    for d_k in (3, 4):
        holder.stack.push(holder.d_k(d_k, gesture=8))
    assert holder.stack.count() == 3
    while holder.stack.canUndo():
        holder.stack.undo()
    assert identical(holder.experiment, load_example("animal-street"))


def test_a_gesture_that_returns_to_its_start_disappears(holder: Holder) -> None:
    holder.stack.push(holder.cells(2.0, gesture=1))
    holder.stack.push(holder.cells(1.0, gesture=1))
    assert holder.stack.count() == 0
    holder.stack.push(holder.value(2.0, gesture=2))
    holder.stack.push(holder.value("sqrt_dk", gesture=2))
    assert holder.stack.count() == 0
    holder.stack.push(holder.d_k(1, gesture=3))
    holder.stack.push(holder.d_k(2, gesture=3))
    assert holder.stack.count() == 1, "the column that was cut off has other numbers now"
    assert holder.stack.isClean() is False


def test_commands_without_a_gesture_or_of_other_cells_or_kinds_stay_apart(holder: Holder) -> None:
    holder.stack.push(holder.cells(2.0))
    holder.stack.push(holder.cells(3.0))
    holder.stack.push(holder.cells(4.0, gesture=1))
    holder.stack.push(holder.cells(4.0, row=1, gesture=1))
    holder.stack.push(holder.value(4.0, gesture=1))
    holder.stack.push(holder.d_k(4, gesture=1))
    assert holder.stack.count() == 6


def test_a_cell_command_keeps_cells_and_not_the_matrix(holder: Holder) -> None:
    other = load_example("animal-street").layers[0].attention.W_Q[0]
    holder.stack.push(holder.cells(2.0))
    holder.stack.push(holder.cells(9.0, row=1))
    holder.stack.undo()
    assert holder.experiment.layers[0].attention.W_Q[0].tolist() == [[2.0, 1.0], other[1].tolist()]
