"""The selected pair in numbers: the dot product and, beside it, the cosine that knows nothing of length."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attnexplorer.compute.numbers import MINUS, significant_text
from attnexplorer.compute.planes import PairNumbers
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.explain.wrapping_row import WrappingRow
from attnexplorer.views.input.fields import ChoiceBox

_SYMBOLS = {
    "dot": "q · k",
    "cosine": "cosine",
    "query-length": "|q|",
    "key-length": "|k|",
    "angle": "angle",
}
_LOUD = ("dot", "cosine")


class PairCard(QFrame):
    """Shows the numbers of one query and one key, and asks for another pair or another length of the key."""

    pair_chosen = Signal(int, int)
    stretch_requested = Signal(float)

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._tokens: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        self.setProperty("look", "card")
        self.setObjectName("pair-card")
        self.setAccessibleName("The selected pair")
        self._title = QLabel("q · k")
        self._caption = QLabel("dot product and cosine")
        self._caption.setProperty("look", "caption")
        self.query, self.key = ChoiceBox("pair-query", ()), ChoiceBox("pair-key", ())
        self._tiles = {name: _Tile(name) for name in _SYMBOLS}
        self._shorter = _stretch_button("key-half", "k × ½", "Make this key half as long")
        self._longer = _stretch_button("key-double", "k × 2", "Make this key twice as long")
        self._note = QLabel()
        self._lay_out()
        self.query.chosen.connect(lambda row: self.pair_chosen.emit(int(row), self.key.currentIndex()))
        self.key.chosen.connect(lambda row: self.pair_chosen.emit(self.query.currentIndex(), int(row)))
        self._shorter.clicked.connect(lambda: self.stretch_requested.emit(0.5))
        self._longer.clicked.connect(lambda: self.stretch_requested.emit(2.0))

    def show_pair(
        self,
        tokens: tuple[tuple[str, ...], tuple[str, ...]],
        pair: tuple[int, int],
        numbers: PairNumbers,
        of: str = "",
    ) -> None:
        """Show a pair of rows with its numbers, and say what they are of."""
        self._caption.setText(f"{of}dot product and cosine")
        if tokens != self._tokens:
            self._tokens = tokens
            for box, names, letter in ((self.query, tokens[0], "q"), (self.key, tokens[1], "k")):
                _fill(box, names, letter)
        self.query.setCurrentIndex(pair[0])
        self.key.setCurrentIndex(pair[1])
        mark = self._appearance.decimal_point
        for name, text in _texts(numbers, mark).items():
            self._tiles[name].show_number(text)
        self._note.setText(_product(numbers, mark))

    def number(self, name: str) -> str:
        """Return what stands in a tile."""
        return self._tiles[name].number

    def apply_appearance(self) -> None:
        """Take over fonts that have changed."""
        self._title.setFont(self._appearance.font("mathematics", 16, bold=True))
        for tile in self._tiles.values():
            tile.apply_appearance(self._appearance)

    def _lay_out(self) -> None:
        heading = QHBoxLayout()
        heading.setSpacing(7)
        heading.addWidget(self._title)
        heading.addWidget(self._caption, 1)
        self.query.setAccessibleName("Query of the pair")
        self.key.setAccessibleName("Key of the pair")
        self.query.setToolTip("The query of the pair")
        self.key.setToolTip("The key of the pair")
        choice, tiles = QWidget(), QWidget()
        for parent, widgets, spacing in (
            (choice, (self.query, self.key, self._shorter, self._longer), 8),
            (tiles, tuple(self._tiles.values()), 10),
        ):
            row = WrappingRow(parent, spacing)
            for widget in widgets:
                row.addWidget(widget)
        self._note.setObjectName("pair-product")
        self._note.setProperty("look", "caption")
        self._note.setWordWrap(True)
        body = QVBoxLayout(self)
        body.setContentsMargins(12, 9, 12, 11)
        body.setSpacing(9)
        body.addLayout(heading)
        for part in (choice, tiles, self._note):
            body.addWidget(part)
        body.addStretch(1)


class _Tile(QWidget):
    """A number below its name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._label, self._number = QLabel(_SYMBOLS[name]), QLabel()
        self._label.setProperty("look", "caption")
        self._number.setObjectName(f"pair-{name}")
        self._number.setAccessibleName(_SYMBOLS[name])
        self._number.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self._label)
        column.addWidget(self._number)

    @property
    def number(self) -> str:
        """The number as it is shown."""
        return self._number.text()

    def show_number(self, text: str) -> None:
        """Show a number."""
        self._number.setText(text)

    def apply_appearance(self, appearance: Appearance) -> None:
        """Take over fonts that have changed; all tiles are equally wide, so that they stand in columns."""
        loud = self._name in _LOUD
        self._number.setFont(appearance.font("number", 18 if loud else 14, bold=loud))
        self._label.setMinimumWidth(round((84 if loud else 66) * appearance.text_scale))


def _stretch_button(name: str, text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    return button


def _fill(box: ChoiceBox, names: Sequence[str], letter: str) -> None:
    box.clear()
    for row, name in enumerate(names):
        box.addItem(f"{letter} {name}", str(row))


def _texts(numbers: PairNumbers, mark: str) -> dict[str, str]:
    known = math.isfinite(numbers.cosine)
    return {
        "dot": significant_text(numbers.dot, 4, mark),
        "cosine": _fixed(numbers.cosine, 4, mark) if known else "none",
        "query-length": significant_text(numbers.query_length, 4, mark),
        "key-length": significant_text(numbers.key_length, 4, mark),
        "angle": f"{_fixed(numbers.angle, 1, mark)}°" if known else "none",
    }


def _product(numbers: PairNumbers, mark: str) -> str:
    if not (math.isfinite(numbers.query_length) and math.isfinite(numbers.key_length)):
        return "A length is not a finite number, and so there is no cosine and no angle."
    if not math.isfinite(numbers.cosine):
        return "A vector of zeros has no direction, and so no cosine and no angle."
    lengths = [significant_text(length, 4, mark) for length in (numbers.query_length, numbers.key_length)]
    product = " × ".join((*lengths, _fixed(numbers.cosine, 4, mark)))
    return f"q · k = |q| |k| cosine = {product}. A longer key changes it, but not the cosine."


def _fixed(value: float, decimals: int, mark: str) -> str:
    return f"{value:.{decimals}f}".replace("-", MINUS).replace(".", mark)
