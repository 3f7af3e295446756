"""A matrix as text: each format read back, or compared with what the other program takes."""

from __future__ import annotations

import csv
import io
import json
import math

import numpy as np
import pytest

from attnexplorer.experiment.errors import FileError
from attnexplorer.interop.arrays.text_tables import Layout, read_table
from attnexplorer.interop.matrix_files import FORMATS, matrix_file
from attnexplorer.interop.matrix_text import TextFormat, TextStyle, matrix_text

MATRIX = np.array([[1.0, -0.5, 1 / 3], [1e-20, -np.inf, 2.0**60]])
SMALL = np.array([[1.0, -0.5], [0.25, -np.inf]])


def test_tab_separated_values_have_every_digit_and_read_back_as_cells() -> None:
    text = matrix_text(MATRIX, TextFormat.TSV)
    assert text.split("\n")[0].split("\t") == ["1", "-0.5", "0.3333333333333333"]
    assert np.array_equal(read_table(text, Layout("\t", ".")).values, MATRIX)


def test_tab_separated_values_take_the_decimal_mark_of_the_reader() -> None:
    assert matrix_text(SMALL[:1], TextFormat.TSV, TextStyle(decimal_point=",")) == "1\t-0,5"


def test_comma_separated_values_always_have_the_point() -> None:
    rows = list(csv.reader(io.StringIO(matrix_text(MATRIX, TextFormat.CSV, TextStyle(decimal_point=",")))))
    assert np.array_equal([[float(cell) for cell in row] for row in rows], MATRIX)


def test_latex_has_powers_and_infinities_in_its_own_signs() -> None:
    assert matrix_text(MATRIX, TextFormat.LATEX) == (
        "\\begin{bmatrix}\n"
        "1 & -0.5 & 0.3333333333333333 \\\\\n"
        "1 \\times 10^{-20} & -\\infty & 1.152921504606847 \\times 10^{18}\n"
        "\\end{bmatrix}"
    )


def test_latex_asks_for_more_columns_than_amsmath_allows_by_itself() -> None:
    assert matrix_text(np.ones((1, 11)), TextFormat.LATEX).startswith("\\setcounter{MaxMatrixCols}{11}\n")
    assert "setcounter" not in matrix_text(np.ones((1, 10)), TextFormat.LATEX)


def test_markdown_has_the_labels_and_its_signs_in_tokens_are_escaped() -> None:
    text = matrix_text(SMALL, TextFormat.MARKDOWN, rows=["a|b", "<i>"], columns=["*", "line\nend"])
    assert text.split("\n") == [
        "|  | \\* | line end |",
        "| --- | ---: | ---: |",
        "| a\\|b | 1 | −0.5 |",
        "| \\<i\\> | 0.25 | −∞ |",
    ]


@pytest.mark.parametrize(
    ("text_format", "expected"),
    [
        (TextFormat.NUMPY, "np.array([[1.0, -0.5],\n          [0.25, -np.inf]])"),
        (TextFormat.PYTORCH, "torch.tensor([[1.0, -0.5],\n              [0.25, -torch.inf]], dtype=torch.float64)"),
    ],
)
def test_code_is_a_matrix_of_floats(text_format: TextFormat, expected: str) -> None:
    assert matrix_text(SMALL, text_format) == expected


def test_json_has_texts_where_it_has_no_numbers() -> None:
    assert json.loads(matrix_text(SMALL, TextFormat.JSON)) == [[1.0, -0.5], [0.25, "-inf"]]


@pytest.mark.parametrize("text_format", TextFormat)
def test_what_is_not_a_number_is_said_in_every_format(text_format: TextFormat) -> None:
    assert "nan" in matrix_text(np.array([[math.nan]]), text_format).lower()


@pytest.mark.parametrize("text_format", TextFormat)
def test_numbers_can_be_rounded_as_on_screen(text_format: TextFormat) -> None:
    text = matrix_text(np.array([[1 / 3, -0.0001]]), text_format, TextStyle(decimals=2))
    assert "0.33" in text
    assert "0.333" not in text
    assert "-0.00" not in text.replace("-0.0]", "")


def test_a_list_of_numbers_is_one_row() -> None:
    assert matrix_text(np.array([1.0, 2.0]), TextFormat.TSV) == "1\t2"


def test_a_matrix_is_written_in_every_format_that_is_offered(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("matrices")
    for _, suffix in FORMATS:
        assert matrix_file(SMALL, folder / f"m{suffix}")
    data = matrix_file(SMALL, folder / "m.NPY")
    assert np.array_equal(np.load(io.BytesIO(data), allow_pickle=False), SMALL)


def test_a_name_that_stands_for_no_format_is_refused(tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.raises(FileError, match=r"^m\.xlsx: not saved: a name that ends in \.csv, .* or \.json was expected$"):
        matrix_file(SMALL, tmp_path_factory.getbasetemp() / "m.xlsx")
