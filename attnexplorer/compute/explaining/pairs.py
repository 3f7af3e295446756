"""Steps for a pair of query and key: compare, scale, cap, penalise, mask, exponentiate, normalise, carry; and mix."""

from __future__ import annotations

import math

import numpy as np

from attnexplorer.compute.explaining.context import (
    PIN_NOTE,
    Context,
    along_row,
    at,
    label_of_column,
    label_of_row,
)
from attnexplorer.compute.explaining.pieces import (
    Line,
    Step,
    equation,
    line,
    literal,
    note,
    number,
    products,
    result,
    total,
    vector,
)
from attnexplorer.compute.explaining.reasons import why_allowed, why_blocked
from attnexplorer.compute.explaining.vectors import components, left_out_note, vector_name, vector_steps
from attnexplorer.compute.stage_reads import alibi_slope, compared_units
from attnexplorer.compute.units import Unit

FULLY_MASKED = "No key is visible to this query: its weights are 0, and so is its head output."


def scores_cell(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    """Return how a raw score is made: both projections, then their dot product."""
    here = at(unit, row, column)
    value = context.cell(unit, row, column)
    if context.pinned(unit, row, column):
        return [_pinned(unit, context, row, column)]
    query, key = compared_units(context.experiment, unit.layer or 0, unit.head or 0)
    q, k = context.row(query, row), context.row(key, column)
    shown = components(q * k)
    sides = vector_steps(context, query, row, shown, down=False) + vector_steps(context, key, column, shown, down=False)
    subject = f"{vector_name(context, query, row)} · {vector_name(context, key, column)}"
    terms = products(q, k, along_row(query.path, row), along_row(key.path, column))
    notes = [left_out_note(shown, len(q)), _shared_head(context, unit, key)]
    compared = Step("compare", subject, (equation(terms, value, here),), "; ".join(n for n in notes if n))
    return [*sides, compared]


def scaled_cell(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    """Return how a scaled score is made."""
    if context.pinned(unit, row, column):
        return [_pinned(unit, context, row, column)]
    before = Unit("scores", unit.layer, unit.head)
    attention, score = context.attention(unit), context.cell(before, row, column)
    factor, value = attention.scale_factor, context.cell(unit, row, column)
    steps = scores_cell(context, before, row, column)
    if score == value == -math.inf:
        kept = line(result(value, at(unit, row, column)), note("stays blocked under every scale"))
        return [*steps, Step("scale", "a blocked score", (kept,))]
    scaled = score * factor if score != -math.inf or factor > 0 else -math.inf
    here = at(unit, row, column)
    times = line(number(score, at(before, row, column)), "×", number(factor))
    if attention.scale == "sqrt_dk":
        times = line(number(score, at(before, row, column)), "÷", "√", "(", _whole(attention.d_k), ")")
    subject = "÷ √d_{k}" if attention.scale == "sqrt_dk" else f"× {literal(_scale_name(attention.scale))}"
    cap = attention.softcap
    scale_line = equation(times, scaled, None if cap else here)
    if score == -math.inf and not factor > 0:
        scale_line = line(result(scaled), note("stays blocked under every scale"))
    steps.append(Step("scale", subject, (scale_line,)))
    if cap:
        capped = line(number(cap), "×", "tanh", "(", number(scaled), "÷", number(cap), ")")
        steps.append(Step("cap", "c · tanh(score / c)", (equation(capped, value, here),)))
    return steps


def masked_cell(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    """Return how a masked score is made: distance penalty, temperature, mask."""
    if context.pinned(unit, row, column):
        return [_pinned(unit, context, row, column)]
    before = Unit("scaled", unit.layer, unit.head)
    experiment, value = context.experiment, context.cell(unit, row, column)
    steps = scaled_cell(context, before, row, column)
    score = number(context.cell(before, row, column), at(before, row, column))
    slope, temperature = alibi_slope(experiment, unit.layer or 0, unit.head or 0), context.attention(unit).temperature
    if slope is not None:
        away = abs(row + len(experiment.key_tokens) - len(experiment.query_tokens) - column)
        penalised = (score.value or 0.0) - slope * away
        lines = (equation(line(score, "−", number(slope), "×", _whole(away)), penalised),)
        steps.append(Step("penalise", f"by the distance, {away}, times the head's slope", lines))
        score = number(penalised)
    if temperature != 1.0:
        cooled = (score.value or 0.0) / temperature
        lines = (equation(line(score, "÷", number(temperature)), cooled),)
        steps.append(Step("divide by the temperature", "as the scale does, once more", lines))
    return [*steps, _mask_step(context, unit, row, column, value)]


def weights_cell(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    """Return how a weight is made, and what it carries."""
    if context.pinned(unit, row, column):
        step = _pinned(unit, context, row, column, "pinned weights are neither renormalised nor masked")
        return [step, *_carry(context, unit, row, column)]
    before = Unit("masked", unit.layer, unit.head)
    return [
        *masked_cell(context, before, row, column),
        *softmax_steps(context, unit, before, row, column),
        *_carry(context, unit, row, column),
    ]


def softmax_steps(context: Context, unit: Unit, before: Unit, row: int, column: int) -> list[Step]:
    """Return the two steps of a softmax: exponentiate, with the row's largest number subtracted, and normalise."""
    value, here = context.cell(unit, row, column), at(unit, row, column)
    scores = context.row(before, row)
    score = number(scores[column], at(before, row, column))
    largest = float(scores.max())
    if largest == -math.inf:
        lines: tuple[Line, ...] = (line(result(value, here), note("nothing to divide by")),)
        power = equation(line("e^", "(", score, ")"), 0.0)
        return [Step("exponentiate", "e^{−∞}", (power,)), Step("normalise", "across the row", lines, FULLY_MASKED)]
    with np.errstate(all="ignore"):
        exponentials = np.exp(scores - largest)
        whole = float(exponentials.sum())
    own = float(exponentials[column])
    largest_piece = number(largest, at(before, row, int(scores.argmax())))
    power = equation(line("e^", "(", score, "−", largest_piece, ")"), own)
    sum_line = equation(total(exponentials, along_row(before.path, row)), whole)
    quotient = equation(line(number(own), "÷", number(whole)), value, here)
    return [
        Step("exponentiate", "e^{score − largest of the row}", (power,), "the row's largest is subtracted first"),
        Step("normalise", "across the row", (sum_line, quotient), _exactly_zero(own, score.value)),
    ]


def head_output_cell(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    """Return how a component of a head's output is mixed from the values."""
    if context.pinned(unit, row, column):
        return [_pinned(unit, context, row, column)]
    attention = context.attention(unit)
    weights = Unit("weights", unit.layer, unit.head)
    value = Unit("value", unit.layer, attention.kv_head_of(unit.head or 0))
    a, v = context.row(weights, row), context.column(value, column)
    heard = np.flatnonzero(a)
    result_value, here = context.cell(unit, row, column), at(unit, row, column)
    terms = products(
        a[heard],
        v[heard],
        lambda k: at(weights, row, int(heard[k])),
        lambda k: at(value, int(heard[k]), column),
    )
    name = literal(label_of_row(context.experiment, unit, row))
    silent = len(a) - len(heard)
    notes = [_shared_head(context, unit, value)]
    if silent:
        notes.append(f"{_keys(silent)} with weight 0 add nothing")
    if not len(heard):
        notes = [FULLY_MASKED]
    mixed = Step(
        "mix",
        f"z_{{{name}}}: the values, each times its weight",
        (equation(terms, result_value, here),),
        "; ".join(n for n in notes if n),
    )
    return [mixed]


def _carry(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    kv_head = context.attention(unit).kv_head_of(unit.head or 0)
    value, output = Unit("value", unit.layer, kv_head), Unit("head_output", unit.layer, unit.head)
    weight, v = context.cell(unit, row, column), context.row(value, column)
    query = literal(label_of_row(context.experiment, unit, row))
    subject = f"weight × {vector_name(context, value, column)}, a part of z_{{{query}}}"
    if weight == 0.0:
        return [Step("carry", subject, (), "a weight of 0 carries nothing")]
    shown = components(v)
    own = number(weight, at(unit, row, column))
    lines: list[Line] = [
        equation(line(own, "×", number(v[c], at(value, column, c))), weight * float(v[c])) for c in shown
    ]
    z = context.row(output, row)
    lines.append(line(note("of z ="), vector(z, along_row(output.path, row))))
    return [Step("carry", subject, tuple(lines), left_out_note(shown, len(v)))]


def _mask_step(context: Context, unit: Unit, row: int, column: int, value: float) -> Step:
    here = at(unit, row, column)
    blocked = why_blocked(context.experiment, unit.layer or 0, row, column)
    if blocked:
        lines = (line(result(value, here), note("so the weight is exactly 0")),)
        return Step("mask", f"blocked by {literal(' and '.join(blocked))}", lines)
    lines = (line(result(value, here), note("the score itself is −∞" if value == -math.inf else "unchanged")),)
    return Step("mask", f"allowed: {literal(why_allowed(context.experiment, unit.layer or 0, row, column))}", lines)


def _pinned(unit: Unit, context: Context, row: int, column: int, also: str = "") -> Step:
    query = literal(label_of_row(context.experiment, unit, row))
    key = literal(label_of_column(context.experiment, unit, column))
    lines = (line(result(context.cell(unit, row, column), at(unit, row, column))),)
    return Step("pin", f"{unit.stage}_{{{query}, {key}}} is pinned", lines, "; ".join(n for n in (PIN_NOTE, also) if n))


def _shared_head(context: Context, unit: Unit, shared: Unit) -> str:
    attention = context.attention(unit)
    if attention.kv_heads == attention.heads:
        return ""
    return f"head {(unit.head or 0) + 1} uses KV head {(shared.head or 0) + 1} of {attention.kv_heads}"


def _exactly_zero(own: float, score: float | None) -> str:
    return "a blocked pair has weight exactly 0" if own == 0.0 and score == -math.inf else ""


def _whole(value: int) -> Line:
    return (number(float(value), None, str(value)),)


def _scale_name(scale: float | str) -> str:
    return "1: no scaling" if isinstance(scale, str) else "the chosen scale"


def _keys(count: int) -> str:
    return "1 key" if count == 1 else f"{count} keys"
