"""Contrast of everything that a window paints, in both themes: 4.5 : 1 for text, 3 : 1 for marks. Source: WCAG 2.1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from PySide6.QtGui import QColor, QPalette

from attnexplorer.assets import resource
from attnexplorer.figures.colours import ColourScale, argb, contrast
from attnexplorer.figures.head_grid_painting import tag_colours
from attnexplorer.figures.theme import DARK, LIGHT, Theme, position_colour
from attnexplorer.views.stylesheet import palette_for

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
TEXT, MARK = 4.5, 3.0
GROUNDS = ("card", "ground")
SOFT = ("accent_soft", "warning_soft", "bad_soft", "edit_soft")
SCALES = (ColourScale("diverging", -1.0, 1.0), ColourScale("sequential", 0.0, 1.0))
SPECIAL = (np.nan, np.inf, -np.inf)


def ratio(theme: Theme, ink: str, ground: str) -> float:
    return contrast(QColor(getattr(theme, ink)), QColor(getattr(theme, ground)))


def rules() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rules of the style sheet: what they are for, and the colours that they give."""
    sheet = resource("themes", "window.qss").read_text(encoding="utf-8")
    for selectors, body in re.findall(r"([^{}]+)\{([^}]*)\}", re.sub(r"/\*.*?\*/|\$\{small\}", "", sheet, flags=re.S)):
        colours = dict(re.findall(r"([\w-]+):[^;]*?\$(\w+)", body))
        for selector in selectors.split(","):
            yield selector.strip(), colours


def inks_with_grounds() -> set[tuple[str, str]]:
    """Return every pair of a text's colour and what it stands on that a rule gives; without a ground, both of them."""
    pairs = set()
    for selector, colours in rules():
        if "color" not in colours or ":disabled" in selector:
            continue
        grounds = [colours["background"]] if "background" in colours else [*GROUNDS]
        pairs |= {(colours["color"], ground) for ground in grounds}
        if "selection-color" in colours:
            pairs.add((colours["selection-color"], colours["selection-background-color"]))
    return pairs


def test_the_style_sheet_is_understood_by_this_test() -> None:
    pairs = inks_with_grounds()
    assert {("text", "card"), ("accent", "accent_soft"), ("on_accent", "accent"), ("bad", "bad_soft")} <= pairs
    assert len(pairs) >= 10


@THEMES
def test_text_of_every_rule_of_the_style_sheet_can_be_read(theme: Theme) -> None:
    faint = {pair: round(ratio(theme, *pair), 2) for pair in inks_with_grounds() if ratio(theme, *pair) < TEXT}
    assert faint == {}


@THEMES
def test_text_of_every_role_of_the_palette_can_be_read(theme: Theme) -> None:
    palette, role = palette_for(theme), QPalette.ColorRole
    pairs = (
        (role.WindowText, role.Window),
        (role.Text, role.Base),
        (role.Text, role.AlternateBase),
        (role.PlaceholderText, role.Base),
        (role.ButtonText, role.Button),
        (role.ToolTipText, role.ToolTipBase),
        (role.HighlightedText, role.Highlight),
        (role.Link, role.Base),
        (role.Link, role.Window),
    )
    faint = [(ink, ground) for ink, ground in pairs if contrast(palette.color(ink), palette.color(ground)) < TEXT]
    assert faint == []


@THEMES
@pytest.mark.parametrize("ink", ["text", "muted"])
def test_what_is_painted_as_text_can_be_read_on_every_ground_that_is_washed_with_a_colour(
    theme: Theme, ink: str
) -> None:
    assert {ground: ratio(theme, ink, ground) for ground in SOFT if ratio(theme, ink, ground) < TEXT} == {}


@THEMES
def test_tags_in_the_colour_of_a_position_and_badges_on_it_can_be_read(theme: Theme) -> None:
    for position in range(64):
        ground, text = tag_colours(position, theme)
        assert contrast(ground, text) >= TEXT, position
        colour = position_colour(position)
        best = max(contrast(colour, QColor(ink)) for ink in (theme.cell_light_text, theme.cell_dark_text))
        assert best >= TEXT, position


@THEMES
def test_the_colours_of_positions_are_seen_on_card_and_ground(theme: Theme) -> None:
    for position, ground in product(range(300), GROUNDS):
        found = contrast(position_colour(position), QColor(getattr(theme, ground)))
        assert found >= MARK, f"position {position + 1} on {ground}: {found:.2f}"


@THEMES
@pytest.mark.parametrize("mark", ["accent", "muted", "hatch_line", "good", "bad", "warning", "edit"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_marks_edges_of_fields_and_handles_are_seen(theme: Theme, mark: str, ground: str) -> None:
    assert ratio(theme, mark, ground) >= MARK


@THEMES
def test_the_hatching_of_blocked_pairs_is_seen_on_its_ground(theme: Theme) -> None:
    assert ratio(theme, "hatch_line", "hatch_ground") >= MARK


def test_fields_have_an_edge_that_is_seen_and_another_one_with_the_focus() -> None:
    edges = {selector: colours.get("border") for selector, colours in rules() if "border" in colours}
    for field in ("QLineEdit", "QPlainTextEdit", "QSpinBox", "QComboBox"):
        assert edges[field] == "hatch_line", field
        assert edges[f"{field}:focus"] == "accent", field


@THEMES
def test_the_edge_of_what_has_the_focus_is_seen_beside_what_it_surrounds(theme: Theme) -> None:
    for selector, colours in rules():
        if ":focus" in selector and "border" in colours:
            assert ratio(theme, colours["border"], colours.get("background", "card")) >= MARK, selector
            filled = "primary" in selector or ":checked" in selector
            # What is filled with the colour of the edge changes its filling, or has a ring inside it.
            ringed = colours["border"] == "on_accent"
            assert not filled or ringed or ratio(theme, colours["background"], "accent") >= MARK, selector


@THEMES
def test_frames_around_cells_are_two_lines_of_which_one_is_seen_on_every_colour(theme: Theme) -> None:
    for frame in ("text", "accent"):
        assert ratio(theme, frame, "card") >= TEXT, "the two lines set each other off"
    for scale in SCALES:
        values = np.linspace(scale.low, scale.high, 101)[None, :]
        for colour in argb(values, scale, theme)[0]:
            cell = QColor.fromRgba(int(colour))
            best = max(contrast(cell, QColor(line)) for line in (theme.text, theme.card))
            assert best >= MARK, cell.name()


@THEMES
def test_the_corner_of_a_pinned_cell_is_set_off_by_its_edge(theme: Theme) -> None:
    assert ratio(theme, "warning", "card") >= MARK


@THEMES
def test_cells_that_hold_no_number_are_told_from_each_other_by_more_than_their_colour(theme: Theme) -> None:
    colours = argb(np.array([[*SPECIAL]]), SCALES[0], theme)[0]
    best = [
        max(
            contrast(QColor.fromRgba(int(colour)), QColor(ink)) for ink in (theme.cell_light_text, theme.cell_dark_text)
        )
        for colour in colours
    ]
    assert min(best) >= TEXT, "each has a glyph or a word in it, which can be read"
