"""The tokens of the dock Input: typed, renamed, inserted, removed, moved and marked, with real keys and clicks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot
from shiboken6 import delete, isValid

from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.experiment.edits.pins import pin_cell
from attnexplorer.experiment.edits.tokens import add_token
from attnexplorer.experiment.examples import load_example
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.panel import InputPanel
from attnexplorer.views.input.token_chips import TokenSection

Show = Callable[[Experiment], InputPanel]
TOKENS = ("the", "cat", "sat", "down")
ALT, CONTROL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def show(qtbot: QtBot) -> Iterator[Show]:
    documents: list[Document] = []
    appearance = Appearance()
    appearance.choose_theme("light")

    def shown(experiment: Experiment) -> InputPanel:
        document = Document(experiment)
        documents.append(document)
        panel = InputPanel(document, appearance)
        panel.document = document  # type: ignore[attr-defined]
        qtbot.addWidget(panel)
        panel.resize(260, 900)
        panel.show()
        panel.activateWindow()
        qtbot.waitUntil(panel.isActiveWindow)
        return panel

    yield shown
    for document in documents:
        document.close()


@pytest.fixture
def panel(show: Show) -> InputPanel:
    return show(new_experiment(TOKENS, 2, 2, 2, 1, 0))


def document_of(panel: InputPanel) -> Document:
    document = panel.document  # type: ignore[attr-defined]
    assert isinstance(document, Document)
    return document


def tokens_of(panel: InputPanel) -> tuple[str, ...]:
    return document_of(panel).experiment.sequence.tokens


def undo_restores(panel: InputPanel, before: Experiment) -> bool:
    document = document_of(panel)
    assert document.undo_stack.count() == 1
    document.undo_stack.undo()
    return identical(document.experiment, before)


def focus(section: TokenSection, place: int) -> None:
    section.list.setFocus()
    section.list.go_to(place)


def click(qtbot: QtBot, section: TokenSection, place: int, part: str, number: int = 0) -> None:
    centre = section.list.part_rect(place, part, number).center()
    qtbot.mouseClick(section.list.viewport(), LEFT, pos=centre)


def editor_of(section: TokenSection) -> QLineEdit:
    editor = section.list.findChild(QLineEdit, "token-editor")
    assert isinstance(editor, QLineEdit)
    return editor


def type_over(qtbot: QtBot, editor: QLineEdit, text: str) -> None:
    editor.selectAll()
    qtbot.keyClicks(editor, text)


def message_of(section: TokenSection) -> str:
    label = section.notice.findChild(QLabel, "message")
    assert isinstance(label, QLabel)
    return label.text() if label.isVisible() else ""


def losses_of(section: TokenSection) -> str:
    label = section.notice.findChild(QLabel, "losses")
    assert isinstance(label, QLabel)
    return label.text() if label.isVisible() else ""


def test_enter_splits_a_typed_text_into_words(panel: InputPanel, qtbot: QtBot) -> None:
    section, before = panel.token_section, document_of(panel).experiment
    type_over(qtbot, section.text, "the dog, barks")
    qtbot.keyClick(section.text, Qt.Key.Key_Return)
    assert tokens_of(panel) == ("the", "dog", ",", "barks")
    assert document_of(panel).undo_stack.undoText() == "Split the text by words"
    assert undo_restores(panel, before)


def test_enter_in_an_untouched_text_changes_nothing(show: Show, qtbot: QtBot) -> None:
    panel = show(load_example("given-scores"))
    qtbot.keyClick(panel.token_section.text, Qt.Key.Key_Return)
    assert document_of(panel).undo_stack.count() == 0


@pytest.mark.parametrize(
    ("downs", "tokens", "how"),
    [(1, ("a", "-", "b", "c"), "words"), (2, ("a", " ", "-", "b"), "characters"), (3, ("a", "-b"), "white space")],
)
def test_the_menu_splits_the_text(
    panel: InputPanel, qtbot: QtBot, downs: int, tokens: tuple[str, ...], how: str
) -> None:
    section = panel.token_section
    type_over(qtbot, section.text, "a -b c" if how == "words" else "a -b")
    qtbot.mouseClick(section.split, LEFT)
    for _ in range(downs):
        qtbot.keyClick(section.split_menu, Qt.Key.Key_Down)
    qtbot.keyClick(section.split_menu, Qt.Key.Key_Return)
    assert tokens_of(panel) == tokens
    assert document_of(panel).undo_stack.undoText() == f"Split the text by {how}"


def test_a_text_without_tokens_is_refused_beside_it(panel: InputPanel, qtbot: QtBot) -> None:
    type_over(qtbot, panel.token_section.text, "   ")
    qtbot.keyClick(panel.token_section.text, Qt.Key.Key_Return)
    assert message_of(panel.token_section) == "Type a text with at least one token."
    assert tokens_of(panel) == TOKENS


def test_the_text_of_other_tokens_is_shown_once_they_are_there(panel: InputPanel) -> None:
    document_of(panel).apply("Add", partial(add_token, side="sequence", index=4, word="again"))
    assert panel.token_section.text.text() == "the cat sat down again"


@pytest.mark.parametrize("by_key", [True, False])
def test_a_token_is_renamed_in_place(panel: InputPanel, qtbot: QtBot, by_key: bool) -> None:
    section, before = panel.token_section, document_of(panel).experiment
    if by_key:
        focus(section, 1)
        qtbot.keyClick(section.list, Qt.Key.Key_F2)
    else:
        centre = section.list.part_rect(1, "token").center()
        qtbot.mouseClick(section.list.viewport(), LEFT, pos=centre)
        qtbot.mouseDClick(section.list.viewport(), LEFT, pos=centre)
    editor = editor_of(section)
    assert editor.text() == "cat"
    type_over(qtbot, editor, "dog")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: tokens_of(panel) == ("the", "dog", "sat", "down"))
    assert document_of(panel).undo_stack.undoText() == "Rename token “cat” to “dog”"
    assert undo_restores(panel, before)


def test_escape_leaves_a_token_as_it_was(panel: InputPanel, qtbot: QtBot) -> None:
    focus(panel.token_section, 1)
    qtbot.keyClick(panel.token_section.list, Qt.Key.Key_F2)
    editor = editor_of(panel.token_section)
    type_over(qtbot, editor, "dog")
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: panel.token_section.list.hasFocus())
    assert document_of(panel).undo_stack.count() == 0


def test_tab_goes_on_to_rename_the_next_token(panel: InputPanel, qtbot: QtBot) -> None:
    focus(panel.token_section, 0)
    qtbot.keyClick(panel.token_section.list, Qt.Key.Key_F2)
    type_over(qtbot, editor_of(panel.token_section), "a")
    qtbot.keyClick(editor_of(panel.token_section), Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: tokens_of(panel)[0] == "a" and panel.token_section.list.current == 1)
    editors = [e for e in panel.token_section.list.findChildren(QLineEdit, "token-editor") if e.isVisible()]
    assert [editor.text() for editor in editors][-1] == "cat"


def test_a_token_cannot_be_renamed_to_nothing(panel: InputPanel, qtbot: QtBot) -> None:
    focus(panel.token_section, 1)
    qtbot.keyClick(panel.token_section.list, Qt.Key.Key_F2)
    editor = editor_of(panel.token_section)
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_Backspace)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: message_of(panel.token_section) != "")
    assert "at least one character" in message_of(panel.token_section)
    assert tokens_of(panel) == TOKENS


def test_a_new_token_is_typed_after_the_current_one(panel: InputPanel, qtbot: QtBot) -> None:
    section, before = panel.token_section, document_of(panel).experiment
    focus(section, 1)
    qtbot.keyClick(section.list, Qt.Key.Key_Return, CONTROL)
    qtbot.keyClicks(editor_of(section), "it")
    qtbot.keyClick(editor_of(section), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: tokens_of(panel) == ("the", "cat", "it", "sat", "down"))
    assert section.list.current == 2
    assert document_of(panel).undo_stack.undoText() == "Add token “it”"
    assert undo_restores(panel, before)


def test_the_link_adds_a_token_at_the_end_when_none_is_current(panel: InputPanel, qtbot: QtBot) -> None:
    qtbot.mouseClick(panel.token_section.add, LEFT)
    qtbot.keyClicks(editor_of(panel.token_section), "it")
    qtbot.keyClick(editor_of(panel.token_section), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: tokens_of(panel) == (*TOKENS, "it"))


def test_a_new_token_without_text_is_none(panel: InputPanel, qtbot: QtBot) -> None:
    section = panel.token_section
    qtbot.mouseClick(section.add, LEFT)
    qtbot.keyClick(editor_of(section), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: section.list.model().rowCount() == 4)
    assert document_of(panel).undo_stack.count() == 0


def test_delete_removes_the_current_token(panel: InputPanel, qtbot: QtBot) -> None:
    before = document_of(panel).experiment
    focus(panel.token_section, 2)
    qtbot.keyClick(panel.token_section.list, Qt.Key.Key_Delete)
    assert tokens_of(panel) == ("the", "cat", "down")
    assert document_of(panel).undo_stack.undoText() == "Remove token “sat”"
    assert panel.token_section.list.current == 2
    assert undo_restores(panel, before)


def test_the_last_token_stays(show: Show, qtbot: QtBot) -> None:
    panel = show(new_experiment(("cat",), 2, 2, 2, 1, 0))
    focus(panel.token_section, 0)
    qtbot.keyClick(panel.token_section.list, Qt.Key.Key_Delete)
    assert message_of(panel.token_section) == "The sequence needs at least one token."
    assert tokens_of(panel) == ("cat",)


@pytest.mark.parametrize("agreed", [True, False])
def test_what_a_removal_drops_is_named_before_it_is_made(show: Show, qtbot: QtBot, agreed: bool) -> None:
    panel = show(pin_cell(new_experiment(TOKENS, 2, 2, 2, 1, 0), "layers.0.key.0", 1, 0, 5.0))
    section, before = panel.token_section, document_of(panel).experiment
    focus(section, 1)
    qtbot.keyClick(section.list, Qt.Key.Key_Delete)
    assert losses_of(section) == "This drops 1 pinned cell of K.\nRemove all the same?"
    assert tokens_of(panel) == TOKENS
    button = section.notice.findChild(QPushButton, "accept" if agreed else "cancel")
    assert isinstance(button, QPushButton)
    qtbot.mouseClick(button, LEFT)
    assert losses_of(section) == ""
    assert section.list.hasFocus()
    if agreed:
        assert tokens_of(panel) == ("the", "sat", "down")
        assert undo_restores(panel, before)
    else:
        assert document_of(panel).experiment is before


@pytest.mark.parametrize("answer", ["accept", "cancel"])
def test_the_focus_goes_back_to_the_list_whose_editor_is_gone(show: Show, qtbot: QtBot, answer: str) -> None:
    panel = show(pin_cell(new_experiment(TOKENS, 2, 2, 2, 1, 0), "layers.0.key.0", 1, 0, 5.0))
    section = panel.token_section
    focus(section, 1)
    section.list.begin_rename()
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    section.list.remove_requested.emit(1)
    qtbot.waitUntil(lambda: not isValid(editor))
    qtbot.mouseClick(section.notice.findChild(QPushButton, answer), LEFT)
    assert section.list.hasFocus()
    assert len(tokens_of(panel)) == len(TOKENS) - (answer == "accept")


@pytest.mark.parametrize("answer", ["accept", "cancel"])
def test_what_had_the_focus_may_be_gone_when_the_question_is_answered(show: Show, qtbot: QtBot, answer: str) -> None:
    panel = show(pin_cell(new_experiment(TOKENS, 2, 2, 2, 1, 0), "layers.0.key.0", 1, 0, 5.0))
    section, field = panel.token_section, QLineEdit(panel)
    field.show()
    field.setFocus()
    section.list.remove_requested.emit(1)
    delete(field)
    qtbot.mouseClick(section.notice.findChild(QPushButton, answer), LEFT)
    assert len(tokens_of(panel)) == len(TOKENS) - (answer == "accept")


def test_escape_answers_the_question_with_no(show: Show, qtbot: QtBot) -> None:
    panel = show(pin_cell(new_experiment(TOKENS, 2, 2, 2, 1, 0), "layers.0.key.0", 1, 0, 5.0))
    focus(panel.token_section, 1)
    qtbot.keyClick(panel.token_section.list, Qt.Key.Key_Delete)
    focused = QApplication.focusWidget()
    assert focused is panel.token_section.notice.accept
    qtbot.keyClick(focused, Qt.Key.Key_Escape)
    assert losses_of(panel.token_section) == ""
    assert tokens_of(panel) == TOKENS


@pytest.mark.parametrize(
    ("key", "start", "tokens"),
    [(Qt.Key.Key_Down, 0, ("cat", "the", "sat", "down")), (Qt.Key.Key_Up, 3, ("the", "cat", "down", "sat"))],
)
def test_alt_and_an_arrow_move_a_token(
    panel: InputPanel, qtbot: QtBot, key: Qt.Key, start: int, tokens: tuple[str, ...]
) -> None:
    before = document_of(panel).experiment
    focus(panel.token_section, start)
    qtbot.keyClick(panel.token_section.list, key, ALT)
    assert tokens_of(panel) == tokens
    assert document_of(panel).undo_stack.undoText() == f"Move token “{TOKENS[start]}”"
    assert panel.token_section.list.current == (1 if key == Qt.Key.Key_Down else 2)
    assert undo_restores(panel, before)


def drag(qtbot: QtBot, section: TokenSection, start: int, end: int) -> None:
    viewport = section.list.viewport()
    begin = section.list.part_rect(start, "token").center()
    target = section.list.part_rect(end, "token").center() + QPoint(0, 10 if end > start else -10)
    qtbot.mousePress(viewport, LEFT, pos=begin)
    for step in range(1, 6):
        qtbot.mouseMove(viewport, begin + (target - begin) * step / 5)


def test_a_token_is_moved_by_dragging(panel: InputPanel, qtbot: QtBot) -> None:
    section, before = panel.token_section, document_of(panel).experiment
    drag(qtbot, section, 0, 2)
    qtbot.mouseRelease(section.list.viewport(), LEFT, pos=section.list.part_rect(2, "token").center() + QPoint(0, 10))
    assert tokens_of(panel) == ("cat", "sat", "the", "down")
    assert section.list.current == 2
    assert undo_restores(panel, before)


def test_escape_ends_a_drag_without_a_move(panel: InputPanel, qtbot: QtBot) -> None:
    section = panel.token_section
    drag(qtbot, section, 3, 0)
    qtbot.keyClick(section.list, Qt.Key.Key_Escape)
    qtbot.mouseRelease(section.list.viewport(), LEFT, pos=QPoint(60, 5))
    assert tokens_of(panel) == TOKENS


@pytest.mark.parametrize("by_key", [True, False])
def test_a_token_is_marked_as_padding_and_unmarked(panel: InputPanel, qtbot: QtBot, by_key: bool) -> None:
    section, before = panel.token_section, document_of(panel).experiment
    focus(section, 3)

    def toggle() -> None:
        if by_key:
            qtbot.keyClick(section.list, Qt.Key.Key_Space)
        else:
            click(qtbot, section, 3, "padding")

    toggle()
    assert document_of(panel).experiment.sequence.padding == (False, False, False, True)
    assert document_of(panel).undo_stack.undoText() == "“down” is padding"
    assert panel.mask_section.padding.isChecked()
    assert panel.mask_section.padded.text() == "1 of 4 tokens"
    toggle()
    assert identical(document_of(panel).experiment, before)
    assert document_of(panel).undo_stack.undoText() == "“down” is no longer padding"


def test_a_click_on_a_number_selects_its_cell_of_E(show: Show, qtbot: QtBot) -> None:
    panel = show(new_experiment(("the", "cat", "the"), 2, 2, 2, 1, 0))
    click(qtbot, panel.token_section, 2, "numbers", 1)
    assert document_of(panel).cursor.selected == Cell("embedding.E", 0, 1)


def test_long_vectors_are_not_shown_beside_their_token(show: Show) -> None:
    panel = show(new_experiment(TOKENS, 4, 2, 2, 1, 0))
    with pytest.raises(IndexError):
        panel.token_section.list.part_rect(0, "numbers", 0)


def test_the_menu_of_a_row_removes_its_token(panel: InputPanel, qtbot: QtBot) -> None:
    click(qtbot, panel.token_section, 1, "menu")
    menu = panel.token_section.list.menu
    assert menu.isVisible()
    qtbot.keyClick(menu, Qt.Key.Key_Up)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert tokens_of(panel) == ("the", "sat", "down")


def test_unused_words_are_removed_by_a_link(panel: InputPanel, qtbot: QtBot) -> None:
    section = panel.token_section
    assert not section.unused.isVisible()
    focus(section, 0)
    qtbot.keyClick(section.list, Qt.Key.Key_Delete)
    assert section.unused.text() == "Remove 1 unused word"
    before = document_of(panel).experiment
    qtbot.mouseClick(section.unused, LEFT)
    assert document_of(panel).experiment.embedding.vocabulary == ("cat", "sat", "down")
    assert document_of(panel).undo_stack.undoText() == "Remove 1 unused word"
    assert not section.unused.isVisible()
    document_of(panel).undo_stack.undo()
    assert identical(document_of(panel).experiment, before)


def test_invisible_characters_are_shown_by_signs_and_edited_as_they_are(show: Show, qtbot: QtBot) -> None:
    panel = show(new_experiment((" a", "\n", ""), 2, 2, 2, 1, 0))
    section = panel.token_section
    model = section.list.model()
    assert [model.index(row, 0).data() for row in range(3)] == ["␣a", "↵", "∅"]
    focus(section, 0)
    qtbot.keyClick(section.list, Qt.Key.Key_F2)
    assert editor_of(section).text() == " a"
    qtbot.keyClick(editor_of(section), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: section.list.hasFocus())
    assert document_of(panel).undo_stack.count() == 0


def test_a_screen_reader_hears_place_token_and_padding(panel: InputPanel, qtbot: QtBot) -> None:
    focus(panel.token_section, 1)
    qtbot.keyClick(panel.token_section.list, Qt.Key.Key_Space)
    spoken = panel.token_section.list.model().index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "2, cat, padding"


def test_a_list_of_512_tokens_scrolls_in_itself(show: Show) -> None:
    panel = show(new_experiment([f"w{number % 40}" for number in range(512)], 2, 2, 2, 1, 0))
    tokens = panel.token_section.list
    assert tokens.height() < 400
    assert tokens.verticalScrollBar().maximum() > 0
    tokens.go_to(511)
    assert tokens.viewport().rect().contains(tokens.part_rect(511, "badge"))


def test_new_words_get_their_vectors_by_the_rule_in_force(panel: InputPanel, qtbot: QtBot) -> None:
    qtbot.keyClick(panel.size_section.kind, Qt.Key.Key_Down)
    assert panel.size_section.growth().kind == "zeros"
    qtbot.mouseClick(panel.token_section.add, LEFT)
    qtbot.keyClicks(editor_of(panel.token_section), "it")
    qtbot.keyClick(editor_of(panel.token_section), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(tokens_of(panel)) == 5)
    assert not np.any(document_of(panel).experiment.embedding.E[4])


def test_source_tokens_are_edited_like_those_of_the_sequence(show: Show, qtbot: QtBot) -> None:
    panel = show(load_example("cross-attention"))
    section, before = panel.source_token_section, document_of(panel).experiment
    assert section.isVisible()
    focus(section, 0)
    qtbot.keyClick(section.list, Qt.Key.Key_Delete)
    source = document_of(panel).experiment.source
    assert source is not None
    assert source.tokens == ("aime", "les", "chats", "noirs")
    assert document_of(panel).undo_stack.undoText() == "Remove token “j'” (source)"
    assert undo_restores(panel, before)


def test_a_text_of_too_many_words_is_refused_whole_and_says_how_many(show: Show, qtbot: QtBot) -> None:
    panel = show(new_experiment(("a", "b"), 2, 1, 1, 1, 0))
    before, section = document_of(panel).experiment, panel.token_section
    QApplication.clipboard().setText(" ".join(f"w{index}" for index in range(10_000)))
    section.text.selectAll()
    section.text.paste()
    qtbot.keyClick(section.text, Qt.Key.Key_Return)
    message = section.notice.findChild(QLabel, "message")
    assert message is not None
    assert message.text() == "These are 10,000 tokens; at most 4,096 can be used. Nothing was changed."
    assert document_of(panel).experiment is before
