"""Numbers as text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from attnexplorer.compute import numbers

ANY = st.floats(allow_nan=True, allow_infinity=True)


@pytest.mark.parametrize(
    ("value", "text", "narrow"),
    [
        (0.15, "0.15", ".15"),
        (-0.15, "−0.15", "−.15"),
        (0.0, "0.00", ".00"),
        (-0.0, "0.00", ".00"),
        (-0.004, "0.00", ".00"),
        (-0.996, "−1.00", "−1.00"),
        (10.15, "10.15", "10.15"),
        (99.996, "100.0", "100.0"),
        (123.456, "123.5", "123.5"),
        (12345.68, "12346", "12346"),
        (1234567.0, "1.2e6", "1.2e6"),
        (-1e120, "−1e120", "−1e120"),
        (math.inf, "+∞", "+∞"),
        (-math.inf, "−∞", "−∞"),
        (math.nan, "NaN", "NaN"),
    ],
)
def test_a_cell_shows_about_five_characters_of_a_number(value: float, text: str, narrow: str) -> None:
    assert numbers.cell_text(value) == text
    assert numbers.cell_text(value, narrow=True) == narrow


@given(
    arrays.arrays(np.float64, arrays.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=6), elements=ANY),
    st.integers(-1, 6),
    st.booleans(),
    st.sampled_from(".,"),
)
def test_a_matrix_reads_as_its_cells_do(matrix: np.ndarray, decimals: int, narrow: bool, point: str) -> None:
    texts = numbers.cell_texts(matrix, decimals, narrow, point)
    one_by_one = [[numbers.cell_text(float(v), decimals, narrow, point) for v in row] for row in matrix]
    assert texts == one_by_one


@given(ANY, st.integers(-1, 6), st.booleans())
def test_no_text_says_minus_zero_or_has_a_plain_hyphen(value: float, decimals: int, narrow: bool) -> None:
    text = numbers.cell_text(value, decimals, narrow)
    assert "-" not in text
    assert not text.startswith("−") or text.strip("−0.")


@given(st.floats(1e-300, 1e300), st.booleans())
def test_the_format_of_a_matrix_fits_all_its_numbers(largest: float, negative: bool) -> None:
    matrix = np.array([[-largest if negative else largest, largest / 3, 0.0]])
    decimals = numbers.decimals_for(matrix)
    assert all(len(text.lstrip("−")) <= 6 for text in numbers.cell_texts(matrix, decimals)[0])
    assert numbers.cell_text(largest, decimals).strip("0.") != ""


def test_one_matrix_has_one_format() -> None:
    assert numbers.decimals_for(np.array([[0.5, -12.0]])) == 2
    assert numbers.decimals_for(np.array([[0.5, -np.inf, np.nan]])) == 2
    assert numbers.decimals_for(np.array([[0.5, 123.0]])) == 1
    assert numbers.decimals_for(np.array([[0.5, 12345.0]])) == 0
    assert numbers.decimals_for(np.array([[0.012]])) == 3
    assert numbers.decimals_for(np.array([[1e-7]])) == numbers.EXPONENT
    assert numbers.decimals_for(np.zeros((2, 2))) == 2
    assert numbers.decimals_for(np.zeros((0, 2))) == 2


def test_the_decimal_mark_is_the_same_everywhere() -> None:
    assert numbers.cell_text(-0.25, decimal_point=",") == "−0,25"
    assert numbers.cell_text(0.25, narrow=True, decimal_point=",") == ",25"
    assert numbers.cell_text(1.2e7, decimal_point=",") == "1,2e7"
    assert numbers.cell_texts(np.array([[0.25, 1.2e7]]), decimal_point=",") == [["0,25", "1,2e7"]]
    assert numbers.percent(0.5294, decimal_point=",") == "52,94 %"
    assert numbers.significant_text(1.76777, decimal_point=",") == "1,768"
    assert numbers.full_text(0.1, ",") == "0,1"


@given(st.floats(allow_nan=False))
def test_the_full_text_loads_back_as_the_very_same_number(value: float) -> None:
    loaded = float(numbers.full_text(value))
    assert loaded == value
    assert math.copysign(1, loaded) == math.copysign(1, value)


@pytest.mark.parametrize(
    ("value", "significant", "operand"),
    [
        (2.5, "2.500", "2.50"),
        (0.529352, "0.5294", "0.5294"),
        (11.0672, "11.07", "11.07"),
        (123.456, "123.5", "123.5"),
        (123456.0, "123456", "123456"),
        (9.9996, "10.00", "10.00"),
        (-0.5, "−0.5000", "−0.50"),
        (1e-7, "1.000e−7", "1e−7"),
        (0.0, "0", "0"),
        (math.nan, "NaN", "NaN"),
    ],
)
def test_calculations_show_four_digits(value: float, significant: str, operand: str) -> None:
    assert numbers.significant_text(value) == significant
    assert numbers.operand_text(value) == operand


def test_shares_are_percentages_with_two_decimals() -> None:
    assert numbers.percent(0.529352) == "52.94 %"
    assert numbers.percent(-0.000001) == "0.00 %"
    assert numbers.percent(math.nan) == "NaN"
    assert numbers.shape_text(4, 2) == "4 × 2"


def test_the_exact_text_on_screen_has_the_true_minus_of_all_other_numbers() -> None:
    assert numbers.exact_text(-0.915, ",") == "−0,915"
    assert numbers.exact_text(-1.5e-7) == "−1.5e−07"
    assert numbers.exact_text(float("-inf")) == "−∞"
    assert numbers.exact_text(2.5) == "2.5"


def test_a_sentence_on_screen_has_true_minus_signs_before_numbers_and_keeps_names_and_hyphens() -> None:
    sentence = "The first -0.92 of “-1” in row 2-3 is within 1e-16 (-.5): cross-attention."
    assert numbers.with_true_minus(sentence) == (
        "The first −0.92 of “-1” in row 2-3 is within 1e−16 (−.5): cross-attention."
    )
