"""Keeps an error in what Qt calls from ending the program.

When a method that overrides one of Qt's calls Qt's own, and that calls a further override which fails, PySide hands the
error on. On Python 3.11 an error that comes from C, such as that of a list's index, is then still no object but a kind
and a text, which PySide 6.11 takes for an object, and the program ends. An error that was caught once is an object.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

_Class = TypeVar("_Class", bound=type)


def with_whole_errors(kind: _Class) -> _Class:
    """Decorate a class: what it overrides of Qt's fails with errors that are objects."""
    for name, method in list(vars(kind).items()):
        if callable(method) and not name.startswith("__") and any(hasattr(base, name) for base in kind.__bases__):
            setattr(kind, name, _whole(method))
    return kind


def _whole(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return method(*arguments, **named)
        except Exception:
            # To catch an error makes it an object.
            raise

    return call
