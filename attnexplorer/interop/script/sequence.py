"""The first part of a script: tokens, their embeddings and their positions, up to the input of the first layer."""

from __future__ import annotations

from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.script import literals
from attnexplorer.interop.script.context import Context


def sequence_lines(context: Context) -> list[str]:
    """Return the lines that make `X` [n, d_model] and, with a second sequence, `X_source` [m, d_source]."""
    experiment = context.experiment
    lines = [*literals.texts("tokens", experiment.query_tokens), *_source_tokens(context)]
    lines += ["n = len(tokens)             # queries", f"m = len({_key_tokens(context)})      # keys", ""]
    lines += [*literals.texts("vocabulary", experiment.embedding.vocabulary)]
    lines += context.array("E", experiment.embedding.E, "vocabulary, d_model")
    lines += [
        "",
        "# Each token is looked up: equal tokens have equal rows.",
        "row_of = {word: row for row, word in enumerate(vocabulary)}",
        "embeddings = E[[row_of[token] for token in tokens]]  # [n, d_model]",
        context.shown("embeddings", "embeddings"),
    ]
    lines += _learned_table(context)
    lines += ["", *_positioned("X", "embeddings", "n", experiment)]
    return lines + _source_input(context)


def _key_tokens(context: Context) -> str:
    return "source_tokens" if context.crosses else "tokens"


def _source_tokens(context: Context) -> list[str]:
    if not context.crosses:
        return []
    comment = "# Keys and values come from these tokens."
    return [comment, *literals.texts("source_tokens", context.experiment.key_tokens)]


def _learned_table(context: Context) -> list[str]:
    table = context.experiment.position.table
    if context.experiment.position.kind != "learned" or table is None:
        return []
    return ["", *context.array("position_table", table, "positions, d_model")]


def _positioned(target: str, rows: str, count: str, experiment: Experiment) -> list[str]:
    position = experiment.position
    if position.kind == "learned":
        taken = f"position_table[{position.offset} : {position.offset} + {count}]"
        return ["# Row p of the table belongs to position p; it is added.", f"{target} = {rows} + {taken}"]
    if position.kind == "sinusoidal":
        call = f"sinusoidal({count}, {experiment.d_model}, {position.offset}, {literals.number(position.base)})"
        return [f"{target} = {rows} + {call}"]
    return [f"{target} = {rows}"]


def _source_input(context: Context) -> list[str]:
    source = context.experiment.source
    if source is None:
        return []
    if source.X is not None:
        comment = "# What keys and values are made from, in every layer."
        return ["", comment, *context.array("X_source", source.X, "m, d_source")]
    looked_up = "E[[row_of[token] for token in source_tokens]]"
    comment = "# What keys and values are made from, in every layer: [m, d_model]"
    return ["", comment, *_positioned("X_source", looked_up, "m", context.experiment)]
