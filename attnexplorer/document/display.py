"""Display choices: which layer and head are shown, and how. Saved in `view`, never undone, never changing a number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

_DEFAULTS: Mapping[str, Any] = {"layer": 0, "head": 0, "decimals": 2, "weight_limits": "fixed", "workspace": "pipeline"}


class Display(QObject):
    """Named choices with defaults; a choice of the wrong kind in a file counts as its default."""

    changed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choices: dict[str, Any] = dict(_DEFAULTS)

    def __getitem__(self, name: str) -> Any:
        return self._choices[name]

    def choose(self, name: str, value: Any) -> None:
        """Make a choice."""
        if self._choices.get(name) != value:
            self._choices[name] = value
            self.changed.emit(name)

    def restore(self, view: Mapping[str, Any]) -> None:
        """Take the choices of a file's `view`, and the defaults for what it does not say."""
        for name, default in _DEFAULTS.items():
            wanted = view.get(name, default)
            self.choose(name, wanted if _fits(wanted, default) else default)

    def as_view(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """Return a file's `view` with the present choices that differ from the defaults; unknown keys are kept."""
        unknown = {name: value for name, value in view.items() if name not in _DEFAULTS}
        return unknown | {name: value for name, value in self._choices.items() if value != _DEFAULTS[name]}


def _fits(value: Any, default: Any) -> bool:
    return type(value) is type(default) and (not isinstance(value, int) or 0 <= value < 1_000_000)
