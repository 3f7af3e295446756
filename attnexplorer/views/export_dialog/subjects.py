"""What a figure can show: the views of the present head, the selected matrix, every stage and parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from attnexplorer.compute.explanation import EXPLAINED_STAGES
from attnexplorer.compute.stages import STAGES, unit_at, unit_for
from attnexplorer.compute.units import Per
from attnexplorer.document.comparison import TEXTS
from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.document.names import matrix_name
from attnexplorer.document.shapes import matrix_shape
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.animation import sweeps_of
from attnexplorer.figures.deck import WALKTHROUGH, has_walkthrough
from attnexplorer.figures.kinds import kind_of
from attnexplorer.figures.request import matrix_names
from attnexplorer.figures.spec import SWEEPS, FigureSpec, Shown, Sweep

MATRIX, HEADS, FLOW, PIPELINE, PROJECTIONS = "matrix", "heads", "flow", "pipeline", "projections"
SCALING, EXPLAIN, GEOMETRY, COMPARE = "scaling", "explain", "geometry", "compare"
_STILL = (COMPARE, WALKTHROUGH)


class Seen(NamedTuple):
    """What the window shows when a figure is asked for.

    Parameters
    ----------
    workspace
        Its name.
    path
        The matrix with the keyboard focus, or none.
    stage
        What the heads show.
    axes
        The two columns that the geometry draws.
    vectors
        The kinds of vectors that the geometry draws; none: as usual.
    heads
        The heads in the order in which they stand side by side; none: as they come.
    """

    workspace: str = PIPELINE
    path: str = ""
    stage: str = "weights"
    axes: tuple[int, int] | None = None
    vectors: tuple[str, ...] = ()
    heads: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that a figure can show.

    Parameters
    ----------
    kind
        One of the names above, or the walkthrough.
    spec
        What it is; the rest of the specification is usual.
    heads
        How many heads there are to choose from; 0: none.
    all_heads
        Whether all of them can be shown together.
    stages
        The stages there are to choose from.
    sweeps
        What an animation of it can vary; none: there is no animation.
    """

    key: str
    words: str
    kind: str
    spec: FigureSpec
    heads: int = 0
    all_heads: bool = False
    stages: tuple[str, ...] = field(default=())
    sweeps: tuple[Sweep, ...] = SWEEPS


def subjects(document: Document, seen: Seen) -> tuple[Subject, ...]:
    """Return everything that there is a figure of; the matrix with the focus comes first."""
    experiment, layer, head = document.experiment, document.display["layer"], document.display["head"]
    base = FigureSpec(layer=layer, head=head)
    found = list(_views(document, base, seen))
    names = matrix_names(experiment, layer)
    paths = [unit_for(experiment, name, layer, head).path for name in names]
    paths += _parameters(experiment, layer, head)
    found += [_matrix(experiment, path, base, "") for path in paths]
    if seen.path and matrix_shape(experiment, seen.path) is not None:
        found.insert(0, _matrix(experiment, seen.path, base, "This matrix: "))
    moving = sweeps_of(experiment)
    return tuple(replace(it, sweeps=() if _is_still(it) else moving) for it in found)


def _is_still(subject: Subject) -> bool:
    return subject.kind in _STILL or subject.spec.shown != "B"


def first_subject(found: Sequence[Subject], seen: Seen, shown: Shown = "B") -> int:
    """Return the place of what the window shows; of two experiments it shows `shown`."""
    wanted = "this" if seen.path else seen.workspace
    places = {subject.key: place for place, subject in enumerate(found)}
    if shown == "B-A" and wanted != HEADS:
        return places.get(COMPARE, 0)
    return places.get(wanted, places.get(PIPELINE, 0))


def selected_in(document: Document, path: str) -> Cell | None:
    """Return the selected cell if it belongs to a matrix."""
    cell = document.cursor.selected
    return cell if cell is not None and cell.path == path else None


def path_of(subject: Subject, experiment: Experiment) -> str:
    """Return the path of the matrix that a subject shows, or nothing."""
    if subject.kind != MATRIX:
        return ""
    spec = subject.spec
    return spec.what if spec.what not in STAGES else unit_for(experiment, spec.what, spec.layer, spec.head or 0).path


def _views(document: Document, base: FigureSpec, seen: Seen) -> Iterator[Subject]:
    """Yield the views that the experiment has; of a capture there are few."""
    experiment = document.experiment
    for subject in _thinkable_views(document, base, seen):
        if subject.kind == WALKTHROUGH:
            there = has_walkthrough(experiment, base.layer)
        else:
            there = not kind_of(subject.kind).missing(experiment, base.layer)
        if there:
            yield subject


def _thinkable_views(document: Document, base: FigureSpec, seen: Seen) -> Iterator[Subject]:
    experiment = document.experiment
    layer = base.layer
    heads = experiment.layers[layer].attention.heads
    per_head = tuple(n for n in matrix_names(experiment, layer) if STAGES[n].per in (Per.HEAD, Per.KV_HEAD))
    cell = _explained(document)
    row = cell.row if cell is not None and unit_at(cell.path) is not None else len(experiment.query_tokens) - 1
    query = min(row, len(experiment.query_tokens) - 1)
    several = heads if heads > 1 else 0
    yield Subject(PIPELINE, "The pipeline of a head", PIPELINE, replace(base, what=PIPELINE), several)
    words = "Where Q, K and V of a head come from"
    yield Subject(PROJECTIONS, words, PROJECTIONS, replace(base, what=PROJECTIONS), several)
    stage = seen.stage if seen.stage in per_head else "weights"
    shown = document.comparison.shown
    side_by_side = replace(base, what=HEADS, stage=stage, heads=seen.heads, shown=shown)
    words = "All heads side by side" if shown == "B" else f"All heads side by side, {TEXTS[shown]}"
    yield Subject(HEADS, words, HEADS, side_by_side, stages=per_head)
    yield Subject(FLOW, "The flow of a head", FLOW, replace(base, what=FLOW), several, all_heads=heads > 1)
    yield Subject(SCALING, "The scaling of a row", SCALING, replace(base, what=SCALING, row=query), several)
    yield _explanation(experiment, base, cell, several)
    yield Subject(GEOMETRY, "The vectors in the plane", GEOMETRY, _geometry(base, experiment, seen), several)
    if document.comparison.experiment is not None:
        stages = matrix_names(experiment, layer)
        words = f"A, B and B − A (A = {document.comparison.name})"
        unit = unit_at(seen.path) if seen.path else None
        looked_at = unit.stage if unit is not None and unit.stage in stages else "weights"
        yield Subject(COMPARE, words, COMPARE, replace(base, what=COMPARE, stage=looked_at), several, stages=stages)
    words = "The walkthrough, a deck of all stages"
    yield Subject(WALKTHROUGH, words, WALKTHROUGH, replace(base, what=WALKTHROUGH), several, all_heads=heads > 1)


def _geometry(base: FigureSpec, experiment: Experiment, seen: Seen) -> FigureSpec:
    attention = experiment.layers[base.layer].attention
    narrow = min(attention.d_k, attention.d_v)
    axes = seen.axes if seen.axes is not None and max(seen.axes) < narrow else None
    return replace(base, what=GEOMETRY, axes=axes, vectors=seen.vectors)


def _explained(document: Document) -> Cell | None:
    """Return the selected cell if it has an explanation."""
    cell = document.cursor.selected
    unit = None if cell is None else unit_at(cell.path)
    shown = cell is not None and matrix_shape(document.experiment, cell.path) is not None
    return cell if shown and unit is not None and unit.stage in EXPLAINED_STAGES else None


def _explanation(experiment: Experiment, base: FigureSpec, cell: Cell | None, heads: int) -> Subject:
    stages = tuple(name for name in matrix_names(experiment, base.layer) if name in EXPLAINED_STAGES)
    spec = replace(base, what=EXPLAIN, row=len(experiment.query_tokens) - 1, column=0)
    unit = None if cell is None else unit_at(cell.path)
    if cell is not None and unit is not None:
        per_head = STAGES[unit.stage].per is Per.HEAD
        head = unit.head if per_head and unit.head is not None else base.head
        layer = base.layer if unit.layer is None else unit.layer
        spec = replace(spec, stage=unit.stage, layer=layer, head=head, row=cell.row, column=cell.column)
    words = "How the selected number is made" if cell is not None else "How a number is made"
    return Subject(EXPLAIN, words, EXPLAIN, spec, heads, stages=stages)


def _matrix(experiment: Experiment, path: str, base: FigureSpec, before: str) -> Subject:
    unit = unit_at(path)
    key = "this" if before else path
    words = f"{before}{matrix_name(experiment, path)}"
    if unit is None or unit.layer is None:
        return Subject(key, words, MATRIX, replace(base, what=path if unit is None else unit.stage))
    spec = replace(base, what=unit.stage, layer=unit.layer)
    heads = experiment.layers[unit.layer].attention.heads
    if STAGES[unit.stage].per is Per.HEAD:
        words = words if before else words.split(", head")[0]
        spec = replace(spec, head=unit.head)
        return Subject(key, words, MATRIX, spec, heads if heads > 1 else 0, all_heads=heads > 1)
    if unit.head is not None and before:
        # Several heads may share it: the path says which it is.
        return Subject(key, words, MATRIX, replace(spec, what=path))
    if unit.head is not None:
        words = words.split(", head")[0].split(", KV head")[0]
        return Subject(key, words, MATRIX, spec, heads if heads > 1 else 0, all_heads=heads > 1)
    return Subject(key, words, MATRIX, spec)


def _parameters(experiment: Experiment, layer: int, head: int) -> list[str]:
    attention = experiment.layers[layer].attention
    shared = attention.kv_head_of(head)
    base = f"layers.{layer}.attention"
    found = ["embedding.E", f"{base}.W_Q.{head}", f"{base}.W_K.{shared}", f"{base}.W_V.{shared}"]
    found += [f"{base}.W_O"] if attention.W_O is not None else []
    return [path for path in found if matrix_shape(experiment, path) is not None]
