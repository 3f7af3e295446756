"""A matrix, or a block of one, as text for other programs: spreadsheets, LaTeX, Markdown, NumPy, PyTorch, JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from attnexplorer.compute.projections import Array
from attnexplorer.interop.trace_json import cells as json_cells


class TextFormat(Enum):
    """The formats, each with its name for menus."""

    TSV = "Tab-Separated Values"
    CSV = "Comma-Separated Values"
    LATEX = "LaTeX bmatrix"
    MARKDOWN = "Markdown Table"
    NUMPY = "NumPy"
    PYTORCH = "PyTorch"
    JSON = "JSON"


SUFFIXES = {
    TextFormat.TSV: ".tsv",
    TextFormat.CSV: ".csv",
    TextFormat.LATEX: ".tex",
    TextFormat.MARKDOWN: ".md",
    TextFormat.NUMPY: ".py",
    TextFormat.PYTORCH: ".py",
    TextFormat.JSON: ".json",
}


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How numbers are written: with all their digits, or with so many decimals; the decimal mark is for TSV alone.

    CSV, LaTeX, Markdown, code and JSON always have the point, as the programs that read them expect it.
    """

    decimals: int | None = None
    decimal_point: str = "."

    def number(self, value: float) -> str:
        """Return a finite number with the point."""
        if self.decimals is None:
            return repr(float(value)).removesuffix(".0")
        text = f"{value:.{self.decimals}f}"
        # What rounds to nothing has no sign.
        return text.removeprefix("-") if float(text) == 0.0 else text


FULL = TextStyle()


def matrix_text(
    values: Array,
    text_format: TextFormat,
    style: TextStyle = FULL,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> str:
    """Return a matrix as text without a last line end; a list of numbers counts as one row.

    `rows` and `columns` are labels: they head a Markdown table, and stand nowhere else.
    """
    matrix = np.atleast_2d(values)
    if text_format is TextFormat.MARKDOWN:
        return _markdown(matrix, style, rows, columns)
    return _WRITERS[text_format](matrix, style)


def _tsv(matrix: Array, style: TextStyle) -> str:
    def cell(value: float) -> str:
        return _plain(value, style).replace(".", style.decimal_point)

    return _rows(matrix, cell, "\t", "\n")


def _csv(matrix: Array, style: TextStyle) -> str:
    return _rows(matrix, lambda value: _plain(value, style), ",", "\n")


def _latex(matrix: Array, style: TextStyle) -> str:
    def cell(value: float) -> str:
        if not math.isfinite(value):
            return r"\text{NaN}" if math.isnan(value) else r"\infty" if value > 0 else r"-\infty"
        mantissa, _, power = style.number(value).partition("e")
        return mantissa + (rf" \times 10^{{{int(power)}}}" if power else "")

    body = _rows(matrix, cell, " & ", " \\\\\n")
    # amsmath stops at ten columns unless it is told that there are more.
    wide = matrix.shape[1]
    more = f"\\setcounter{{MaxMatrixCols}}{{{wide}}}\n" if wide > 10 else ""
    return f"{more}\\begin{{bmatrix}}\n{body}\n\\end{{bmatrix}}"


def _markdown(matrix: Array, style: TextStyle, rows: Sequence[str] | None, columns: Sequence[str] | None) -> str:
    heads = [str(column + 1) for column in range(matrix.shape[1])] if columns is None else list(columns)
    stubs = [""] * matrix.shape[0] if rows is None else list(rows)
    first = [] if rows is None else [""]
    lines = [first + [_markdown_label(head) for head in heads], (["---"] if first else []) + ["---:"] * len(heads)]
    for stub, row in zip(stubs, matrix.tolist(), strict=True):
        lines.append(([_markdown_label(stub)] if first else []) + [_typographic(value, style) for value in row])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_label(label: str) -> str:
    """Return a token as one cell's text: what Markdown or HTML would take for a sign is escaped."""
    visible = " ".join(label.split())
    escaped = re.sub(r"([\\`*_{}\[\]<>#|~&$])", r"\\\1", visible)
    return escaped.replace("\0", "�")


def _typographic(value: float, style: TextStyle) -> str:
    text = _plain(value, style)
    return {"inf": "∞", "-inf": "−∞", "nan": "NaN"}.get(text, text.replace("-", "−"))


def _numpy(matrix: Array, style: TextStyle) -> str:
    return _code(matrix, style, "np", "np.array(", ")")


def _pytorch(matrix: Array, style: TextStyle) -> str:
    return _code(matrix, style, "torch", "torch.tensor(", ", dtype=torch.float64)")


def _code(matrix: Array, style: TextStyle, module: str, opening: str, closing: str) -> str:
    def cell(value: float) -> str:
        if not math.isfinite(value):
            return f"{'-' if value < 0 else ''}{module}.{'nan' if math.isnan(value) else 'inf'}"
        text = style.number(value)
        return text if "." in text or "e" in text else f"{text}.0"

    indent = " " * (len(opening) + 1)
    body = f"],\n{indent}[".join(", ".join(map(cell, row)) for row in matrix.tolist())
    return f"{opening}[[{body}]]{closing}"


def _json(matrix: Array, style: TextStyle) -> str:
    if style.decimals is not None:
        matrix = np.round(matrix, style.decimals)
    return "[" + ",\n ".join(json.dumps(row) for row in json_cells(matrix)) + "]"


def _plain(value: float, style: TextStyle) -> str:
    return style.number(value) if math.isfinite(value) else str(float(value))


def _rows(matrix: Array, cell: Callable[[float], str], between: str, line_end: str) -> str:
    return line_end.join(between.join(map(cell, row)) for row in matrix.tolist())


_WRITERS: dict[TextFormat, Callable[[Array, TextStyle], str]] = {
    TextFormat.TSV: _tsv,
    TextFormat.CSV: _csv,
    TextFormat.LATEX: _latex,
    TextFormat.NUMPY: _numpy,
    TextFormat.PYTORCH: _pytorch,
    TextFormat.JSON: _json,
}
