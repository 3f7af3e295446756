"""Text → tokens, by words, characters or white space; and a visible form of tokens with invisible characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

ZWNJ, ZWJ = "\u200c", "\u200d"
VIRAMAS = "\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d"
"""The signs that join two consonants of Devanagari, Bengali, Gujarati, Oriya, Telugu and Malayalam into one letter."""

EMPTY = "∅"
LONE_MARK_CARRIER = "◌"
GLYPHS = {" ": "␣", "\t": "⇥", "\n": "↵", "\r": "␍", "\x7f": "␡", "\u00a0": "⍽"}

_AM = "\u0e33\u0eb3"
"""Vowels of Thai and Lao that are letters for Unicode but stand on the consonant before them."""

_INSIDE_WORDS = "'’-‐"
_PREPEND = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"
_IDEOGRAPHS = (("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff"))
"""The first and the last of each range."""
# Compiled, and kept, by `re` when the first picture is met.
_PICTURES = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
    "\U0001fc00-\U0001fffd]"
)


def split_whitespace(text: str) -> tuple[str, ...]:
    """Return what stands between spaces, tabs and line ends."""
    return tuple(text.split())


def split_words(text: str) -> tuple[str, ...]:
    """Return words, and each punctuation mark, symbol and ideograph by itself; white space is dropped.

    An apostrophe or hyphen between letters is part of its word.
    """
    clusters = split_characters(text)
    words: list[str] = []
    open_word = False
    for index, cluster in enumerate(clusters):
        following = clusters[index + 1] if index + 1 < len(clusters) else " "
        joins = open_word and cluster in _INSIDE_WORDS and _is_letter(following)
        if cluster.isspace():
            open_word = False
        elif open_word and (joins or _is_letter(cluster)):
            words[-1] += cluster
        else:
            words.append(cluster)
            open_word = _is_letter(cluster)
    return tuple(words)


def split_characters(text: str) -> tuple[str, ...]:
    """Return the characters as a reader counts them, white space included.

    Combining marks, joined emoji, skin tones, flags, Hangul syllables and Indic conjuncts stay whole: the extended
    grapheme clusters of Unicode Standard Annex 29, but for rare scripts.
    """
    return tuple(_clusters(text))


@lru_cache(maxsize=4096)
def visible(token: str) -> str:
    """Return a token with a glyph for each space, tab, line end and other invisible character; ∅ if it is empty.

    The signs of byte-level vocabularies (Ġ, ▁, Ċ) stay as they are. Only what is shown changes, never the token.
    """
    if not token:
        return EMPTY
    shown = "".join(_glyph(character, alone=len(token) == 1) for character in token)
    return LONE_MARK_CARRIER + shown if _is_extending(token[0]) and token[0] not in (ZWJ, ZWNJ) else shown


def _glyph(character: str, *, alone: bool) -> str:
    if character in GLYPHS:
        return GLYPHS[character]
    if ord(character) < 0x20:
        return chr(0x2400 + ord(character))
    category = unicodedata.category(character)
    if category in ("Cc", "Cs", "Cn", "Zs", "Zl", "Zp"):
        return _code_point(character)
    if category != "Cf" or character in _PREPEND:
        return character
    joins = character in (ZWJ, ZWNJ) or _is_tag(character)
    return character if joins and not alone else _code_point(character)


def _code_point(character: str) -> str:
    return f"‹U+{ord(character):04X}›"


def _clusters(text: str) -> Iterator[str]:
    start = 0
    for place in range(1, len(text)):
        if _is_boundary(text, start, place):
            yield text[start:place]
            start = place
    if text:
        yield text[start:]


def _is_boundary(text: str, start: int, place: int) -> bool:
    before, after = text[place - 1], text[place]
    if before == "\r" and after == "\n":
        return False
    if _is_control(before) or _is_control(after):
        return True
    if _is_extending(after) or _is_spacing_mark(after) or before in _PREPEND:
        return False
    return not (
        _is_hangul_joined(before, after)
        or (before == ZWJ and _is_picture(after) and _is_picture(text[_base(text, start, place)]))
        or (_is_flag_letter(after) and place - start == 1 and _is_flag_letter(before))
        or _is_conjunct(text, start, place)
    )


def _is_control(character: str) -> bool:
    if character in (ZWJ, ZWNJ) or character in _PREPEND or _is_tag(character):
        return False
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _is_extending(character: str) -> bool:
    return (
        unicodedata.category(character) in ("Mn", "Me")
        or character in (ZWJ, ZWNJ, "\uff9e", "\uff9f")
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or _is_tag(character)
    )


def _is_spacing_mark(character: str) -> bool:
    return unicodedata.category(character) == "Mc" or character in _AM


def _base(text: str, start: int, place: int) -> int:
    """Return where the last character before `place` stands that is no mark upon another."""
    base = place - 1
    while base > start and _is_extending(text[base]):
        base -= 1
    return base


def _is_tag(character: str) -> bool:
    return "\U000e0020" <= character <= "\U000e007f"


def _is_picture(character: str) -> bool:
    return bool(re.fullmatch(_PICTURES, character))


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _is_hangul_joined(before: str, after: str) -> bool:
    left, right = _hangul_kind(before), _hangul_kind(after)
    if left == "L":
        return right in ("L", "V", "LV", "LVT")
    return right == "T" if left in ("T", "LVT") else left in ("V", "LV") and right in ("V", "T")


def _hangul_kind(character: str) -> str:
    code = ord(character)
    if 0xAC00 <= code <= 0xD7A3:
        return "LV" if (code - 0xAC00) % 28 == 0 else "LVT"
    for first, last, kind in (
        (0x1100, 0x115F, "L"),
        (0xA960, 0xA97C, "L"),
        (0x1160, 0x11A7, "V"),
        (0xD7B0, 0xD7C6, "V"),
        (0x11A8, 0x11FF, "T"),
        (0xD7CB, 0xD7FB, "T"),
    ):
        if first <= code <= last:
            return kind
    return ""


def _is_conjunct(text: str, start: int, place: int) -> bool:
    """Tell whether a consonant follows a virama of its own script, with nothing but joining marks in between."""
    block = ord(text[place]) & ~0x7F
    virama = chr(block + 0x4D)
    if virama not in VIRAMAS or unicodedata.category(text[place]) != "Lo":
        return False
    base = _base(text, start, place)
    tail = text[base + 1 : place]
    return virama in tail and ZWNJ not in tail and ord(text[base]) & ~0x7F == block


def _is_letter(cluster: str) -> bool:
    first = cluster[:1]
    return (first.isalnum() or first == "_") and not any(low <= first <= high for low, high in _IDEOGRAPHS)
