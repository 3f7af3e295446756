"""Words of a step on lines: what stays together, what wraps, and that nothing is lost."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from attnexplorer.compute.explaining.pieces import Piece, Step, line, literal, number, result
from attnexplorer.figures.step_words import Word, line_words, paragraphs, subject_words
from attnexplorer.views.explain.flow import placed


def by_letters(word: Word) -> float:
    return 10.0 * len(word.text)


def test_subscripts_stay_with_what_they_belong_to() -> None:
    words = subject_words("q_{it} · k_{animal}")
    assert [(w.text, w.style, w.tight) for w in words] == [
        ("q", "plain", False),
        ("it", "subscript", True),
        ("·", "plain", False),
        ("k", "plain", False),
        ("animal", "subscript", True),
    ]


def test_a_token_with_braces_is_shown_as_it_is() -> None:
    assert [w.text for w in subject_words(f"k_{{{literal('a_{b}')}}}")] == ["k", "a_{b}"]


def test_a_superscript_of_several_words_is_written_on_the_line() -> None:
    words = subject_words("e^{score − largest}")
    assert [w.text for w in words] == ["e", "^(score", "−", "largest)"]
    assert {w.style for w in words} == {"plain"}


def test_a_number_under_a_root_needs_no_brackets_but_a_sum_does() -> None:
    root = line_words(line(number(2.5), "÷", "√", "(", number(2.0, text="2"), ")", "=", result(1.768)))
    assert [w.text for w in root] == ["2.50", "÷", "√", "2", "=", "1.768"]
    power = line_words(line("e^", "(", number(1.0), "−", number(2.0), ")"))
    assert [w.text for w in power] == ["e^", "(", "1.00", "−", "2.00", ")"]
    assert [w.tight for w in power] == [False, True, True, False, False, True]


def test_lines_break_before_a_sign_and_never_inside_a_product() -> None:
    words = line_words(line(number(1.0), "×", number(2.0), "+", number(3.0), "×", number(4.0), "=", result(14.0)))
    found, bottom = placed(words, 150.0, 0.0, 20.0, by_letters)
    rows: dict[float, list[str]] = {}
    for place in found:
        rows.setdefault(place.rect.top(), []).append(place.word.text)
    assert list(rows.values()) == [["1.00", "×", "2.00"], ["+", "3.00", "×", "4.00"], ["=", "14.00"]]
    assert bottom == 60.0


def test_a_step_has_a_heading_a_paragraph_a_line_and_its_note() -> None:
    step = Step("scale", "÷ √d_{k}", (line(number(1.0), "=", result(1.0)),), "a note", 1)
    assert [[w.text for w in p] for p in paragraphs(step)] == [
        ["scale", "÷", "√d", "k"],
        ["1.00", "=", "1.000"],
        ["a", "note"],
    ]


TEXTS = st.lists(st.sampled_from(["1.00", "×", "+", "(", ")", "=", ",", "animal", "x" * 90]), max_size=30)


@given(TEXTS, st.floats(30.0, 400.0), st.sampled_from([0.0, 10.0]))
def test_every_word_has_a_place_inside_and_none_lies_on_another(texts: list[str], width: float, hang: float) -> None:
    words = line_words(tuple(Piece(text, "operator") for text in texts))
    found, bottom = placed(words, width, 5.0, 20.0, by_letters, hang)
    assert [place.word for place in found] == list(words)
    for first, second in itertools.pairwise(found):
        assert second.rect.top() > first.rect.top() or second.rect.left() >= first.rect.right() - 1e-9
    for place in found:
        assert place.rect.left() >= (hang if place.rect.top() > 5.0 else 0.0)
        assert place.rect.right() <= width + 1e-9
        assert place.rect.bottom() <= max(bottom, 25.0)


def test_nothing_takes_one_line() -> None:
    found, bottom = placed((), 100.0, 0.0, 20.0, by_letters)
    assert found == ()
    assert bottom == 20.0
