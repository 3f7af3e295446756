"""Bit-for-bit comparison of experiments."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from attnexplorer.experiment.arrays import same_bits
from attnexplorer.experiment.model import Experiment


def identical(left: Experiment, right: Experiment, *, with_view: bool = False) -> bool:
    """Tell whether two experiments hold the same values bit for bit; `view` is looked at only on request."""
    return _same(left, right, set() if with_view else {"view"})


def same(left: Any, right: Any) -> bool:
    """Tell whether two parts of experiments hold the same values bit for bit."""
    return _same(left, right, set())


def _same(left: Any, right: Any, ignored: set[str]) -> bool:
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray):
        return bool(same_bits(left, right))
    if dataclasses.is_dataclass(left):
        names = [f.name for f in dataclasses.fields(left) if f.name not in ignored]
        return all(_same(getattr(left, name), getattr(right, name), set()) for name in names)
    if isinstance(left, (tuple, list)):
        return len(left) == len(right) and all(_same(a, b, set()) for a, b in zip(left, right, strict=True))
    if isinstance(left, Mapping):
        return left.keys() == right.keys() and all(_same(left[key], right[key], set()) for key in left)
    if isinstance(left, float):
        return bool(left.hex() == right.hex())
    return bool(left == right)
