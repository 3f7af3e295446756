"""Kinds of display choices: what a file may say, and what counts where it says something else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol


class Kind(Protocol):
    """A kind of choice with its default."""

    @property
    def default(self) -> Any:
        """What is chosen while nobody has chosen."""

    def taken(self, value: Any) -> Any:
        """Return the choice that a value of a file stands for; the default if it stands for none."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number within limits."""

    default: int
    low: int = 0
    high: int = 999_999

    def taken(self, value: Any) -> int:
        return value if type(value) is int and self.low <= value <= self.high else self.default


@dataclass(frozen=True, slots=True)
class Real:
    """A number within limits, or none where none is the default."""

    default: float | None
    low: float
    high: float

    def taken(self, value: Any) -> float | None:
        # Whole numbers of any length can be compared, though not all of them can be converted.
        fits = type(value) in (int, float) and self.low <= value <= self.high
        return float(value) if fits else self.default


@dataclass(frozen=True, slots=True)
class Flag:
    """Yes or no."""

    default: bool

    def taken(self, value: Any) -> bool:
        return value if type(value) is bool else self.default


@dataclass(frozen=True, slots=True)
class Word:
    """One of some words; of any words where none are named."""

    default: str
    words: tuple[str, ...] = ()

    def taken(self, value: Any) -> str:
        return value if isinstance(value, str) and (not self.words or value in self.words) else self.default


@dataclass(frozen=True, slots=True)
class Words:
    """Some of some words, in the order in which those are named."""

    default: tuple[str, ...]
    words: tuple[str, ...]

    def taken(self, value: Any) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)) or not all(isinstance(it, str) and it in self.words for it in value):
            return self.default
        return tuple(word for word in self.words if word in value)


@dataclass(frozen=True, slots=True)
class Wholes:
    """So many whole numbers as the default has, each within limits."""

    default: tuple[int, ...]
    low: int = 0
    high: int = 999_999

    def taken(self, value: Any) -> tuple[int, ...]:
        if not isinstance(value, (list, tuple)) or len(value) != len(self.default):
            return self.default
        fits = all(type(it) is int and self.low <= it <= self.high for it in value)
        return tuple(value) if fits else self.default


@dataclass(frozen=True, slots=True)
class PairOrNone:
    """A query and a key, counted from 0, or none."""

    default: None = None

    def taken(self, value: Any) -> tuple[int, int] | None:
        if not isinstance(value, (list, tuple)) or [type(it) for it in value] != [int, int]:
            return None
        query, key = value
        return (query, key) if query >= 0 and key >= 0 else None


@dataclass(frozen=True, slots=True)
class CellOrNone:
    """A cell of a matrix as path, row and column, or none."""

    default: None = None

    def taken(self, value: Any) -> tuple[str, int, int] | None:
        if not isinstance(value, (list, tuple)) or [type(it) for it in value] != [str, int, int]:
            return None
        path, row, column = value
        return (path, row, column) if row >= 0 and column >= 0 else None
