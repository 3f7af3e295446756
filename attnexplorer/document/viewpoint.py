"""What a view looks at: the document's own evaluation, B; that of A while A is to be seen; or B − A of every matrix."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, Signal

from attnexplorer.compute.differences import difference
from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.numbers import shape_text
from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Unit
from attnexplorer.document.document import Document
from attnexplorer.document.recompute import Watch
from attnexplorer.document.shapes import matrix_shape

SAME = "A and B are the same here."
HELD = "{} is shown, and only B can be changed: show B first."


class Viewpoint(QObject):
    """Follows a document and its comparison for one view, and has evaluated what the view needs of either.

    A view that reads `evaluation` on `changed` shows A, B and B − A without knowing which of them it is.
    """

    changed = Signal()
    """There may be something else to be seen: other numbers, or another one of A, B and B − A."""

    def __init__(self, document: Document, watch: Watch, parent: QObject) -> None:
        super().__init__(parent)
        self._document, self._comparison, self._watch = document, document.comparison, watch
        self._known: dict[Unit, tuple[Array, Array, Array]] = {}
        self._difference: tuple[Evaluation, Evaluation, Evaluation] | None = None
        document.evaluated.connect(self.changed)
        self._comparison.changed.connect(self.changed)

    @property
    def evaluation(self) -> Evaluation:
        """What is to be seen. Of B − A it has what both have in equal shapes, under B's experiment."""
        b, base = self._document.evaluation, self._comparison.base
        if base is None or self._comparison.shown == "B":
            return b
        return base if self._comparison.shown == "A" else self._differing(base, b)

    @property
    def plain(self) -> Evaluation:
        """The evaluation whose numbers are no differences: A's while A is to be seen, else B's."""
        return self._comparison.seen(self._document.evaluation)

    @property
    def base(self) -> Evaluation | None:
        """The evaluation of A while B − A is to be seen, else None."""
        return self._comparison.base if self._comparison.shown == "B-A" else None

    @property
    def compared(self) -> tuple[Evaluation, ...]:
        """Both evaluations while two are compared; A's arrays may not all be there yet."""
        base = self._comparison.base
        return () if base is None else (base, self._document.evaluation)

    @property
    def of_which(self) -> str:
        """Whose numbers `plain` has, as a caption begins: "of A: "; nothing while nothing is compared."""
        if not self._comparison.active:
            return ""
        return "of A: " if self._comparison.shown == "A" else "of B: "

    @property
    def held(self) -> str:
        """Why nothing can be changed now, in a sentence; empty while B is to be seen."""
        return HELD.format(self._comparison.text) if self._comparison.read_only else ""

    def start(self) -> None:
        """Have evaluated what is watched: the view is shown."""
        self._document.recomputation.watch(self, self._watch)
        self._comparison.watch(self, self._watch)

    def stop(self) -> None:
        """Need nothing any more: the view is hidden."""
        self._document.recomputation.unwatch(self)
        self._comparison.unwatch(self)

    def request(self) -> None:
        """Evaluate soon: the view wants to show something else."""
        self._document.recomputation.request()
        self._comparison.request()

    def is_there(self) -> bool:
        """Tell whether everything is evaluated that is to be seen; what is not is asked for."""
        shown, base = self._comparison.shown, self._comparison.base
        lacking = [] if shown == "A" or not self._lacks(self._document.evaluation) else [self._document.recomputation]
        for recomputation in lacking:
            recomputation.request()
        if base is not None and shown != "B" and self._lacks(base):
            self._comparison.request()
            return False
        return not lacking

    def obstacle(self, unit: Unit) -> str:
        """Return why there is no difference of this matrix to be seen, or nothing."""
        base = self._comparison.base
        if base is None or self.base is None:
            return ""
        return difference_obstacle(base, self._document.evaluation, unit.path)

    def same(self, units: Collection[Unit]) -> str:
        """Return in a sentence that B − A of all these is 0, or nothing; what is not evaluated is not known to be."""
        if self.base is None or not units:
            return ""
        arrays = self.evaluation.arrays
        differences = [arrays.get(unit) for unit in units]
        return SAME if all(it is not None and not np.any(it) for it in differences) else ""

    def _lacks(self, evaluation: Evaluation) -> bool:
        return any(unit not in evaluation.arrays for unit in self._watch(evaluation.experiment))

    def _differing(self, base: Evaluation, b: Evaluation) -> Evaluation:
        known = self._difference
        if known is None or known[0] is not base or known[1] is not b:
            # What neither evaluates any more is let go of.
            self._known = {unit: it for unit, it in self._known.items() if unit in base.arrays and unit in b.arrays}
            arrays = Differences(base.arrays, b.arrays, self._known)
            known = self._difference = (base, b, replace(b, arrays=arrays))
        return known[2]


class Differences(Mapping[Unit, Array]):
    """B − A of every array that both have in equal shapes; of pairs that may see each other, those that may in either.

    The same array is returned as long as A's and B's are the same.
    """

    def __init__(
        self, a: Mapping[Unit, Array], b: Mapping[Unit, Array], known: dict[Unit, tuple[Array, Array, Array]]
    ) -> None:
        self._a, self._b, self._known = a, b, known

    def __getitem__(self, unit: Unit) -> Array:
        a, b = self._a[unit], self._b[unit]
        if a.shape != b.shape:
            raise KeyError(unit)
        found = self._known.get(unit)
        if found is None or found[0] is not a or found[1] is not b:
            found = self._known[unit] = (a, b, difference(a, b))
        return found[2]

    def __iter__(self) -> Iterator[Unit]:
        return (unit for unit, b in self._b.items() if unit in self._a and self._a[unit].shape == b.shape)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def difference_obstacle(a: Evaluation, b: Evaluation, path: str) -> str:
    """Return in a sentence why the matrix at a path has no B − A, or nothing if it has."""
    before, after = (matrix_shape(it.experiment, path) for it in (a, b))
    if before is None:
        return "A has no such matrix."
    if after is None:
        return "B has no such matrix."
    if before == after:
        return ""
    return f"A is {shape_text(*before)}, B is {shape_text(*after)}: there is no difference to show."
