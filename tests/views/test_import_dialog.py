"""The dialog that imports a matrix: real files, real clicks, the experiment afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from attnexplorer.document.document import Document
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.errors import FileError
from attnexplorer.experiment.examples import load_example
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.importing.array_source import ArraySource
from attnexplorer.views.importing.import_dialog import ImportDialog
from attnexplorer.views.importing.preview import MatrixPreview

Open = Callable[..., ImportDialog]
W_Q = "layers.0.attention.W_Q.0"


@pytest.fixture
def document(qtbot: QtBot) -> Iterator[Document]:
    document = Document(load_example("multi-head"))
    yield document
    document.close()


@pytest.fixture
def opened(qtbot: QtBot, document: Document) -> Open:
    def open_dialog(source: ArraySource, path: str | None = None) -> ImportDialog:
        dialog = ImportDialog(document, Appearance(), source, path)
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return open_dialog


def ok(dialog: ImportDialog) -> QPushButton:
    return dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok)


def said(dialog: ImportDialog, name: str) -> str:
    label = dialog.findChild(QLabel, name)
    return label.text() if label.isVisible() else ""


def choose(box: QComboBox, text: str) -> None:
    """Choose the entry of a list that begins with a text, as a user's key does."""
    index = next(i for i in range(box.count()) if box.itemText(i).startswith(text))
    box.setFocus()
    box.setCurrentIndex(index)


def test_a_matrix_goes_where_the_menu_was_opened_as_one_undo_step(
    qtbot: QtBot, opened: Open, document: Document, tmp_path: Path
) -> None:
    before = document.experiment
    new = np.random.default_rng(0).standard_normal(before.layers[0].attention.W_Q[0].shape)
    np.save(tmp_path / "w.npy", new)
    dialog = opened(ArraySource.of_file(tmp_path / "w.npy"), W_Q)
    assert dialog.target_box.currentText() == "W_Q, head 1"
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    assert np.array_equal(document.experiment.layers[0].attention.W_Q[0], new)
    assert document.undo_stack.undoText() == "Import into W_Q, head 1"
    document.undo_stack.undo()
    assert identical(document.experiment, before)


def test_a_weight_of_linear_is_offered_transposed_if_only_that_fits(
    qtbot: QtBot, opened: Open, document: Document, tmp_path: Path
) -> None:
    shape = document.experiment.layers[0].attention.W_Q[0].shape
    new = np.random.default_rng(0).standard_normal(shape[::-1])
    np.save(tmp_path / "w.npy", new)
    dialog = opened(ArraySource.of_file(tmp_path / "w.npy"), W_Q)
    assert dialog.transpose.isChecked()
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    assert np.array_equal(document.experiment.layers[0].attention.W_Q[0], new.T)


def test_what_does_not_fit_is_said_and_cannot_be_imported(opened: Open, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.eye(5))
    dialog = opened(ArraySource.of_file(tmp_path / "w.npy"), W_Q)
    assert said(dialog, "import-error") == "The array is 5 × 5, but W_Q is 48 × 4"
    assert not ok(dialog).isEnabled()
    # What the array holds is still seen, so that the right place can be found.
    assert dialog.findChild(MatrixPreview).picture.values.shape == (5, 5)


def test_a_fused_matrix_is_split_into_q_k_v_and_heads(
    qtbot: QtBot, opened: Open, document: Document, tmp_path: Path
) -> None:
    attention = document.experiment.layers[0].attention
    width, d_k, heads = attention.d_model, attention.d_k, attention.heads
    fused = np.random.default_rng(0).standard_normal((3 * heads * d_k, width))
    np.savez(tmp_path / "model.npz", bias=np.zeros(3), in_proj_weight=fused)
    dialog = opened(ArraySource.of_file(tmp_path / "model.npz"))
    choose(dialog.array_box, "in_proj_weight")
    choose(dialog.target_box, "W_Q, W_K and W_V in one")
    dialog.transpose.click()
    assert said(dialog, "import-error") == ""
    assert dialog.preview_box.count() == 3 * heads
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    after = document.experiment.layers[0].attention
    assert np.array_equal(np.hstack(after.W_K), fused[heads * d_k : 2 * heads * d_k].T)
    document.undo_stack.undo()
    assert document.experiment.layers[0].attention is attention


def test_the_preview_shows_the_beginning_of_what_will_be_there(
    opened: Open, document: Document, tmp_path: Path
) -> None:
    new = np.random.default_rng(0).standard_normal(document.experiment.embedding.E.shape)
    np.save(tmp_path / "E.npy", new)
    dialog = opened(ArraySource.of_file(tmp_path / "E.npy"), "embedding.E")
    assert np.array_equal(dialog.findChild(MatrixPreview).picture.values, new[:9, :9])
    assert said(dialog, "import-summary") == "6 × 48, its beginning"


def test_an_unclear_decimal_comma_is_asked_about_and_nothing_is_guessed(
    qtbot: QtBot, opened: Open, document: Document
) -> None:
    rows = "\n".join(f"{row},5" for row in range(len(document.experiment.embedding.vocabulary)))
    dialog = opened(ArraySource.of_text(rows))
    assert said(dialog, "import-note") == "These numbers can be read in 2 ways: choose how they are written."
    assert not ok(dialog).isEnabled()
    choose(dialog.layout_box, "commas, decimal point")
    assert dialog.findChild(MatrixPreview).picture.values.tolist()[1] == [1.0, 5.0]
    choose(dialog.layout_box, "tabs, decimal comma")
    assert dialog.findChild(MatrixPreview).picture.values.tolist()[1] == [1.5]
    assert said(dialog, "import-note") == ""


def test_another_layout_in_which_the_text_is_no_table_is_refused_and_the_first_can_be_taken_again(
    opened: Open, document: Document
) -> None:
    shape = document.experiment.embedding.E.shape
    text = "\n".join(";".join("0,5" for _ in range(shape[1])) for _ in range(shape[0]))
    dialog = opened(ArraySource.of_text(text), "embedding.E")
    assert ok(dialog).isEnabled()
    choose(dialog.layout_box, "semicolons, decimal point")
    assert said(dialog, "import-error").startswith("The clipboard: row 1, column 1 is")
    assert not ok(dialog).isEnabled()
    choose(dialog.layout_box, "semicolons, decimal comma")
    assert ok(dialog).isEnabled()


def test_a_stage_is_pinned_to_imported_numbers(qtbot: QtBot, opened: Open, document: Document) -> None:
    tokens = len(document.experiment.query_tokens)
    text = "\n".join(" ".join("0.25" for _ in range(tokens)) for _ in range(tokens))
    dialog = opened(ArraySource.of_text(text), "layers.0.weights.1")
    assert dialog.target_box.currentText() == "weights A, head 2"
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    assert document.experiment.pins["layers.0.weights.1"].tolist() == [[0.25] * tokens] * tokens


def test_numbers_that_are_not_finite_are_refused_where_they_may_not_be(
    qtbot: QtBot, opened: Open, document: Document, tmp_path: Path
) -> None:
    before = document.experiment
    new = np.zeros(before.layers[0].attention.W_Q[0].shape)
    new[1, 2] = np.nan
    np.save(tmp_path / "w.npy", new)
    dialog = opened(ArraySource.of_file(tmp_path / "w.npy"), W_Q)
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    assert said(dialog, "import-error") == "W_Q, head 1, row 2, column 3 would be nan; a finite number is needed"
    assert document.experiment is before
    assert dialog.isVisible()


def test_one_matrix_of_a_stack_can_be_chosen(qtbot: QtBot, opened: Open, document: Document, tmp_path: Path) -> None:
    stack = np.random.default_rng(0).standard_normal((3, *document.experiment.layers[0].attention.W_Q[0].shape))
    np.save(tmp_path / "w.npy", stack)
    dialog = opened(ArraySource.of_file(tmp_path / "w.npy"), W_Q)
    assert said(dialog, "import-error") == "The array is 3 × 48 × 4, but W_Q is 48 × 4"
    choose(dialog.slice_box, "2")
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    assert np.array_equal(document.experiment.layers[0].attention.W_Q[0], stack[1])


def test_an_array_that_breaks_off_is_said_in_the_dialog(opened: Open, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.zeros((48, 4)))
    source = ArraySource.of_file(tmp_path / "w.npy")
    (tmp_path / "w.npy").write_bytes((tmp_path / "w.npy").read_bytes()[:-8])
    dialog = opened(source, W_Q)
    assert said(dialog, "import-error") == "w.npy: w ends before all of its numbers are there"
    assert not ok(dialog).isEnabled()


def test_what_holds_nothing_never_becomes_a_dialog() -> None:
    with pytest.raises(FileError, match="the clipboard: the text is empty"):
        ArraySource.of_text(" \n ")


def test_only_what_there_is_a_choice_of_is_asked(opened: Open, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.zeros((48, 4)))
    dialog = opened(ArraySource.of_file(tmp_path / "w.npy"), W_Q)
    shown = {box.objectName() for box in dialog.findChildren(QComboBox) if box.isVisible()}
    assert shown == {"import-target"}
    assert all(box.accessibleName() and box.toolTip() for box in dialog.findChildren(QComboBox))
