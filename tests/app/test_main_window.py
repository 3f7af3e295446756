"""The frame of the window: tabs, choosers, docks, status line, menus, and what is offered after a crash."""

from __future__ import annotations

import gc
import shutil
import weakref
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QKeySequence, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from real_windows import action, answering, button, child, click, label_text, program, trigger

from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.panels import build_panels
from attnexplorer.app.settings import Settings
from attnexplorer.app.windows import Windows
from attnexplorer.app.workspace import Workspace
from attnexplorer.document.recovery import Origin, RecoveryCopy, abandoned_copies, state_folder
from attnexplorer.document.storage import load_copy_of_example, load_file
from attnexplorer.experiment.examples import example_path, load_example

E = "embedding.E"


@pytest.fixture
def window(windows: Windows, qtbot: QtBot) -> MainWindow:
    window = windows.show_first_example()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def test_only_the_workspaces_that_exist_have_a_tab(window: MainWindow) -> None:
    tabs = [tab for tab in window.findChildren(QPushButton) if tab.property("look") == "tab"]
    assert [tab.objectName() for tab in tabs] == [f"tab_{name}" for name in window.workspaces]
    assert window.workspace == "pipeline"


def test_a_click_on_a_tab_shows_its_workspace_and_is_a_display_choice(window: MainWindow) -> None:
    widget = QWidget()
    window.add_workspace(Workspace("other", "Other", "Something else", lambda: widget))
    assert window.workspace == "pipeline"
    click(window, "tab_other")
    assert widget.isVisible()
    assert window.document.display["workspace"] == "other"
    trigger(window, "view_workspace_pipeline")
    assert not widget.isVisible()
    assert not window.storage.modified


def test_layer_and_head_are_chosen_only_where_there_are_several(windows: Windows, window: MainWindow) -> None:
    for name, layer, head in (("animal-street", False, False), ("multi-head", False, True), ("block", True, True)):
        windows.show_loaded(load_copy_of_example(name), window)
        assert child(window, QSpinBox, "layer_chooser").isVisible() is layer
        assert child(window, QComboBox, "head_chooser").isVisible() is head


def test_the_choosers_count_from_one_and_the_display_choices_from_zero(
    windows: Windows, window: MainWindow, qtbot: QtBot
) -> None:
    windows.show_loaded(load_copy_of_example("block"), window)
    layer, head = child(window, QSpinBox, "layer_chooser"), child(window, QComboBox, "head_chooser")
    assert head.currentText() == "1 of 2"
    layer.setFocus()
    qtbot.keyClick(layer, Qt.Key.Key_Up)
    assert (window.document.display["layer"], layer.text()) == (1, "2 of 2")
    head.setFocus()
    qtbot.keyClick(head, Qt.Key.Key_Down)
    assert window.document.display["head"] == 1
    assert not window.storage.modified


def test_the_wheel_over_a_chooser_without_focus_changes_nothing(windows: Windows, window: MainWindow) -> None:
    windows.show_loaded(load_copy_of_example("block"), window)
    for chooser in (child(window, QSpinBox, "layer_chooser"), child(window, QComboBox, "head_chooser")):
        place = QPointF(5, 5)
        turn = QWheelEvent(
            place,
            chooser.mapToGlobal(place),
            QPoint(),
            QPoint(0, -120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(chooser, turn)
    assert (window.document.display["layer"], window.document.display["head"]) == (0, 0)


def test_the_status_line_tells_sizes_work_and_whether_all_is_saved(window: MainWindow, qtbot: QtBot) -> None:
    assert label_text(window, "status_sizes") == "4 tokens · d<sub>model</sub> 2 · d<sub>k</sub> 2 · 1 head"
    assert label_text(window, "status_saved") == "no changes"
    with qtbot.waitSignal(window.document.evaluated):
        window.document.set_cell("layers.0.attention.W_Q.0", 0, 0, 3.0)
    assert label_text(window, "status_saved") == "changes not saved"
    assert label_text(window, "status_undo") == "· undo: Set W_Q, head 1, row 1, column 1"
    work = child(window, QLabel, "status_work")
    stages = {unit.stage for unit in window.document.evaluation.recomputed}
    assert work.text().startswith(f"recomputed {len(stages)} stages in ")
    assert "weights A" in work.toolTip()


def test_the_undo_button_takes_back_and_names_what(window: MainWindow) -> None:
    undo, redo = child(window, QToolButton, "undo_button"), child(window, QToolButton, "redo_button")
    assert not undo.isEnabled()
    window.document.set_cell(E, 0, 0, 3.0)
    assert undo.toolTip() == "Undo Set E, row 1, column 1"
    click(window, "undo_button")
    assert not undo.isEnabled()
    assert label_text(window, "status_saved") == "no changes"
    click(window, "redo_button")
    assert window.document.experiment.embedding.E[0, 0] == 3.0
    assert not redo.isEnabled()


def test_docks_close_come_back_and_are_put_back(window: MainWindow, qtbot: QtBot) -> None:
    dock = window.input_dock
    dock.close()
    assert not dock.isVisible()
    dock.toggleViewAction().trigger()
    assert dock.isVisible()
    dock.setFloating(True)
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, window.input_dock)
    trigger(window, "view_reset_layout")
    assert window.dockWidgetArea(dock) == Qt.DockWidgetArea.LeftDockWidgetArea
    assert not dock.isFloating()


def test_the_layout_is_remembered_for_the_next_start(windows: Windows, window: MainWindow) -> None:
    window.explain_dock.close()
    window.resize(780, 560)
    QApplication.processEvents()
    trigger(window, "file_close")
    with program() as later:
        again = later.show_first_example()
        assert not again.explain_dock.isVisible()
        assert again.size() == QSize(780, 560)


def test_a_damaged_memory_of_the_layout_gives_the_usual_one(qtbot: QtBot) -> None:
    Settings().keep_layout(QByteArray(b"nonsense"), QByteArray(b"nonsense"))
    with program() as windows:
        window = windows.show_first_example()
        assert window.input_dock.isVisible()
        assert window.explain_dock.isVisible()


def test_theme_and_size_of_type_are_chosen_and_remembered(windows: Windows, window: MainWindow, qtbot: QtBot) -> None:
    trigger(window, "view_theme_dark")
    qtbot.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert windows.appearance.theme.name == "dark"
    assert windows.appearance.text_scale == pytest.approx(1.1)
    with program() as later:
        assert later.appearance.theme.name == "dark"
        assert later.appearance.text_scale == pytest.approx(1.1)
    qtbot.keyClick(window, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert windows.appearance.text_scale == 1.0
    trigger(window, "view_theme_system")
    assert Settings().theme is None


def test_edit_entries_go_to_the_widget_with_the_focus(window: MainWindow, qtbot: QtBot) -> None:
    class Table(QPushButton):
        def __init__(self) -> None:
            super().__init__()
            self.calls: list[str] = []

        def copy_selection(self) -> None:
            self.calls.append("copy")

        def clear_selection(self) -> None:
            self.calls.append("clear")

    table, field = Table(), QLineEdit("some text")
    holder = QWidget()
    table.setParent(holder)
    field.setParent(holder)
    window.add_workspace(Workspace("other", "Other", "Something else", lambda: holder))
    window.show_workspace("other")
    window.activateWindow()
    table.setFocus()
    qtbot.waitUntil(table.hasFocus)
    qtbot.keySequence(table, QKeySequence(QKeySequence.StandardKey.Copy))
    trigger(window, "edit_clear")
    trigger(window, "edit_paste")
    assert table.calls == ["copy", "clear"]
    field.setFocus()
    trigger(window, "edit_select_all")
    assert field.selectedText() == "some text"


def test_the_shortcut_sheet_shows_the_keys_of_the_menus(window: MainWindow, qtbot: QtBot) -> None:
    texts: list[str] = []

    def answer(dialog: QDialog) -> None:
        texts.extend(label.text() for label in dialog.findChildren(QLabel))
        button("Close")(dialog)

    with answering(answer) as asked:
        qtbot.keyClick(window, Qt.Key.Key_F1)
        qtbot.waitUntil(lambda: bool(asked))
    assert {"Ctrl+S", "Save", "F6", "FILE"} <= set(texts)


def test_about_tells_versions_and_licences(window: MainWindow, qtbot: QtBot) -> None:
    texts: list[str] = []

    def answer(dialog: QDialog) -> None:
        texts.append(label_text(dialog, "about_versions"))
        parts, licence = child(dialog, QListWidget, "about_parts"), child(dialog, QPlainTextEdit, "about_licences")
        for row in range(parts.count()):
            parts.setCurrentRow(row)
            texts.append(f"{parts.item(row).text()}: {licence.toPlainText()}")
        button("Close")(dialog)

    with answering(answer) as asked:
        trigger(window, "help_about")
        qtbot.waitUntil(lambda: bool(asked))
    assert "Qt 6" in texts[0]
    assert texts[1].startswith("Attention Explorer: ") and "MIT" in texts[1]
    assert any(text.startswith("Fonts") and "SIL OPEN FONT LICENSE" in text.upper() for text in texts)
    assert {"numpy", "Qt", "LGPL-3"} <= {text.partition(":")[0] for text in texts}


def test_the_system_decides_the_theme_unless_one_is_chosen(windows: Windows) -> None:
    assert windows.appearance.chosen_theme is None


def left_behind(path: Path | None, title: str = "") -> None:
    """Leave unsaved work as a killed program would."""
    copy = RecoveryCopy()
    assert copy.claim()
    copy.write(load_example("tired"), Origin(path, None, datetime.now(), title))
    copy.release()


def test_unsaved_work_of_a_crashed_program_is_offered_and_restored_as_unsaved(
    windows: Windows, window: MainWindow, tmp_path: Path
) -> None:
    lesson = Path(shutil.copy(example_path("animal-street"), tmp_path / "lesson.attn"))
    left_behind(lesson)
    windows.offer_recovery(window)
    (text,) = window.messages.texts
    assert text.startswith("“lesson.attn” was not saved when the program last ended (")
    click(window, "message_choice_restore")
    assert window.messages.texts == ()
    assert (window.storage.path, window.storage.modified) == (lesson, True)
    assert window.document.experiment.title == load_example("tired").title
    assert abandoned_copies() == ()


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("A lesson", "“A lesson”, which had no file yet, was not saved when the program last ended ("),
        ("", "An experiment that had no file yet was not saved when the program last ended ("),
    ],
)
def test_work_that_had_no_file_is_offered_by_its_title(
    windows: Windows, window: MainWindow, title: str, said: str
) -> None:
    left_behind(None, title)
    windows.offer_recovery(window)
    (text,) = window.messages.texts
    assert text.startswith(said)


def test_restored_work_goes_into_a_window_of_its_own_beside_edits(windows: Windows, window: MainWindow) -> None:
    left_behind(None)
    windows.offer_recovery(window)
    window.document.set_cell(E, 0, 0, 3.0)
    click(window, "message_choice_restore")
    assert [it.document.experiment.title for it in windows.open] == [
        load_example("animal-street").title,
        load_example("tired").title,
    ]


def test_restored_work_that_is_not_saved_is_offered_again(windows: Windows, window: MainWindow) -> None:
    left_behind(None)
    windows.offer_recovery(window)
    click(window, "message_choice_restore")
    windows.leave()
    assert [copy.load().experiment.title for copy in abandoned_copies()] == [load_example("tired").title]


def test_discarded_work_is_gone_and_unanswered_offers_come_again(windows: Windows, window: MainWindow) -> None:
    left_behind(None)
    windows.offer_recovery(window)
    trigger(window, "file_close")
    again = windows.show_first_example()
    windows.offer_recovery(again)
    click(again, "message_choice_discard")
    trigger(again, "file_close")
    assert abandoned_copies() == ()


def test_a_recovery_copy_that_is_broken_is_said_and_offered_still(windows: Windows, window: MainWindow) -> None:
    left_behind(None)
    (copy,) = abandoned_copies()
    copy.file.write_bytes(b"{")
    copy.release()
    windows.offer_recovery(window)
    click(window, "message_choice_restore")
    error, offer = window.messages.texts
    assert error.startswith("The unsaved work cannot be read.")
    assert "was not saved" in offer


def test_a_recovery_copy_that_cannot_be_written_is_said_in_the_status_line(
    windows: Windows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ATTNEXPLORER_STATE", str(tmp_path / "file"))
    window = windows.show_first_example()
    window.document.set_cell(E, 0, 0, 3.0)
    windows.save_recovery_copies()
    alarm = child(window, QLabel, "status_alarm")
    assert alarm.isVisible()
    assert alarm.text().startswith("No recovery copy is kept")


def test_a_double_click_on_two_files_gives_two_windows_of_one_process(windows: Windows, tmp_path: Path) -> None:
    for name in ("tired", "flooded"):
        windows.show_new(load_file(shutil.copy(example_path(name), tmp_path / f"{name}.attn")))
    first, second = windows.open
    first.document.set_cell(E, 0, 0, 3.0)
    assert (first.isWindowModified(), second.isWindowModified()) == (True, False)
    assert windows.activate(tmp_path / "tired.attn")
    assert not action(second, "edit_clear").shortcut().isEmpty()


def test_the_bar_across_the_top_stays_however_large_type_is_and_however_narrow_the_window(
    windows: Windows, qtbot: QtBot
) -> None:
    window = windows.show_new(load_copy_of_example("block"))
    windows.appearance.set_text_scale(2.0)
    window.resize(window.minimumSize())
    tab = child(window, QPushButton, "tab_pipeline")
    qtbot.waitUntil(lambda: window.width() < 800)
    qtbot.wait(50)
    assert tab.isVisible()


def test_a_closed_window_leaves_nothing_in_the_memory(qtbot: QtBot) -> None:
    with program() as windows:
        windows = Windows(build_panels, windows.appearance, windows.settings, autosave_delay=1)
        window = windows.show_first_example()
        there = [weakref.ref(it) for it in (window, window.document, window.storage)]
        for name in window.workspaces:
            window.show_workspace(name)
        window.document.set_cell(E, 0, 0, 3.0)
        qtbot.waitUntil(lambda: len(list((state_folder() / "recovery").glob("*.attn"))) == 1)
        window.may_close = lambda: True
        window.close()
        del window
    gc.collect()
    assert [it() for it in there] == [None, None, None]


def test_no_button_has_a_default_action_which_loses_memory_at_each_of_its_changes(window: MainWindow) -> None:
    for name in ("heads", "scaling", "geometry", "pipeline"):
        window.show_workspace(name)
    buttons = window.findChildren(QToolButton)
    assert len(buttons) > 10
    own = [it for it in buttons if it.defaultAction() is not None and it.objectName() != "qt_toolbar_ext_button"]
    assert [it.objectName() for it in own if it.menu() is None] == []
