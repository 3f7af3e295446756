"""Mutations of files: bytes that are flipped, cut, doubled and spliced, values of JSON that become others, and both of
what is in an archive or behind a header, packed again as it should be.
"""

from __future__ import annotations

import io
import json
import random
import warnings
import zipfile
from collections.abc import Callable
from typing import Any

STRANGE: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 10**400, 0.5, -0.0, 1e308, -1e308, 5e-324),
    *("", "a", "\0", "\ud800", "É" * 300, "NaN", "-inf", "../../etc/passwd", "sqrt_dk", "none", "rope", "learned"),
    *([], [[]], [[[]]], [1], [[1]], [[1, 2], [3]], [None], [True], {}, {"a": {}}, [[1e308] * 3] * 3, [0] * 5000),
)
PIECES = (
    b"\0",
    b"\xff" * 8,
    b"\x80\0\0\0",
    b"\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"99999999999",
    b"-1",
    b"e999",
    b"NaN",
    b"[" * 200,
    b'{"a":' * 50,
    b"\r\n",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"'descr': '|O'",
    b"(1,)",
    b",",
    b'"',
)
LONGEST = 400_000
"""Bytes; what a mutation makes longer is cut."""


def mutated(data: bytes, dice: random.Random, other: bytes) -> bytes:
    """Return data after one to six changes of its bytes; `other` is spliced in."""
    for _ in range(dice.choice((1, 1, 1, 2, 3, 6))):
        data = dice.choice(_CHANGES)(data, dice, other)[:LONGEST]
    return data


def mutated_json(data: bytes, dice: random.Random) -> bytes:
    """Return JSON after one to four of its values became others, went or came twice."""
    value = json.loads(data)
    for _ in range(dice.choice((1, 1, 2, 4))):
        value = _changed(value, dice)
    text = json.dumps(value, ensure_ascii=dice.random() < 0.8)
    return text.encode("utf-8", errors="surrogatepass")


def mutated_archive(data: bytes, dice: random.Random) -> bytes:
    """Return an archive after something in it was changed, renamed, left out or put in twice."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = [(name, archive.read(name)) for name in archive.namelist()]
    place = dice.randrange(len(parts))
    name, content = parts[place]
    way = dice.random()
    if way < 0.75:
        parts[place] = (name, mutated(content, dice, dice.choice(parts)[1]))
    elif way < 0.85:
        parts[place] = (dice.choice((*_NAMES, f"{name}/", dice.choice(parts)[0])), content)
    elif way < 0.93:
        parts.append(dice.choice(parts))
    else:
        del parts[place]
    return _packed(parts, dice.choice(_PACKINGS))


def mutated_header(data: bytes, dice: random.Random) -> bytes:
    """Return a safetensors file whose list of tensors was changed, and is as long as it says."""
    length = int.from_bytes(data[:8], "little")
    header = mutated_json(data[8 : 8 + length], dice)
    return len(header).to_bytes(8, "little") + header + data[8 + length :]


def _packed(parts: list[tuple[str, bytes]], packing: int) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", packing) as archive:
        warnings.simplefilter("ignore")  # about names that come twice
        for name, content in parts:
            archive.writestr(name, content)
    return buffer.getvalue()


_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_NAMES = ("attention.npy", "tokens.npy", "source_tokens.npy", ".npy", "../a.npy", "É" * 300, "a\0b.npy", "a.npy", "/")


def _flip(data: bytes, dice: random.Random, _other: bytes) -> bytes:
    if not data:
        return b"\0"
    place = dice.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << dice.randrange(8))]) + data[place + 1 :]


def _overwrite(data: bytes, dice: random.Random, _other: bytes) -> bytes:
    piece, place = dice.choice(PIECES), dice.randrange(len(data) + 1)
    return data[:place] + piece + data[place + len(piece) :]


def _insert(data: bytes, dice: random.Random, _other: bytes) -> bytes:
    place = dice.randrange(len(data) + 1)
    return data[:place] + dice.choice(PIECES) + data[place:]


def _cut(data: bytes, dice: random.Random, _other: bytes) -> bytes:
    first, last = sorted((dice.randrange(len(data) + 1), dice.randrange(len(data) + 1)))
    return data[:first] + data[last:] if dice.random() < 0.5 else data[:first]


def _double(data: bytes, dice: random.Random, _other: bytes) -> bytes:
    first, last = sorted((dice.randrange(len(data) + 1), dice.randrange(len(data) + 1)))
    return data[:last] + data[first:last] * dice.choice((1, 2, 9)) + data[last:]


def _splice(data: bytes, dice: random.Random, other: bytes) -> bytes:
    return data[: dice.randrange(len(data) + 1)] + other[dice.randrange(len(other) + 1) :]


_CHANGES: tuple[Callable[[bytes, random.Random, bytes], bytes], ...] = (
    *(_flip, _flip, _flip, _overwrite, _insert, _cut, _double, _splice),
)


def _changed(value: Any, dice: random.Random) -> Any:
    """Return the value with one of what is in it changed, chosen on the way down."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(list(value))
        if dice.random() < 0.08:
            return {k: v for k, v in value.items() if k != key}
        if dice.random() < 0.04:
            return {**value, dice.choice(("new", key.upper(), "heads", "tokens")): dice.choice(STRANGE)}
        return {**value, key: _changed(value[key], dice)}
    if isinstance(value, list) and value and dice.random() < 0.9:
        place = dice.randrange(len(value))
        if dice.random() < 0.1:
            return value[:place] + value[place + 1 :]
        if dice.random() < 0.1:
            return [*value[:place], value[place], *value[place:]]
        return [*value[:place], _changed(value[place], dice), *value[place + 1 :]]
    return dice.choice(STRANGE)
