"""The preview with what is said below it: which page, how large, and how many bytes an animation will have."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from attnexplorer.compute.engine import Engine
from attnexplorer.experiment.errors import ExperimentError
from attnexplorer.experiment.model import Experiment
from attnexplorer.figures.command_words import ANIMATIONS
from attnexplorer.figures.export import Export
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.views.appearance import Appearance
from attnexplorer.views.export_dialog.export_process import sentence_of
from attnexplorer.views.export_dialog.fields import LiveCount
from attnexplorer.views.export_dialog.picturing import Pictured, animation_words, extent_words, pictured
from attnexplorer.views.export_dialog.preview import FigurePreview

_FRAME_MS = 16
_SLOW = 0.08
"""A preview that takes longer than this many seconds waits until nothing is typed any more."""
_PAUSE_MS = 300


class PreviewPane(QWidget):
    """Shows a figure soon after it is asked to, once for a burst of wishes."""

    shown = Signal()
    """Emitted once the preview is up to date."""
    told = Signal(str)
    """Emitted with the sentence that says why there is no such figure, or with nothing if there is one."""

    def __init__(self, appearance: Appearance, experiment: Experiment, other: Experiment | None) -> None:
        super().__init__()
        self._experiment, self._other = experiment, other
        self._engine = Engine()
        self._wanted: tuple[FigureSpec, Export] | None = None
        self.preview = FigurePreview(appearance)
        self.place = LiveCount("figure-place", "Page", "Which page or picture is shown", 1, 1)
        self._place_name = QLabel("Page")
        self._extent, self._animation = _caption("figure-extent"), _caption("figure-animation")
        self._timer, self._size_timer = _timer(self, self._show), _timer(self, self._show_animation_size)
        self._timer.setInterval(_FRAME_MS)
        self._size_timer.setInterval(_PAUSE_MS)
        self._lay_out()
        self.preview.resized.connect(self._timer.start)
        self.place.valueChanged.connect(lambda: self._timer.start())

    def ask_for(self, spec: FigureSpec, export: Export) -> None:
        """Show a figure soon."""
        self._wanted = (spec, export)
        self._animation.setText("")
        self._animation.setVisible(export.form in ANIMATIONS)
        self._timer.start()

    def figure(self, spec: FigureSpec, export: Export) -> Pictured:
        """Return the figure of a specification, or the page or picture of it that is chosen.

        Raises
        ------
        FigureError
            If there is no such figure.
        """
        return pictured(spec, self._experiment, export, self._other, self.place.value() - 1, self._engine)

    def say(self, sentence: str) -> None:
        """Say something in the place of the figure's size."""
        self._extent.setText(sentence)

    def rest(self) -> None:
        """Show nothing new any more."""
        self._timer.stop()
        self._size_timer.stop()

    def _lay_out(self) -> None:
        self._place_line = QWidget()
        line = QHBoxLayout(self._place_line)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self._place_name)
        line.addWidget(self.place)
        line.addStretch(1)
        self._place_line.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.preview, 1)
        for widget in (self._place_line, self._extent, self._animation):
            column.addWidget(widget)

    def _show(self) -> None:
        if self._wanted is None:
            return
        started = perf_counter()
        spec, export = self._wanted
        try:
            shown = self.figure(spec, export)
            words = extent_words(shown, spec, export)
            self.preview.show_figure(shown.figure)
        except ExperimentError as error:
            shown, words = None, ""
            self.preview.show_figure(None)
            self.told.emit(sentence_of(str(error)))
        else:
            self.told.emit("")
        self._extent.setText(words)
        self._offer_places(1 if shown is None else shown.pages, export)
        self._timer.setInterval(_PAUSE_MS if perf_counter() - started > _SLOW else _FRAME_MS)
        if shown is not None and export.form in ANIMATIONS:
            self._size_timer.start()
        self.shown.emit()

    def _offer_places(self, pages: int, export: Export) -> None:
        self.place.blockSignals(True)
        self.place.setRange(1, pages)
        self.place.setSuffix(f" of {pages}")
        self.place.blockSignals(False)
        self._place_name.setText("Picture" if export.form in ANIMATIONS else "Page")
        self._place_line.setVisible(pages > 1)

    def _show_animation_size(self) -> None:
        if self._wanted is None:
            return
        spec, export = self._wanted
        try:
            self._animation.setText(animation_words(spec, self._experiment, export))
        except ExperimentError as error:
            self.told.emit(sentence_of(str(error)))


def _caption(name: str) -> QLabel:
    label = QLabel()
    label.setObjectName(name)
    label.setProperty("look", "caption")
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def _timer(parent: QWidget, call: Callable[[], None]) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.timeout.connect(call)
    return timer
