"""The section of the tokens of one side: their text in a line, and a row each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QWidget

from attnexplorer.document.cursor import Cell
from attnexplorer.document.document import Document
from attnexplorer.experiment.edits.growth import Growth
from attnexplorer.experiment.edits.tokens import (
    Side,
    add_token,
    move_token,
    remove_token,
    rename_token,
    set_padding,
    set_tokens,
)
from attnexplorer.experiment.edits.vocabulary import remove_unused_words, words_in_use
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.splitting import split_characters, split_whitespace, split_words, visible
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.input.notice import Edit
from attnexplorer.views.input.section import Section
from attnexplorer.views.input.token_list import TokenList
from attnexplorer.views.input.token_model import rows_of

MOST_TOKENS = 4096
_LONGEST_TEXT = 50_000_000
"""Characters: a line edit would cut a longer text without a word."""
LONGEST_NAME = 24
"""Longer tokens are shortened in the names of edits."""


class TokenSection(Section):
    """Edits the tokens of the sequence or of the source; new words get their vectors by the rule in force."""

    def __init__(
        self,
        side: Side,
        document: Document,
        appearance: Appearance,
        growth: Callable[[], Growth],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Tokens" if side == "sequence" else "Source tokens", document, appearance, parent)
        self.side: Side = side
        self._growth = growth
        self._split = "words"
        self._seen_tokens: tuple[str, ...] | None = None
        self.text = self._text_line()
        self.list = self._token_list()
        self.add = link("+ Token", "Insert a token after the current one (Ctrl+Enter)", "add-token")
        self.add.clicked.connect(lambda: self.list.begin_insert())
        self.split = link("", "How the text becomes tokens", "split")
        self.split_menu = self._split_menu()
        self.split.clicked.connect(self._on_split_clicked)
        self.unused = link("", "Take the words that no token uses out of the vocabulary", "unused-words")
        self.unused.clicked.connect(self._on_unused_clicked)
        self._lay_out()
        document.cursor.selection_changed.connect(self.list.show_selected_cell)
        appearance.changed.connect(self.list.take_appearance)

    def parts(self, experiment: Experiment) -> tuple[Any, ...]:
        return (experiment.sequence, experiment.source, experiment.embedding)

    def show_experiment(self, experiment: Experiment) -> None:
        rows = rows_of(experiment, self.side)
        self.list.show_rows(rows)
        self.list.show_selected_cell(self.document.cursor.selected)
        if self._seen_tokens != rows.tokens:
            self._seen_tokens = rows.tokens
            self._show_text()
        unused = len(set(experiment.embedding.vocabulary) - words_in_use(experiment))
        self.unused.setText(f"Remove {unused} unused {'word' if unused == 1 else 'words'}")
        self.unused.setVisible(unused > 0 and self.side == "sequence")

    def reset(self) -> None:
        self._seen_tokens = None
        super().reset()

    def _text_line(self) -> QLineEdit:
        line = QLineEdit()
        line.setObjectName("text")
        line.setMaxLength(_LONGEST_TEXT)
        line.setAccessibleName("Text")
        line.setPlaceholderText("Type a text, press Enter")
        line.returnPressed.connect(self._on_return_pressed)
        return line

    def _token_list(self) -> TokenList:
        tokens = TokenList(self.appearance)
        tokens.setObjectName("tokens")
        tokens.setAccessibleName("Tokens" if self.side == "sequence" else "Source tokens")
        tokens.rename_requested.connect(self._on_rename_requested)
        tokens.insert_requested.connect(self._on_insert_requested)
        tokens.remove_requested.connect(self._on_remove_requested)
        tokens.move_requested.connect(self._on_move_requested)
        tokens.padding_requested.connect(self._on_padding_requested)
        tokens.cell_requested.connect(self._on_cell_requested)
        tokens.typing_requested.connect(self.document.cursor.typing_requested)
        return tokens

    def _split_menu(self) -> QMenu:
        menu, group = QMenu(self), QActionGroup(self)
        for how in SPLITS:
            action = QAction(f"Split by {how}", self)
            action.setCheckable(True)
            action.setChecked(how == self._split)
            action.triggered.connect(partial(self._on_split_chosen, how))
            group.addAction(action)
            menu.addAction(action)
        self._name_split()
        return menu

    def _name_split(self) -> None:
        self.split.setText(f"Split by {self._split} ▾")
        self.split.setAccessibleName(f"Split the text by {self._split}")
        self.text.setToolTip(f"Enter splits the text into tokens by {self._split}")

    def _show_text(self) -> None:
        """Write the tokens as a text that splits into them again, if there is one."""
        tokens = self._seen_tokens or ()
        for how in dict.fromkeys((self._split, *SPLITS)):
            text = ("" if how == "characters" else " ").join(tokens)
            if SPLITS[how](text) == tokens:
                self._split = how
                self._name_split()
                break
        else:
            text = " ".join(tokens)
        self.text.setText(text)
        self.text.setCursorPosition(0)

    def _on_return_pressed(self) -> None:
        if self.text.isModified():
            self._apply_split()

    def _on_split_clicked(self) -> None:
        for action in self.split_menu.actions():
            action.setChecked(action.text() == f"Split by {self._split}")
        self.split_menu.popup(self.split.mapToGlobal(self.split.rect().bottomLeft()))

    def _on_split_chosen(self, how: str) -> None:
        self._split = how
        self._name_split()
        self._apply_split()

    def _apply_split(self) -> None:
        words = SPLITS[self._split](self.text.text())
        if not words:
            self.notice.refuse("Type a text with at least one token.")
            return
        if len(words) > MOST_TOKENS:
            self.notice.refuse(
                f"These are {len(words):,} tokens; at most {MOST_TOKENS:,} can be used. Nothing was changed."
            )
            return
        edit = partial(set_tokens, side=self.side, words=words, growth=self._growth())
        name = self._named(f"Split the text by {self._split}")
        if self.notice.make(Edit(name, edit, "Split")):
            self.text.setModified(False)

    def _on_rename_requested(self, place: int, word: str) -> None:
        if not word:
            self.notice.refuse("A token needs at least one character. Delete takes the whole token away.")
            return
        name = self._named(f"Rename token {self._quoted(place)} to {quoted(word)}")
        self.edit(Edit(name, partial(rename_token, side=self.side, index=place, word=word)))

    def _on_insert_requested(self, place: int, word: str) -> None:
        edit = partial(add_token, side=self.side, index=place, word=word, growth=self._growth())
        name = self._named(f"Add token {quoted(word)}")
        self.edit(Edit(name, edit, "Add", done=lambda: self.list.go_to(place)))

    def _on_remove_requested(self, place: int) -> None:
        name = self._named(f"Remove token {self._quoted(place)}")
        self.edit(Edit(name, partial(remove_token, side=self.side, index=place), "Remove"))

    def _on_move_requested(self, start: int, end: int) -> None:
        edit = partial(move_token, side=self.side, start=start, end=end)
        name = self._named(f"Move token {self._quoted(start)}")
        self.edit(Edit(name, edit, "Move", done=lambda: self.list.go_to(end)))

    def _on_padding_requested(self, place: int) -> None:
        padded = self._tokens_padding()[place]
        name = f"{self._quoted(place)} is {'no longer ' if padded else ''}padding"
        edit = partial(set_padding, side=self.side, index=place, padded=not padded)
        # Unmarking is what was asked for, not a loss to be named.
        self.notice.clear()
        self.document.apply(self._named(name), edit)

    def _on_cell_requested(self, cell: Cell) -> None:
        self.document.cursor.select(cell)

    def _on_unused_clicked(self) -> None:
        self.notice.clear()
        self.document.apply(self.unused.text(), remove_unused_words)

    def _tokens_padding(self) -> tuple[bool, ...]:
        return rows_of(self.document.experiment, self.side).padding

    def _quoted(self, place: int) -> str:
        return quoted(rows_of(self.document.experiment, self.side).tokens[place])

    def _named(self, text: str) -> str:
        return text if self.side == "sequence" else f"{text} (source)"

    def _lay_out(self) -> None:
        links = QHBoxLayout()
        links.setContentsMargins(0, 0, 0, 0)
        links.addWidget(self.add)
        links.addStretch(1)
        links.addWidget(self.split)
        self.body.addWidget(self.text)
        self.body.addWidget(self.list)
        self.body.addLayout(links)
        self.body.addWidget(self.unused)


def link(text: str, tip: str, name: str) -> QPushButton:
    """Return a button that looks like a link."""
    button = QPushButton(text)
    button.setToolTip(tip)
    button.setObjectName(name)
    button.setProperty("look", "link")
    return button


def quoted(token: str) -> str:
    """Return a token in quotation marks as it stands in the name of an edit."""
    shown = visible(token)
    return f"“{shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 1] + '…'}”"


SPLITS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "words": split_words,
    "characters": split_characters,
    "white space": split_whitespace,
}
