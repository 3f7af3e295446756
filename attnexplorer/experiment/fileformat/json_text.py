"""From the bytes of a file to JSON values: encoding, size, nesting, duplicate keys, broken characters."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.fileformat.foreign import foreign_sentence
from attnexplorer.experiment.fileformat.json_checks import children

LARGEST_FILE = 512 * 1024 * 1024
DEEPEST_NESTING = 100
MOST_CONTAINERS = 20_000_000
"""Lists and objects in one file: far more than any experiment has, and little enough to hold in memory."""

_OUTSIDE_SKELETON = bytes(set(range(256)) - set(b'[]{}"'))
_QUOTE = ord('"')
_STEPS = np.zeros(256, dtype=np.int8)
_STEPS[list(b"[{")] = 1
_STEPS[list(b"]}")] = -1
_CHUNK = 1 << 20
_HALF_PAIR = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
)
_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x00\x00\xfe\xff": "UTF-32"}


def json_from_bytes(data: bytes) -> Any:
    """Return the JSON value that the bytes of a file spell.

    Raises
    ------
    ExperimentError
        For files of another kind, other encodings than UTF-8 (with or without a byte order mark), too large or too deep
        files, text that is not JSON, a key that stands twice in one object, and lone surrogates.
    """
    if len(data) > LARGEST_FILE:
        raise too_large()
    foreign = foreign_sentence(data)
    if foreign:
        raise _refused(foreign)
    text = _decoded(data)
    if not text.strip():
        raise _refused("the file is empty")
    # An escaped backslash hides what an escape is, so it gives way to a character of no meaning.
    escapes = data.replace(rb"\\", b"_") if b"\\" in data else data
    _check_nesting(escapes)
    value = _parsed(text)
    if b"\\" in data and _HALF_PAIR.search(escapes):
        _check_surrogates(value)
    return value


def too_large() -> ExperimentError:
    """Return the error for a file above the largest size."""
    return _refused(f"the file is larger than {LARGEST_FILE // 1024 // 1024} MB")


def _refused(sentence: str) -> ExperimentError:
    return ExperimentError("", sentence)


def _decoded(data: bytes) -> str:
    for mark, name in _OTHER_ENCODINGS.items():
        if data.startswith(mark):
            raise _refused(f"the file is {name} text, but UTF-8 was expected")
    if b"\x00" in data[:4]:
        raise _refused("the file is not UTF-8 text: it has a zero byte at its beginning")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = data[error.start]
        message = f"the file is not UTF-8 text: byte 0x{byte:02X} at position {error.start} cannot be read"
        raise _refused(message) from None


def _check_nesting(escapes: bytes) -> None:
    """Refuse deep nesting before parsing, because the parser spends a stack frame on each level.

    Only brackets and quotes are looked at, a chunk at a time, so that it is fast and takes little memory.
    """
    # Looking for one byte is many times as fast as looking for two, and most files hold no escapes at all.
    unquoted = escapes.replace(rb"\"", b"") if b"\\" in escapes else escapes
    skeleton = unquoted.translate(None, _OUTSIDE_SKELETON)
    depth = quotes = containers = 0
    for start in range(0, len(skeleton), _CHUNK):
        signs = np.frombuffer(skeleton[start : start + _CHUNK], dtype=np.uint8)
        quotes_so_far = quotes + np.cumsum(signs == _QUOTE, dtype=np.int64)
        steps = _STEPS[signs] * (quotes_so_far % 2 == 0)
        depths = depth + np.cumsum(steps, dtype=np.int64)
        if depths.max() > DEEPEST_NESTING:
            raise _refused(f"the file is nested deeper than {DEEPEST_NESTING} levels")
        containers += int((steps > 0).sum())
        if containers > MOST_CONTAINERS:
            raise _refused(f"the file holds more than {MOST_CONTAINERS:,} lists and objects")
        depth, quotes = int(depths[-1]), int(quotes_so_far[-1])


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _refused(f"the file is not JSON: {_lower_first(error.msg)} ({where})") from None
    except ExperimentError:
        raise
    except (ValueError, OverflowError):
        raise _refused("the file holds an integer with too many digits") from None
    except RecursionError:
        raise _refused(f"the file is nested deeper than {DEEPEST_NESTING} levels") from None


def _unique(entries: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(entries)
    if len(result) < len(entries):
        seen: set[str] = set()
        twice = next(key for key, _ in entries if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _refused(f"the key {json.dumps(twice[:40])} stands twice in one object")
    return result


def _lower_first(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _check_surrogates(value: Any) -> None:
    pending = [(value, "")]
    while pending:
        entry, place = pending.pop()
        keys = list(entry) if isinstance(entry, dict) else [entry] if isinstance(entry, str) else []
        if not all(_is_encodable(key) for key in keys):
            raise ExperimentError(place or "the file", "holds half a surrogate pair, which is no character")
        pending.extend(children(entry, place))


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
