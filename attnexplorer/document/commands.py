"""Undoable changes of the experiment. Each knows its old and new value and a name for the menu; no widget, no results.

What a command does must not fail: everything is validated before a command is pushed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from PySide6.QtGui import QUndoCommand

from attnexplorer.experiment.arrays import Matrix, frozen, same_bits
from attnexplorer.experiment.comparison import identical, same
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import get, replace

Gesture = int
"""Commands with the same number other than `ALONE` are one gesture, hence one step."""
ALONE: Gesture = -1

Apply = Callable[[Experiment, frozenset[str]], None]
"""Makes an experiment the present one; the paths say what differs."""
Present = Callable[[], Experiment]


class ValueCommand(QUndoCommand):
    """Replaces the value at one path."""

    def __init__(
        self, present: Present, apply: Apply, path: str, value: Any, text: str, gesture: Gesture = ALONE
    ) -> None:
        super().__init__(text)
        self._present, self._apply, self._gesture = present, apply, gesture
        self._path = path
        self._old, self._new = get(present(), path), value

    def outcome(self) -> Experiment:
        """Return the experiment that this command would make."""
        return replace(self._present(), self._path, self._new)

    def id(self) -> int:
        return self._gesture

    def redo(self) -> None:
        self._put(self._new)

    def undo(self) -> None:
        self._put(self._old)

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, ValueCommand) or other._path != self._path:
            return False
        self._new = other._new
        self.setText(other.text())
        self.setObsolete(same(self._old, self._new))
        return True

    def _put(self, value: Any) -> None:
        self._apply(replace(self._present(), self._path, value), frozenset((self._path,)))


class CellsCommand(QUndoCommand):
    """Sets some cells of one matrix; keeps those cells only, not the matrix."""

    def __init__(
        self,
        present: Present,
        apply: Apply,
        path: str,
        cells: tuple[np.ndarray[Any, Any], ...],
        values: np.ndarray[Any, Any],
        text: str,
        gesture: Gesture = ALONE,
    ) -> None:
        super().__init__(text)
        self._present, self._apply, self._gesture = present, apply, gesture
        self._path, self._cells = path, cells
        self._old: Matrix = frozen(get(present(), path)[cells])
        self._new: Matrix = frozen(values)

    def id(self) -> int:
        return self._gesture

    def redo(self) -> None:
        self._put(self._new)

    def undo(self) -> None:
        self._put(self._old)

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, CellsCommand) or other._path != self._path:
            return False
        if not all(np.array_equal(a, b) for a, b in zip(self._cells, other._cells, strict=True)):
            return False
        self._new = other._new
        self.setText(other.text())
        self.setObsolete(same_bits(self._old, self._new))
        return True

    def _put(self, values: Matrix) -> None:
        experiment = self._present()
        changed = np.array(get(experiment, self._path))
        changed[self._cells] = values
        changed.setflags(write=False)
        self._apply(replace(experiment, self._path, changed), frozenset((self._path,)))


class ExperimentCommand(QUndoCommand):
    """Replaces the whole experiment: for edits that change shapes. Both experiments share what is the same."""

    def __init__(self, present: Present, apply: Apply, after: Experiment, text: str, gesture: Gesture = ALONE) -> None:
        super().__init__(text)
        self._apply, self._gesture = apply, gesture
        self._before, self._after = present(), after

    def id(self) -> int:
        return self._gesture

    def redo(self) -> None:
        self._apply(self._after, EVERYTHING)

    def undo(self) -> None:
        self._apply(self._before, EVERYTHING)

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, ExperimentCommand):
            return False
        self._after = other._after
        self.setText(other.text())
        self.setObsolete(identical(self._before, self._after))
        return True


EVERYTHING: frozenset[str] = frozenset(("",))
"""The paths of a change that may have touched anything, shapes included."""
