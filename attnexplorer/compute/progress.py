"""How a long export says how far it is: it calls a `Step` after every picture, page or layer."""

from __future__ import annotations

from collections.abc import Callable

Step = Callable[[int, int], None]
"""Told how many of how many are done. What it raises stops the export before anything is written."""


def silent(done: int, total: int) -> None:
    """Say nothing."""
