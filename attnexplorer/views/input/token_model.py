"""The rows of the token list as a Qt model, with one extra row while a new token is being typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from attnexplorer.document.cursor import Cell
from attnexplorer.experiment.arrays import Matrix
from attnexplorer.experiment.edits.tokens import Side
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.splitting import visible
from attnexplorer.views.whole_errors import with_whole_errors

Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()
MOST_NUMBERS = 3
"""Vectors with more numbers than this are not shown beside their token."""


@dataclass(frozen=True, slots=True)
class TokenRows:
    """What the list shows. `matrix` at `path` holds the vector of token i in row `places[i]`; None: not shown."""

    tokens: tuple[str, ...]
    padding: tuple[bool, ...]
    path: str = ""
    matrix: Matrix | None = None
    places: tuple[int, ...] = ()

    @property
    def numbers(self) -> int:
        """How many numbers stand in a row."""
        return 0 if self.matrix is None else int(self.matrix.shape[1])

    def cell(self, row: int, column: int) -> Cell:
        """Return the cell of the matrix that a number stands for."""
        return Cell(self.path, self.places[row], column)


def rows_of(experiment: Experiment, side: Side) -> TokenRows:
    """Return the rows of one side; its vectors are rows of E, or of the source's X."""
    source = experiment.source
    owner = experiment.sequence if side == "sequence" or source is None else source
    if source is not None and side == "source" and source.X is not None:
        path, matrix, places = "source.X", source.X, tuple(range(len(owner.tokens)))
    else:
        where = {word: place for place, word in enumerate(experiment.embedding.vocabulary)}
        path, matrix, places = "embedding.E", experiment.embedding.E, tuple(where[word] for word in owner.tokens)
    if matrix.shape[1] > MOST_NUMBERS:
        return TokenRows(owner.tokens, owner.padding)
    return TokenRows(owner.tokens, owner.padding, path, matrix, places)


def changed_places(old: TokenRows, new: TokenRows) -> list[int]:
    """Return the places whose rows look different; the tokens are the same."""
    changed = np.array(old.padding) != np.array(new.padding)
    if old.matrix is None or new.matrix is None or old.numbers != new.numbers:
        changed |= old.matrix is not new.matrix
    else:
        changed |= (old.matrix[list(old.places)] != new.matrix[list(new.places)]).any(axis=1)
    places: list[int] = np.flatnonzero(changed).tolist()
    return places


@with_whole_errors
class TokenModel(QAbstractListModel):
    """One row a token. `draft` is the place of the row for a token that is being typed, if there is one."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = TokenRows((), ())
        self.draft: int | None = None

    def show(self, rows: TokenRows) -> None:
        """Show other rows; the list is built anew only where tokens differ."""
        if rows.tokens == self.rows.tokens and self.draft is None:
            # `dataChanged` would lay all rows out anew; the list repaints those that can be seen.
            self.rows = rows
            return
        self.beginResetModel()
        self.rows, self.draft = rows, None
        self.endResetModel()

    def begin_draft(self, row: int) -> QModelIndex:
        """Make room for a token before place `row` and return its index."""
        self.beginInsertRows(QModelIndex(), row, row)
        self.draft = row
        self.endInsertRows()
        return self.index(row)

    def end_draft(self) -> None:
        """Take the room away again."""
        if self.draft is not None:
            self.beginRemoveRows(QModelIndex(), self.draft, self.draft)
            self.draft = None
            self.endRemoveRows()

    def token_at(self, row: int) -> int | None:
        """Return the place of the token that a row shows, or None for the draft."""
        if row == self.draft:
            return None
        return row if self.draft is None or row < self.draft else row - 1

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self.rows.tokens) + (self.draft is not None)

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        place = self.token_at(index.row())
        token = "" if place is None else self.rows.tokens[place]
        if role == Qt.ItemDataRole.DisplayRole:
            return "" if place is None else visible(token)
        if role == Qt.ItemDataRole.EditRole:
            return token
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(place)
        return None

    def _spoken(self, place: int | None) -> str:
        if place is None:
            return "New token"
        padded = ", padding" if self.rows.padding[place] else ""
        return f"{place + 1}, {visible(self.rows.tokens[place])}{padded}"
