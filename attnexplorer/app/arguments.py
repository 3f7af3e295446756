"""Splitting a command's arguments into words and options.

Small on purpose: `trace` should take hardly longer than importing NumPy, and argparse alone is a tenth of that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass


class UsageError(Exception):
    """Arguments that a command does not understand, as one plain sentence."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The words of a command, the options that take a value, and the flags that were given."""

    words: tuple[str, ...]
    options: Mapping[str, str]
    flags: frozenset[str]


def parsed(arguments: Sequence[str], valued: Collection[str] = (), flags: Collection[str] = ()) -> Arguments:
    """Split arguments into words, options and flags; ``--`` ends the options.

    ``--name value``, ``--name=value``, ``-n value`` and ``-nvalue`` are understood.

    Raises
    ------
    UsageError
        For an option that is not among `valued` and `flags`, or one without its value.
    """
    words: list[str] = []
    options: dict[str, str] = {}
    given: set[str] = set()
    waiting = list(reversed(arguments))
    while waiting:
        argument = waiting.pop()
        if argument == "--":
            words += reversed(waiting)
            break
        if not argument.startswith("-") or argument == "-":
            words.append(argument)
            continue
        name, value = _split(argument)
        if name in valued:
            options[name] = _value(name, value, waiting)
        elif name in flags and value is None:
            given.add(name)
        else:
            raise UsageError(_unknown(argument, [*valued, *flags]))
    return Arguments(tuple(words), options, frozenset(given))


def _split(argument: str) -> tuple[str, str | None]:
    if argument.startswith("--"):
        name, equals, value = argument.partition("=")
        return name, value if equals else None
    return argument[:2], argument[2:] or None


def _value(name: str, value: str | None, waiting: list[str]) -> str:
    if value is None:
        if not waiting:
            raise UsageError(f"the option {name} needs a value")
        value = waiting.pop()
    return value


def _unknown(argument: str, known: list[str]) -> str:
    return f"there is no option {argument}; there are {', '.join(known)}"
