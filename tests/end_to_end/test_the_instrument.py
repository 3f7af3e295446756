"""The whole way, as a user goes it: the real window, real keys and mouse, computed values on screen at each step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit
from pytestqt.qtbot import QtBot
from real_windows import answering, button, child, trigger

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.compute.numbers import cell_text
from attnexplorer.compute.trace import evaluate
from attnexplorer.compute.units import Unit
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.fileformat import load
from attnexplorer.figures.colours import WEIGHTS, colour_of, diverging_for
from attnexplorer.figures.matrix import Block, number_look
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.pipeline import PipelineWorkspace
from attnexplorer.views.scale_slider import ScaleSlider

LEFT = Qt.MouseButton.LeftButton
PAIRS = ("scores", "scaled", "masked", "weights")
SHOWN = ("W_Q", "W_K", "W_V", "input", "query", "key", "value", *PAIRS, "head_output")


@pytest.fixture
def window(windows: Windows, qtbot: QtBot) -> MainWindow:
    window = windows.show_first_example()
    window.resize(1440, 900)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    settle(window, qtbot)
    return window


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until what was edited is evaluated and painted."""
    window.document.recomputation.finish()
    qtbot.waitUntil(lambda: bool(pipeline(window).canvas.cards))
    QApplication.processEvents()


def pipeline(window: MainWindow) -> PipelineWorkspace:
    widget = window.workspaces["pipeline"].widget
    assert isinstance(widget, PipelineWorkspace)
    return widget


def table(window: MainWindow, key: str) -> MatrixTable:
    return pipeline(window).canvas.cards[key].table


def centre(table: MatrixTable, row: int, column: int) -> QPoint:
    return table.visualRect(table.model().index(row, column)).center()


def click(qtbot: QtBot, table: MatrixTable, row: int, column: int) -> None:
    qtbot.mouseClick(table.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, centre(table, row, column))


def type_keys(qtbot: QtBot, text: str) -> None:
    """Press keys, each of which goes to the widget that has the focus then."""
    for character in text:
        qtbot.keyClicks(QApplication.focusWidget(), character)


def compare_with_what_is_computed(window: MainWindow) -> None:
    """Every number, text and colour of the Pipeline equals what a fresh evaluation gives."""
    experiment = window.document.experiment
    trace = evaluate(experiment)
    for key in SHOWN:
        shown = table(window, key)
        if key.startswith("W_"):
            expected = getattr(experiment.layers[0].attention, key)[0]
        else:
            expected = trace.array(Unit(key, 0, None if key == "input" else 0))
        picture = shown.content.picture
        np.testing.assert_array_equal(picture.values, expected)
        compare_texts(shown)
        compare_pixels(shown, key)


def compare_texts(shown: MatrixTable) -> None:
    picture = shown.content.picture
    rows, columns = shown.content.shape
    everything = Block(0, 0, rows, columns)
    look = number_look(picture, shown.cell_size, everything)
    assert look is not None
    written = picture.texts(everything, look.decimals, look.narrow)
    for row in range(rows):
        for column in range(columns):
            value = float(picture.values[row, column])
            assert written[row][column] == cell_text(value, look.decimals, look.narrow)
            assert shown.model().index(row, column).data() == cell_text(value)


def compare_pixels(shown: MatrixTable, key: str) -> None:
    """The ground beside each number has the colour of the value; hatched and marked cells are looked at elsewhere."""
    picture = shown.content.picture
    scale = WEIGHTS if key == "weights" else diverging_for(picture.values)
    image = shown.viewport().grab().toImage()
    for row, column in np.ndindex(*shown.content.shape):
        if picture.hatched is not None and picture.hatched[row, column]:
            continue
        corner = shown.visualRect(shown.model().index(row, column)).bottomLeft() + QPoint(4, -4)
        painted = image.pixelColor(corner)
        expected = colour_of(float(picture.values[row, column]), scale, picture.theme)
        assert near(painted, faded(expected, QColor(picture.theme.card), shown.strength)), (key, row, column)


def faded(colour: QColor, ground: QColor, strength: float) -> QColor:
    """Return a colour as it is seen where a matrix is faint, as those before a pin are."""
    pairs = zip(colour.getRgb(), ground.getRgb(), strict=True)  # type: ignore[arg-type]
    return QColor(*(round(strength * a + (1 - strength) * b) for a, b in pairs))


def near(left: QColor, right: QColor) -> bool:
    pairs = zip(left.getRgb(), right.getRgb(), strict=True)  # type: ignore[arg-type]
    return all(abs(a - b) <= 2 for a, b in pairs)


def test_edits_by_key_mouse_and_clipboard_are_computed_shown_and_undone(window: MainWindow, qtbot: QtBot) -> None:
    start = window.document.experiment
    compare_with_what_is_computed(window)
    assert table(window, "weights").model().index(3, 0).data() == "0.53"

    # Types 5.0 into W_Q.
    w_q = table(window, "W_Q")
    click(qtbot, w_q, 1, 0)
    type_keys(qtbot, "5.0")
    qtbot.keyClick(child(w_q, QLineEdit, "cell-editor"), Qt.Key.Key_Return)
    settle(window, qtbot)
    assert window.document.experiment.layers[0].attention.W_Q[0][1, 0] == 5.0
    assert window.document.undo_stack.undoText() == "Set W_Q, head 1, row 2, column 1"
    compare_with_what_is_computed(window)

    # Drags the slider from 1/√d_k to the detent at 1.
    slider = window.findChild(ScaleSlider)
    assert slider is not None
    at, to = (slider.place_of(factor).toPoint() for factor in (0.5**0.5, 1.0))
    qtbot.mousePress(slider, LEFT, Qt.KeyboardModifier.NoModifier, at)
    for step in range(1, 11):
        qtbot.mouseMove(slider, at + (to - at) * step / 10)
        settle(window, qtbot)
        compare_with_what_is_computed(window)
    qtbot.mouseRelease(slider, LEFT, Qt.KeyboardModifier.NoModifier, to)
    settle(window, qtbot)
    assert window.document.experiment.layers[0].attention.scale == "none"

    # Toggles the causal mask.
    qtbot.mouseClick(child(window, QAbstractButton, "causal"), LEFT)
    settle(window, qtbot)
    assert not window.document.experiment.layers[0].attention.mask.causal
    assert table(window, "weights").content.picture.hatched is None
    compare_with_what_is_computed(window)

    # Blocks one pair by a click.
    click(qtbot, table(window, "masked"), 3, 0)
    settle(window, qtbot)
    assert window.document.experiment.layers[0].attention.mask.blocked == ((3, 0),)
    assert table(window, "weights").content.picture.values[3, 0] == 0.0
    compare_with_what_is_computed(window)

    # Pastes a block from a spreadsheet.
    QGuiApplication.clipboard().setText("2\t-1\r\n0.5\t1/4\r\n")
    click(qtbot, table(window, "W_V"), 0, 0)
    qtbot.keySequence(table(window, "W_V"), QKeySequence(QKeySequence.StandardKey.Paste))
    settle(window, qtbot)
    pasted = window.document.experiment.layers[0].attention.W_V[0]
    np.testing.assert_array_equal(pasted, [[2.0, -1.0], [0.5, 0.25]])
    # The pasted block is selected, which tints it; one cell is only framed.
    click(qtbot, table(window, "W_V"), 0, 0)
    compare_with_what_is_computed(window)

    # Undoes everything, step by step, and does it again.
    steps = window.document.undo_stack.count()
    assert steps == 5
    for _ in range(steps):
        qtbot.keySequence(window, QKeySequence(QKeySequence.StandardKey.Undo))
        settle(window, qtbot)
        compare_with_what_is_computed(window)
    assert identical(window.document.experiment, start)
    for _ in range(steps):
        qtbot.keySequence(window, QKeySequence(QKeySequence.StandardKey.Redo))
    settle(window, qtbot)
    compare_with_what_is_computed(window)


def test_what_is_edited_and_saved_is_there_when_opened_again(
    window: MainWindow, windows: Windows, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from attnexplorer.app import file_dialogs

    file = tmp_path / "lesson.attn"
    monkeypatch.setattr(file_dialogs, "ask_for_file_to_save", lambda *_args: file)
    w_k = table(window, "W_K")
    click(qtbot, w_k, 0, 1)
    type_keys(qtbot, "1/sqrt(2)")
    qtbot.keyClick(child(w_k, QLineEdit, "cell-editor"), Qt.Key.Key_Tab)
    settle(window, qtbot)
    trigger(window, "file_save")
    edited = window.document.experiment
    assert not window.document.modified
    assert identical(load(file), edited)

    click(qtbot, w_k, 0, 1)
    qtbot.keyClick(w_k, Qt.Key.Key_Delete)
    assert window.document.modified
    with answering(button("Revert")):
        trigger(window, "file_revert")
    settle(window, qtbot)
    assert identical(window.document.experiment, edited)
    compare_with_what_is_computed(window)


def test_a_number_typed_into_a_computed_cell_pins_it_and_one_click_releases_it(
    window: MainWindow, qtbot: QtBot
) -> None:
    weights = table(window, "weights")
    click(qtbot, weights, 3, 1)
    type_keys(qtbot, "0.9")
    qtbot.keyClick(child(weights, QLineEdit, "cell-editor"), Qt.Key.Key_Return)
    settle(window, qtbot)
    assert window.document.experiment.pins["layers.0.weights.0"][3, 1] == 0.9
    assert weights.content.picture.pinned is not None
    compare_with_what_is_computed(window)
    card = pipeline(window).canvas.cards["weights"]
    tag = next(it for it in card.findChildren(QAbstractButton) if it.text().startswith("pinned"))
    qtbot.mouseClick(tag, LEFT)
    settle(window, qtbot)
    assert identical(window.document.experiment, load_example("animal-street"))


def test_text_that_is_no_number_stays_in_the_editor_with_a_sentence_beside_it(window: MainWindow, qtbot: QtBot) -> None:
    before = window.document.experiment
    w_q = table(window, "W_Q")
    click(qtbot, w_q, 0, 0)
    type_keys(qtbot, "abc")
    editor = child(w_q, QLineEdit, "cell-editor")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    complaint = child(window, QLabel, "complaint")
    assert complaint.isVisible()
    assert "abc" in complaint.text()
    assert editor.isVisible()
    assert editor.text() == "abc"
    assert window.document.experiment is before
    assert window.document.undo_stack.count() == 0
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert window.document.experiment is before
