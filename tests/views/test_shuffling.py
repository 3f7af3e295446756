"""Shuffling the tokens in the dock Input, and what is said afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hand_made import one_layer
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from attnexplorer.document.document import Document
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits.masks import toggle_causal
from attnexplorer.experiment.edits.orders import shuffled
from attnexplorer.experiment.edits.positions import set_position_kind
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.panel import InputPanel

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot: Any) -> Iterator[InputPanel]:
    document, appearance = Document(plain(4)), Appearance()
    appearance.choose_theme("light")
    shown = InputPanel(document, appearance)
    qtbot.addWidget(shown)
    shown.resize(260, 1100)
    shown.show()
    qtbot.waitExposed(shown)
    yield shown
    document.close()


def plain(tokens: int) -> Experiment:
    return one_layer(np.random.default_rng(1).normal(size=(tokens, 4)))


def shuffle(panel: InputPanel) -> str:
    QTest.mouseClick(panel.position_section.shuffling.link, LEFT)
    return panel.position_section.shuffling.told.text()


def document_of(panel: InputPanel) -> Document:
    return panel.position_section.document


def test_without_position_and_mask_the_outputs_go_with_the_tokens(panel: InputPanel) -> None:
    document = document_of(panel)
    before = document.experiment
    lines = shuffle(panel).splitlines()
    assert document.experiment.sequence.tokens == tuple(before.sequence.tokens[old] for old in shuffled(4, 1))
    assert lines[:2] == [
        "Shuffled with seed 1.",
        "Went with the tokens: X, Q, K, V, QKᵀ, scaled, masked, A, Z, output.",
    ]
    assert lines[2].startswith("The outputs are the same rows in the new order; largest difference ")
    assert len(lines) == 3
    assert document.undo_stack.undoText() == "Shuffle the tokens, seed 1"
    document.undo_stack.undo()
    assert identical(document.experiment, before)


@pytest.mark.parametrize(
    ("edit", "went", "cause"),
    [
        (lambda e: toggle_causal(e, 0), "X, Q, K, V, QKᵀ, scaled", "the causal mask"),
        (lambda e: set_position_kind(e, "rope"), "X, Q, K, V", "RoPE"),
        (lambda e: set_position_kind(e, "alibi"), "X, Q, K, V, QKᵀ, scaled", "ALiBi"),
    ],
)
def test_what_does_not_follow_is_named_with_its_cause(panel: InputPanel, edit: Any, went: str, cause: str) -> None:
    document_of(panel).apply("edit", edit)
    lines = shuffle(panel).splitlines()
    assert lines[1] == f"Went with the tokens: {went}."
    assert lines[2].startswith("Did not: ")
    assert lines[3].startswith("The outputs are not the same rows: they differ by up to ")
    assert lines[4] == f"Places count: {cause}."


def test_the_sentences_are_there_only_for_the_experiment_they_are_about(panel: InputPanel) -> None:
    told, document = panel.position_section.shuffling.told, document_of(panel)
    assert not told.isVisible()
    shuffle(panel)
    assert told.isVisible()
    document.undo_stack.undo()
    assert not told.isVisible()
    document.undo_stack.redo()
    assert told.isVisible()
    document.set_cell("embedding.E", 0, 0, 9.0)
    assert not told.isVisible()


def test_each_shuffle_takes_the_next_seed_which_the_tip_tells_before(panel: InputPanel) -> None:
    link = panel.position_section.shuffling.link
    assert "seed 1" in link.toolTip()
    shuffle(panel)
    assert "seed 2" in link.toolTip()
    assert shuffle(panel).startswith("Shuffled with seed 2.")


def test_a_single_token_cannot_be_shuffled(panel: InputPanel) -> None:
    document_of(panel).replace_experiment(plain(1))
    assert not panel.position_section.shuffling.link.isEnabled()


def test_the_link_is_reached_by_keys(panel: InputPanel) -> None:
    link = panel.position_section.shuffling.link
    link.setFocus()
    QTest.keyClick(link, Qt.Key.Key_Space)
    assert document_of(panel).undo_stack.count() == 1


def test_of_a_large_experiment_what_followed_is_found_while_the_window_goes_on(panel: InputPanel, qtbot: Any) -> None:
    document, shuffling = document_of(panel), panel.position_section.shuffling
    document.replace_experiment(one_layer(np.random.default_rng(1).normal(size=(700, 48))))
    QTest.mouseClick(shuffling.link, LEFT)
    assert shuffling.told.text() == "Shuffled with seed 1.\nWhat went with the tokens is being found."
    qtbot.waitUntil(lambda: "being found" not in shuffling.told.text())
    assert "Went with the tokens: X, Q, K, V, QKᵀ, scaled, masked, A, Z, output." in shuffling.told.text()


def test_what_followed_an_earlier_shuffle_is_not_said_of_a_later_one(panel: InputPanel, qtbot: Any) -> None:
    document, shuffling = document_of(panel), panel.position_section.shuffling
    document.replace_experiment(one_layer(np.random.default_rng(1).normal(size=(700, 48))))
    QTest.mouseClick(shuffling.link, LEFT)
    QTest.mouseClick(shuffling.link, LEFT)
    qtbot.waitUntil(lambda: "being found" not in shuffling.told.text())
    assert shuffling.told.text().startswith("Shuffled with seed 2.\nWent with the tokens")


def test_a_window_that_closes_meanwhile_waits_for_the_thread(qtbot: Any) -> None:
    document = Document(one_layer(np.random.default_rng(1).normal(size=(700, 48))))
    shown = InputPanel(document, Appearance())
    shown.show()
    shuffling = shown.position_section.shuffling
    QTest.mouseClick(shuffling.link, LEFT)
    assert "being found" in shuffling.told.text()
    document.close()
    with qtbot.waitSignal(shown.destroyed):
        shown.close()
        shown.deleteLater()
