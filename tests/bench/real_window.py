"""The real window of the program on an experiment of some size, and what happens in it from an edit to the pixels."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractEventDispatcher, QEvent, QEventLoop, QObject, QRect
from PySide6.QtWidgets import QWidget

from attnexplorer.app.launch import make_application, make_windows
from attnexplorer.app.main_window import MainWindow
from attnexplorer.document.cursor import Cell
from attnexplorer.document.storage import Loaded
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.views.matrix_table import MatrixTable
from attnexplorer.views.pipeline import PipelineWorkspace

WINDOW = (1440, 900)
EDITED = "layers.0.attention.W_Q.0"


@dataclass(frozen=True, slots=True)
class Size:
    """Tokens, d_model and heads of the one layer; d_k and d_v share d_model out."""

    tokens: int
    d_model: int
    heads: int

    @property
    def d_k(self) -> int:
        """The width of a head."""
        return self.d_model // self.heads

    def __str__(self) -> str:
        return f"{self.tokens} × {self.d_model}, {self.heads} heads"


class PaintCount(QObject):
    """Counts the paint events of one widget; every other event passes untouched."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.paints = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.paints += 1
        return False


class RealWindow:
    """A window of the program, 1440 × 900, the Pipeline in front."""

    def __init__(self, size: Size) -> None:
        self.application = make_application()
        self._windows = make_windows()
        self._windows.appearance.choose_theme("light")
        words = [f"t{index + 1}" for index in range(size.tokens)]
        experiment = new_experiment(words, size.d_model, size.d_k, size.d_k, size.heads, seed=1)
        self.window: MainWindow = self._windows.show_new(Loaded(experiment))
        self.document = self.window.document
        self.window.resize(*WINDOW)
        self.window.show_workspace("pipeline")
        pipeline = self.window.workspaces["pipeline"].widget
        assert isinstance(pipeline, PipelineWorkspace)
        self.pipeline = pipeline
        self._dispatcher = QAbstractEventDispatcher.instance()
        # A number is selected, as it is whenever somebody works: its explanation is one of the views that follow.
        self.document.cursor.select(Cell("layers.0.weights.0", size.tokens - 1, 0))
        self.rest()

    def scroll_to(self, widget: QWidget | None) -> None:
        """Scroll the Pipeline to a widget on it, or to the top."""
        bar = self.pipeline.verticalScrollBar()
        bar.setValue(0 if widget is None else widget.mapTo(self.pipeline.canvas, widget.rect().topLeft()).y() - 20)
        self.rest()

    def rest(self, seconds: float = 0.6) -> None:
        """Let the window come to rest: timers that were waiting have fired, everything is painted."""
        end = time.monotonic() + seconds
        while time.monotonic() < end or not self.finished:
            self._drain()
            time.sleep(0.005)

    @property
    def finished(self) -> bool:
        """Whether what is on screen is the present experiment."""
        document = self.document
        return document.evaluation.experiment is document.experiment and not document.recomputation.busy

    def visible_tables(self) -> list[MatrixTable]:
        """Return the tables of which at least a part is on screen."""
        return [table for table in self.pipeline.findChildren(MatrixTable) if not seen_part(table).isEmpty()]

    def tables_changed_by(self, edit: Callable[[], object]) -> list[MatrixTable]:
        """Make an edit and return the visible tables that show other numbers after it."""
        before = {table: table.content.picture.values for table in self.visible_tables()}
        edit()
        self.rest()
        return [table for table, values in before.items() if table.content.picture.values is not values]

    def until_painted(self, counts: Sequence[PaintCount]) -> None:
        """Process events until the edit is evaluated, each of these widgets is painted, and nothing is left to do."""
        before = [count.paints for count in counts]
        # Waiting, not polling: the worker needs the interpreter too.
        waiting = QEventLoop.ProcessEventsFlag.WaitForMoreEvents
        while not self.finished or any(count.paints == was for count, was in zip(counts, before, strict=True)):
            self._dispatcher.processEvents(waiting)
        self._drain()

    def close(self) -> None:
        """Close without a question."""
        self.window.may_close = lambda: True
        self.window.close()
        self.rest(0.05)

    def _drain(self) -> None:
        while self._dispatcher.processEvents(QEventLoop.ProcessEventsFlag.AllEvents):
            pass


def seen_part(table: MatrixTable) -> QRect:
    """Return the part of a table's viewport that is on screen, in its own coordinates."""
    return table.viewport().visibleRegion().boundingRect()
