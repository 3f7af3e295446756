"""What differs between NumPy and PyTorch in a script: how arrays are made, and the few functions with other names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """One array library. Where both speak alike (`@`, slices, `where`, `tanh`, …) only the module's name differs.

    Templates stand for operations: {x} is the array, {times} a number, {n} the number of rows. `functions` holds the
    source of each function that a script may need, in the order in which they must be defined.
    """

    library: str
    module: str
    header: str
    array: str
    functions: Mapping[str, str]
    repeated: str
    transposed: str
    joined: str
    copied: str
    flags: str
    all_true: str
    stacked_sums: str
    agrees: str
