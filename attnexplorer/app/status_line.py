"""The line at the bottom: the sizes, what was recomputed in which time, and whether everything is saved."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QLabel, QSizePolicy, QStatusBar, QToolButton, QWidget

from attnexplorer.compute.engine import Evaluation
from attnexplorer.document.names import matrix_name
from attnexplorer.document.storage import Storage
from attnexplorer.experiment.model import Experiment
from attnexplorer.views.elided_label import ElidedLabel
from attnexplorer.views.steady_label import SteadyLabel

_MOST_NAMES = 24


class StatusLine(QStatusBar):
    """Follows one document and its storage."""

    keep_requested = Signal()
    """The present state is to be kept as A, to compare with."""

    def __init__(self, storage: Storage, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._storage = storage
        self._document = storage.document
        self._sizes = _label("status_sizes", "The sizes of the experiment")
        self._work = _named(SteadyLabel(), "status_work", "What was recomputed for the last edit")
        self._alarm = _label("status_alarm", "")
        self._compared = _label("status_compared", "Which of the two experiments that are compared is seen")
        self._keep = _keep_button()
        self._saved = _label("status_saved", "Whether every edit is saved in the file")
        self._undo = ElidedLabel()
        self._undo.setObjectName("status_undo")
        self._undo.setProperty("look", "note")
        self._evaluated: Experiment | None = None
        self._lay_out()
        self._document.evaluated.connect(self._on_evaluated)
        self._document.recomputation.busy_changed.connect(self._on_busy_changed)
        self._document.display.changed.connect(self._show_sizes)
        self._document.undo_stack.indexChanged.connect(self._show_state)
        self._document.undo_stack.undoTextChanged.connect(self._show_state)
        storage.changed.connect(self._show_state)
        self._keep.clicked.connect(self.keep_requested)
        self._document.comparison.changed.connect(self._show_compared)
        self._show_compared()
        self._on_evaluated(self._document.evaluation)
        self._show_state()

    def show_alarm(self, sentence: str) -> None:
        """Say something that should not go unnoticed but stops nobody; an empty sentence takes it away."""
        self._alarm.setText(sentence)
        self._alarm.setToolTip(sentence)
        self._alarm.setVisible(bool(sentence))

    def _lay_out(self) -> None:
        self.setSizeGripEnabled(False)
        self.setContentsMargins(8, 0, 8, 0)
        self._alarm.setProperty("look", "warning")
        self._alarm.hide()
        self._undo.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._work.setContentsMargins(12, 0, 12, 0)
        for label in (self._sizes, self._work, self._alarm):
            self.addWidget(label)
        for widget in (self._compared, self._keep, self._saved, self._undo):
            self.addPermanentWidget(widget)

    def _on_evaluated(self, evaluation: Evaluation) -> None:
        self._show_sizes()
        if evaluation.recomputed or evaluation.experiment is not self._evaluated:
            self._work.setText(_work(evaluation))
            self._work.setToolTip(_names(evaluation))
        self._evaluated = evaluation.experiment

    def _on_busy_changed(self, busy: bool) -> None:
        if busy:
            self._work.setText("recomputing …")

    def _show_sizes(self) -> None:
        experiment = self._document.experiment
        layer = min(self._document.display["layer"], len(experiment.layers) - 1)
        self._sizes.setText(_sizes(experiment, layer))

    def _show_compared(self) -> None:
        self._compared.setText(self._document.comparison.text)
        self._compared.setVisible(self._document.comparison.active)

    def _show_state(self) -> None:
        if self._storage.modified:
            state = "changes not saved"
        else:
            state = "no changes" if self._storage.path is None else "saved"
        self._saved.setText(state)
        undo = self._document.undo_stack.undoText()
        self._undo.setText(f"· undo: {undo}" if undo else "")


def _label(name: str, description: str) -> QLabel:
    return _named(QLabel(), name, description)


def _named(label: QLabel, name: str, description: str) -> QLabel:
    label.setProperty("look", "note")
    label.setObjectName(name)
    label.setToolTip(description)
    return label


def _keep_button() -> QToolButton:
    button = QToolButton()
    button.setObjectName("status_keep")
    button.setText("Keep as A")
    button.setProperty("look", "link")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setToolTip("Keep this state as A, go on from it, and see in every matrix what changed")
    button.setAccessibleName("Keep this state as A, to compare with")
    return button


def _sizes(experiment: Experiment, layer: int) -> str:
    attention = experiment.layers[layer].attention
    parts = [_counted(len(experiment.query_tokens), "token")]
    if experiment.source is not None:
        parts.append(_counted(len(experiment.key_tokens), "source token"))
    parts += [_width("model", attention.d_model), _width("k", attention.d_k)]
    if attention.d_v != attention.d_k:
        parts.append(_width("v", attention.d_v))
    parts.append(_counted(attention.heads, "head"))
    if attention.kv_heads != attention.heads:
        parts.append(_counted(attention.kv_heads, "KV head"))
    if len(experiment.layers) > 1:
        parts.append(_counted(len(experiment.layers), "layer"))
    return " · ".join(parts)


def _width(index: str, number: int) -> str:
    return f"d<sub>{index}</sub> {number}"


def _work(evaluation: Evaluation) -> str:
    stages = {(unit.stage, unit.layer) for unit in evaluation.recomputed}
    if not stages:
        return "nothing to recompute" if evaluation.arrays else ""
    milliseconds = QLocale().toString(evaluation.seconds * 1000, "f", 2 if evaluation.seconds < 0.01 else 0)
    return f"recomputed {_counted(len(stages), 'stage')} in {milliseconds} ms"


def _names(evaluation: Evaluation) -> str:
    names = [matrix_name(evaluation.experiment, unit.path) for unit in evaluation.recomputed]
    more = len(names) - _MOST_NAMES
    return "\n".join(names[:_MOST_NAMES]) + (f"\n… and {more} more" if more > 0 else "")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
