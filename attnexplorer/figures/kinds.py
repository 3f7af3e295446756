"""The kinds of figures by name. A new kind is made known with `register`; nothing else has to be told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from attnexplorer.compute.stages import STAGES
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.errors import FigureError
from attnexplorer.figures.figure import Piece
from attnexplorer.figures.request import Fit, Request, matrix_names
from attnexplorer.figures.titles import Title


class Built(NamedTuple):
    """The piece of a kind, its title, and what it shows in words for those who do not see it.

    `number_pixels` is how large the smallest numbers in its cells are, 0 if they do not fit; None where the figure goes
    without them anyway, or with them at any size.
    """

    piece: Piece
    title: Title
    description: str = ""
    number_pixels: float | None = None


Builder = Callable[[Request, Fit], Built]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of figure.

    Parameters
    ----------
    words
        What it is, for lists.
    build
        Makes the piece; called several times with other factors until it fits.
    needs
        The stages without which there is no such figure.
    """

    name: str
    words: str
    build: Builder
    needs: tuple[str, ...] = ()

    def missing(self, experiment: Experiment, layer: int) -> str:
        """Return the first of the stages it needs that a layer does not have, or nothing."""
        return next((name for name in self.needs if not STAGES[name].exists(experiment, layer)), "")


_KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Make a kind of figure known."""
    _KINDS[kind.name] = kind
    return kind


def kinds() -> tuple[Kind, ...]:
    """Return every kind that is no single matrix."""
    _load()
    return tuple(_KINDS.values())


def kind_of(name: str) -> Kind:
    """Return the kind of a name: one that is registered, or else the matrix of that name or path."""
    _load()
    if name in _KINDS:
        return _KINDS[name]
    from attnexplorer.figures.kind_matrix import MATRIX

    return MATRIX


def figure_names(experiment: Experiment, layer: int = 0) -> tuple[tuple[str, str], ...]:
    """Return name and words of every figure that an experiment has: the matrices, then the kinds."""
    from attnexplorer.figures.titles import stage_words

    matrices = [(name, stage_words(name)) for name in matrix_names(experiment, layer)]
    return (*matrices, *((kind.name, kind.words) for kind in kinds() if not kind.missing(experiment, layer)))


def built(request: Request, fit: Fit) -> Built:
    """Return the piece of a request.

    Raises
    ------
    FigureError
        If the experiment has nothing of that name, or lacks what the figure needs.
    """
    kind = kind_of(request.spec.what)
    if kind.name == "matrix" and not request.spec.what:
        raise FigureError("a figure needs a name")
    missing = kind.missing(request.experiment, request.layer)
    if missing:
        known = ", ".join(name for name, _ in figure_names(request.experiment, request.layer))
        raise FigureError(f"{kind.name} needs {missing}, which was not captured; there are {known}")
    return kind.build(request, fit)


def _load() -> None:
    """Import the modules of the kinds, each of which registers its own."""
    from attnexplorer.figures import (  # noqa: F401
        kind_compare,
        kind_explain,
        kind_flow,
        kind_geometry,
        kind_heads,
        kind_pipeline,
        kind_projections,
        kind_scaling,
    )
