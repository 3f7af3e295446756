"""A matrix as a file, in the format that the file's name asks for."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np

from attnexplorer.compute.projections import Array
from attnexplorer.experiment.errors import FileError
from attnexplorer.interop.matrix_text import SUFFIXES as TEXT_SUFFIXES
from attnexplorer.interop.matrix_text import TextFormat, matrix_text

NPY = ("NumPy array", ".npy")
FORMATS: tuple[tuple[str, str], ...] = (
    ("Comma-separated values", ".csv"),
    ("Tab-separated values", ".tsv"),
    NPY,
    ("LaTeX bmatrix", ".tex"),
    ("Markdown table", ".md"),
    ("JSON", ".json"),
)
"""What a matrix can be written as: a name for dialogs, and the suffix."""

_TEXTS = {suffix: each for each, suffix in TEXT_SUFFIXES.items() if suffix != ".py"}


def matrix_file(
    values: Array, path: Path, rows: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> bytes:
    """Return the bytes of a file with a matrix, in full precision; labels head a Markdown table.

    Raises
    ------
    FileError
        If the suffix stands for none of the formats.
    """
    suffix = path.suffix.lower()
    if suffix == NPY[1]:
        buffer = BytesIO()
        np.lib.format.write_array(buffer, np.ascontiguousarray(values, dtype=np.float64), allow_pickle=False)
        return buffer.getvalue()
    if suffix not in _TEXTS:
        known = ", ".join(each for _, each in FORMATS[:-1]) + f" or {FORMATS[-1][1]}"
        raise FileError(path.name, f"not saved: a name that ends in {known} was expected")
    text_format: TextFormat = _TEXTS[suffix]
    return (matrix_text(values, text_format, rows=rows, columns=columns) + "\n").encode("utf-8")
