"""The table of stages: what each reads, which function makes it, and what its rows and columns are.

One vocabulary for code, files, labels and tests. The order of the table is the order of the computation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from attnexplorer.compute import feed_forward, masks, positions, projections, softmax
from attnexplorer.compute import stage_reads as reads
from attnexplorer.compute.norms import normalised
from attnexplorer.compute.units import Per, Reads, Unit
from attnexplorer.experiment.captured import CAPTURED_STAGES, Capture
from attnexplorer.experiment.model import Experiment


@dataclass(frozen=True, slots=True)
class Stage:
    """A row of the table.

    `axes` names what the rows and the columns stand for. `reads(experiment, layer, head)` gives the arguments of
    `function`: units are replaced by their arrays. `needs(experiment, layer)` tells whether the experiment has what the
    stage is about. Internal stages are computed and shared, but have no public name.
    """

    name: str
    symbol: str
    per: Per
    axes: tuple[str, str]
    reads: Callable[[Experiment, int, int], Reads]
    function: Callable[..., Any]
    needs: Callable[[Experiment, int], bool] = lambda experiment, layer: True
    internal: bool = False

    def exists(self, experiment: Experiment, layer: int) -> bool:
        """Tell whether a layer of an experiment has the stage; of a capture there is what was captured."""
        if isinstance(experiment, Capture):
            return self.name in CAPTURED_STAGES
        return self.needs(experiment, layer)


_TABLE = (
    Stage(
        "embeddings",
        "E[t]",
        Per.EXPERIMENT,
        ("query", "d_model"),
        lambda e, layer, head: (e.embedding.vocabulary, e.embedding.E, e.query_tokens),
        reads.looked_up,
    ),
    Stage(
        "position_table",
        "P",
        Per.EXPERIMENT,
        ("query", "d_model"),
        lambda e, layer, head: reads.position_table_reads(len(e.query_tokens), e),
        reads.position_table,
        needs=lambda e, layer: reads.adds_position(e),
        internal=True,
    ),
    Stage(
        "source_embeddings",
        "E[t]",
        Per.EXPERIMENT,
        ("key", "d_source"),
        lambda e, layer, head: (e.embedding.vocabulary, e.embedding.E, e.key_tokens),
        reads.looked_up,
        needs=reads.cross,
        internal=True,
    ),
    Stage(
        "source_position_table",
        "P",
        Per.EXPERIMENT,
        ("key", "d_source"),
        lambda e, layer, head: reads.position_table_reads(len(e.key_tokens), e),
        reads.position_table,
        needs=reads.cross,
        internal=True,
    ),
    Stage(
        "source_input",
        "X′",
        Per.EXPERIMENT,
        ("key", "d_source"),
        reads.source_reads,
        reads.sum,
        needs=reads.cross,
        internal=True,
    ),
    Stage("input", "X", Per.LAYER, ("query", "d_model"), reads.input_reads, reads.sum),
    Stage(
        "attention_input",
        "norm(X)",
        Per.LAYER,
        ("query", "d_model"),
        reads.attention_input_reads,
        normalised,
        needs=reads.pre_norm,
    ),
    Stage("query", "Q", Per.HEAD, ("query", "d_k"), reads.projection_reads("Q"), projections.affine),
    Stage("key", "K", Per.KV_HEAD, ("key", "d_k"), reads.projection_reads("K"), projections.affine),
    Stage("value", "V", Per.KV_HEAD, ("key", "d_v"), reads.projection_reads("V"), projections.affine),
    Stage(
        "query_angles",
        "θ",
        Per.LAYER,
        ("query", "pair"),
        reads.angle_reads(keys=False),
        positions.rotation_angles,
        needs=reads.has_rope,
        internal=True,
    ),
    Stage(
        "key_angles",
        "θ",
        Per.LAYER,
        ("key", "pair"),
        reads.angle_reads(keys=True),
        positions.rotation_angles,
        needs=reads.has_rope,
        internal=True,
    ),
    Stage(
        "query_rotated",
        "Q′",
        Per.HEAD,
        ("query", "d_k"),
        reads.rotated_reads("query"),
        positions.rotated,
        needs=reads.has_rope,
    ),
    Stage(
        "key_rotated",
        "K′",
        Per.KV_HEAD,
        ("key", "d_k"),
        reads.rotated_reads("key"),
        positions.rotated,
        needs=reads.has_rope,
    ),
    Stage("scores", "QKᵀ", Per.HEAD, ("query", "key"), reads.compared_units, projections.scores),
    Stage("scaled", "scaled", Per.HEAD, ("query", "key"), reads.scaled_reads, projections.scaled),
    Stage("visible", "mask", Per.LAYER, ("query", "key"), reads.visible_reads, masks.visible, internal=True),
    Stage(
        "distance", "|i − j|", Per.EXPERIMENT, ("query", "key"), reads.distance_reads, positions.distance, internal=True
    ),
    Stage("masked", "masked", Per.HEAD, ("query", "key"), reads.masked_reads, reads.masked),
    Stage(
        "weights",
        "A",
        Per.HEAD,
        ("query", "key"),
        lambda e, layer, head: (Unit("masked", layer, head),),
        softmax.softmax,
    ),
    Stage("head_output", "Z", Per.HEAD, ("query", "d_v"), reads.head_output_reads, softmax.mixed),
    Stage("concat", "concat", Per.LAYER, ("query", "concat"), reads.concat_reads, reads.concat),
    Stage(
        "attention_output",
        "concat·W_O",
        Per.LAYER,
        ("query", "d_out"),
        reads.attention_output_reads,
        reads.attention_output,
    ),
    Stage(
        "attention_residual",
        "r",
        Per.LAYER,
        ("query", "d_out"),
        reads.after_reads("input", "attention_output", 0),
        reads.after,
        needs=reads.has_block,
    ),
    Stage("ffn_input", "u", Per.LAYER, ("query", "d_out"), reads.ffn_input_reads, reads.ffn_input, needs=reads.has_ffn),
    Stage(
        "ffn_hidden",
        "h",
        Per.LAYER,
        ("query", "hidden"),
        reads.ffn_hidden_reads,
        feed_forward.hidden,
        needs=reads.has_ffn,
    ),
    Stage(
        "ffn_output",
        "FFN",
        Per.LAYER,
        ("query", "d_out"),
        reads.ffn_output_reads,
        projections.affine,
        needs=reads.has_ffn,
    ),
    Stage("output", "output", Per.LAYER, ("query", "d_out"), reads.output_reads, reads.after),
    Stage(
        "final",
        "norm(output)",
        Per.EXPERIMENT,
        ("query", "d_out"),
        reads.final_reads,
        normalised,
        needs=lambda e, layer: e.final_norm is not None,
    ),
    Stage(
        "logits",
        "logits",
        Per.EXPERIMENT,
        ("query", "vocabulary"),
        reads.logits_reads,
        reads.logits,
        needs=reads.with_unembedding,
    ),
    Stage(
        "probabilities",
        "p",
        Per.EXPERIMENT,
        ("query", "vocabulary"),
        lambda e, layer, head: (Unit("logits"),),
        softmax.softmax,
        needs=reads.with_unembedding,
    ),
)

STAGES: dict[str, Stage] = {stage.name: stage for stage in _TABLE}
"""Every stage by name, in the order of the computation."""

PAIR_STAGES = frozenset(stage.name for stage in _TABLE if stage.per is Per.HEAD and stage.axes == ("query", "key"))
"""The stages that hold a number for every pair of query and key."""


def stages_of(experiment: Experiment, layer: int) -> tuple[str, ...]:
    """Return the public stages that a layer of this experiment has, in order."""
    return tuple(
        stage.name
        for stage in _TABLE
        if stage.per is not Per.EXPERIMENT and not stage.internal and stage.exists(experiment, layer)
    )


def heads_of(experiment: Experiment, stage: str, layer: int) -> tuple[int | None, ...]:
    """Return the heads that a stage of a layer has one matrix of; (None,) for a stage without heads."""
    per = STAGES[stage].per
    attention = experiment.layers[layer].attention
    if per is Per.HEAD:
        return tuple(range(attention.heads))
    return tuple(range(attention.kv_heads)) if per is Per.KV_HEAD else (None,)


def unit_for(experiment: Experiment, stage: str, layer: int, head: int) -> Unit:
    """Return the unit of `stage` that query head `head` of `layer` uses."""
    per = STAGES[stage].per
    if per is Per.EXPERIMENT:
        return Unit(stage)
    if per is Per.LAYER:
        return Unit(stage, layer)
    return Unit(stage, layer, head if per is Per.HEAD else experiment.layers[layer].attention.kv_head_of(head))


@lru_cache(maxsize=8192)
def unit_at(path: str) -> Unit | None:
    """Return the unit that a path such as ``layers.0.key.0`` names, or None if it names no stage."""
    parts = path.split(".")
    if parts[0] != "layers":
        return Unit(path) if path in STAGES and STAGES[path].per is Per.EXPERIMENT else None
    if len(parts) not in (3, 4) or parts[2] not in STAGES:
        return None
    return Unit(parts[2], int(parts[1]), int(parts[3]) if len(parts) == 4 else None)
