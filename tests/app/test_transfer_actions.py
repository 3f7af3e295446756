"""Copy As, Import and Export in a real window; only the dialogs that choose a file are replaced."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from exported_scripts import differences, stages_of
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QMenu
from pytestqt.qtbot import QtBot
from real_windows import action, answering, button, child, opened_menu, program, trigger
from safetensors.numpy import load_file

from attnexplorer.app import capture_window, transfer_dialogs
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.transfer_actions import TransferActions
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_file as load_experiment
from attnexplorer.experiment.examples import example_path
from attnexplorer.figures.matrix import Block
from attnexplorer.interop.capture import capture, capture_bytes
from attnexplorer.interop.matrix_files import FORMATS
from attnexplorer.views.importing.import_dialog import ImportDialog
from attnexplorer.views.matrix_menu import MatrixMenu
from attnexplorer.views.matrix_table import MatrixTable

E = "embedding.E"
Choose = Callable[[Path | None], None]


@pytest.fixture
def windows(qtbot: QtBot) -> Iterator[Windows]:
    with program() as windows:
        yield windows
        for window in tuple(capture_window.open_windows):
            window.close()


@pytest.fixture
def window(windows: Windows, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    lesson = Path(shutil.copy(example_path("animal-street"), tmp_path / "lesson.attn"))
    window = windows.show_new(load_experiment(lesson))
    qtbot.waitUntil(lambda: bool(window.document.evaluation.arrays))
    return window


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Choose:
    """Lets the file dialogs choose a file at once."""

    def choose(path: Path | None) -> None:
        monkeypatch.setattr(transfer_dialogs, "ask_for_matrix_file", lambda parent, folder: path)
        monkeypatch.setattr(transfer_dialogs, "ask_for_file_to_write", lambda parent, title, suggestion, kinds: path)

    return choose


def table(window: MainWindow, path: str) -> MatrixTable:
    """Return a table with the keyboard focus on its first cell."""
    found = next(it for it in window.findChildren(MatrixTable) if it.path == path and it.isVisible())
    window.activateWindow()
    found.setFocus()
    found.setCurrentIndex(found.model().index(0, 0))
    return found


def copied(window: MainWindow, name: str) -> str:
    menu = opened_menu(window, "edit_copy_as")
    next(it for it in menu.actions() if it.objectName() == name).trigger()
    return QGuiApplication.clipboard().text()


def export(qtbot: QtBot, window: MainWindow, name: str) -> None:
    """Choose an entry of the menu Export, and wait until the file is written or refused."""
    actions = window.findChild(TransferActions)
    assert isinstance(actions, TransferActions)
    trigger(window, name)
    qtbot.waitUntil(lambda: not actions.exporting.running)


def test_a_matrix_is_copied_in_every_form(window: MainWindow, qtbot: QtBot) -> None:
    focused = table(window, E)
    qtbot.waitUntil(focused.hasFocus)
    assert copied(window, "copy_as_tsv").split("\n")[0] == "0.9\t0.2"
    assert copied(window, "copy_as_csv").split("\n")[1] == "0.1,0.8"
    assert copied(window, "copy_as_latex").startswith("\\begin{bmatrix}\n0.9 & 0.2 \\\\\n")
    assert copied(window, "copy_as_markdown").startswith("|  | 1 | 2 |\n| --- | ---: | ---: |\n| animal | 0.9 | 0.2 |")
    assert copied(window, "copy_as_numpy").startswith("np.array([[0.9, 0.2],")
    assert copied(window, "copy_as_pytorch").startswith("torch.tensor([[0.9, 0.2],")
    assert copied(window, "copy_as_json").startswith("[[0.9, 0.2],")


def test_a_selection_of_several_cells_is_copied_alone(window: MainWindow, qtbot: QtBot) -> None:
    focused = table(window, E)
    qtbot.waitUntil(focused.hasFocus)
    focused.select_block(Block(1, 0, 3, 1))
    assert copied(window, "copy_as_tsv") == "0.1\n0.2"


def test_copies_can_be_rounded_as_on_screen(window: MainWindow, qtbot: QtBot) -> None:
    window.document.set_cell(E, 0, 0, 1 / 3)
    window.document.recomputation.finish()
    focused = table(window, E)
    qtbot.waitUntil(focused.hasFocus)
    assert copied(window, "copy_as_csv").startswith("0.3333333333333333,")
    copied(window, "copy_as_shown")
    assert copied(window, "copy_as_csv").startswith("0.33,0.20")


def test_without_a_matrix_there_is_nothing_to_copy(window: MainWindow) -> None:
    window.setFocus()
    (only,) = opened_menu(window, "edit_copy_as").actions()
    assert not only.isEnabled()


def test_the_menu_of_a_matrix_offers_copies_import_and_export(window: MainWindow) -> None:
    it = table(window, E)
    menu = MatrixMenu(window.document, window.appearance, window).build(it)
    texts = [entry.text() for entry in menu.actions()]
    assert {"Copy as", "Import…", "Export…"} <= set(texts)
    copies = next(entry.menu() for entry in menu.actions() if entry.text() == "Copy as")
    assert isinstance(copies, QMenu)
    assert len([entry for entry in copies.actions() if not entry.isSeparator()]) == 8
    menu.deleteLater()


@pytest.mark.parametrize("suffix", [suffix for _, suffix in FORMATS])
def test_a_matrix_is_exported_in_the_format_of_the_files_name(
    window: MainWindow, choose: Choose, tmp_path: Path, qtbot: QtBot, suffix: str
) -> None:
    focused = table(window, E)
    qtbot.waitUntil(focused.hasFocus)
    choose(tmp_path / f"E{suffix}")
    trigger(window, "export_matrix")
    data = (tmp_path / f"E{suffix}").read_bytes()
    assert data.startswith(b"\x93NUMPY") if suffix == ".npy" else b"0.9" in data
    assert window.messages.texts == ()


def test_a_stage_that_is_not_on_screen_is_exported_too(window: MainWindow, choose: Choose, tmp_path: Path) -> None:
    from attnexplorer.views.transfers import Transfers

    choose(tmp_path / "logits.npy")
    Transfers.of(window.document).export_requested.emit("layers.0.weights.0")
    weights = np.load(tmp_path / "logits.npy", allow_pickle=False)
    assert np.allclose(weights.sum(axis=1), 1.0)


def test_all_stages_are_exported_as_npz_and_safetensors(
    window: MainWindow, choose: Choose, tmp_path: Path, qtbot: QtBot
) -> None:
    choose(tmp_path / "a.npz")
    export(qtbot, window, "export_npz")
    assert window.messages.texts == (f"Written: {tmp_path / 'a.npz'}.",)
    choose(tmp_path / "a.safetensors")
    export(qtbot, window, "export_safetensors")
    wanted = stages_of(window.document.experiment)
    assert differences(load_file(tmp_path / "a.safetensors"), wanted, 0.0) == []
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert np.array_equal(archive["layers.0.weights"], wanted["layers.0.weights"])


def test_the_exported_numpy_script_runs(window: MainWindow, choose: Choose, tmp_path: Path, qtbot: QtBot) -> None:
    choose(tmp_path / "lesson.py")
    export(qtbot, window, "export_numpy")
    command = [sys.executable, "-I", str(tmp_path / "lesson.py")]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout.endswith("The last stage agrees with Attention Explorer.\n")


def test_the_pytorch_code_is_exported(window: MainWindow, choose: Choose, tmp_path: Path, qtbot: QtBot) -> None:
    choose(tmp_path / "lesson.py")
    export(qtbot, window, "export_pytorch")
    compile((tmp_path / "lesson.py").read_text(encoding="utf-8"), "lesson.py", "exec")


def test_not_choosing_a_file_writes_and_reads_nothing(window: MainWindow, choose: Choose, tmp_path: Path) -> None:
    choose(None)
    before = sorted(os.listdir(tmp_path))
    for name in ("export_npz", "export_numpy", "file_import"):
        trigger(window, name)
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("name", ["export_npz", "export_safetensors", "export_numpy", "export_pytorch"])
def test_a_folder_that_is_not_there_is_said_in_the_window(
    window: MainWindow, choose: Choose, tmp_path: Path, name: str, qtbot: QtBot
) -> None:
    choose(tmp_path / "nowhere" / "a.bin")
    export(qtbot, window, name)
    assert window.messages.texts == ("a.bin: not saved: the folder does not exist.",)


def test_a_matrix_without_a_format_is_refused_and_nothing_is_written(
    window: MainWindow, choose: Choose, tmp_path: Path, qtbot: QtBot
) -> None:
    focused = table(window, E)
    qtbot.waitUntil(focused.hasFocus)
    choose(tmp_path / "E.xlsx")
    trigger(window, "export_matrix")
    (text,) = window.messages.texts
    assert text.startswith("E.xlsx: not saved: a name that ends in")
    assert not (tmp_path / "E.xlsx").exists()


def test_an_imported_file_goes_through_the_dialog_into_the_experiment(
    window: MainWindow, choose: Choose, tmp_path: Path, qtbot: QtBot
) -> None:
    new = np.arange(8.0).reshape(4, 2)
    np.save(tmp_path / "new.npy", new)
    choose(tmp_path / "new.npy")
    with answering(button("Import")) as asked:
        trigger(window, "file_import")
        qtbot.waitUntil(lambda: bool(asked))
    assert asked == ["Import from new.npy"]
    assert np.array_equal(window.document.experiment.embedding.E, new)


def test_a_file_that_cannot_be_imported_is_said_in_the_window(
    window: MainWindow, choose: Choose, tmp_path: Path
) -> None:
    (tmp_path / "bad.npy").write_bytes(b"\x80\x04nothing good")
    choose(tmp_path / "bad.npy")
    trigger(window, "file_import")
    (text,) = window.messages.texts
    assert text.startswith("bad.npy: the array is a pickle: it holds Python objects, which are never loaded")
    choose(None)


def test_copied_text_is_imported(window: MainWindow, qtbot: QtBot) -> None:
    QGuiApplication.clipboard().setText("1\t2\r\n3\t4\r\n5\t6\r\n7\t8\r\n")
    with answering(button("Import")) as asked:
        trigger(window, "file_import_clipboard")
        qtbot.waitUntil(lambda: bool(asked))
    assert window.document.experiment.embedding.E.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_an_empty_clipboard_is_said_in_the_window(window: MainWindow) -> None:
    QGuiApplication.clipboard().setText("")
    trigger(window, "file_import_clipboard")
    assert window.messages.texts == ("the clipboard: the text is empty, but a table of numbers was expected.",)


def test_a_dropped_file_asks_about_the_matrix_it_was_dropped_on(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    np.save(tmp_path / "w.npy", np.eye(2))
    target = table(window, "layers.0.attention.W_K.0")
    at = target.viewport().mapTo(window, target.viewport().rect().center())
    seen: list[str] = []

    def answer(dialog: QDialog) -> None:
        assert isinstance(dialog, ImportDialog)
        seen.append(dialog.target_box.currentText())
        dialog.reject()

    with answering(answer) as asked:
        _drop(window, at, tmp_path / "w.npy")
        qtbot.waitUntil(lambda: bool(asked))
    assert seen == ["W_K, head 1"]


def test_a_dropped_picture_is_not_taken(window: MainWindow, tmp_path: Path) -> None:
    assert not _drop(window, QPoint(5, 5), tmp_path / "picture.jpg")


def test_a_dropped_capture_opens_in_a_window_of_its_own(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    weights = np.full((1, 2, 3, 3), 1 / 3)
    (tmp_path / "model.npz").write_bytes(capture_bytes(capture(weights, ["a", "b", "c"])))
    assert _drop(window, QPoint(5, 5), tmp_path / "model.npz")
    qtbot.waitUntil(lambda: bool(capture_window.open_windows))
    assert capture_window.open_windows[0].windowTitle() == "model.npz"


def test_the_entries_stand_in_their_menus(window: MainWindow) -> None:
    exports = child(window, QMenu, "file_export")
    assert [it.objectName() for it in exports.actions()][:1] == ["export_matrix"]
    assert action(window, "file_import").shortcut().toString() == "Ctrl+Shift+O"


def _drop(window: MainWindow, at: QPoint, file: Path) -> bool:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    actions, buttons, keys = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(at, actions, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(at), actions, data, buttons, keys))
    return enter.isAccepted()
