"""Figures from a real window: two keys to a file, what is shown first, the deck, and the clipboard."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pptx import Presentation
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from real_windows import action, child, click, trigger

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_file
from attnexplorer.experiment.examples import example_path
from attnexplorer.figures.carrying import extract
from attnexplorer.figures.command_words import command_words
from attnexplorer.figures.export import Export
from attnexplorer.figures.layout import lay_out
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.views.export_dialog.dialog import ExportDialog
from attnexplorer.views.geometry.workspace import GeometryWorkspace
from attnexplorer.views.heads.workspace import HeadsWorkspace
from attnexplorer.views.matrix_table import MatrixTable


@pytest.fixture
def window(windows: Windows, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    lesson = Path(shutil.copy(example_path("animal-street"), tmp_path / "lesson.attn"))
    window = windows.show_new(load_file(lesson))
    qtbot.waitUntil(lambda: bool(window.document.evaluation.arrays))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def dialog_of(window: MainWindow, qtbot: QtBot) -> ExportDialog:
    dialog = child(window, ExportDialog, "export-dialog")
    qtbot.waitUntil(lambda: dialog.pane.preview.figure is not None)
    return dialog


def focus(window: MainWindow, path: str, row: int, column: int, qtbot: QtBot) -> None:
    table = next(it for it in window.findChildren(MatrixTable) if it.path == path and it.isVisible())
    table.setFocus()
    table.setCurrentIndex(table.model().index(row, column))
    qtbot.waitUntil(table.hasFocus)


def test_ctrl_e_and_enter_write_a_figure_of_what_is_shown(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    QTest.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    dialog = dialog_of(window, qtbot)
    with qtbot.waitSignal(dialog.written, timeout=60_000):
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    path = tmp_path / "lesson-pipeline-head-1.png"
    assert not QImage(str(path)).isNull()
    assert extract(path) is not None
    assert window.messages.texts == (f"The figure is in {path}.",)


@pytest.mark.parametrize("kind", [QLineEdit, QAbstractSpinBox])
def test_ctrl_e_is_the_menus_even_while_a_field_has_the_keyboard(
    window: MainWindow, qtbot: QtBot, kind: type[QWidget]
) -> None:
    field = next(
        it for it in window.findChildren(kind) if it.isVisible() and it.focusPolicy() != Qt.FocusPolicy.NoFocus
    )
    field.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None and field.hasFocus())
    QTest.keyClick(window.windowHandle(), Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert dialog_of(window, qtbot).isVisible()


def test_the_button_shows_the_matrix_that_has_the_keyboard(window: MainWindow, qtbot: QtBot) -> None:
    focus(window, "layers.0.weights.0", 3, 0, qtbot)
    click(window, "export_figure_button")
    dialog = dialog_of(window, qtbot)
    assert (dialog.spec.what, dialog.spec.highlight) == ("weights", (3, 0))
    assert child(dialog, QComboBox, "figure-what").currentText() == "This matrix: weights A, head 1"
    dialog.reject()


def test_the_heads_are_shown_at_the_stage_that_they_show(window: MainWindow, qtbot: QtBot) -> None:
    window.show_workspace("heads")
    workspace = window.workspaces["heads"].widget
    assert isinstance(workspace, HeadsWorkspace)
    qtbot.mouseClick(workspace.tools.stage.button("scaled"), Qt.MouseButton.LeftButton)
    trigger(window, "file_export_figure")
    dialog = dialog_of(window, qtbot)
    assert (dialog.spec.what, dialog.spec.stage) == ("heads", "scaled")
    dialog.reject()


def test_the_walkthrough_becomes_a_deck(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    trigger(window, "file_export_deck")
    dialog = dialog_of(window, qtbot)
    with qtbot.waitSignal(dialog.written, timeout=60_000):
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    deck = Presentation(str(tmp_path / "lesson-walkthrough-head-1.pptx"))
    titles = [slide.shapes.title.text for slide in deck.slides if slide.shapes.title is not None]
    assert len(deck.slides) > 8 and "attention weights" in " ".join(titles)


def test_a_figure_is_copied_without_a_dialog(window: MainWindow, qtbot: QtBot) -> None:
    focus(window, "layers.0.scores.0", 0, 0, qtbot)
    assert action(window, "edit_copy_figure").shortcut().toString() == "Ctrl+Shift+C"
    trigger(window, "edit_copy_figure")
    data = QGuiApplication.clipboard().mimeData()
    figure = lay_out(FigureSpec("scores"), window.document.experiment)
    assert QGuiApplication.clipboard().image().width() == round(figure.points[0] / 72 * 300)
    assert b"raw scores" in bytes(data.data("image/svg+xml").data())


def test_choices_presets_and_folder_outlast_the_program(
    window: MainWindow, windows: Windows, tmp_path: Path, qtbot: QtBot
) -> None:
    from attnexplorer.app.settings import Settings

    trigger(window, "file_export_figure")
    dialog = dialog_of(window, qtbot)
    click(dialog, "svg")
    windows.settings.keep_figure_preset("Lecture; 'a', b", "{}")
    with qtbot.waitSignal(dialog.written, timeout=60_000):
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    again = Settings()
    assert '"form": "svg"' in again.figure_choices
    assert again.figure_presets == {"Lecture; 'a', b": "{}"}
    assert again.figure_folder == tmp_path
    again.forget_figure_preset("Lecture; 'a', b")
    assert Settings().figure_presets == {}
    tmp_path.rename(tmp_path.with_name("elsewhere"))
    assert Settings().figure_folder is None


def test_closing_the_window_ends_an_export(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    trigger(window, "file_export_figure")
    dialog = dialog_of(window, qtbot)
    click(dialog, "gif")
    with qtbot.waitSignal(dialog.exporter.progressed, timeout=60_000):
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    process = dialog.exporter.process
    window.may_close = lambda: True
    window.close()
    qtbot.waitUntil(lambda: not process.running)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lesson.attn"]


@pytest.fixture
def many_heads(windows: Windows, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    lesson = Path(shutil.copy(example_path("multi-head"), tmp_path / "many.attn"))
    window = windows.show_new(load_file(lesson))
    window.resize(1280, 800)
    window.show_workspace("heads")
    qtbot.waitUntil(lambda: len(heads_of(window).canvas.order) == 12)
    qtbot.waitUntil(lambda: heads_of(window).canvas.numbers.complete)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def heads_of(window: MainWindow) -> HeadsWorkspace:
    widget = window.workspaces["heads"].widget
    assert isinstance(widget, HeadsWorkspace)
    return widget


def test_the_figure_of_sorted_heads_that_show_b_minus_a_is_what_is_on_screen(
    many_heads: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    document = many_heads.document
    document.comparison.keep(document.experiment, "before")
    document.set_value("layers.0.attention.scale", 1.5, "Set the scale")
    document.comparison.show("B-A")
    document.display.choose_group("heads_", {"sort": "distance_back"})
    canvas = heads_of(many_heads).canvas
    qtbot.waitUntil(lambda: canvas.order != tuple(range(12)) and canvas.numbers.complete)
    trigger(many_heads, "file_export_figure")
    dialog = dialog_of(many_heads, qtbot)
    assert (dialog.spec.what, dialog.spec.shown, dialog.spec.heads) == ("heads", "B-A", canvas.order)
    with qtbot.waitSignal(dialog.written, timeout=60_000) as written:
        QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert not QImage(str(written.args[0])).isNull()


def test_b_minus_a_of_a_pipeline_is_first_a_figure_of_both(window: MainWindow, qtbot: QtBot) -> None:
    window.document.comparison.keep(window.document.experiment, "before")
    window.document.comparison.show("B-A")
    trigger(window, "file_export_figure")
    assert dialog_of(window, qtbot).spec.what == "compare"


@pytest.mark.parametrize("size", [(1280, 800), (1440, 900), (1024, 700)])
def test_a_notice_rearranges_no_heads(many_heads: MainWindow, qtbot: QtBot, size: tuple[int, int]) -> None:
    many_heads.resize(*size)
    qtbot.wait(50)
    canvas = heads_of(many_heads).canvas
    before, height = canvas.grid.grid_layout, heads_of(many_heads).area.viewport().height()
    many_heads.messages.show_message("figure", "note", "The figure is in a folder.")
    qtbot.waitUntil(lambda: heads_of(many_heads).area.viewport().height() < height)
    assert canvas.grid.grid_layout == before
    many_heads.messages.remove("figure")
    qtbot.waitUntil(lambda: heads_of(many_heads).area.viewport().height() == height)
    heads_of(many_heads).notice.refuse("This cannot be done.")
    qtbot.waitUntil(lambda: heads_of(many_heads).area.viewport().height() < height)
    assert canvas.grid.grid_layout == before


def test_the_geometry_is_exported_as_it_is_on_screen(window: MainWindow, qtbot: QtBot) -> None:
    window.show_workspace("geometry")
    geometry = window.workspaces["geometry"].widget
    assert isinstance(geometry, GeometryWorkspace)
    for kind in ("value", "key"):
        geometry.controls.kind_button(kind).click()  # type: ignore[arg-type]
    trigger(window, "file_export_figure")
    spec = dialog_of(window, qtbot).spec
    assert (spec.what, spec.vectors) == ("geometry", ("query", "value"))
    assert "--vectors=query,value" in command_words(spec, Export("png"))
