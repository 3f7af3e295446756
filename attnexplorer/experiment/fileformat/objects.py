"""One JSON object with its place: keys are taken out one by one, and what remains is unknown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.fileformat import json_checks as check
from attnexplorer.experiment.model import Extra


@dataclass(frozen=True, slots=True)
class Fields:
    """The keys of one object that are still to be read; `warnings` is shared by the whole file."""

    values: dict[str, Any]
    place: str
    warnings: list[str]
    taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, value: Any, place: str, warnings: list[str]) -> Fields:
        """Return the fields of a JSON value, which must be an object."""
        return cls(check.mapping(value, place), place, warnings)

    def take(self, key: str) -> Any:
        """Return the value of a key, or None, and count the key as known."""
        self.taken.add(key)
        return self.values.get(key)

    def required(self, key: str, convert: Callable[[Any, str], Any]) -> Any:
        """Return the converted value of a key that must be there."""
        value = self.take(key)
        if value is None:
            raise self.missing(key)
        return convert(value, check.inside(self.place, key))

    def optional(self, key: str, convert: Callable[[Any, str], Any], default: Any) -> Any:
        """Return the converted value of a key; where it is missing or null, the default."""
        value = self.take(key)
        return default if value is None else convert(value, check.inside(self.place, key))

    def inner(self, key: str) -> Fields | None:
        """Return the fields of the object at a key, or None where it is missing or null."""
        value = self.take(key)
        return None if value is None else Fields.of(value, check.inside(self.place, key), self.warnings)

    def entry(self, key: str, index: int, value: Any) -> Fields:
        """Return the fields of an object that stands in the list at a key."""
        return Fields.of(value, check.inside(check.inside(self.place, key), index), self.warnings)

    def missing(self, key: str) -> ExperimentError:
        """Return the error for a required key that is missing or null."""
        state = "null" if key in self.values else "missing"
        return ExperimentError(check.inside(self.place, key), f"is {state}, but it is required")

    def unknown(self) -> Extra:
        """Return the keys that nobody took, to be written back, and warn about each."""
        extra = {key: value for key, value in self.values.items() if key not in self.taken}
        for key, value in extra.items():
            place = check.inside(self.place, key)
            check.plain(value, place)
            self.warnings.append(f"{place} is not known to this version; it is kept and written back")
        return check.frozen_mapping(extra)
