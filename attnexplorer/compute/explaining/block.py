"""Steps from the heads' outputs to the end: joining, W_O, residual, norm, FFN, logits, probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable

from attnexplorer.compute.explaining.context import (
    Context,
    along_column,
    along_row,
    at,
    label_of_column,
    label_of_row,
    pin_step,
)
from attnexplorer.compute.explaining.norms import norm_step
from attnexplorer.compute.explaining.pairs import softmax_steps
from attnexplorer.compute.explaining.pieces import (
    Line,
    Piece,
    Reference,
    Step,
    equation,
    line,
    literal,
    note,
    number,
    products,
    result,
)
from attnexplorer.compute.projections import Array
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.model import Activation, FeedForward


def block_cell(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    """Return how a cell of a stage after the heads is made."""
    if context.pinned(unit, row, column):
        name = literal(label_of_row(context.experiment, unit, row))
        return [pin_step(context, unit, row, [column], f"{_PINNED_NAMES.get(unit.stage, unit.stage)}_{{{name}}}")]
    return _MAKERS[unit.stage](context, unit, row, column)


def _concat(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    attention = context.attention(unit)
    head, own = divmod(column, attention.d_v)
    subject = f"column {column + 1} is column {own + 1} of head {head + 1}"
    here = at(unit, row, column)
    if head in attention.muted_heads:
        lines = (line(result(0.0, here), note("because the head is muted")),)
        return [Step("join heads", subject, lines, f"head {head + 1} is muted: zeros stand in its place")]
    source = Unit("head_output", unit.layer, head)
    return [_kept(context, source, row, own, here, "join heads", subject)]


def _attention_output(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    attention, source = context.attention(unit), Unit("concat", unit.layer)
    path, here = f"layers.{unit.layer}.attention", at(unit, row, column)
    if attention.W_O is not None:
        bias = None if attention.b_O is None else number(attention.b_O[column], Reference(f"{path}.b_O", 0, column))
        return [_affine(context, unit, row, column, source, attention.W_O, f"{path}.W_O", bias, "concat W_{O}")]
    if attention.b_O is None:
        return [_kept(context, source, row, column, here, "pass on", "there is no W_{O}: concat as it is")]
    bias = number(attention.b_O[column], Reference(f"{path}.b_O", 0, column))
    terms = line(_number(context, source, row, column), "+", bias)
    return [Step("add bias", "concat + b_{O}", (equation(terms, context.cell(unit, row, column), here),))]


def _affine(
    context: Context,
    unit: Unit,
    row: int,
    column: int,
    source: Unit,
    W: Array,
    path: str,
    bias: Piece | None,
    subject: str,
) -> Step:
    terms = products(context.row(source, row), W[:, column], along_row(source.path, row), along_column(path, column))
    if bias is not None:
        terms = line(terms, "+", bias)
    lines = (equation(terms, context.cell(unit, row, column), at(unit, row, column)),)
    return Step("project out" if "W_{O}" in subject else "project", subject + (" + b" if bias else ""), lines)


def _after(before: str, added: str, place: int) -> Callable[[Context, Unit, int, int], list[Step]]:
    """Make the steps of a sum with the residual stream and of the norm after it, where there are such."""

    def steps(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
        layer = context.layer(unit)
        part, stream = Unit(added, unit.layer), Unit(before, unit.layer) if layer.residual else None
        here = at(unit, row, column)
        norm = layer.norm if layer.norm is not None and layer.norm.placement == "post" else None
        if norm is None and stream is None:
            return [_kept(context, part, row, column, here, "pass on", f"no residual: {_words(added)} as it is")]
        made = [] if stream is None else [_sum_step(context, part, stream, row, column, None if norm else here)]
        if norm is None:
            return made
        values = context.row(part, row) + (0.0 if stream is None else context.row(stream, row))
        values_at = along_row(part.path, row) if stream is None else _nowhere
        parameters = (norm.kind, norm.eps, norm.gain[place], None if norm.bias is None else norm.bias[place])
        paths = (f"layers.{unit.layer}.norm.gain.{place}", f"layers.{unit.layer}.norm.bias.{place}")
        return [*made, norm_step(context, unit, row, [column], values, values_at, parameters, paths)]

    return steps


def _sum_step(context: Context, part: Unit, stream: Unit, row: int, column: int, reference: Reference | None) -> Step:
    value = context.cell(stream, row, column) + context.cell(part, row, column)
    terms = line(_number(context, stream, row, column), "+", _number(context, part, row, column))
    return Step("add residual", f"{_words(stream.stage)} + {_words(part.stage)}", (equation(terms, value, reference),))


def _ffn_input(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    norm, source = context.layer(unit).norm, Unit("attention_residual", unit.layer)
    if norm is None or norm.placement != "pre":
        here = at(unit, row, column)
        return [_kept(context, source, row, column, here, "pass on", "no norm before the FFN: r as it is")]
    parameters = (norm.kind, norm.eps, norm.gain[1], None if norm.bias is None else norm.bias[1])
    paths = (f"layers.{unit.layer}.norm.gain.1", f"layers.{unit.layer}.norm.bias.1")
    values_at = along_row(source.path, row)
    return [norm_step(context, unit, row, [column], context.row(source, row), values_at, parameters, paths)]


def _ffn_hidden(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    ffn, source, path = _ffn(context, unit), Unit("ffn_input", unit.layer), f"layers.{unit.layer}.ffn"
    u, u_at, here = context.row(source, row), along_row(source.path, row), at(unit, row, column)
    terms = products(u, ffn.W_1[:, column], u_at, along_column(f"{path}.W_1", column))
    inner = float(u @ ffn.W_1[:, column])
    if ffn.b_1 is not None:
        terms = line(terms, "+", number(ffn.b_1[column], Reference(f"{path}.b_1", 0, column)))
        inner += float(ffn.b_1[column])
    value = context.cell(unit, row, column)
    steps = [Step("project", "u W_{1}" + (" + b_{1}" if ffn.b_1 is not None else ""), (equation(terms, inner),))]
    if ffn.W_gate is None:
        return [*steps, Step("activate", ffn.activation, (equation(_activated(inner, ffn.activation), value, here),))]
    gate = float(u @ ffn.W_gate[:, column])
    gate_terms = products(u, ffn.W_gate[:, column], u_at, along_column(f"{path}.W_gate", column))
    gated = line(_activated(gate, ffn.activation), "×", number(inner))
    return [
        *steps,
        Step("project the gate", "u W_{gate}", (equation(gate_terms, gate),)),
        Step("activate", f"{ffn.activation} of the gate, times u W_{{1}}", (equation(gated, value, here),)),
    ]


def _activated(value: float, activation: Activation) -> Line:
    """Return an activation's formula with the number in it."""
    x = number(value)
    if activation == "relu":
        return line("max", "(", number(0.0), ",", x, ")")
    if activation == "silu":
        return line(x, "×", _logistic(value))
    if activation == "gelu":
        error = line("erf", "(", x, "÷", "√", "(", _integer(2), ")", ")")
        return line(number(0.5), "×", x, "×", "(", _one(), "+", error, ")")
    factor = number(math.sqrt(2.0 / math.pi), None, "√(2/π)")
    cubic = line("(", x, "+", number(0.044715, None, "0.044715"), "×", "(", x, ")", "³", ")")
    return line(number(0.5), "×", x, "×", "(", _one(), "+", "tanh", "(", factor, "×", cubic, ")", ")")


def _logistic(value: float) -> Line:
    # The form whose exponential cannot overflow, whichever sign x has.
    if value >= 0:
        return line(_one(), "÷", "(", _one(), "+", "e^", "(", number(-value), ")", ")")
    return line("e^", "(", number(value), ")", "÷", "(", _one(), "+", "e^", "(", number(value), ")", ")")


def _one() -> Line:
    return _integer(1)


def _integer(value: int) -> Line:
    return (number(float(value), None, str(value)),)


def _ffn_output(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    ffn, path = _ffn(context, unit), f"layers.{unit.layer}.ffn"
    bias = None if ffn.b_2 is None else number(ffn.b_2[column], Reference(f"{path}.b_2", 0, column))
    source = Unit("ffn_hidden", unit.layer)
    return [_affine(context, unit, row, column, source, ffn.W_2, f"{path}.W_2", bias, "h W_{2}")]


def _output(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    layer = context.layer(unit)
    if layer.ffn is not None:
        return _after("attention_residual", "ffn_output", 1)(context, unit, row, column)
    has_block = layer.residual or layer.norm is not None
    source = Unit("attention_residual" if has_block else "attention_output", unit.layer)
    subject = f"no FFN: {_words(source.stage)} as it is"
    return [_kept(context, source, row, column, at(unit, row, column), "pass on", subject)]


def _last(context: Context) -> Unit:
    return Unit("output", len(context.experiment.layers) - 1)


def _final(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    norm, source = context.experiment.final_norm, _last(context)
    assert norm is not None
    parameters = (norm.kind, norm.eps, norm.gain, norm.bias)
    paths, values_at = ("final_norm.gain", "final_norm.bias"), along_row(source.path, row)
    return [norm_step(context, unit, row, [column], context.row(source, row), values_at, parameters, paths)]


def _logits(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    experiment = context.experiment
    source = _last(context) if experiment.final_norm is None else Unit("final")
    x, word = context.row(source, row), literal(label_of_column(experiment, unit, column))
    W_U = None if experiment.unembedding is None else experiment.unembedding.W_U
    if W_U is None:
        other, other_at, subject = experiment.embedding.E[column], along_row("embedding.E", column), "row of E (tied)"
    else:
        other, other_at, subject = W_U[:, column], along_column("unembedding.W_U", column), "column of W_{U}"
    terms = products(x, other, along_row(source.path, row), other_at)
    lines = (equation(terms, context.cell(unit, row, column), at(unit, row, column)),)
    return [Step("compare", f"with the {subject} for {word}", lines)]


def _probabilities(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    return [*_logits(context, Unit("logits"), row, column), *softmax_steps(context, unit, Unit("logits"), row, column)]


def _kept(context: Context, source: Unit, row: int, column: int, reference: Reference, verb: str, subject: str) -> Step:
    value = context.cell(source, row, column)
    return Step(verb, subject, (equation((number(value, at(source, row, column)),), value, reference),))


def _number(context: Context, unit: Unit, row: int, column: int) -> Piece:
    return number(context.cell(unit, row, column), at(unit, row, column))


def _words(stage: str) -> str:
    return {"input": "x", "attention_residual": "r", "attention_output": "attention", "ffn_output": "FFN"}[stage]


def _nowhere(index: int) -> None:
    return None


def _ffn(context: Context, unit: Unit) -> FeedForward:
    ffn = context.layer(unit).ffn
    assert ffn is not None
    return ffn


_MAKERS: dict[str, Callable[[Context, Unit, int, int], list[Step]]] = {
    "concat": _concat,
    "attention_output": _attention_output,
    "attention_residual": _after("input", "attention_output", 0),
    "ffn_input": _ffn_input,
    "ffn_hidden": _ffn_hidden,
    "ffn_output": _ffn_output,
    "output": _output,
    "final": _final,
    "logits": _logits,
    "probabilities": _probabilities,
}

_PINNED_NAMES = {"attention_output": "attention", "ffn_hidden": "h", "ffn_output": "FFN"}

BLOCK_STAGES = frozenset(_MAKERS)
"""The stages that `block_cell` explains."""
