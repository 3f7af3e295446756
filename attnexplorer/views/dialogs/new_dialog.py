"""The dialog for a new experiment: its tokens, its widths, its heads and the seed of its numbers."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from attnexplorer.experiment.edits.creation import DEFAULT_TOKENS, new_experiment
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.experiment.splitting import split_whitespace
from attnexplorer.views.dialogs.plain_buttons import without_pictures
from attnexplorer.views.input.fields import CountBox
from attnexplorer.views.whole_errors import with_whole_errors

MOST_NUMBERS = 4_000_000
"""A new experiment with more numbers than this can only be a slip; a file may hold more."""

_COUNTS = (
    ("d_model", "d<sub>model</sub>", 4, "Numbers in a token's embedding"),
    ("d_k", "d<sub>k</sub>", 2, "Numbers in a query and in a key"),
    ("d_v", "d<sub>v</sub>", 2, "Numbers in a value"),
    ("heads", "Heads", 2, "Attention heads side by side"),
)


@with_whole_errors
class NewDialog(QDialog):
    """Asks for what a new experiment is made from; `experiment` is there once it was accepted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("New experiment")
        self.setMinimumWidth(420)
        self.experiment: Experiment | None = None
        self._tokens = _token_field()
        self._counts = {name: _count_field(name, value, tip) for name, _, value, tip in _COUNTS}
        self._seed = _count_field("seed", 0, "The same seed gives the same numbers again", 0, 2**31 - 1)
        self._error = QLabel()
        self._error.setProperty("look", "error")
        self._error.setWordWrap(True)
        self._error.setObjectName("new_error")
        self._error.hide()
        self._lay_out()

    def accept(self) -> None:
        try:
            self.experiment = self._made()
        except ExperimentError as error:
            self._error.setText(str(error))
            self._error.show()
            return
        super().accept()

    def _made(self) -> Experiment:
        tokens = split_whitespace(self._tokens.text())
        d_model, d_k, d_v, heads = (field.value() for field in self._counts.values())
        numbers = d_model * (len(tokens) + heads * (2 * d_k + d_v))
        if numbers > MOST_NUMBERS:
            raise ExperimentError("", f"This would be {numbers:,} numbers; at most {MOST_NUMBERS:,} are made at once.")
        return new_experiment(tokens, d_model, d_k, d_v, heads, self._seed.value())

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.addRow("&Tokens", self._tokens)
        for name, label, _, _ in _COUNTS:
            form.addRow(label, self._counts[name])
        form.addRow("&Seed", self._seed)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Ok).setText("Create")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self._error)
        column.addWidget(buttons)
        without_pictures(self)


def _token_field() -> QLineEdit:
    field = QLineEdit(" ".join(DEFAULT_TOKENS))
    field.setObjectName("new_tokens")
    field.setAccessibleName("Tokens")
    field.setToolTip("The tokens, with spaces between them")
    return field


def _count_field(name: str, value: int, tip: str, lowest: int = 1, highest: int = 1024) -> CountBox:
    field = CountBox(f"new_{name}", lowest, highest)
    field.show_number(value)
    field.setAccessibleName(tip)
    field.setToolTip(tip)
    return field
