from __future__ import annotations

import pytest

from attnexplorer.app.arguments import UsageError, parsed

VALUED, FLAGS = ("--stages", "-o"), ("-h", "--help")


@pytest.mark.parametrize("given", [["--stages", "a,b"], ["--stages=a,b"]])
def test_a_long_option_takes_its_value_after_a_space_or_a_sign(given: list[str]) -> None:
    assert parsed(given, VALUED, FLAGS).options == {"--stages": "a,b"}


@pytest.mark.parametrize("given", [["-o", "out"], ["-oout"]])
def test_a_short_option_takes_its_value_with_or_without_a_space(given: list[str]) -> None:
    assert parsed(given, VALUED, FLAGS).options == {"-o": "out"}


def test_options_may_stand_anywhere_and_the_last_one_counts() -> None:
    given = parsed(["-o", "one", "file", "-o", "two", "-h"], VALUED, FLAGS)
    assert (given.words, given.options, given.flags) == (("file",), {"-o": "two"}, {"-h"})


def test_a_value_may_begin_with_a_dash_or_be_empty() -> None:
    assert parsed(["-o", "-x"], VALUED, FLAGS).options == {"-o": "-x"}
    assert parsed(["--stages="], VALUED, FLAGS).options == {"--stages": ""}


def test_two_dashes_end_the_options() -> None:
    assert parsed(["--", "-h", "--stages"], VALUED, FLAGS).words == ("-h", "--stages")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--stage", "a"], "there is no option --stage; there are --stages, -o, -h, --help"),
        (["--help=yes"], "there is no option --help=yes; there are --stages, -o, -h, --help"),
        (["-x"], "there is no option -x; there are --stages, -o, -h, --help"),
        (["-o"], "the option -o needs a value"),
    ],
)
def test_what_is_not_understood_is_said_in_a_sentence(given: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        parsed(given, VALUED, FLAGS)
    assert str(caught.value) == sentence
