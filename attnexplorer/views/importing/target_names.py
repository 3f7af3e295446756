"""What the places are called into which an array can be imported."""

from __future__ import annotations

from attnexplorer.document.names import matrix_name
from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.mapping import Kind, Target


def target_name(experiment: Experiment, target: Target) -> str:
    """Return the name of a target; everything counts from 1."""
    if target.kind is Kind.MATRIX:
        return matrix_name(experiment, target.path)
    name = target.path.rsplit(".", 1)[-1]
    layer = int(target.path.split(".")[1])
    place = f", layer {layer + 1}" if len(experiment.layers) > 1 else ""
    if target.kind is Kind.FUSED:
        letter = name[0]
        name = f"{letter}_Q, {letter}_K and {letter}_V in one"
    attention = experiment.layers[layer].attention
    heads = "" if attention.heads == attention.kv_heads == 1 else ", all heads"
    return f"{name}{heads}{place}"
