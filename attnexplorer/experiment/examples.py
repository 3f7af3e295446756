"""The built-in experiments: `resources/examples/NAME.attn`, each with a title and notes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from attnexplorer.assets import resource
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.fileformat import load
from attnexplorer.experiment.model import Experiment

DEFAULT_EXAMPLE = "animal-street"

_ORDER = (
    *("animal-street", "given-scores", "sky-is-blue", "tired", "flooded", "dog-bites-man", "saturated", "multi-head"),
    *("grouped-query", "cross-attention", "rope", "alibi", "block"),
)
_SUFFIX = ".attn"


class ExampleSummary(NamedTuple):
    """What a menu or a listing shows of a built-in experiment."""

    name: str
    title: str
    summary: str


def example_names() -> tuple[str, ...]:
    """Return the names of the built-in experiments, the simplest first."""
    found = {path.stem for path in resource("examples").glob(f"*{_SUFFIX}")}
    return (*(name for name in _ORDER if name in found), *sorted(found.difference(_ORDER)))


def example_path(name: str) -> Path:
    """Return the file of a built-in experiment.

    Raises
    ------
    FileError
        If there is no built-in experiment of that name.
    """
    if name not in example_names():
        raise FileError(f"example:{name}", f"there is no such example; there are {', '.join(example_names())}")
    return resource("examples", name + _SUFFIX)


def load_example(name: str) -> Experiment:
    """Load a built-in experiment; see `example_path`."""
    return load(example_path(name))


def example_summaries() -> tuple[ExampleSummary, ...]:
    """Return name, title and the first sentence of the notes of every built-in experiment."""
    return tuple(_summary(name) for name in example_names())


def _summary(name: str) -> ExampleSummary:
    experiment = load_example(name)
    first, stop, _ = experiment.notes.partition(". ")
    return ExampleSummary(name, experiment.title, first + stop.strip())
