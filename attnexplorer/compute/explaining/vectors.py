"""Steps for the vectors of tokens: looked up, given a position, normalised, projected, rotated."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attnexplorer.compute import positions
from attnexplorer.compute.explaining.context import (
    Context,
    along_column,
    along_row,
    at,
    label_of_row,
    pin_step,
    token_label,
)
from attnexplorer.compute.explaining.norms import norm_step
from attnexplorer.compute.explaining.pieces import (
    COMPONENTS_SHOWN,
    Line,
    Reference,
    Step,
    equation,
    line,
    literal,
    number,
    products,
    vector,
)
from attnexplorer.compute.projections import Array
from attnexplorer.compute.stage_reads import key_origin, query_origin
from attnexplorer.compute.units import Unit

_LETTERS = {"query": "q", "key": "k", "value": "v", "query_rotated": "q′", "key_rotated": "k′"}
_PROJECTIONS = {"query": "Q", "key": "K", "value": "V"}


def vector_steps(context: Context, unit: Unit, row: int, columns: list[int], down: bool = True) -> list[Step]:
    """Return how some components of a token's vector are made; with `down`, starting from the look-up in E."""
    pinned = [c for c in columns if context.pinned(unit, row, c)]
    computed = [c for c in columns if c not in pinned]
    steps = _MAKERS[unit.stage](context, unit, row, computed, down) if computed else []
    return [*steps, pin_step(context, unit, row, pinned, vector_name(context, unit, row))] if pinned else steps


def vector_cell(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    """Return how one component of a token's vector is made."""
    return vector_steps(context, unit, row, [column])


def components(weight_of: Array) -> list[int]:
    """Return which components to write out: all of a short vector, else the one that weighs most."""
    if len(weight_of) <= COMPONENTS_SHOWN:
        return list(range(len(weight_of)))
    return [int(np.argmax(np.nan_to_num(np.abs(weight_of), nan=np.inf)))]


def left_out_note(shown: list[int], width: int) -> str:
    """Say that only one component of several is written out."""
    return "" if len(shown) == width else f"component {shown[0] + 1} of {width}; the others are made the same way"


def vector_name(context: Context, unit: Unit, row: int) -> str:
    """Return the name of a row, such as ``q_{it}``."""
    letter = _LETTERS.get(unit.stage, "x")
    return f"{letter}_{{{literal(label_of_row(context.experiment, unit, row))}}}"


def position_cell(context: Context, unit: Unit, row: int, column: int) -> list[Step]:
    """Return how a number of the table that is added for positions is made."""
    position, here = context.experiment.position, at(unit, row, column)
    value = context.cell(unit, row, column)
    place = position.offset + row
    if position.kind == "learned":
        source = Reference("position.table", place, column)
        lines = (equation((number(value, source),), value, here),)
        return [Step("look up", f"position {place + 1} in the learned table", lines)]
    divisor = position.base ** ((column - column % 2) / context.experiment.d_model)
    angle = place / divisor
    wave = "cos" if column % 2 else "sin"
    return [
        Step(
            "find the angle",
            f"p / base^{{{column - column % 2}/d}}, the token at p = {place}",
            (equation(line(number(place, None, str(place)), "÷", number(divisor)), angle),),
        ),
        Step("take the wave", f"{wave} of the angle", (equation(line(wave, "(", number(angle), ")"), value, here),)),
    ]


def _embeddings(context: Context, unit: Unit, row: int, columns: list[int], down: bool) -> list[Step]:
    return [_look_up(context, unit, row, columns, context.row(unit, row), along_row(unit.path, row))]


def _look_up(
    context: Context, unit: Unit, row: int, columns: list[int], values: Array, made: Callable[[int], Reference | None]
) -> Step:
    tokens = context.experiment.key_tokens if unit.stage.startswith("source") else context.experiment.query_tokens
    in_table = context.experiment.embedding.vocabulary.index(tokens[row])
    reference = along_row("embedding.E", in_table)
    label = literal(token_label(tokens, row))
    if len(columns) == 1:
        column = columns[0]
        lines = (equation((number(values[column], reference(column)),), values[column], made(column)),)
    else:
        lines = (vector(values[columns], lambda k: reference(columns[k])),)
    return Step("look up", f"“{label}” in E, row {in_table + 1}", lines)


def _input(context: Context, unit: Unit, row: int, columns: list[int], down: bool) -> list[Step]:
    if unit.layer:
        before = Unit("output", unit.layer - 1)
        return [_read(context, unit, row, columns, before.path, f"output of layer {unit.layer}")]
    return _looked_up_and_placed(context, unit, row, columns)


def _source_input(context: Context, unit: Unit, row: int, columns: list[int], down: bool) -> list[Step]:
    source = context.experiment.source
    if source is not None and source.X is not None:
        return [_read(context, unit, row, columns, "source.X", "the second sequence's own vectors")]
    return _looked_up_and_placed(context, unit, row, columns)


def _read(context: Context, unit: Unit, row: int, columns: list[int], path: str, what: str) -> Step:
    values, reference = context.row(unit, row), along_row(path, row)
    if len(columns) == 1:
        column = columns[0]
        value = values[column]
        lines: tuple[Line, ...] = (equation((number(value, reference(column)),), value, at(unit, row, column)),)
    else:
        lines = (vector(values[columns], lambda k: reference(columns[k])),)
    return Step("read", f"{vector_name(context, unit, row)}: {what}", lines)


def _looked_up_and_placed(context: Context, unit: Unit, row: int, columns: list[int]) -> list[Step]:
    experiment = context.experiment
    tokens = experiment.key_tokens if unit.stage.startswith("source") else experiment.query_tokens
    in_table = experiment.embedding.vocabulary.index(tokens[row])
    embedding = experiment.embedding.E[in_table]
    if experiment.position.kind not in ("sinusoidal", "learned"):
        return [_look_up(context, unit, row, columns, embedding, along_row(unit.path, row))]
    added, added_at = _position_row(context, unit, row)
    shown = columns if len(columns) <= COMPONENTS_SHOWN else columns[:1]
    word = along_row("embedding.E", in_table)
    lines = [
        equation(
            line(number(embedding[c], word(c)), "+", number(added[c], added_at(c))),
            context.cell(unit, row, c),
            at(unit, row, c),
        )
        for c in shown
    ]
    note = left_out_note(shown, len(columns))
    looked_up = along_row("source_embeddings" if unit.stage.startswith("source") else "embeddings", row)
    return [
        _look_up(context, unit, row, columns, embedding, looked_up),
        Step("add position", f"{vector_name(context, unit, row)} = E row + P row", tuple(lines), note),
    ]


def _position_row(context: Context, unit: Unit, row: int) -> tuple[Array, Callable[[int], Reference]]:
    position = context.experiment.position
    place = position.offset + row
    if position.kind == "learned" and position.table is not None:
        return position.table[place], along_row("position.table", place)
    table = positions.sinusoidal(1, context.experiment.d_model, place, position.base)
    stage = "source_position_table" if unit.stage.startswith("source") else "position_table"
    return table[0], along_row(stage, row)


def _attention_input(context: Context, unit: Unit, row: int, columns: list[int], down: bool) -> list[Step]:
    norm, origin = context.layer(unit).norm, Unit("input", unit.layer)
    assert norm is not None
    values = context.row(origin, row)
    steps = vector_steps(context, origin, row, list(range(len(values)))) if down else []
    bias = None if norm.bias is None else norm.bias[0]
    parameters = (norm.kind, norm.eps, norm.gain[0], bias)
    paths = (f"layers.{unit.layer}.norm.gain.0", f"layers.{unit.layer}.norm.bias.0")
    return [*steps, norm_step(context, unit, row, columns, values, along_row(origin.path, row), parameters, paths)]


def _projection(context: Context, unit: Unit, row: int, columns: list[int], down: bool) -> list[Step]:
    layer, head = unit.layer or 0, unit.head or 0
    letter = _PROJECTIONS[unit.stage]
    attention = context.attention(unit)
    origin = (query_origin if letter == "Q" else key_origin)(context.experiment, layer)
    x, W = context.row(origin, row), getattr(attention, f"W_{letter}")[head]
    biases = getattr(attention, f"b_{letter}")
    path = f"layers.{layer}.attention"
    steps = vector_steps(context, origin, row, _origin_columns(origin, x * W[:, columns[0]])) if down else []
    lines = []
    for c in columns:
        terms = products(x, W[:, c], along_row(origin.path, row), along_column(f"{path}.W_{letter}.{head}", c))
        if biases is not None:
            terms = line(terms, "+", number(biases[head][c], Reference(f"{path}.b_{letter}.{head}", 0, c)))
        lines.append(equation(terms, context.cell(unit, row, c), at(unit, row, c)))
    bias = f" + b_{{{letter}}}" if biases is not None else ""
    subject = f"{vector_name(context, unit, row)} = {vector_name(context, origin, row)} W_{{{letter}}}{bias}"
    return [*steps, Step("project", subject, tuple(lines))]


def _origin_columns(origin: Unit, terms: Array) -> list[int]:
    """Looked-up vectors are shown whole; of a normalised one only what can be written out."""
    return components(terms) if origin.stage == "attention_input" else list(range(len(terms)))


def _rotation(context: Context, unit: Unit, row: int, columns: list[int], down: bool) -> list[Step]:
    position, base = context.experiment.position, Unit(unit.stage.removesuffix("_rotated"), unit.layer, unit.head)
    width = context.attention(unit).d_k
    first, second = (part.tolist() for part in positions.pair_columns(width, position.interleaved))
    pairs = {c: k for k, pair in enumerate(zip(first, second, strict=True)) for c in pair}
    needed = sorted({c for column in columns for c in (first[pairs[column]], second[pairs[column]])})
    place = position.offset + row
    lines: list[Line] = []
    for c in columns:
        k = pairs[c]
        speed = float(position.base ** (-(2 * k) / width))
        a, b = (number(context.cell(base, row, s), at(base, row, s)) for s in (first[k], second[k]))
        lines.append(equation(line(number(place, None, str(place)), "×", number(speed)), place * speed))
        angle = number(place * speed)
        waves = ("cos", "−", "sin") if c == first[k] else ("sin", "+", "cos")
        turned = line(a, "×", waves[0], "(", angle, ")", waves[1], b, "×", waves[2], "(", angle, ")")
        lines.append(equation(turned, context.cell(unit, row, c), at(unit, row, c)))
    subject = f"{vector_name(context, unit, row)}: {vector_name(context, base, row)} turned by its place, p = {place}"
    return [*vector_steps(context, base, row, needed, down), Step("rotate", subject, tuple(lines))]


_MAKERS: dict[str, Callable[[Context, Unit, int, list[int], bool], list[Step]]] = {
    "embeddings": _embeddings,
    "source_embeddings": _embeddings,
    "source_input": _source_input,
    "input": _input,
    "attention_input": _attention_input,
    "query": _projection,
    "key": _projection,
    "value": _projection,
    "query_rotated": _rotation,
    "key_rotated": _rotation,
}
