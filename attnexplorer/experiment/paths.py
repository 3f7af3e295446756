"""Reading and replacing one part of an experiment by its path, such as ``layers.0.attention.W_Q.1``.

A path names attributes and indices from the outside in, joined by dots. ``pins`` is special: what follows it is one
key, because stage paths contain dots themselves (``pins.layers.0.key.0``).
"""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import Any

from attnexplorer.experiment.captured import REFUSAL, Capture
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment

PINS = "pins"


def get(experiment: Experiment, path: str) -> Any:
    """Return the value at `path`; a pin that is not there is None.

    Raises
    ------
    ExperimentError
        For a capture, of which no parameter is known.
    """
    if isinstance(experiment, Capture):
        raise ExperimentError("", REFUSAL)
    value: Any = experiment
    for step in _steps(path):
        value = _child(value, step)
    return value


def replace(experiment: Experiment, path: str, value: Any) -> Experiment:
    """Return an experiment in which the value at `path` is `value`; everything else is shared.

    A pin is removed by replacing it with None. Shapes are not checked here: see `validation`.
    """
    replaced: Experiment = _replaced(experiment, _steps(path), value)
    return replaced


def replace_all(experiment: Experiment, changes: dict[str, Any]) -> Experiment:
    """Return an experiment with several paths replaced."""
    for path, value in changes.items():
        experiment = replace(experiment, path, value)
    return experiment


def _steps(path: str) -> list[str]:
    first, _, rest = path.partition(".")
    if first == PINS:
        return [PINS, rest] if rest else [PINS]
    return path.split(".")


def _child(value: Any, step: str) -> Any:
    if isinstance(value, tuple):
        part: Any = value[int(step)]
        return part
    if hasattr(value, "get") and not dataclasses.is_dataclass(value):
        return value.get(step)
    return getattr(value, step)


def _replaced(parent: Any, steps: list[str], value: Any) -> Any:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    child = _replaced(_child(parent, step), rest, value)
    if isinstance(parent, tuple):
        index = int(step)
        return (*parent[:index], child, *parent[index + 1 :])
    if dataclasses.is_dataclass(parent) and not isinstance(parent, type):
        return dataclasses.replace(parent, **{step: child})
    remaining = {key: kept for key, kept in parent.items() if key != step}
    return MappingProxyType(remaining if child is None else {**parent, step: child})
