"""A disk that is full for a moment, for whoever runs the tests: files of this process cannot grow."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator


@contextlib.contextmanager
def little_room(size: int = 100) -> Iterator[None]:
    """Inside, no file of this process grows beyond `size` bytes; what the tests themselves print must wait."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
