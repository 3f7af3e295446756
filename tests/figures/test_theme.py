"""The colours of the two themes."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import pytest
from PySide6.QtGui import QColor

from attnexplorer.figures.colours import contrast
from attnexplorer.figures.theme import DARK, LIGHT, Theme, position_colour

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@THEMES
@pytest.mark.parametrize("ground", ["card", "ground"])
@pytest.mark.parametrize("ink", ["text", "muted", "accent", "bad", "warning", "good", "edit"])
def test_text_can_be_read_on_cards_and_on_the_ground(theme: Theme, ink: str, ground: str) -> None:
    assert contrast(QColor(getattr(theme, ink)), QColor(getattr(theme, ground))) >= 4.5


@THEMES
@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        ("on_accent", "accent"),
        ("accent", "accent_soft"),
        ("warning", "warning_soft"),
        ("bad", "bad_soft"),
        ("edit", "edit_soft"),
        ("text", "accent_soft"),
        ("text", "warning_soft"),
        ("text", "bad_soft"),
    ],
)
def test_text_can_be_read_on_what_is_marked_in_a_colour(theme: Theme, ink: str, ground: str) -> None:
    assert contrast(QColor(getattr(theme, ink)), QColor(getattr(theme, ground))) >= 4.5


@THEMES
def test_every_colour_is_a_colour(theme: Theme) -> None:
    for field in dataclasses.fields(theme):
        value = getattr(theme, field.name)
        for name in [value] if isinstance(value, str) else value:
            assert field.name == "name" or QColor.isValidColorName(name), field.name


def test_neighbouring_positions_have_different_colours() -> None:
    colours = [position_colour(index).rgba() for index in range(300)]
    assert all(a != b for a, b in pairwise(colours))
    assert position_colour(7) == position_colour(7)
