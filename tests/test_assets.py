"""The program's own files are found, and a missing one is named."""

from __future__ import annotations

import pytest

from attnexplorer import assets


def test_the_folder_of_examples_is_there() -> None:
    assert any(assets.folder("examples").glob("*.attn"))


def test_a_missing_file_is_named_with_the_place_where_it_was_expected() -> None:
    with pytest.raises(FileNotFoundError, match=r"examples/none\.attn is missing; it was expected at .*none\.attn"):
        assets.resource("examples", "none.attn")


def test_a_file_is_no_folder() -> None:
    example = next(iter(assets.folder("examples").glob("*.attn")))
    with pytest.raises(FileNotFoundError, match="is a file"):
        assets.folder(f"examples/{example.name}")
