"""A whole script: heading, the functions it needs, and every stage of the experiment in order, printed and kept."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import numpy as np

from attnexplorer.compute.trace import evaluate
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.script.block import layer_lines, norm_lines
from attnexplorer.interop.script.context import Context
from attnexplorer.interop.script.dialect import Dialect
from attnexplorer.interop.script.literals import assigned
from attnexplorer.interop.script.sequence import sequence_lines
from attnexplorer.interop.trace_text import printable

MOST_NUMBERS = 500_000
"""Beyond that Python needs gigabytes to read the script, and nobody reads it at all."""

_ROPE_PAIRS = {False: "rotated_halves", True: "rotated_neighbours"}


def script(experiment: Experiment, dialect: Dialect) -> str:
    """Return an experiment as a script that prints every stage and checks the last one.

    Raises
    ------
    ExperimentError
        If the experiment has too many numbers to be written out as code.
    """
    _check_size(experiment)
    context = Context(experiment, dialect, evaluate(experiment))
    body = "\n".join(_body(context))
    functions = "\n".join(_functions(dialect, body, experiment.position.interleaved))
    math = ["import math", ""] if "math." in functions else []
    lines = [*_heading(experiment, dialect), *math, dialect.header, *_infinities(dialect, body)]
    return "\n".join([*lines, functions, "", body, ""])


def _check_size(experiment: Experiment) -> None:
    count = sum(_sizes(experiment))
    if count > MOST_NUMBERS:
        limit = f"at most {MOST_NUMBERS:,} can be written out as code; the stages can still be exported as .npz"
        raise ExperimentError("", f"the experiment has {count:,} numbers, but {limit}")


def _sizes(part: object) -> Iterator[int]:
    """Yield the size of every array that an experiment holds."""
    if isinstance(part, np.ndarray):
        yield part.size
    elif isinstance(part, tuple):
        for entry in part:
            yield from _sizes(entry)
    elif isinstance(part, Experiment):
        yield from _sizes(tuple(part.pins.values()))
        yield from _sizes((part.embedding, part.source, part.position, part.layers, part.final_norm, part.unembedding))
    elif dataclasses.is_dataclass(part):
        yield from _sizes(tuple(getattr(part, entry.name) for entry in dataclasses.fields(part)))


def _heading(experiment: Experiment, dialect: Dialect) -> list[str]:
    # The title stands below the second line: a comment above could be taken for a declaration of the encoding.
    return [
        f"# Every stage of an attention experiment, computed with {dialect.library} alone.",
        "#",
        f"# {printable(experiment.title) or 'Untitled'}",
        "#",
        "# Vectors are rows: q = x W_Q. Layers and heads count from 0. Shapes stand in comments: n queries, m keys,",
        "# d_k numbers in a query and in a key, d_v in a value. The script prints each stage, keeps it in `stages`",
        "# under its name, and checks the last one at the end.",
        "",
    ]


def _infinities(dialect: Dialect, body: str) -> list[str]:
    used = [name for name in ("inf", "nan") if re.search(rf"(?<![\w'\"]){name}(?!\w)", body)]
    return [f"{', '.join(used)} = {', '.join(f'{dialect.module}.{name}' for name in used)}"] if used else []


def _functions(dialect: Dialect, body: str, interleaved: bool) -> list[str]:
    """Return the functions that are called, those first that others call."""
    wanted = [name for name in dialect.functions if f"{name}(" in body]
    if "rotated(" in body:
        wanted.append(_ROPE_PAIRS[interleaved])
    return [f"\n\n{dialect.functions[name].strip()}" for name in dialect.functions if name in wanted]


def _body(context: Context) -> list[str]:
    experiment = context.experiment
    lines = [_title("The sequence"), *sequence_lines(context)]
    for layer in range(len(experiment.layers)):
        lines += ["", _title(f"Layer {layer}"), *layer_lines(context, layer)]
    last, after = _after_layers(context)
    if after:
        lines += ["", _title("After the layers"), *after]
    return [*lines, "", _title("Check"), *_check(context, last)]


def _after_layers(context: Context) -> tuple[str, list[str]]:
    """Return the variable of the last stage, and the lines of final norm and unembedding."""
    experiment, last = context.experiment, "X"
    lines: list[str] = []
    norm, unembedding = experiment.final_norm, experiment.unembedding
    if norm is not None:
        last = "final"
        lines += norm_lines(context, "final", "X", norm.kind, norm.eps, norm.gain, norm.bias)
        lines.append(context.shown("final", "final"))
    if unembedding is None:
        return last, lines
    if unembedding.W_U is None:
        lines.append("# Tied: the unembedding is E, transposed.")
    else:
        lines += context.array("W_U", unembedding.W_U, "d, vocabulary")
    lines += [
        f"logits = {last} @ {'E.T' if unembedding.W_U is None else 'W_U'}  # [n, vocabulary]",
        context.shown("logits", "logits"),
        "probabilities = softmax(logits)  # of each word to come next",
        context.shown("probabilities", "probabilities"),
    ]
    return "probabilities", lines


def _check(context: Context, last: str) -> list[str]:
    trace = context.trace
    value = trace.layers[-1].output if last == "X" else getattr(trace, last)
    return [
        "# What Attention Explorer shows as the last stage.",
        *assigned("expected", context.dialect.array, np.asarray(value)),
        f'assert {context.dialect.agrees.format(x=last)}, "the last stage differs"',
        'print("The last stage agrees with Attention Explorer.")',
    ]


def _title(text: str) -> str:
    return f"# ---- {text} {'-' * max(4, 80 - len(text))}\n"
