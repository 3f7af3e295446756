from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnexplorer.experiment.expressions import NumberError, parse_block, parse_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        (" -1e-3 ", -0.001),
        (".15", 0.15),
        ("2.", 2.0),
        ("1/sqrt(2)", 1 / math.sqrt(2)),
        ("2**3", 8.0),
        ("2**3**2", 512.0),
        ("-2**2", -4.0),
        ("2**-1", 0.5),
        ("pi/4", math.pi / 4),
        ("π", math.pi),
        ("2*e", 2 * math.e),
        ("1 - 2 - 3", -4.0),
        ("8/4/2", 1.0),
        ("--3", 3.0),
        ("-(1+2)*3", -9.0),
        ("abs(-2) + tanh(0)", 2.0),
        ("−1,5".replace(",", "."), -1.5),
        ("2 × 3", 6.0),
        ("exp(log(3))", math.exp(math.log(3))),
    ],
)
def test_numbers_and_expressions_mean_what_they_say(text: str, value: float) -> None:
    assert parse_number(text) == value


@pytest.mark.parametrize("text", ["0,5", "0.5", ",5", "1/2", "0,25*2", "0.500"])
def test_with_a_decimal_comma_both_signs_mean_a_half(text: str) -> None:
    assert parse_number(text, ",") == 0.5


@pytest.mark.parametrize("text", ["1.000", "12.345", "1.000*2", "-1.000"])
def test_with_a_decimal_comma_a_point_before_three_digits_is_never_silently_either(text: str) -> None:
    with pytest.raises(NumberError, match=r"could mean 1 or 1000\. Type 1,000 or 1000|could mean 12 or 12345"):
        parse_number(text, ",")


@pytest.mark.parametrize(("text", "point"), [("1.000,5", ","), ("1,000.5", "."), ("1,000", "."), ("0,5", ".")])
def test_thousands_separators_are_refused(text: str, point: str) -> None:
    with pytest.raises(NumberError, match="comma"):
        parse_number(text, point)


@pytest.mark.parametrize("text", ["1e-400", "-0.5E-999", "2 * 1e-400", "." + "0" * 190 + "1e-200"])
def test_a_number_too_small_to_be_kept_is_not_silently_0(text: str) -> None:
    with pytest.raises(NumberError, match="is nearer to 0 than any number that can be kept"):
        parse_number(text)


@pytest.mark.parametrize("text", ["0e-400", "0.000", "5e-324 / 2 * 0", "-0"])
def test_zero_may_be_written_in_any_way(text: str) -> None:
    assert parse_number(text) == 0.0


@pytest.mark.parametrize("text", ["", "  ", "\t"])
def test_where_nothing_was_typed_that_is_said(text: str) -> None:
    with pytest.raises(NumberError, match=r"^Nothing was typed; a number or an expression"):
        parse_number(text)


def test_one_point_zero_zero_zero_is_one_where_the_point_is_decimal() -> None:
    assert parse_number("1.000") == 1.0
    assert parse_number("1,000", ",") == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "abc",
        "1 2",
        "1e",
        "2pi",
        "(1",
        "1)",
        "1..2",
        "1.2.3",
        "sqrt",
        "sqrt 2",
        "pow(2,3)",
        "0x10",
        "1_000",
        "1j",
        "*",
    ],
)
def test_what_is_no_number_is_refused_in_words(text: str) -> None:
    with pytest.raises(
        NumberError, match=r"is not a number\. Type a number or an expression such as 1/sqrt\(2\)|comma"
    ):
        parse_number(text)


@pytest.mark.parametrize(
    "text", ["inf", "-Infinity", "∞", "1e999", "1/0", "0**-1", "9**9**9**9", "exp(1000)", "log(0)", "1e308*10"]
)
def test_infinities_are_refused(text: str) -> None:
    with pytest.raises(NumberError, match="is infinite or too large; a finite number is needed"):
        parse_number(text)


@pytest.mark.parametrize("text", ["sqrt(-1)", "log(-2)", "(-1)**0.5"])
def test_what_has_no_real_value_is_refused(text: str) -> None:
    with pytest.raises(NumberError, match="has no real value"):
        parse_number(text)


@pytest.mark.parametrize("text", ["__import__('os')", "().__class__", "lambda: 1", "[1]", "1;2", "nan", "True", "a.b"])
def test_code_is_never_run(text: str) -> None:
    with pytest.raises(NumberError):
        parse_number(text)


def test_length_and_depth_have_limits() -> None:
    with pytest.raises(NumberError, match="nested too deeply"):
        parse_number("(" * 60 + "1" + ")" * 60)
    with pytest.raises(NumberError, match="nested too deeply"):
        parse_number("**".join(["1"] * 60))
    with pytest.raises(NumberError, match="longer than the 200 characters"):
        parse_number("1+" * 10**6 + "1")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_written_out_loads_back_bit_for_bit(number: float) -> None:
    assert parse_number(repr(number)).hex() == number.hex()


@given(st.text(max_size=30), st.sampled_from(".,"))
def test_any_text_gives_a_finite_number_or_a_sentence(text: str, point: str) -> None:
    try:
        value = parse_number(text, point)
    except NumberError as error:
        sentence = str(error)
    else:
        assert math.isfinite(value)
        return
    assert sentence.endswith((".", "needed."))


def test_a_block_from_a_spreadsheet_has_no_carriage_return_and_no_extra_row() -> None:
    assert parse_block("1\t2\r\n3\t4\r\n") == ((1.0, 2.0), (3.0, 4.0))
    assert parse_block("1\n2\n") == ((1.0,), (2.0,))
    assert parse_block("0,5\t1/4", ",") == ((0.5, 0.25),)
    assert parse_block("7") == ((7.0,),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1\t2\n3", "Row 2 has 1 cell, but row 1 has 2 cells."),
        ("1\t2\n3\t", "Row 2, column 2 is empty; a number is needed."),
        ("1\t\n3\t4", "Row 1, column 2 is empty; a number is needed."),
        ("", "There is nothing to paste: the text is empty."),
        ("\r\n", "There is nothing to paste: the text is empty."),
    ],
)
def test_a_bad_block_is_refused_with_its_place(text: str, sentence: str) -> None:
    with pytest.raises(NumberError) as refused:
        parse_block(text)
    assert str(refused.value) == sentence


def test_a_bad_cell_of_a_block_is_named() -> None:
    with pytest.raises(NumberError, match=r"^Row 2, column 1: “x” is not a number"):
        parse_block("1\nx\n")


@given(st.lists(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=2), min_size=1, max_size=5))
def test_a_copied_block_pastes_back(rows: list[list[float]]) -> None:
    text = "".join("\t".join(map(repr, row)) + "\r\n" for row in rows)
    assert parse_block(text) == tuple(map(tuple, rows))
