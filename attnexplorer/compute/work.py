"""How much work a unit is, so that long evaluations can leave the window's thread."""

from __future__ import annotations

from collections.abc import Iterable

from attnexplorer.compute.stages import STAGES
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Experiment

_SECONDS_A_STEP = 2.5e-10
"""One multiply-and-add in a matrix product on a slow laptop core."""
_STEPS_A_FUNCTION = 24
"""What an exponential or a comparison costs beside a multiply-and-add."""
_SECONDS_A_UNIT = 1.5e-5


def estimated_seconds(experiment: Experiment, units: Iterable[Unit]) -> float:
    """Return roughly how long it takes to compute some units; a guess to choose a thread by, not a measurement."""
    return sum(_SECONDS_A_UNIT + _SECONDS_A_STEP * _steps(experiment, unit) for unit in units)


def _steps(experiment: Experiment, unit: Unit) -> float:
    layer = experiment.layers[unit.layer or 0]
    attention = layer.attention
    queries, keys = len(experiment.query_tokens), len(experiment.key_tokens)
    rows = keys if STAGES[unit.stage].axes[0] == "key" else queries
    if unit.stage == "scores":
        return float(queries * keys * attention.d_k)
    if unit.stage == "head_output":
        return float(queries * keys * attention.d_v)
    if STAGES[unit.stage].axes == ("query", "key"):
        return float(queries * keys * _STEPS_A_FUNCTION)
    if unit.stage in ("query", "key", "value"):
        return float(rows * attention.d_source * max(attention.d_k, attention.d_v))
    if unit.stage == "attention_output":
        return float(rows * attention.heads * attention.d_v * attention.d_out)
    if unit.stage.startswith("ffn_") and layer.ffn is not None:
        return float(rows * layer.ffn.W_1.size)
    if unit.stage == "logits":
        return float(rows * experiment.embedding.E.size)
    return float(rows * attention.d_model * _STEPS_A_FUNCTION)
