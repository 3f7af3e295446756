"""Display choices: defaults, files that say nonsense, and what a file keeps."""

from __future__ import annotations

from typing import Any

import pytest

from attnexplorer.document.display import Display


def test_choices_have_defaults_and_are_told_once() -> None:
    display, heard = Display(), []
    display.changed.connect(heard.append)
    assert display["layer"] == 0
    display.choose("head", 2)
    display.choose("head", 2)
    assert (display["head"], heard) == (2, ["head"])


def test_a_files_choices_are_taken_and_the_others_go_back_to_the_defaults() -> None:
    display = Display()
    display.choose("layer", 3)
    display.restore({"head": 1, "workspace": "heads"})
    assert (display["layer"], display["head"], display["workspace"]) == (0, 1, "heads")


@pytest.mark.parametrize("wrong", [-1, True, "2", 2.5, None, [1], 10**9, 10**400])
def test_a_choice_that_cannot_be_one_counts_as_the_default(wrong: Any) -> None:
    display = Display()
    display.restore({"head": wrong, "workspace": 7})
    assert (display["head"], display["workspace"]) == (0, "pipeline")


@pytest.mark.parametrize("wrong", [10**400, -(10**400), float("nan"), float("inf"), "1", True, None])
def test_a_number_beyond_all_limits_counts_as_the_default(wrong: Any) -> None:
    usual, display = Display(), Display()
    display.restore({"flow_threshold": wrong, "scaling_shift": wrong})
    assert display["flow_threshold"] == usual["flow_threshold"]
    assert display["scaling_shift"] == usual["scaling_shift"]


def test_a_file_keeps_what_differs_and_what_is_unknown() -> None:
    display = Display()
    display.choose("head", 1)
    kept = display.as_view({"from_a_newer_version": [1], "layer": 5, "head": 0})
    assert kept == {"from_a_newer_version": [1], "head": 1}
