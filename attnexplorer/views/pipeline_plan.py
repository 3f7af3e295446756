"""Which matrices the Pipeline shows, in which rows: a pure function of the experiment, the layer and the head."""

from __future__ import annotations

from dataclasses import dataclass

from attnexplorer.compute.stage_reads import compared_units, key_origin, query_origin
from attnexplorer.compute.stages import unit_for
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Attention, Experiment, Layer, Norm


@dataclass(frozen=True, slots=True)
class Item:
    """A card: `key` stays the same when the layer or head changes, `path` names the matrix."""

    key: str
    path: str
    editable: bool
    attached: bool = False
    """Whether it stays below the card before it, as a bias below its matrix, when a stack is spread out."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Cards above one another, and the operator that stands before them."""

    items: tuple[Item, ...]
    operator: str = "›"


@dataclass(frozen=True, slots=True)
class Row:
    """Slots beside one another. `pairs`: the four maps over queries and keys, laid out as equals."""

    slots: tuple[Slot, ...]
    pairs: bool = False


def pipeline_plan(experiment: Experiment, layer: int, head: int) -> tuple[Row, ...]:
    """Return the rows of the Pipeline from X to the output."""
    rows = [
        _projection_row(experiment, layer, head),
        _pair_row(layer, head),
        Row((Slot((_stage(experiment, "head_output", layer, head),)),)),
        *_output_rows(experiment, layer),
        *_last_rows(experiment, layer),
    ]
    return tuple(row for row in rows if row.slots)


def paths_of(plan: tuple[Row, ...]) -> tuple[str, ...]:
    """Return the path of every matrix of a plan."""
    return tuple(item.path for row in plan for slot in row.slots for item in slot.items)


def _stage(experiment: Experiment, stage: str, layer: int, head: int) -> Item:
    unit = unit_for(experiment, stage, layer, head)
    return Item(stage, unit.path, editable=True)


def _computed(unit: Unit) -> Item:
    """An item of a stage that cannot be pinned."""
    return Item(unit.stage, unit.path, editable=False)


def _parameter(key: str, path: str) -> Item:
    return Item(key, path, editable=True)


def _projection_row(experiment: Experiment, layer: int, head: int) -> Row:
    slots = [*_input_slots(experiment, layer)]
    attention = experiment.layers[layer].attention
    kv_head = attention.kv_head_of(head)
    weights = [
        item
        for name, h in (("Q", head), ("K", kv_head), ("V", kv_head))
        for item in _projection(attention, name, layer, h)
    ]
    slots.append(Slot(tuple(weights), "·"))
    slots += [
        Slot((_stage(experiment, stage, layer, head),), operator)
        for stage, operator in (("query", "›"), ("key", ""), ("value", ""))
    ]
    if experiment.position.kind == "rope":
        rotated = compared_units(experiment, layer, head)
        slots += [
            Slot((Item(unit.stage, unit.path, editable=True),), operator)
            for unit, operator in zip(rotated, ("›", ""), strict=True)
        ]
    return Row(tuple(slots))


def _projection(attention: Attention, name: str, layer: int, head: int) -> list[Item]:
    base = f"layers.{layer}.attention"
    items = [_parameter(f"W_{name}", f"{base}.W_{name}.{head}")]
    if getattr(attention, f"b_{name}") is not None:
        items.append(Item(f"b_{name}", f"{base}.b_{name}.{head}", editable=True, attached=True))
    return items


def _input_slots(experiment: Experiment, layer: int) -> list[Slot]:
    slots = []
    if layer == 0 and experiment.position.kind in ("sinusoidal", "learned"):
        slots.append(Slot((_computed(Unit("embeddings")),), ""))
        slots.append(Slot((_position_item(experiment),), "+"))
    slots.append(Slot((Item("input", Unit("input", layer).path, editable=True),), "=" if slots else ""))
    origin = query_origin(experiment, layer)
    if origin.stage != "input":
        slots.append(Slot((_norm_gain(experiment.layers[layer].norm, layer, 0), _computed(origin))))
    if key_origin(experiment, layer).stage == "source_input":
        slots.append(Slot((_source_item(experiment),), ""))
    return slots


def _position_item(experiment: Experiment) -> Item:
    if experiment.position.kind == "learned":
        return _parameter("position", "position.table")
    return Item("position", "position_table", editable=False)


def _source_item(experiment: Experiment) -> Item:
    if experiment.source is not None and experiment.source.X is not None:
        return _parameter("source", "source.X")
    return Item("source", "source_input", editable=False)


def _norm_gain(norm: Norm | None, layer: int, row: int) -> Item:
    return _parameter(f"gain_{row}", f"layers.{layer}.norm.gain.{row}")


def _pair_row(layer: int, head: int) -> Row:
    stages = ("scores", "scaled", "masked", "weights")
    slots = [Slot((Item(stage, Unit(stage, layer, head).path, editable=True),)) for stage in stages]
    return Row(tuple(slots), pairs=True)


def _output_rows(experiment: Experiment, layer: int) -> list[Row]:
    it = experiment.layers[layer]
    attention = it.attention
    slots = []
    if attention.heads > 1:
        slots.append(Slot((Item("concat", Unit("concat", layer).path, editable=True),), ""))
    if attention.W_O is not None:
        projection = [_parameter("W_O", f"layers.{layer}.attention.W_O")]
        if attention.b_O is not None:
            projection.append(_parameter("b_O", f"layers.{layer}.attention.b_O"))
        slots.append(Slot(tuple(projection), "·"))
        slots.append(Slot((Item("attention_output", Unit("attention_output", layer).path, editable=True),)))
    rows = [Row(tuple(slots))]
    if it.residual or it.norm is not None or it.ffn is not None:
        rows.append(_block_row(it, layer))
    return rows


def _block_row(it: Layer, layer: int) -> Row:
    slots = [Slot((_computed(Unit("attention_residual", layer)),), "")]
    if it.norm is not None and it.norm.placement == "post":
        slots.insert(0, Slot((_norm_gain(it.norm, layer, 0),), ""))
    if it.ffn is not None:
        base = f"layers.{layer}.ffn"
        names = [name for name in ("W_gate", "W_1", "b_1") if getattr(it.ffn, name) is not None]
        gain = (_norm_gain(it.norm, layer, 1),) if it.norm is not None and len(it.norm.gain) > 1 else ()
        slots.append(Slot((*gain, _computed(Unit("ffn_input", layer)))))
        slots.append(Slot(tuple(_parameter(name, f"{base}.{name}") for name in names), "·"))
        slots.append(Slot((Item("ffn_hidden", Unit("ffn_hidden", layer).path, editable=True),)))
        names = [name for name in ("W_2", "b_2") if getattr(it.ffn, name) is not None]
        slots.append(Slot(tuple(_parameter(name, f"{base}.{name}") for name in names), "·"))
        slots.append(Slot((Item("ffn_output", Unit("ffn_output", layer).path, editable=True),)))
    slots.append(Slot((Item("output", Unit("output", layer).path, editable=True),)))
    return Row(tuple(slots))


def _last_rows(experiment: Experiment, layer: int) -> list[Row]:
    if layer != len(experiment.layers) - 1:
        return []
    slots = []
    if experiment.final_norm is not None:
        slots.append(Slot((_parameter("final_gain", "final_norm.gain"), _computed(Unit("final"))), ""))
    if experiment.unembedding is not None:
        if experiment.unembedding.W_U is not None:
            slots.append(Slot((_parameter("W_U", "unembedding.W_U"),), "·"))
        slots += [Slot((_computed(Unit("logits")),)), Slot((_computed(Unit("probabilities")),))]
    return [Row(tuple(slots))]
