"""The window on a capture: opened from a file, its figures, and what it has in common with the other windows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QMenu, QPushButton, QSpinBox, QToolButton
from pytestqt.qtbot import QtBot
from real_windows import child, click, opened_menu, program, trigger

from attnexplorer.app import file_dialogs, launch, transfer_dialogs
from attnexplorer.app.capture_window import CaptureWindow, open_windows
from attnexplorer.app.command_line import main
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_copy_of_example
from attnexplorer.experiment.captured import Capture
from attnexplorer.interop.capture import capture, capture_bytes, read_capture
from attnexplorer.views.complaint import Complaint
from attnexplorer.views.export_dialog.dialog import ExportDialog
from attnexplorer.views.matrix_menu import MatrixMenu

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(4), size=(2, 3, 4))
TOKENS = ["the", "Ġcat", "sat", "."]


@pytest.fixture
def windows(qtbot: QtBot) -> Iterator[Windows]:
    with program() as windows:
        windows.appearance.choose_theme("light")
        yield windows


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "gpt.npz"
    path.write_bytes(capture_bytes(capture(WEIGHTS, TOKENS, title="gpt")))
    return path


@pytest.fixture
def window(windows: Windows, file: Path, qtbot: QtBot) -> CaptureWindow:
    window = windows.show_any(launch._loaded(str(file)))
    assert isinstance(window, CaptureWindow)
    qtbot.waitUntil(lambda: bool(window.heads.canvas.order))
    return window


def dialog_of(window: CaptureWindow, qtbot: QtBot) -> ExportDialog:
    """Press Ctrl + E and wait for the preview."""
    window.activateWindow()
    window.heads.canvas.grid.setFocus()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.findChild(ExportDialog) is not None)
    dialog = window.findChild(ExportDialog)
    assert isinstance(dialog, ExportDialog)
    qtbot.waitUntil(lambda: dialog.pane.preview.figure is not None)
    return dialog


def choose(dialog: ExportDialog, name: str, text: str) -> None:
    box = child(dialog, QComboBox, name)
    place = box.findText(text)
    assert place >= 0, [box.itemText(index) for index in range(box.count())]
    box.setCurrentIndex(place)


def test_a_named_file_opens_a_window_of_its_own_and_is_remembered(window: CaptureWindow, windows: Windows) -> None:
    assert windows.open == ()
    assert windows.captures == (window,)
    assert window.windowTitle().startswith("gpt.npz")
    assert windows.settings.recent_files == (window.path,)
    assert isinstance(window.document.experiment, Capture)


def test_open_and_the_recent_list_take_captures(
    windows: Windows, file: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = windows.show_new(load_copy_of_example("animal-street"))
    monkeypatch.setattr(file_dialogs, "ask_for_file_to_open", lambda parent, folder: file)
    trigger(first, "file_open")
    (shown,) = windows.captures
    assert windows.open == (first,)
    assert first.document.experiment.title == "The animal and the street"
    trigger(first, "file_open")
    assert windows.captures == (shown,)
    shown.close()
    assert windows.captures == ()
    entries = [it.text() for it in opened_menu(first, "file_recent").actions()]
    assert entries[0] == "&1 gpt.npz"
    trigger(first, "file_recent_1")
    assert [it.path for it in windows.captures] == [file]


def test_other_files_open_from_a_capture_too_and_bad_ones_are_said_there(
    window: CaptureWindow, windows: Windows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez(tmp_path / "plain.npz", W=np.eye(2))
    monkeypatch.setattr(file_dialogs, "ask_for_file_to_open", lambda parent, folder: tmp_path / "plain.npz")
    child_action(window, "file_open").trigger()
    assert window.messages.texts == ("plain.npz: it is no capture: an array “attention” of numbers was expected.",)
    child_action(window, "file_new_window").trigger()
    assert len(windows.open) == 1
    other = tmp_path / "other.npz"
    other.write_bytes(capture_bytes(capture(WEIGHTS[:1], TOKENS)))
    monkeypatch.setattr(file_dialogs, "ask_for_file_to_open", lambda parent, folder: other)
    child_action(window, "file_open").trigger()
    assert window.messages.texts == ()
    assert [it.path for it in windows.captures] == [window.path, other]


def test_a_capture_dropped_on_a_capture_opens(
    window: CaptureWindow, windows: Windows, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other.npz"
    other.write_bytes(capture_bytes(capture(WEIGHTS[:1], TOKENS)))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(other))])
    place, buttons, keys = QPointF(9, 9), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(place.toPoint(), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(window, QDropEvent(place, Qt.DropAction.CopyAction, data, buttons, keys))
    qtbot.waitUntil(lambda: len(windows.captures) == 2)


def child_action(window: CaptureWindow, name: str) -> QAction:
    found = window.findChild(QAction, name)
    assert isinstance(found, QAction), name
    return found


def test_what_is_saved_becomes_the_file_of_the_window(
    windows: Windows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    window = windows.show_capture(capture(WEIGHTS, TOKENS, title="a b/c"))
    asked: list[Path] = []

    def chosen(parent: object, title: str, suggestion: Path, kinds: object) -> Path:
        asked.append(suggestion)
        return tmp_path / "mine.npz"

    monkeypatch.setattr(transfer_dialogs, "ask_for_file_to_write", chosen)
    child_action(window, "capture_save_as").trigger()
    assert asked[0].name == "a-b-c.npz"
    assert read_capture(tmp_path / "mine.npz").title == "a b/c"
    assert window.path == tmp_path / "mine.npz"
    assert window.windowTitle().startswith("mine.npz")
    assert windows.settings.recent_files[0] == tmp_path / "mine.npz"


def test_heads_cannot_be_muted_so_there_are_no_buttons_for_it(window: CaptureWindow, qtbot: QtBot) -> None:
    grid = window.heads.canvas.grid
    assert [(tile.mixing, tile.has_buttons) for tile in grid.grid.tiles] == [(True, False)] * 3
    layout = grid._layout
    corner = layout.button_rect(1, "mute").center()
    hit = layout.hit(grid.grid, corner.toPointF())
    assert hit is not None
    assert (hit.tile, hit.part) == (1, "tile")
    QTest.mouseClick(grid, Qt.MouseButton.LeftButton, pos=corner)
    assert window.document.display["head"] == 1
    assert not child(window, QLabel, "capture-refusal").isVisible()


@pytest.mark.parametrize("form", ["png", "svg", "pdf", "pptx", "gif"])
def test_a_figure_by_the_dialog_has_the_bytes_that_the_command_line_writes(
    window: CaptureWindow, file: Path, tmp_path: Path, qtbot: QtBot, form: str
) -> None:
    window.document.display.choose("layer", 1)
    dialog = dialog_of(window, qtbot)
    assert dialog.error.text() == ""
    click(dialog, form)
    with qtbot.waitSignal(dialog.written, timeout=60_000) as written:
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert written.args is not None
    ending = "-rows" if form == "gif" else ""
    assert written.args[0] == tmp_path / f"gpt-heads-weights-layer-2{ending}.{form}"
    again = tmp_path / f"again.{form}"
    sweep = ["--sweep", "rows"] if form == "gif" else []
    assert main(["export", str(file), "--figure", "heads", "--layer", "1", "-o", str(again), *sweep]) == 0
    assert written.args[0].read_bytes() == again.read_bytes()
    assert window.messages.texts == (f"The figure is in {written.args[0]}.",)


def test_the_dialog_offers_what_there_is(window: CaptureWindow, qtbot: QtBot) -> None:
    dialog = dialog_of(window, qtbot)
    what = child(dialog, QComboBox, "figure-what")
    assert [what.itemText(place) for place in range(what.count())] == [
        "All heads side by side",
        "The flow of a head",
        "weights A",
    ]
    qtbot.waitUntil(lambda: dialog.choices_form.carry.text() == "Carry the experiment (1 kB)")
    click(dialog, "gif")
    sweep = child(dialog, QComboBox, "figure-sweep")
    assert [sweep.itemText(place) for place in range(sweep.count())] == ["Row by row"]
    qtbot.waitUntil(lambda: dialog.pane.place.maximum() == 5)
    assert dialog.error.text() == ""
    choose(dialog, "figure-what", "The flow of a head")
    choose(dialog, "figure-head", "all heads")
    qtbot.waitUntil(lambda: "all heads" in (dialog.pane.preview.figure.title if dialog.pane.preview.figure else ""))
    click(dialog, "figure-copy-command")
    assert QGuiApplication.clipboard().text().startswith("attnexplorer export gpt.npz -o gpt-flow-all-heads-layer-1")
    dialog.leave()


def test_a_figure_goes_to_the_clipboard_and_weights_as_text(window: CaptureWindow, qtbot: QtBot) -> None:
    child_action(window, "edit_copy_figure").trigger()
    data = QGuiApplication.clipboard().mimeData()
    assert data.hasImage()
    assert "captured" not in window.messages.texts
    assert window.heads.canvas.map is not None
    table = window.heads.canvas.map.table
    window.activateWindow()
    table.setFocus()
    qtbot.waitUntil(table.hasFocus)
    copies = child(window, QMenu, "edit_copy_as")
    copies.aboutToShow.emit()
    next(it for it in copies.actions() if it.objectName() == "copy_as_csv").trigger()
    rows = QGuiApplication.clipboard().text().split("\n")
    assert [[float(cell) for cell in row.split(",")] for row in rows] == WEIGHTS[0, 0].tolist()


def test_the_weights_that_are_enlarged_are_exported_by_the_menu(
    window: CaptureWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    window.document.display.choose("head", 2)
    qtbot.waitUntil(lambda: window.heads.canvas.map.path == "layers.0.weights.2")  # type: ignore[union-attr]
    monkeypatch.setattr(transfer_dialogs, "ask_for_file_to_write", lambda *arguments: tmp_path / "head.npy")
    child_action(window, "export_matrix").trigger()
    assert np.array_equal(np.load(tmp_path / "head.npy", allow_pickle=False), WEIGHTS[0, 2])


def test_a_figure_brings_its_capture_back_in_a_window_of_its_own(
    window: CaptureWindow, windows: Windows, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = dialog_of(window, qtbot)
    with qtbot.waitSignal(dialog.written, timeout=60_000) as written:
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert written.args is not None
    figure = written.args[0]
    monkeypatch.setattr(file_dialogs, "ask_for_file_to_open", lambda parent, folder: figure)
    child_action(window, "file_open").trigger()
    again = windows.captures[1]
    assert again.path is None
    assert again.windowTitle().startswith("gpt")
    assert isinstance(again.document.experiment, Capture)
    assert np.array_equal(again.document.experiment.attention, WEIGHTS)


def test_the_menu_of_the_map_has_no_entry_that_edits(window: CaptureWindow) -> None:
    map_card = window.heads.canvas.map
    assert map_card is not None
    menu = MatrixMenu(window.document, window.appearance, window).build(
        map_card.table, map_card.table.model().index(1, 0)
    )
    texts = [entry.text() for entry in menu.actions() if entry.text()]
    assert texts == ["Select all", "Copy", "Copy as", "Export…"]
    menu.deleteLater()


def test_the_map_with_the_keyboard_is_what_the_figure_shows_at_first(window: CaptureWindow, qtbot: QtBot) -> None:
    assert window.heads.canvas.map is not None
    table = window.heads.canvas.map.table
    window.activateWindow()
    centre = table.visualRect(table.model().index(2, 1)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=centre)
    qtbot.waitUntil(table.hasFocus)
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.findChild(ExportDialog) is not None)
    dialog = window.findChild(ExportDialog)
    assert isinstance(dialog, ExportDialog)
    assert child(dialog, QComboBox, "figure-what").currentText() == "This matrix: weights A, head 1, layer 1"
    assert dialog.spec.highlight == (2, 1)
    qtbot.waitUntil(lambda: dialog.pane.preview.figure is not None)
    dialog.leave()


def test_a_capture_named_on_the_command_line_opens_its_window(file: Path) -> None:
    program_text = (
        "import sys\n"
        "from PySide6.QtCore import QTimer\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from attnexplorer.app import launch\n"
        "from attnexplorer.app.command_line import main\n"
        "application = launch.make_application()\n"
        "def look():\n"
        "    shown = [it for it in application.topLevelWidgets() if it.isWindow() and it.isVisible()]\n"
        "    print(*(f'{type(it).__name__} {it.windowTitle()}' for it in shown))\n"
        "    QApplication.closeAllWindows()\n"
        "QTimer.singleShot(300, look)\n"
        f"sys.exit(main([{str(file)!r}]))"
    )
    root = Path(launch.__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program_text], cwd=root, capture_output=True, encoding="utf-8", check=False
    )
    # The offscreen platform says this at every show.
    said = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
    assert (done.returncode, said) == (0, [])
    assert done.stdout.startswith("CaptureWindow gpt.npz")


def test_leaving_the_field_of_the_layer_complains_about_a_wrong_number_only(
    window: CaptureWindow, qtbot: QtBot
) -> None:
    field = child(window, QSpinBox, "layer_chooser")
    assert field.text() == "1 of 2"
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert window.findChild(Complaint) is None
    field.selectAll()
    QTest.keyClicks(field, "7")
    QTest.keyClick(field, Qt.Key.Key_Return)
    complaint = window.findChild(Complaint)
    assert isinstance(complaint, Complaint)
    assert complaint.text() == "“7” does not fit here: a whole number from 1 to 2 is needed."
    assert field.text() == "1 of 2"


def test_a_window_closes_while_a_wrong_number_is_being_typed(window: CaptureWindow, qtbot: QtBot) -> None:
    field = child(window, QSpinBox, "layer_chooser")
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    field.selectAll()
    QTest.keyClicks(field, "7")
    window.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert window not in open_windows


def test_quitting_closes_captures_too(window: CaptureWindow, windows: Windows) -> None:
    windows.show_new(load_copy_of_example("tired"))
    child_action(window, "file_quit").trigger()
    assert (windows.open, windows.captures) == ((), ())


def test_closing_the_window_closes_its_dialog(window: CaptureWindow, qtbot: QtBot) -> None:
    dialog = dialog_of(window, qtbot)
    window.close()
    assert not dialog.isVisible()


def test_only_what_can_be_done_is_in_the_menus(window: CaptureWindow) -> None:
    names = {action.objectName() for action in window.findChildren(QAction)}
    assert {"file_open", "file_export_figure", "edit_copy", "edit_copy_figure", "view_larger", "help_about"} <= names
    assert not {"file_export_deck", "edit_paste", "edit_cut", "file_save", "file_notes"} & names
    assert child(window, QPushButton, "export_figure_button").isVisible()
    assert not any(it.isVisible() for it in window.findChildren(QToolButton) if "undo" in it.objectName())


@pytest.mark.parametrize("bad", [np.nan, 1.5, -1.0, np.inf])
def test_weights_that_are_none_are_shown_without_an_error(windows: Windows, qtbot: QtBot, bad: float) -> None:
    weights = WEIGHTS.copy()
    weights[0, 1, 2, 0] = bad
    weights[0, 0, 1] = 0.0
    window = windows.show_capture(capture(weights, TOKENS))
    qtbot.waitUntil(lambda: window.heads.canvas.numbers.complete and bool(window.heads.canvas.order))
    picture = window.heads.canvas.grid.grid.tiles[1].picture
    assert picture is not None
    assert np.array_equal(picture.values, weights[0, 1], equal_nan=True)
    window.document.display.choose("head", 1)
    qtbot.waitUntil(lambda: window.heads.canvas.map.path == "layers.0.weights.1")  # type: ignore[union-attr]
    window.grab()
    dialog = dialog_of(window, qtbot)
    assert dialog.error.text() == ""
    dialog.leave()
