"""Rows of numbers as text, many at a time: for each number what `repr` gives, several times as fast.

`repr` finds the shortest decimals that load back to the same bits, one number after the other. Here NumPy finds the
same for a whole matrix. A number between 1e-4 and 1e6 is multiplied by the power of ten that gives it 17 digits before
the mark; that power is at most 1e20 and so a float without error, and the product is exact as a sum of two floats.
Every decimal that loads back to the number lies within half the distance between neighbouring floats, which is 0.55 to
11.2 in units of the 17th digit. The shortest one is therefore the multiple of 100 in there if there is one, else the
nearest multiple of 10 if it is in there, else the nearest integer. Numbers near a tie or an edge, larger and smaller
ones are left to `repr` itself.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Integers = NDArray[np.int64]
_Flags = NDArray[np.bool_]

_LEAST, _BEYOND = 1e-4, 1e6
_LAST_DIGIT = 16
_NEAR = 1e-6
"""How near to a tie or an edge, in units of the last digit, a decision is left to `repr`."""
_FEW = 64
_CHUNK = 8192
"""Numbers that are worked on at a time: few enough for the processor's cache."""

_TENS = np.array([10**k for k in range(22)], dtype=np.float64)
_WHOLE_TENS = np.array([10**k for k in range(19)], dtype=np.int64)
_SPLITTER = float(2**27 + 1)
_EXPONENT_BITS, _FRACTION_BITS = np.int64(0x7FF0 << 48), np.int64((1 << 52) - 1)

# The characters of one number: its separator and sign, eight digits before the mark, the mark, twenty digits after it.
_SIGN, _WHOLE, _MARK, _AFTER, _END = 2, 4, 12, 16, 36
_BEFORE, _POINT = np.frombuffer(b", - .   ", dtype=np.uint32)


@lru_cache(maxsize=1)
def _four_digits() -> NDArray[np.uint32]:
    """Return the four characters of every number below 10,000, made when the first file is saved."""
    return np.frombuffer("".join(f"{number:04d}" for number in range(10_000)).encode("ascii"), dtype=np.uint32)


def _layouts() -> _Flags:
    """Return which characters belong to a number with a sign or not, w digits before the mark and a after it."""
    shown = np.zeros((2, 8, 21, _END), dtype=np.bool_)
    shown[..., :_SIGN] = True
    shown[1, ..., _SIGN] = True
    shown[..., _MARK] = True
    for whole in range(1, 8):
        shown[:, whole, :, _MARK - whole : _MARK] = True
    for after in range(1, 21):
        shown[:, :, after, _AFTER : _AFTER + after] = True
    return shown.reshape(-1, _END)


_SHOWN = _layouts()
_LENGTHS = np.count_nonzero(_SHOWN, axis=1)


def number_rows(matrix: _Floats) -> list[str]:
    """Return each row of a matrix of finite numbers as `repr` writes it as a list: "[0.5, -1.25]"."""
    rows, columns = matrix.shape
    if matrix.size < _FEW:
        return [repr(row) for row in matrix.tolist()]
    step = max(1, _CHUNK // columns)
    return [text for top in range(0, rows, step) for text in _rows(matrix[top : top + step])]


def _rows(matrix: _Floats) -> list[str]:
    numbers = np.ascontiguousarray(matrix, dtype=np.float64).ravel()
    characters, shown, lengths = _fields(numbers)
    ends = np.cumsum(lengths.reshape(matrix.shape).sum(axis=1)).tolist()
    line = characters[shown].tobytes().decode("ascii")
    # Every number brings a separator with it; that of a row's first number gives way to the bracket.
    return [f"[{line[start + _SIGN : end]}]" for start, end in zip([0, *ends[:-1]], ends, strict=True)]


class _Decimals(NamedTuple):
    """Sizes of numbers as digits / 10^places, without zeros at the end; the `doubtful` are to be written by `repr`."""

    digits: _Integers
    places: _Integers
    zeros: _Integers
    """How many zeros stand at the end of the digits."""
    doubtful: _Flags


def _fields(numbers: _Floats) -> tuple[NDArray[np.uint8], _Flags, _Integers]:
    """Return the characters of each number's field, which of them belong to its text, and how many those are."""
    digits, places, zeros, doubtful = _shortest(np.abs(numbers))
    fields, whole = _digits(digits, places)
    length = np.searchsorted(_WHOLE_TENS[1:8], whole, side="right") + 1
    after = np.maximum(places - zeros, 1)
    layout = (np.signbit(numbers) * 8 + length) * 21 + after
    characters, shown, lengths = fields.view(np.uint8), _SHOWN[layout], _LENGTHS[layout]
    for place in np.flatnonzero(doubtful).tolist():
        text = np.frombuffer(repr(float(numbers[place])).encode("ascii"), dtype=np.uint8)
        end = _SIGN + len(text)
        characters[place, _SIGN:end] = text
        shown[place] = np.arange(_END) < end
        lengths[place] = end
    return characters, shown, lengths


def _digits(digits: _Integers, places: _Integers) -> tuple[NDArray[np.uint32], _Integers]:
    """Return each number's field with all its digits, and what stands before its mark."""
    # There are 11 to 20 places: ten of them go with what is before the mark, the others are filled up to ten.
    upper, rest = _parted(digits, _WHOLE_TENS[places - 10])
    second = rest * _WHOLE_TENS[20 - places]
    whole, first = _parted(upper, 10**10)
    fields, four_digits = np.empty((len(digits), _END // 4), dtype=np.uint32), _four_digits()
    fields[:, 0], fields[:, 3] = _BEFORE, _POINT
    fields[:, 1], fields[:, 2] = (four_digits[four] for four in _parted(whole, 10**4))
    four, rest = _parted(first, 10**6)
    fields[:, 4] = four_digits[four]
    four, pair = _parted(rest, 100)
    fields[:, 5] = four_digits[four]
    next_pair, rest = _parted(second, 10**8)
    fields[:, 6] = four_digits[pair * 100 + next_pair]
    fields[:, 7], fields[:, 8] = (four_digits[four] for four in _parted(rest, 10**4))
    return fields, whole


def _parted(numbers: _Integers, by: _Integers | int) -> tuple[_Integers, _Integers]:
    """Return quotients and remainders; taking a remainder costs many times a multiplication."""
    quotients = numbers // by
    return quotients, numbers - quotients * by


def _shortest(sizes: _Floats) -> _Decimals:
    """Return the shortest decimals that load back to the same bits."""
    within = (sizes >= _LEAST) & (sizes < _BEYOND)
    x = np.where(within, sizes, 1.0)
    places = (_LAST_DIGIT - np.floor(np.log10(x))).astype(np.int64)
    ten = _TENS[places]
    product = x * ten
    error = _error_of_product(x, ten, product)
    bits = x.view(np.int64)
    half = (bits & _EXPONENT_BITS).view(np.float64) * 2.0**-53 * ten
    near = product.astype(np.int64)
    past = _parted(near, 100)[1]
    # All that follows is relative to the multiple of 100 below: small numbers, and exact to far less than `_NEAR`.
    exact = past + error
    choices = [np.rint(exact / step) * step for step in (100.0, 10.0, 1.0)]
    away = [np.abs(choice - exact) for choice in choices]
    hundreds, tens = away[0] < half, away[1] < half
    distance = np.where(hundreds, away[0], np.where(tens, away[1], away[2]))
    doubtful = ~within
    for undecided in (away[0] - half, away[1] - half, away[1] - 5.0, away[2] - 0.5):
        doubtful |= np.abs(undecided) < _NEAR
    # Below a power of two the neighbouring float is half as far away.
    doubtful |= ((bits & _FRACTION_BITS) == 0) & (distance != 0)
    chosen = np.where(hundreds, choices[0], np.where(tens, choices[1], choices[2]))
    digits = near - past + chosen.astype(np.int64)
    nothing = sizes == 0
    digits[nothing] = 0
    return _Decimals(digits, places, _zeros(digits, hundreds, tens), doubtful & ~nothing)


def _error_of_product(x: _Floats, y: _Floats, product: _Floats) -> _Floats:
    """Return x · y − product without any error, after T. J. Dekker, "A floating-point technique", 1971."""
    x_high, x_low = _split(x)
    y_high, y_low = _split(y)
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def _split(x: _Floats) -> tuple[_Floats, _Floats]:
    """Return two floats of at most 26 bits whose sum is x."""
    spread = x * _SPLITTER
    high = spread - (spread - x)
    return high, x - high


def _zeros(digits: _Integers, hundreds: _Flags, tens: _Flags) -> _Integers:
    """Return how many zeros stand at the end; more than one only behind a multiple of 100."""
    zeros = tens.astype(np.int64)
    places = np.flatnonzero(hundreds)
    rest = digits[places] // 100
    zeros[places] = 2
    for _ in range(2, _LAST_DIGIT + 4):
        tenth = rest // 10
        kept = tenth * 10 == rest
        places, rest = places[kept], tenth[kept]
        if not len(places):
            break
        zeros[places] += 1
    return zeros
