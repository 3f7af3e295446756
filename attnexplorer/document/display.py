"""Display choices: what is shown, and how. Saved in `view`, never undone, never changing a number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from attnexplorer.document.choice_kinds import CellOrNone, Flag, Kind, PairOrNone, Real, Whole, Wholes, Word, Words

CHOICES: Mapping[str, Kind] = {
    "workspace": Word("pipeline"),
    "layer": Whole(0),
    "head": Whole(0),
    "selected": CellOrNone(),
    "heads_stage": Word("weights", ("scores", "scaled", "masked", "weights")),
    "heads_limits": Word("fixed", ("fixed", "shared", "own")),
    "heads_sort": Word("head", ("head", "entropy", "distance_back", "on_self", "on_first")),
    "heads_rising": Flag(True),
    "heads_with_mean": Flag(False),
    "flow_drawn": Word("head", ("head", "all", "mean")),
    "flow_colours": Word("head", ("head", "position")),
    "flow_threshold": Real(None, 0.0, 0.5),
    "geometry_kinds": Words(("query", "key"), ("query", "key", "value", "output", "input")),
    "geometry_view": Word("", ("axes", "components")),
    "geometry_axes": Wholes((0, 1)),
    "geometry_pair": PairOrNone(),
    "laboratory_width": Whole(0),
    "scaling_shift": Real(5.0, -1e9, 1e9),
}
"""Every choice by the name that it has in a file."""


class Display(QObject):
    """The choices of `CHOICES`; one of the wrong kind in a file counts as its default."""

    changed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choices: dict[str, Any] = {name: kind.default for name, kind in CHOICES.items()}

    def __getitem__(self, name: str) -> Any:
        return self._choices[name]

    def choose(self, name: str, value: Any) -> None:
        """Make a choice."""
        if self._choices[name] != value:
            self._choices[name] = value
            self.changed.emit(name)

    def group(self, prefix: str) -> dict[str, Any]:
        """Return the choices whose names begin so, by the rest of their names."""
        return {name.removeprefix(prefix): value for name, value in self._choices.items() if name.startswith(prefix)}

    def choose_group(self, prefix: str, values: Mapping[str, Any]) -> None:
        """Make choices whose names begin so, given by the rest of their names."""
        for name, value in values.items():
            self.choose(prefix + name, value)

    def restore(self, view: Mapping[str, Any]) -> None:
        """Take the choices of a file's `view`, and the defaults for what it does not say."""
        for name, kind in CHOICES.items():
            self.choose(name, kind.taken(view[name]) if name in view else kind.default)

    def as_view(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """Return a file's `view` with the present choices that differ from the defaults; unknown keys are kept."""
        unknown = {name: value for name, value in view.items() if name not in CHOICES}
        return unknown | {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self._choices.items()
            if value != CHOICES[name].default
        }
