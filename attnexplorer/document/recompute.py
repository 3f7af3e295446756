"""Recomputation: what the views show is evaluated once a burst of edits, on this thread or on the one worker."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from attnexplorer.compute.beside import processors
from attnexplorer.compute.engine import Engine, Evaluation, Plan
from attnexplorer.compute.units import Unit
from attnexplorer.compute.work import estimated_seconds
from attnexplorer.document.background import BackgroundThread
from attnexplorer.experiment.model import Experiment

Watch = Callable[[Experiment], Collection[Unit]]
"""Says which units of an experiment a view shows."""

LONG = 0.008
"""Evaluations estimated to take longer than this many seconds leave the window's thread."""


class _Done(NamedTuple):
    """What the worker hands back: an evaluation, or why there is none."""

    run: int
    structure: int
    evaluation: Evaluation | None
    error: Exception | None


class Recomputation(QObject):
    """Evaluates the union of what is watched; one request runs, one waits, a newer one replaces the waiting one."""

    evaluated = Signal(object)
    busy_changed = Signal(bool)
    _finished = Signal(object)

    def __init__(self, experiment: Experiment, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = Engine(threads=processors())
        self._experiment = experiment
        self._watches: dict[object, Watch] = {}
        self._structure = 0
        self._running = False
        self._waiting = False
        self._stopped = False
        self._runs = 0
        self._done: _Done | None = None
        self._latest = Evaluation(experiment, {}, (), 0.0)
        self._background = BackgroundThread(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self.flush)
        self._finished.connect(self._on_worker_finished, Qt.ConnectionType.QueuedConnection)

    @property
    def latest(self) -> Evaluation:
        """The last finished evaluation: what is on screen."""
        return self._latest

    @property
    def busy(self) -> bool:
        """Whether the worker is at work."""
        return self._running

    def watch(self, key: object, watch: Watch) -> None:
        """Have the units that `watch` names evaluated from now on."""
        self._watches[key] = watch
        self.request()

    def unwatch(self, key: object) -> None:
        """Stop evaluating for a view that is hidden or gone."""
        self._watches.pop(key, None)

    def set_experiment(self, experiment: Experiment, *, same_shapes: bool) -> None:
        """Evaluate this experiment from now on."""
        self._experiment = experiment
        if not same_shapes:
            self._structure += 1
        self.request()

    def request(self) -> None:
        """Evaluate soon; requests before then are gathered into one."""
        if not self._stopped:
            self._timer.start()

    def flush(self) -> None:
        """Evaluate now what was requested, or have the worker do it."""
        self._timer.stop()
        if self._running:
            self._waiting = True
            return
        plan = self._engine.plan(self._experiment, self._units())
        if plan.missing and estimated_seconds(plan.experiment, plan.missing) > LONG:
            self._start(plan)
        else:
            self._show(self._engine.run(plan))

    def finish(self) -> None:
        """Wait until everything requested is evaluated and shown."""
        self.flush()
        while self._running:
            self._background.wait()
            assert self._done is not None
            self._on_worker_finished(self._done)

    def stop(self) -> None:
        """Wait for the worker and show nothing any more."""
        self._stopped = True
        self._timer.stop()
        self._watches.clear()
        self._waiting = False
        self._background.wait()
        self._set_running(False)

    def _units(self) -> frozenset[Unit]:
        return frozenset(unit for watch in self._watches.values() for unit in watch(self._experiment))

    def _start(self, plan: Plan) -> None:
        self._runs += 1
        self._set_running(True)
        run, structure = self._runs, self._structure

        def work() -> None:
            self._done = _Done(run, structure, *self._attempt(plan))
            self._finished.emit(self._done)

        self._background.start(work)

    def _attempt(self, plan: Plan) -> tuple[Evaluation | None, Exception | None]:
        try:
            return self._engine.run(plan), None
        except Exception as error:
            # It would be lost in the worker, and everybody would wait for ever.
            return None, error

    def _on_worker_finished(self, done: _Done) -> None:
        # `finish` may have been told already, and another run may have begun since.
        if not self._running or done.run != self._runs:
            return
        self._set_running(False)
        if done.structure == self._structure and done.evaluation is not None:
            self._show(done.evaluation)
        if self._waiting or done.structure != self._structure:
            self._waiting = False
            self.flush()
        if done.error is not None:
            raise done.error

    def _set_running(self, running: bool) -> None:
        if running != self._running:
            self._running = running
            self.busy_changed.emit(running)

    def _show(self, evaluation: Evaluation) -> None:
        self._latest = evaluation
        self.evaluated.emit(evaluation)
