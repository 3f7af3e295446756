"""What a check says: its name, what it found, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from attnexplorer.compute.findings import Place
from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Unit

Status = Literal["ok", "not applicable", "note", "FAIL"]
ArrayOf = Callable[[Unit], Array]

SHAPES = "shapes agree"
SUMS = "rows sum to 1"
BLOCKED = "no weight on a blocked pair"
FUTURE = "no weight on the future"
PADDING = "padding gets none"
SCALE = "scale is 1/√d_k"
SOFTMAX = "softmax over the keys"
FULLY_MASKED = "every row sees a key"
FINITE = "no NaN or infinity"

TOLERANCE = 1e-9
SINGLE_TOLERANCE = 1e-5


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found in one layer; `layer` is None for what comes after the layers.

    `head` and `where` name the first finding, where there is one.
    """

    name: str
    status: Status
    sentence: str
    layer: int | None
    head: int | None = None
    where: Place | None = None
