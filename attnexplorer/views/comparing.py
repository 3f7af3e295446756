"""What a table shows of a matrix: its own numbers, or while two experiments are compared A's, B's or the difference."""

from __future__ import annotations

from typing import Any, NamedTuple

from attnexplorer.compute.engine import Evaluation
from attnexplorer.compute.units import Unit
from attnexplorer.document.comparison import Comparison
from attnexplorer.document.shapes import matrix_shape, parameter
from attnexplorer.document.viewpoint import HELD, difference_obstacle
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.comparison import compared
from attnexplorer.figures.content import MatrixContent, NumberStyle, matrix_content, units_of
from attnexplorer.figures.theme import Theme


class Shown(NamedTuple):
    """A content, and what is said in its place because what was asked for does not exist."""

    content: MatrixContent
    instead: str = ""


def shown_matrix(
    comparison: Comparison, evaluation: Evaluation, path: str, theme: Theme, numbers: NumberStyle
) -> Shown | None:
    """Return what a table shows of the matrix at a path, or None where it is not there or not evaluated yet.

    `evaluation` is that of the document, B.
    """
    b = matrix_content(evaluation.experiment, evaluation.arrays, path, theme, numbers)
    base = comparison.base
    if b is None or base is None:
        return None if b is None else Shown(b)
    if not all(unit in base.arrays for unit in units_of_base(base.experiment, path)):
        return None
    a = matrix_content(base.experiment, base.arrays, path, theme, numbers)
    if a is None:
        return Shown(b, "A has no such matrix." if comparison.read_only else "")
    if comparison.shown == "B-A" and a.shape != b.shape:
        return Shown(b, difference_obstacle(base, evaluation, path))
    return Shown(compared(a, b, comparison.shown))


def units_of_base(experiment: Experiment, path: str) -> tuple[Unit, ...]:
    """Return what must be evaluated of A to show the matrix at a path; nothing if A has no such matrix."""
    return () if matrix_shape(experiment, path) is None else units_of(experiment, path)


def seen_of(comparison: Comparison, evaluation: Evaluation, path: str) -> Evaluation:
    """Return the evaluation that the matrix at a path is shown of: the one seen, or B's if A has no such matrix."""
    seen = comparison.seen(evaluation)
    return evaluation if matrix_shape(seen.experiment, path) is None else seen


def depends_on(comparison: Comparison, path: str) -> tuple[Any, ...]:
    """Return what a shown matrix depends on beside B; each is another object once it is another thing."""
    base = comparison.base
    if base is None:
        return (comparison.state,)
    arrays = [base.arrays.get(unit) for unit in units_of_base(base.experiment, path)]
    return (comparison.state, *(arrays or [parameter(base.experiment, path)]))


def held_sentence(comparison: Comparison) -> str:
    """Return why numbers cannot be changed now, or nothing while B is shown."""
    if not comparison.read_only:
        return ""
    return HELD.format(comparison.text)
