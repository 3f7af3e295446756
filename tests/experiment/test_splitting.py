from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnexplorer.experiment.splitting import split_characters, split_whitespace, split_words, visible


@pytest.mark.parametrize(
    "cluster",
    [
        "e\u0301",
        "👩‍👩‍👧",
        "👍🏽",
        "🇩🇪",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "❤️",
        "🏳️‍🌈",
        "👩🏽‍🚀",
        "1️⃣",
        "\r\n",
        "한",
        "\u1112\u1161\u11ab",
        "क्षि",
        "नि",
        "กำ",
        "ש\u05c1",
    ],
)
def test_what_a_reader_counts_as_one_character_stays_whole(cluster: str) -> None:
    assert split_characters(cluster) == (cluster,)
    assert split_characters(f"a{cluster}b") == ("a", cluster, "b")


@pytest.mark.parametrize(
    ("text", "characters"),
    [
        ("ab c", ("a", "b", " ", "c")),
        ("🇩🇪🇫🇷🇮", ("🇩🇪", "🇫🇷", "🇮")),
        ("👩👩", ("👩", "👩")),
        ("a\u200d👩", ("a\u200d", "👩")),
        ("你好", ("你", "好")),
        ("\n\n", ("\n", "\n")),
        ("", ()),
    ],
)
def test_characters_are_split_as_a_reader_counts_them(text: str, characters: tuple[str, ...]) -> None:
    assert split_characters(text) == characters


@given(st.text())
def test_splitting_by_characters_loses_nothing(text: str) -> None:
    characters = split_characters(text)
    assert "".join(characters) == text
    assert "" not in characters


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The animal didn't cross.", ("The", "animal", "didn't", "cross", ".")),
        ("well-known – 3.5!", ("well-known", "–", "3", ".", "5", "!")),
        ("'quoted' -x", ("'", "quoted", "'", "-", "x")),
        ("नमस्ते दुनिया", ("नमस्ते", "दुनिया")),
        ("שלום עולם", ("שלום", "עולם")),
        ("你好 world", ("你", "好", "world")),
        ("hi👩‍👩‍👧you", ("hi", "👩‍👩‍👧", "you")),
        ("snake_case  \t\n", ("snake_case",)),
        ("", ()),
    ],
)
def test_words_and_punctuation_are_tokens_of_their_own(text: str, words: tuple[str, ...]) -> None:
    assert split_words(text) == words


@given(st.text())
def test_splitting_by_words_loses_only_white_space(text: str) -> None:
    assert "".join(split_words(text)) == "".join(cluster for cluster in split_characters(text) if not cluster.isspace())


def test_splitting_at_white_space_keeps_punctuation() -> None:
    assert split_whitespace(" The  cat,\tsat.\n") == ("The", "cat,", "sat.")


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        ("", "∅"),
        (" ", "␣"),
        (" the", "␣the"),
        ("\t", "⇥"),
        ("\n", "↵"),
        ("\r", "␍"),
        ("\x00", "␀"),
        ("\x1b", "␛"),
        ("\x7f", "␡"),
        ("\x85", "‹U+0085›"),
        ("\u200b", "‹U+200B›"),
        ("\u202e", "‹U+202E›"),
        ("\u200d", "‹U+200D›"),
        ("\ud83d", "‹U+D83D›"),
        ("\u0301", "◌\u0301"),
        ("Ġthe", "Ġthe"),
        ("▁cat", "▁cat"),
        ("Ċ", "Ċ"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("שלום", "שלום"),
    ],
)
def test_every_token_can_be_seen(token: str, shown: str) -> None:
    assert visible(token) == shown


@given(st.text())
def test_no_shown_token_is_blank_or_breaks_the_line(token: str) -> None:
    shown = visible(token)
    assert shown.strip()
    assert not set(shown) & {"\n", "\r", "\t", " "}
