"""Which matrices still reach the output of a layer, and which a pin has made quiet."""

from __future__ import annotations

from attnexplorer.compute.stages import STAGES, unit_at
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.pinning import is_wholly_pinned

_PROJECTED = {"Q": "query", "K": "key", "V": "value"}


def heard_units(experiment: Experiment, layer: int) -> frozenset[Unit]:
    """Return every unit that the output of a layer is made from; what lies before a whole pin is not among them."""
    heard: set[Unit] = set()
    stack = [Unit("output", layer)]
    while stack:
        unit = stack.pop()
        if unit not in heard:
            heard.add(unit)
            if not is_wholly_pinned(experiment, unit.path):
                reads = STAGES[unit.stage].reads(experiment, unit.layer or 0, unit.head or 0)
                stack += [read for read in reads if type(read) is Unit]
    return frozenset(heard)


def quiet_paths(experiment: Experiment, layer: int, paths: tuple[str, ...]) -> frozenset[str]:
    """Return which of these matrices a pin keeps from the output: changing them changes nothing that is not pinned."""
    if not experiment.pins:
        return frozenset()
    heard = heard_units(experiment, layer)
    heads = frozenset(experiment.layers[layer].attention.muted_heads)
    return frozenset(path for path in paths if _is_quiet(experiment, path, heard, heads))


def _is_quiet(experiment: Experiment, path: str, heard: frozenset[Unit], muted: frozenset[int]) -> bool:
    unit = unit_at(path)
    if unit is None:
        made = _made_from(path)
        return made is not None and (made not in heard or is_wholly_pinned(experiment, made.path))
    # A muted head reaches the output no more, but not because of a pin: that is told elsewhere.
    return unit not in heard and unit.head not in muted


def _made_from(path: str) -> Unit | None:
    """Return the projection that a weight or bias of a head makes, if it is one."""
    parts = path.split(".")
    if len(parts) != 5 or parts[2] != "attention" or parts[3][:2] not in ("W_", "b_"):
        return None
    stage = _PROJECTED.get(parts[3][2:])
    return None if stage is None else Unit(stage, int(parts[1]), int(parts[4]))
