"""Value → text, for screen and paper: one format a matrix, true minus signs, the reader's decimal mark."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

MINUS = "−"
INFINITY = "∞"
EXPONENT = -1
"""In place of a number of decimals: every number in exponent form, as for a matrix of tiny numbers."""

_WIDTH = 5
_PLAIN_MINUS = re.compile(r"(?:(?<![^\s(\[=])|(?<=\de))-(?=[.,]?\d)")


def cell_text(value: float, decimals: int = 2, narrow: bool = False, decimal_point: str = ".") -> str:
    """Return a number as it stands in a cell: about five characters and a sign.

    Numbers that are too long for `decimals` get fewer, and from six digits on the exponent form. `narrow` leaves the
    zero before the decimal mark out.
    """
    if not math.isfinite(value):
        return _not_finite(value)
    text = _fixed_or_exponent(abs(value), decimals)
    sign = MINUS if value < 0 and text.strip("0.") else ""
    if narrow and text.startswith("0."):
        text = text[1:]
    return sign + _localised(text, decimal_point)


def cell_texts(
    matrix: NDArray[np.floating], decimals: int = 2, narrow: bool = False, decimal_point: str = "."
) -> list[list[str]]:
    """Return `cell_text` of every number of a matrix, fast: all ordinary numbers are formatted in one operation."""
    rows, columns = matrix.shape
    flat = matrix.ravel().tolist()
    texts = _uniform(flat, decimals, narrow, decimal_point) if decimals >= 0 and flat else [""] * len(flat)
    for index in _exceptions(matrix, decimals):
        texts[index] = cell_text(flat[index], decimals, narrow, decimal_point)
    return [texts[start : start + columns] for start in range(0, rows * columns, columns)] if columns else [[]] * rows


def decimals_for(matrix: NDArray[np.floating]) -> int:
    """Return the decimals with which every number of a matrix fits about five characters, or `EXPONENT`."""
    largest = float(np.max(np.abs(matrix), initial=0.0, where=np.isfinite(matrix)))
    if largest == 0.0:
        return 2
    for decimals, above in ((0, 999.95), (1, 99.995), (2, 0.0995), (3, 0.00995), (4, 0.000995)):
        if largest >= above:
            return decimals
    return EXPONENT


def significant_text(value: float, digits: int = 4, decimal_point: str = ".") -> str:
    """Return a number with its first `digits` digits: "2.500", "0.5294", "1.235e−5"; whole digits are never cut."""
    if not math.isfinite(value):
        return _not_finite(value)
    if value == 0.0:
        return "0"
    sign = MINUS if value < 0 else ""
    mantissa, power = f"{abs(value):.{digits - 1}e}".split("e")
    exponent = int(power)
    fixed = -5 < exponent < 6
    text = f"{abs(value):.{max(0, digits - 1 - exponent)}f}" if fixed else _joined(mantissa, exponent)
    return sign + _localised(text, decimal_point)


def operand_text(value: float, decimal_point: str = ".") -> str:
    """Return a number as it stands in a calculation: four digits, but no idle zeros after the second decimal."""
    text = significant_text(value)
    if "e" in text:
        mantissa, power = text.split("e")
        text = f"{mantissa.rstrip('0').rstrip('.')}e{power}"
    elif "." in text:
        kept = text.index(".") + 3
        text = text[:kept] + text[kept:].rstrip("0")
    return _localised(text, decimal_point)


def full_text(value: float, decimal_point: str = ".") -> str:
    """Return the shortest text that loads back as the very same number, with a plain minus sign."""
    return _localised(repr(float(value)), decimal_point)


def limit_text(value: float, decimal_point: str = ".") -> str:
    """Return the end of a colour scale: its first three digits, however small it is, and no idle zeros."""
    text = significant_text(value, 3, decimal_point)
    mantissa, mark, power = text.partition("e")
    if decimal_point in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(decimal_point)
    return mantissa + mark + power


def telling_text(value: float, decimals: int = 2, decimal_point: str = ".") -> str:
    """Return `cell_text`, but of a number that would read as 0 its first two digits."""
    if 0 < abs(value) < 0.5 * 10.0**-decimals:
        return significant_text(value, 2, decimal_point)
    return cell_text(value, decimals, decimal_point=decimal_point)


def telling_decimals(matrix: NDArray[np.floating], decimals: int) -> int:
    """Return the decimals of a matrix, more of them (or `EXPONENT`) if every number would read as 0."""
    largest = float(np.max(np.abs(matrix), initial=0.0, where=np.isfinite(matrix)))
    return decimals_for(matrix) if decimals >= 0 and 0 < largest < 0.5 * 10.0**-decimals else decimals


def exact_text(value: float, decimal_point: str = ".") -> str:
    """Return the shortest text that names this very number, as it is written on screen: with a true minus sign."""
    if not math.isfinite(value):
        return _not_finite(value)
    return full_text(value, decimal_point).replace("-", MINUS)


def with_true_minus(sentence: str) -> str:
    """Return a sentence as it is written on screen: a plain minus sign before a number or a power becomes a true one.

    Names in quotation marks stay as they are spelt.
    """
    return _PLAIN_MINUS.sub(MINUS, sentence)


def percent(value: float, decimals: int = 2, decimal_point: str = ".") -> str:
    """Return a share as a percentage, such as "52.94 %"."""
    if not math.isfinite(value):
        return _not_finite(value)
    text = f"{abs(value) * 100:.{decimals}f}"
    sign = MINUS if value < 0 and text.strip("0.") else ""
    return f"{sign}{_localised(text, decimal_point)} %"


def shape_text(rows: int, columns: int) -> str:
    """Return the shape of a matrix, such as "4 × 2"."""
    return f"{rows} × {columns}"


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return f"+{INFINITY}" if value > 0 else f"{MINUS}{INFINITY}"


def _localised(text: str, decimal_point: str) -> str:
    return text if decimal_point == "." else text.replace(".", decimal_point)


def _width(decimals: int) -> int:
    return max(_WIDTH, decimals + 2)


def _fixed_or_exponent(size: float, decimals: int) -> str:
    if decimals >= 0:
        for shown in range(decimals, -1, -1):
            text = f"{size:.{shown}f}"
            if len(text) <= _width(decimals):
                return text
    elif size == 0.0:
        return "0"
    mantissa, power = f"{size:.1e}".split("e")
    text = _joined(mantissa, int(power))
    return text if len(text) <= _WIDTH + 1 else _joined(*_whole_mantissa(size))


def _whole_mantissa(size: float) -> tuple[str, int]:
    mantissa, power = f"{size:.0e}".split("e")
    return mantissa, int(power)


def _joined(mantissa: str, exponent: int) -> str:
    return f"{mantissa}e{exponent}".replace("-", MINUS)


def _uniform(flat: list[float], decimals: int, narrow: bool, decimal_point: str) -> list[str]:
    """Format all numbers alike. With equal decimals "−0.00" can only be a whole number's text, never part of one."""
    text = " " + (f"%.{decimals}f " * len(flat)) % tuple(flat)
    zero = f"{0.0:.{decimals}f}"
    text = text.replace("-", MINUS).replace(MINUS + zero, zero)
    if narrow and decimals:
        text = text.replace(" 0.", " .").replace(f"{MINUS}0.", f"{MINUS}.")
    return _localised(_with_infinities(text), decimal_point).split()


def _with_infinities(text: str) -> str:
    if "n" not in text:
        return text
    return text.replace(f"{MINUS}inf", f"{MINUS}{INFINITY}").replace("inf", f"+{INFINITY}").replace("nan", "NaN")


def _exceptions(matrix: NDArray[np.floating], decimals: int) -> Iterable[int]:
    """Return where a number is too long for the uniform format."""
    if decimals < 0:
        return range(matrix.size)
    whole_digits = _width(decimals) - 1 - decimals if decimals else _WIDTH
    too_long = 10.0**whole_digits - 10.0**-decimals
    sizes = np.abs(matrix)
    if not sizes.size or not np.max(sizes, initial=0.0, where=np.isfinite(sizes)) >= too_long:
        return ()
    found: list[int] = np.flatnonzero((sizes >= too_long) & np.isfinite(sizes)).tolist()
    return found
