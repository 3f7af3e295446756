"""Comparing in the window: keeping A, loading one, switching, and leaving."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from real_windows import action, child, click, label_text, opened_menu, trigger

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_copy_of_example
from attnexplorer.experiment.captured import captured
from attnexplorer.experiment.captured_file import capture_bytes
from attnexplorer.experiment.examples import example_path
from attnexplorer.views.compare_bar import CompareBar

QUERY = "layers.0.attention.W_Q.0"


@pytest.fixture
def window(windows: Windows) -> MainWindow:
    return windows.show_new(load_copy_of_example("flooded"))


def test_without_a_comparison_nothing_of_it_is_shown(window: MainWindow) -> None:
    assert not child(window, CompareBar, "compare-bar").isVisible()
    assert not action(window, "compare_leave").isEnabled()
    assert not any(action(window, f"compare_show_{shown}").isEnabled() for shown in ("A", "B", "B-A"))


def test_the_button_keeps_the_present_state_and_edits_go_on_as_B(window: MainWindow) -> None:
    click(window, "status_keep")
    comparison = window.document.comparison
    assert comparison.experiment is window.document.experiment
    assert label_text(window, "status_compared") == "B, A = … because it was flooded"
    assert child(window, CompareBar, "compare-bar").isVisible()
    window.document.set_cell(QUERY, 0, 0, 9.0)
    assert comparison.experiment is not window.document.experiment
    trigger(window, "compare_show_B-A")
    assert label_text(window, "status_compared") == "B − A, A = … because it was flooded"
    assert action(window, "compare_show_B-A").isChecked()


def test_an_example_is_compared_with_and_its_difference_shown(window: MainWindow) -> None:
    opened_menu(window, "compare_examples")
    trigger(window, "compare_example_tired")
    assert label_text(window, "compare-text") == "B − A, A = tired"
    assert label_text(window, "status_compared") == "B − A, A = tired"
    assert not window.storage.modified
    trigger(window, "compare_leave")
    assert not child(window, CompareBar, "compare-bar").isVisible()


def test_a_file_is_compared_with(window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "mine.attn"
    file.write_bytes(example_path("tired").read_bytes())
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *arguments: (str(file), ""))
    trigger(window, "compare_file")
    assert window.document.comparison.text == "B − A, A = mine"


def test_a_file_that_cannot_be_read_is_named_and_nothing_is_compared(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "broken.attn"
    file.write_text("{", encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *arguments: (str(file), ""))
    trigger(window, "compare_file")
    assert not window.document.comparison.active
    assert any("broken.attn" in text for text in window.messages.texts)


def test_A_stays_while_another_experiment_is_opened_in_the_window(windows: Windows, window: MainWindow) -> None:
    trigger(window, "compare_keep")
    windows.show_loaded(load_copy_of_example("tired"), window)
    assert window.document.comparison.name == "… because it was flooded"
    assert window.document.comparison.active


def test_the_bar_says_where_the_choice_is_not_followed(window: MainWindow) -> None:
    trigger(window, "compare_keep")
    assert label_text(window, "compare-note") == "Changes go to B; A stays as it is."
    trigger(window, "compare_show_B-A")
    for workspace, note in (
        ("pipeline", "Explain is about B."),
        ("heads", "Likeness and Explain are about B."),
        ("scaling", "Curves and bars show both."),
        ("geometry", "The pair’s numbers are of B."),
    ):
        window.show_workspace(workspace)
        assert label_text(window, "compare-note").endswith(note)
        assert label_text(window, "compare-note").startswith("A and B are the same here. Only B can be changed")


def test_the_bar_no_longer_calls_A_and_B_the_same_once_B_is_changed(window: MainWindow) -> None:
    trigger(window, "compare_keep")
    trigger(window, "compare_show_B-A")
    window.document.set_cell("embedding.E", 0, 0, 7.5)
    window.document.recomputation.finish()
    assert label_text(window, "compare-note").startswith("Only B can be changed")
    window.document.undo_stack.undo()
    window.document.recomputation.finish()
    assert label_text(window, "compare-note").startswith("A and B are the same here.")


def test_captured_weights_are_refused_as_A(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "weights.npz"
    file.write_bytes(capture_bytes(captured(np.full((1, 1, 2, 2), 0.5), ("a", "b"))))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *arguments: (str(file), ""))
    trigger(window, "compare_file")
    assert not window.document.comparison.active
    assert window.messages.texts == (
        "Nothing to compare with. weights.npz holds weights of another program, and no experiment.",
    )
    for name in ("heads", "scaling", "geometry", "pipeline"):
        window.show_workspace(name)
        qtbot.wait(50)
