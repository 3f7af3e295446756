"""The open, live experiment: edits go in, undoable; finished numbers come out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import unit_at
from attnexplorer.document.commands import (
    ALONE,
    EVERYTHING,
    CellsCommand,
    ExperimentCommand,
    Gesture,
    ValueCommand,
)
from attnexplorer.document.comparison import Comparison
from attnexplorer.document.cursor import Cell, Cursor
from attnexplorer.document.display import Display
from attnexplorer.document.history import History
from attnexplorer.document.names import cell_name, matrix_name
from attnexplorer.document.recompute import Recomputation
from attnexplorer.document.shapes import matrix_shape, parameter
from attnexplorer.experiment.arrays import Matrix, frozen, same_bits
from attnexplorer.experiment.captured import REFUSAL, Capture
from attnexplorer.experiment.comparison import identical, same
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.paths import get
from attnexplorer.experiment.pinning import BLOCKABLE, PINNABLE, pin_shape
from attnexplorer.experiment.validation import validate


class Document(QObject):
    """One experiment with its undo stack, its cursor, its display choices and its last finished evaluation.

    Edits are refused with an `ExperimentError` before anything is changed.
    """

    experiment_changed = Signal(object)
    """Emitted once an edit, with the paths that changed (`EVERYTHING` when shapes may have)."""
    evaluated = Signal(object)
    replaced = Signal()
    """Emitted once a file or an example was opened in place of what was there."""

    def __init__(self, experiment: Experiment, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._experiment = experiment
        self._gestures = 0
        self.undo_stack = History(self)
        self.cursor = Cursor(self, lambda cell: _within(self.evaluation.experiment, cell))
        self.display = Display(self)
        self._restoring = False
        self.comparison = Comparison(self)
        self.recomputation = Recomputation(experiment, self)
        self.recomputation.evaluated.connect(self._on_recomputation_evaluated)
        self.cursor.selection_changed.connect(self._on_selection_changed)
        self._restore_display(experiment)

    @property
    def experiment(self) -> Experiment:
        """The present experiment, edits included; what is on screen is `evaluation`."""
        return self._experiment

    @property
    def evaluation(self) -> Evaluation:
        """The last finished evaluation: an experiment and its arrays that belong together."""
        return self.recomputation.latest

    @property
    def modified(self) -> bool:
        """Whether there are edits that are not saved."""
        return not self.undo_stack.isClean()

    @property
    def takes_edits(self) -> bool:
        """Whether it can be edited at all; captured weights cannot."""
        return not isinstance(self._experiment, Capture)

    def matrix(self, path: str) -> Array | None:
        """Return the matrix that is on screen at a path, or None if it is not evaluated or not there."""
        unit = unit_at(path)
        if unit is not None:
            return self.evaluation.arrays.get(unit)
        return parameter(self.evaluation.experiment, path)

    def present_value(self, path: str, row: int, column: int) -> float | None:
        """Return a cell's number in the present experiment: of a parameter or a pin; None if it is computed or gone."""
        pinned = unit_at(path) is not None
        matrix = self._experiment.pins.get(path) if pinned else parameter(self._experiment, path)
        if matrix is None or not _holds(matrix, row, column):
            return None
        value = float(np.atleast_2d(matrix)[row, column])
        return None if pinned and np.isnan(value) else value

    def new_gesture(self) -> Gesture:
        """Return a number; edits of one kind made with it become a single undo step."""
        self._gestures += 1
        return self._gestures

    def set_cell(self, path: str, row: int, column: int, value: float, gesture: Gesture = ALONE) -> None:
        """Set one number of a parameter, or pin one cell of a stage."""
        self.set_cells(path, [row], [column], [value], gesture)

    def set_cells(
        self,
        path: str,
        rows: ArrayLike,
        columns: ArrayLike,
        values: ArrayLike,
        gesture: Gesture = ALONE,
        text: str | None = None,
    ) -> None:
        """Set cells (rows[k], columns[k]) of a parameter to values[k]; cells of a stage are pinned.

        `text` names the edit in the menu; by default it tells the cell.

        Raises
        ------
        ExperimentError
            If a number is not finite, a cell is outside, or the stage cannot be pinned. Nothing is changed then.
        """
        row, column = np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)
        value = np.asarray(values, dtype=np.float64)
        if not row.size:
            return
        name = self._edit_name(path, row, column)
        if unit_at(path) is not None:
            self._pin_cells(path, row, column, value, text or f"Pin {name}", gesture)
            return
        self._check_finite(path, row, column, value, blocked_allowed=False)
        matrix = parameter(self._experiment, path)
        if matrix is None:
            raise ExperimentError(matrix_name(self._experiment, path), "is no longer part of the experiment")
        self._check_inside(path, np.atleast_2d(matrix).shape, (row, column))
        cells = (column,) if matrix.ndim == 1 else (row, column)
        value = np.broadcast_to(value, row.shape)
        if same_bits(matrix[cells], value):
            return
        self._push(CellsCommand(self._present, self._apply, path, cells, value, text or f"Set {name}", gesture))

    def set_matrix(self, path: str, values: ArrayLike, text: str) -> None:
        """Replace all numbers of a matrix by ones of the same shape: a parameter, or a stage, which is then pinned."""
        new = np.array(values, dtype=np.float64)
        rows, columns = np.indices(np.atleast_2d(new).shape).reshape(2, -1)
        self.set_cells(path, rows, columns, new.ravel(), text=text)

    def set_value(self, path: str, value: Any, text: str, gesture: Gesture = ALONE) -> None:
        """Replace the value at a path, such as a scale or a mask; the shapes must stay."""
        if same(get(self._experiment, path), value):
            return
        command = ValueCommand(self._present, self._apply, path, value, text, gesture)
        validate(command.outcome())
        self._push(command)

    def apply(self, text: str, edit: Callable[[Experiment], Experiment], gesture: Gesture = ALONE) -> None:
        """Make an edit that may change shapes: a pure function from the experiment to the next one."""
        after = edit(self._experiment)
        if identical(self._experiment, after):
            return
        validate(after)
        self._push(ExperimentCommand(self._present, self._apply, after, text, gesture))

    def release(self, path: str, cells: Sequence[tuple[int, int]] | None = None, gesture: Gesture = ALONE) -> None:
        """Release the pin of a stage, or of some cells of it, so that they are computed again."""
        pin = self._experiment.pins.get(path)
        if pin is None:
            return
        name = matrix_name(self._experiment, path)
        value, text = None, f"Release {name}"
        if cells is not None:
            kept = np.array(pin)
            for row, column in cells:
                if _holds(pin, row, column):
                    kept[row, column] = np.nan
            value = None if np.isnan(kept).all() else frozen(kept)
            one = cell_name(self._experiment, path, *cells[0]) if len(cells) == 1 else f"cells of {name}"
            text = f"Release {one}"
        if value is None or not same_bits(pin, value):
            self._push(ValueCommand(self._present, self._apply, f"pins.{path}", value, text, gesture))

    def pin_as_shown(self, path: str) -> None:
        """Pin a stage to the numbers it has now."""
        shown = self.matrix(path)
        if shown is None:
            return
        self._check_pinnable(path)
        if not np.isfinite(shown).all() and not self._blocks(path):
            raise ExperimentError(matrix_name(self._experiment, path), "holds numbers that are not finite: not pinned")
        name = matrix_name(self._experiment, path)
        self.set_value(f"pins.{path}", frozen(shown), f"Pin {name}")

    def replace_experiment(self, experiment: Experiment) -> None:
        """Go on with another experiment, saved as it is: a file was opened or reverted to. Undo starts anew."""
        self.undo_stack.clear()
        self.cursor.hover(None)
        self.cursor.select(None)
        self._apply(experiment, EVERYTHING)
        self._restore_display(experiment)
        self.replaced.emit()

    def close(self) -> None:
        """Stop all work."""
        self.comparison.stop()
        self.recomputation.stop()

    def _present(self) -> Experiment:
        return self._experiment

    def _apply(self, experiment: Experiment, paths: frozenset[str]) -> None:
        self._experiment = experiment
        self._clamp_display()
        self.recomputation.set_experiment(experiment, same_shapes=paths is not EVERYTHING)
        self.experiment_changed.emit(paths)

    def _push(self, command: QUndoCommand) -> None:
        if not self.takes_edits:
            raise ExperimentError("", REFUSAL)
        self.undo_stack.push(command)

    def _restore_display(self, experiment: Experiment) -> None:
        self._restoring = True
        self.display.restore(experiment.view)
        self._clamp_display()
        self._select_restored()

    def _select_restored(self) -> None:
        """Select what a file says was selected, once its numbers are those that cells are chosen from."""
        chosen = self.display["selected"]
        if self._restoring and self.evaluation.experiment is self._experiment:
            self._restoring = False
            self.cursor.select(None if chosen is None else Cell(*chosen))

    def _on_selection_changed(self, cell: Cell | None) -> None:
        if not self._restoring:
            self.display.choose("selected", cell and tuple(cell))

    def _on_recomputation_evaluated(self, evaluation: Evaluation) -> None:
        self._select_restored()
        for cell, point in ((self.cursor.selected, self.cursor.select), (self.cursor.hovered, self.cursor.hover)):
            if cell is not None:
                point(cell)
        self.evaluated.emit(evaluation)

    def _clamp_display(self) -> None:
        layers = self._experiment.layers
        self.display.choose("layer", min(self.display["layer"], len(layers) - 1))
        self.display.choose("head", min(self.display["head"], layers[self.display["layer"]].attention.heads - 1))

    def _pin_cells(self, path: str, row: Any, column: Any, value: Any, text: str, gesture: Gesture) -> None:
        self._check_pinnable(path)
        self._check_finite(path, row, column, value, blocked_allowed=self._blocks(path))
        shape = pin_shape(self._experiment, path)
        self._check_inside(path, shape, (row, column))
        before = self._experiment.pins.get(path)
        pin = np.full(shape, np.nan) if before is None else np.array(before)
        pin[row, column] = value
        if before is not None and same_bits(before, pin):
            return
        self._push(ValueCommand(self._present, self._apply, f"pins.{path}", frozen(pin), text, gesture))

    def _check_pinnable(self, path: str) -> None:
        unit = unit_at(path)
        if unit is None or unit.stage not in PINNABLE:
            raise ExperimentError(
                matrix_name(self._experiment, path), "follows from what comes before it and cannot be pinned"
            )

    @staticmethod
    def _blocks(path: str) -> bool:
        unit = unit_at(path)
        return unit is not None and unit.stage in BLOCKABLE

    def _check_finite(self, path: str, row: Any, column: Any, value: Any, *, blocked_allowed: bool) -> None:
        good = np.isfinite(value) | (np.isneginf(value) & blocked_allowed)
        if good.all():
            return
        first = int(np.argmin(np.broadcast_to(good, row.shape)))
        place = cell_name(self._experiment, path, int(row[first]), int(column[first]))
        number = float(np.broadcast_to(value, row.shape)[first])
        raise ExperimentError(place, f"would be {number}; a finite number is needed")

    def _check_inside(self, path: str, shape: tuple[int, ...], cells: tuple[Any, ...]) -> None:
        for index, extent in zip(cells, shape, strict=True):
            if index.min() < 0 or index.max() >= extent:
                size = " × ".join(map(str, shape))
                raise ExperimentError(matrix_name(self._experiment, path), f"is {size}; the edit reaches beyond it")

    def _edit_name(self, path: str, row: Any, column: Any) -> str:
        if row.size == 1:
            return cell_name(self._experiment, path, int(row[0]), int(column[0]))
        return f"{row.size} cells of {matrix_name(self._experiment, path)}"


def _holds(matrix: Matrix, row: int, column: int) -> bool:
    rows, columns = np.atleast_2d(matrix).shape
    return bool(0 <= row < rows and 0 <= column < columns)


def _within(experiment: Experiment, cell: Cell) -> Cell | None:
    """Return the cell itself, the nearest one if its matrix has become smaller, or None if that is gone."""
    shape = matrix_shape(experiment, cell.path)
    if shape is None or not min(shape):
        return None
    return Cell(cell.path, min(cell.row, shape[0] - 1), min(cell.column, shape[1] - 1))
