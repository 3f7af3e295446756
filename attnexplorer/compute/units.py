"""The unit of evaluation, and what there is one matrix of."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple


class Per(Enum):
    """What there is one matrix of: the experiment, a layer, a query head, or a key and value head."""

    EXPERIMENT = "experiment"
    LAYER = "layer"
    HEAD = "head"
    KV_HEAD = "kv_head"


class Unit(NamedTuple):
    """The unit of evaluation: one stage, of one layer and one head where it has them."""

    stage: str
    layer: int | None = None
    head: int | None = None

    @property
    def path(self) -> str:
        """The path by which files name it, such as ``layers.0.key.0``."""
        parts = ["layers", str(self.layer)] if self.layer is not None else []
        parts.append(self.stage)
        return ".".join(parts if self.head is None else [*parts, str(self.head)])


Reads = tuple[Any, ...]
"""What a stage reads: units, and parameters (arrays and plain values) of the experiment."""
