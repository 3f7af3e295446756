"""The file menu with real files, real questions and real clicks; only the dialogs that choose a file are replaced."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from full_disk import little_room
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QMessageBox, QPlainTextEdit, QScrollArea
from pytestqt.qtbot import QtBot
from real_windows import action, answering, button, child, label_text, opened_menu, trigger

from attnexplorer.app import file_dialogs
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.document.storage import load_copy_of_example, load_file
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.examples import example_names, example_path, load_example
from attnexplorer.experiment.fileformat import load

E = "embedding.E"
Choose = Callable[[Path | None], None]


@pytest.fixture
def lesson(tmp_path: Path) -> Path:
    return Path(shutil.copy(example_path("animal-street"), tmp_path / "lesson.attn"))


@pytest.fixture
def window(windows: Windows, lesson: Path) -> MainWindow:
    return windows.show_new(load_file(lesson))


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Choose:
    """Lets the file dialogs choose a file at once."""

    def choose(path: Path | None) -> None:
        monkeypatch.setattr(file_dialogs, "ask_for_file_to_open", lambda parent, folder: path)
        monkeypatch.setattr(file_dialogs, "ask_for_file_to_save", lambda parent, suggestion: path)

    return choose


def edit(window: MainWindow, value: float = 7.0) -> None:
    window.document.set_cell(E, 0, 0, value)


def test_save_writes_the_edit_and_the_title_no_longer_says_modified(window: MainWindow, lesson: Path) -> None:
    edit(window)
    assert window.isWindowModified()
    trigger(window, "file_save")
    assert not window.isWindowModified()
    assert load(lesson).embedding.E[0, 0] == 7.0
    assert window.windowTitle() == "lesson.attn[*]"


def test_saving_an_untitled_copy_asks_for_a_file(windows: Windows, choose: Choose, tmp_path: Path) -> None:
    window = windows.show_first_example()
    assert window.windowTitle().startswith("Untitled")
    choose(tmp_path / "mine.attn")
    trigger(window, "file_save")
    assert load(tmp_path / "mine.attn").title == load_example("animal-street").title
    assert window.storage.name == "mine.attn"
    assert windows.settings.recent_files[0] == tmp_path / "mine.attn"


def test_not_choosing_a_file_saves_nothing(windows: Windows, choose: Choose, tmp_path: Path) -> None:
    window = windows.show_first_example()
    edit(window)
    choose(None)
    trigger(window, "file_save_as")
    assert window.storage.modified
    assert list(tmp_path.iterdir()) == []


def test_a_save_that_fails_is_said_in_the_window_and_loses_nothing(
    window: MainWindow, choose: Choose, tmp_path: Path
) -> None:
    edit(window)
    choose(tmp_path / "nowhere" / "a.attn")
    trigger(window, "file_save_as")
    assert window.messages.texts == ("a.attn: not saved: the folder does not exist.",)
    assert window.storage.modified
    choose(tmp_path / "a.attn")
    trigger(window, "file_save_as")
    assert window.messages.texts == ()


def test_a_full_disk_is_said_in_the_window_and_the_old_file_stays_whole(window: MainWindow, lesson: Path) -> None:
    before = lesson.read_bytes()
    edit(window)
    with little_room():
        trigger(window, "file_save")
    (text,) = window.messages.texts
    assert text.startswith("lesson.attn: not saved: the file cannot be written")
    assert window.storage.modified
    assert lesson.read_bytes() == before
    assert list(lesson.parent.iterdir()) == [lesson]


@pytest.mark.parametrize(("answer", "expected"), [("Replace", 7.0), ("Cancel", 0.5)])
def test_saving_over_a_change_of_another_program_asks(
    window: MainWindow, lesson: Path, answer: str, expected: float
) -> None:
    lesson.write_text(lesson.read_text().replace("0.9", "0.5", 1))
    edit(window)
    with answering(button(answer)) as asked:
        trigger(window, "file_save")
    assert asked == ["“lesson.attn” was changed by another program since it was read here."]
    assert load(lesson).embedding.E[0, 0] == expected
    assert window.storage.modified is (answer == "Cancel")


@pytest.mark.parametrize(("answer", "expected"), [("Revert", 0.9), ("Cancel", 7.0)])
def test_revert_asks_before_edits_are_lost(window: MainWindow, answer: str, expected: float) -> None:
    edit(window)
    with answering(button(answer)):
        trigger(window, "file_revert")
    assert window.document.experiment.embedding.E[0, 0] == expected
    assert window.undo_action.isEnabled() is (answer == "Cancel")


def test_revert_without_edits_asks_nothing_and_reads_the_file_again(window: MainWindow, lesson: Path) -> None:
    lesson.write_text(lesson.read_text().replace("0.9", "0.5", 1))
    with answering():
        trigger(window, "file_revert")
    assert window.document.experiment.embedding.E[0, 0] == 0.5


def test_an_untitled_copy_cannot_be_reverted(windows: Windows) -> None:
    assert not action(windows.show_first_example(), "file_revert").isEnabled()


def test_opening_reuses_a_window_without_edits(windows: Windows, choose: Choose, lesson: Path) -> None:
    window = windows.show_first_example()
    choose(lesson)
    trigger(window, "file_open")
    assert windows.open == (window,)
    assert window.storage.path == lesson
    assert not window.storage.modified


def test_opening_beside_unsaved_edits_takes_a_window_of_its_own(
    windows: Windows, window: MainWindow, choose: Choose, tmp_path: Path
) -> None:
    edit(window)
    other = Path(shutil.copy(example_path("tired"), tmp_path / "other.attn"))
    choose(other)
    trigger(window, "file_open")
    assert [it.storage.name for it in windows.open] == ["lesson.attn", "other.attn"]
    assert window.storage.modified


def test_a_file_that_is_open_already_is_not_opened_twice(
    windows: Windows, window: MainWindow, lesson: Path, choose: Choose
) -> None:
    edit(window)
    choose(lesson.parent / "." / lesson.name)
    trigger(window, "file_open")
    assert windows.open == (window,)
    assert window.document.experiment.embedding.E[0, 0] == 7.0


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"format": "other"}'])
def test_a_broken_file_is_refused_in_the_window_and_what_is_open_stays(
    windows: Windows, window: MainWindow, choose: Choose, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "bad.attn").write_bytes(content)
    choose(tmp_path / "bad.attn")
    trigger(window, "file_open")
    (text,) = window.messages.texts
    assert text.startswith("bad.attn: ")
    assert windows.open == (window,)
    assert window.storage.name == "lesson.attn"


def test_unknown_keys_are_noted_and_the_note_goes_with_the_next_file(
    window: MainWindow, choose: Choose, tmp_path: Path
) -> None:
    text = example_path("tired").read_text(encoding="utf-8")
    (tmp_path / "newer.attn").write_text(text.replace("{", '{"colour": 1,', 1), encoding="utf-8")
    choose(tmp_path / "newer.attn")
    trigger(window, "file_open")
    (note,) = window.messages.texts
    assert "colour" in note
    assert child(window.messages, QLabel, "").property("look") == "note"
    opened_menu(window, "file_examples")
    trigger(window, "file_example_tired")
    assert window.messages.texts == ()


def test_every_built_in_experiment_is_in_the_menu_and_opens_as_an_untitled_copy(window: MainWindow) -> None:
    menu = opened_menu(window, "file_examples")
    assert len(menu.actions()) == len(example_names())
    for name in example_names():
        trigger(window, f"file_example_{name}")
        assert identical(window.document.experiment, load_example(name))
        assert window.storage.path is None
        assert action(window, f"file_example_{name}").text() == load_example(name).title.replace("&", "&&")


def test_recent_files_are_listed_the_latest_first_and_missing_ones_vanish(
    window: MainWindow, choose: Choose, lesson: Path, tmp_path: Path
) -> None:
    other = Path(shutil.copy(example_path("tired"), tmp_path / "other & more.attn"))
    choose(other)
    trigger(window, "file_open")
    texts = [it.text() for it in opened_menu(window, "file_recent").actions() if it.text()]
    assert texts == ["&1 other && more.attn", "&2 lesson.attn", "&Forget These"]
    trigger(window, "file_recent_2")
    assert window.storage.path == lesson
    other.unlink()
    lesson.unlink()
    assert [it.text() for it in opened_menu(window, "file_recent").actions()] == ["No files yet"]


def test_a_new_experiment_has_the_asked_tokens_widths_and_heads(window: MainWindow) -> None:
    def answer(dialog: QDialog) -> None:
        child(dialog, QLineEdit, "new_tokens").setText("a b a")
        dialog.findChild(object, "new_heads").setValue(3)
        dialog.findChild(object, "new_d_model").setValue(5)
        button("Create")(dialog)

    with answering(answer) as asked:
        trigger(window, "file_new")
    assert asked == ["New experiment"]
    experiment = window.document.experiment
    assert experiment.query_tokens == ("a", "b", "a")
    assert (experiment.d_model, experiment.layers[0].attention.heads) == (5, 3)
    assert window.storage.path is None


def test_a_new_experiment_without_tokens_is_refused_in_the_dialog(window: MainWindow) -> None:
    said = []

    def answer(dialog: QDialog) -> None:
        child(dialog, QLineEdit, "new_tokens").setText("  ")
        button("Create")(dialog)
        said.append(label_text(dialog, "new_error"))
        button("Cancel")(dialog)

    with answering(answer):
        trigger(window, "file_new")
    assert said == ["The sequence needs at least one token."]
    assert window.storage.name == "lesson.attn"


def test_title_and_notes_are_one_undoable_edit(window: MainWindow, qtbot: QtBot) -> None:
    before = window.document.experiment

    def answer(dialog: QDialog) -> None:
        child(dialog, QLineEdit, "notes_title").setText("A title")
        child(dialog, QPlainTextEdit, "notes_text").setPlainText("Two\nlines")
        button("OK")(dialog)

    with answering(answer) as asked:
        trigger(window, "file_notes")
        qtbot.waitUntil(lambda: bool(asked))
    assert (window.document.experiment.title, window.document.experiment.notes) == ("A title", "Two\nlines")
    assert window.undo_action.text() == "&Undo Change title and notes"
    window.undo_action.trigger()
    assert identical(window.document.experiment, before)


def test_new_window_shows_another_document_in_the_same_process(windows: Windows, window: MainWindow) -> None:
    trigger(window, "file_new_window")
    first, second = windows.open
    edit(first)
    assert not second.storage.modified
    assert first.pos() != second.pos()


@pytest.mark.parametrize(
    ("answer", "value", "closes"), [("Save", 7.0, True), ("Discard", 0.9, True), ("Cancel", 0.9, False)]
)
def test_closing_with_edits_asks_once(
    windows: Windows, window: MainWindow, lesson: Path, answer: str, value: float, closes: bool
) -> None:
    edit(window)
    with answering(button(answer)) as asked:
        trigger(window, "file_close")
    assert asked == ["Save the changes of “lesson.attn”?"]
    assert load(lesson).embedding.E[0, 0] == value
    assert windows.open == (() if closes else (window,))


@pytest.mark.parametrize(("title", "question"), [("A lesson", "Save “A lesson”?"), ("", "Save the new experiment?")])
def test_closing_what_has_no_file_yet_names_it_and_says_so(windows: Windows, title: str, question: str) -> None:
    window = windows.show_first_example()
    window.document.set_value("title", title, "Change the title")
    told = []

    def answer(dialog: QDialog) -> None:
        assert isinstance(dialog, QMessageBox)
        told.append(dialog.informativeText())
        button("Cancel")(dialog)

    with answering(answer) as asked:
        trigger(window, "file_close")
    assert asked == [question]
    assert told == ["It has no file yet. Everything that was done is lost otherwise."]


def test_closing_without_edits_asks_nothing_although_display_choices_changed(
    windows: Windows, window: MainWindow
) -> None:
    window.document.display.choose("heads_stage", "scores")
    with answering():
        trigger(window, "file_close")
    assert windows.open == ()


def test_a_window_stays_open_if_saving_at_closing_fails(windows: Windows, window: MainWindow, lesson: Path) -> None:
    edit(window)
    shutil.rmtree(lesson.parent)
    with answering(button("Save")):
        trigger(window, "file_close")
    assert windows.open == (window,)
    assert window.messages.texts == ("lesson.attn: not saved: the folder does not exist.",)


def test_quit_closes_no_window_if_one_is_to_stay(windows: Windows, window: MainWindow) -> None:
    second = windows.show_first_example()
    edit(window)
    edit(second)
    with answering(button("Discard"), button("Cancel")):
        trigger(second, "file_quit")
    assert windows.open == (window, second)
    with answering(button("Discard"), button("Discard")):
        trigger(second, "file_quit")
    assert windows.open == ()


def test_a_file_dropped_on_the_window_opens(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    other = Path(shutil.copy(example_path("tired"), tmp_path / "other.ATTN"))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(other)), QUrl.fromLocalFile(str(tmp_path / "picture.png"))])
    actions, buttons = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(QPoint(5, 5), actions, data, buttons, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    drop = QDropEvent(QPointF(5, 5), actions, data, buttons, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(window, drop)
    qtbot.waitUntil(lambda: window.storage.path == other)


def test_no_two_entries_of_the_menus_have_the_same_keys(window: MainWindow) -> None:
    keys = [
        sequence.toString()
        for it in window.findChildren(QAction)
        if it.shortcutContext() != Qt.ShortcutContext.WidgetShortcut
        for sequence in it.shortcuts()
    ]
    assert sorted(keys) == sorted(set(keys))
    assert {"Ctrl+N", "Ctrl+O", "Ctrl+S", "Ctrl+Shift+S", "Ctrl+Z", "Ctrl+W", "Ctrl+Q", "F1", "F11"} <= set(keys)


def test_a_window_on_an_example_has_no_file_in_the_recent_list(windows: Windows) -> None:
    windows.show_new(load_copy_of_example("tired"))
    assert windows.settings.recent_files == ()


def test_what_is_opened_is_shown_from_its_beginning_and_no_button_has_the_focus(
    windows: Windows, lesson: Path, qtbot: QtBot
) -> None:
    window = windows.show_new(load_copy_of_example("sky-is-blue"))
    window.resize(900, 500)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert QApplication.focusWidget() is window, "the space bar would press a button"
    pipeline, panel = window.workspaces["pipeline"].widget, window.input_dock.widget()
    for area in (pipeline, panel):
        assert isinstance(area, QScrollArea)
        qtbot.waitUntil(lambda area=area: area.verticalScrollBar().maximum() > 0)
        area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    assert windows.show_loaded(load_file(lesson), window) is window
    for area in (pipeline, panel):
        qtbot.waitUntil(lambda area=area: area.verticalScrollBar().value() == 0)
