"""The kinds of vectors that are drawn as arrows: their letters and names, and which matrix has them as its rows."""

from __future__ import annotations

from attnexplorer.compute.stage_reads import compared_units
from attnexplorer.compute.stages import unit_for
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.plane_arrows import ArrowKind

KINDS: tuple[ArrowKind, ...] = ("query", "key", "value", "output", "input")
LETTERS: dict[ArrowKind, str] = {"query": "q", "key": "k", "value": "v", "output": "z", "input": "x"}
NAMES: dict[ArrowKind, str] = {
    "query": "queries",
    "key": "keys",
    "value": "values",
    "output": "head output",
    "input": "input",
}
_STAGES: dict[ArrowKind, str] = {"value": "value", "output": "head_output", "input": "input"}


def vector_unit(experiment: Experiment, kind: ArrowKind, layer: int, head: int) -> Unit:
    """Return the unit whose rows are the vectors of a kind; queries and keys as they are compared, so rotated ones."""
    if kind in ("query", "key"):
        query, key = compared_units(experiment, layer, head)
        return query if kind == "query" else key
    return unit_for(experiment, _STAGES[kind], layer, head)


def vector_letter(kind: ArrowKind, unit: Unit) -> str:
    """Return the letter of a kind, with a prime for rotated vectors."""
    return LETTERS[kind] + ("′" if unit.stage.endswith("_rotated") else "")
