"""Every stage of an experiment as text for people: titles, shapes, token labels, aligned numbers."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from attnexplorer.compute.projections import Array
from attnexplorer.compute.stages import STAGES
from attnexplorer.experiment.model import Experiment
from attnexplorer.interop.trace_parts import TracePart, trace_parts

_MOST_DECIMALS = 6
_LONGEST_LABEL = 20
_JOINERS = "\u200c\u200d"
_UNPRINTABLE = ("Cc", "Cf", "Cs", "Zl", "Zp")


def trace_text(experiment: Experiment, stages: Collection[str] | None = None) -> Iterator[str]:
    """Yield the lines, without their ends.

    Raises
    ------
    ExperimentError
        If `stages` names one that the experiment does not have.
    """
    parts = trace_parts(experiment, stages)
    before = next(parts)
    yield from _heading(experiment)
    for part in (before, *parts):
        if part.layer is not None:
            yield f"=== layer {part.layer} ==="
            yield ""
        yield from _part(experiment, part)


def printable(text: str) -> str:
    """Return text in which whatever would move or recolour a terminal's cursor is written as an escape."""
    return "".join(_escaped(character) for character in text)


def visible_label(token: str, longest: int = _LONGEST_LABEL) -> str:
    """Return a token as one printable word: blanks and control characters shown, long tokens cut with "…"."""
    if not token:
        return "''"
    cut = token if len(token) <= longest else token[: longest - 1] + "…"
    return "".join("␣" if unicodedata.category(character) == "Zs" else _escaped(character) for character in cut)


def label_width(label: str) -> int:
    """Return how many columns of a terminal a label takes."""
    return sum(_columns(character) for character in label)


def _heading(experiment: Experiment) -> Iterator[str]:
    if experiment.title:
        yield printable(experiment.title)
    yield _listed("tokens", experiment.query_tokens)
    if experiment.source is not None:
        yield _listed("source tokens", experiment.key_tokens)
    yield ""


def _part(experiment: Experiment, part: TracePart) -> Iterator[str]:
    for name, array in part.arrays.items():
        yield from _stage(experiment, name, array)
    for head, row in part.fully_masked_rows:
        yield f"fully masked: head {head}, row {row} sees no key"
    if part.fully_masked_rows:
        yield ""


def _stage(experiment: Experiment, name: str, array: Array) -> Iterator[str]:
    stage = STAGES[name]
    shape = ", ".join(map(str, array.shape))
    symbol = f"  {stage.symbol}" if stage.symbol != name else ""
    yield f"{name}{symbol}  [{shape}]"
    matrices = [array] if array.ndim == 2 else list(array)
    for head, matrix in enumerate(matrices):
        if array.ndim == 3:
            yield f"  {'KV head' if stage.per.value == 'kv_head' else 'head'} {head}"
        rows = _labels(experiment, stage.axes[0], matrix.shape[0])
        columns = _labels(experiment, stage.axes[1], matrix.shape[1])
        yield from (f"  {line}".rstrip() for line in _table(matrix, rows, columns))
    yield ""


def _labels(experiment: Experiment, axis: str, count: int) -> list[str]:
    words = {
        "query": experiment.query_tokens,
        "key": experiment.key_tokens,
        "vocabulary": experiment.embedding.vocabulary,
    }.get(axis)
    numbers = [str(index) for index in range(count)]
    if words is None or len(words) != count:
        return numbers
    return [f"{number} {visible_label(word)}" for number, word in zip(numbers, words, strict=True)]


def _table(matrix: Array, rows: Sequence[str], columns: Sequence[str]) -> Iterator[str]:
    texts = _numbers(matrix)
    first = max(map(label_width, rows))
    widths = [max(label_width(label), *(len(row[j]) for row in texts)) for j, label in enumerate(columns)]
    yield "  ".join([" " * first, *(_right(label, width) for label, width in zip(columns, widths, strict=True))])
    for label, row in zip(rows, texts, strict=True):
        numbers = (text.rjust(width) for text, width in zip(row, widths, strict=True))
        yield "  ".join([label + " " * (first - label_width(label)), *numbers])


def _numbers(matrix: Array) -> list[list[str]]:
    """Return the numbers of a matrix with as many decimals as it needs, six at most, or with exponents."""
    finite = np.abs(matrix[np.isfinite(matrix)])
    if finite.size and (finite.max() >= 1e9 or 0.0 < finite.max() < 1e-3):
        return [[f"{value:.6e}" for value in row] for row in matrix.tolist()]
    texts = [[_number(value) for value in row] for row in matrix.tolist()]
    needed = max((len(_decimals(text).rstrip("0")) for row in texts for text in row), default=0)
    surplus = _MOST_DECIMALS - needed + (0 if needed else 1)
    return [[text[: len(text) - surplus] if _decimals(text) else text for text in row] for row in texts]


def _number(value: float) -> str:
    # What is not 0 must not look like 0.
    tiny = 0.0 < abs(value) < 0.5 * 10.0**-_MOST_DECIMALS
    return f"{value:.1e}" if tiny else f"{value:.{_MOST_DECIMALS}f}"


def _decimals(text: str) -> str:
    return "" if "e" in text else text.partition(".")[2]


def _listed(name: str, tokens: Sequence[str]) -> str:
    return f"{len(tokens)} {name}: {' '.join(map(visible_label, tokens))}"


def _right(label: str, width: int) -> str:
    return " " * (width - label_width(label)) + label


def _escaped(character: str) -> str:
    if unicodedata.category(character) in _UNPRINTABLE and character not in _JOINERS:
        return character.encode("unicode_escape").decode("ascii")
    return character


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
