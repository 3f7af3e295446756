"""The monkey: random real events to the real window, and every so often a look at whether all is well."""

from __future__ import annotations

import faulthandler
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QObject, QThread, QTimer
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu, QWidget
from soak_events import Events
from soak_findings import Findings, Holding, give_back_large_pieces, holding
from soak_growth import growth

from attnexplorer.app import file_dialogs, transfer_dialogs
from attnexplorer.app.capture_window import CaptureWindow
from attnexplorer.app.garbage import collected_here
from attnexplorer.app.launch import make_application, make_windows
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.compute.engine import Engine
from attnexplorer.document.document import Document
from attnexplorer.document.storage import load_copy_of_example
from attnexplorer.experiment.arrays import same_bits
from attnexplorer.experiment.comparison import identical
from attnexplorer.experiment.examples import DEFAULT_EXAMPLE, example_names, example_path, load_example
from attnexplorer.figures.export import write_figure
from attnexplorer.figures.spec import FigureSpec
from attnexplorer.interop.capture import capture, capture_bytes

BESIDE = (QDialog, CaptureWindow)
"""What stands beside the main windows for a while."""
LARGEST_GROWTH = 0.05
PATIENCE = 25
"""Events that a dialog gets before it is dismissed."""
NESTED_PAUSE = 5
"""Milliseconds before the next event while one is still being handled, as it is while a dialog or a drag waits."""
SLOW = 2.0
"""Seconds from which on an event is mentioned."""
HANGING = 60.0
"""Seconds after which the run is given up, with all stacks printed."""
LOOKS = 20
"""How many times in a run the memory is looked at."""


def monkey(count: int, seed: int, *, log: Path | None = None) -> list[str]:
    """Send `count` events and return what was found."""
    findings = Findings()
    application = make_application()
    application.setQuitOnLastWindowClosed(False)
    findings.install()
    give_back_large_pieces()
    folder = Path(tempfile.mkdtemp(prefix="attnexplorer-monkey-"))
    os.environ["ATTNEXPLORER_STATE"] = str(folder / "state")
    try:
        run = Monkey(findings, folder, count, seed, log)
        run.start()
        with collected_here():
            application.exec()
        run.finish()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return findings.texts


class Monkey(QObject):
    """One run."""

    def __init__(self, findings: Findings, folder: Path, count: int, seed: int, log: Path | None) -> None:
        super().__init__()
        self._findings, self._folder, self._count, self._seed = findings, folder, count, seed
        self._log = None if log is None else log.open("w", encoding="utf-8")
        self._windows: Windows = make_windows()
        self._events = Events(seed, _files(folder))
        self._number = 0
        self._levels: list[int] = []
        self._waited: Counter[QWidget] = Counter()
        self._kinds: Counter[str] = Counter()
        self._holdings: list[Holding] = []
        self._stopping = False
        self._began = time.monotonic()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._dice = random.Random(seed)
        _replace_dialogs(self._events, folder)

    def start(self) -> None:
        """Open the window and begin."""
        self._windows.show_first_example().resize(1440, 900)
        self._timer.start(0)

    def finish(self) -> None:
        """Close everything and say how it went."""
        self._timer.stop()
        for window in self._windows.open:
            window.may_close = lambda: True
            window.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        left = [it for it in QApplication.topLevelWidgets() if it.metaObject().className() != "QTipLabel"]
        if left:
            self._findings.add(f"left over at the end: {left}")
        self._judge_growth()
        seconds = time.monotonic() - self._began
        kinds = ", ".join(f"{name} {number}" for name, number in self._kinds.most_common())
        print(f"{self._number} events with seed {self._seed} in {seconds:.0f} s: {kinds}.")
        if self._log is not None:
            self._log.close()

    def _on_timer_timeout(self) -> None:
        level = QThread.currentThread().loopLevel()
        if self._stopping:
            # What was left open may ask something more while it ends.
            _dismiss()
            QApplication.exit(0)  # quit would ask the windows, which ask the user
            self._timer.start(NESTED_PAUSE)
            return
        if self._levels and level <= self._levels[-1]:
            # Within an event that lets others pass; one that opens a loop of its own is to find the timer running.
            self._timer.start(NESTED_PAUSE)
            return
        self._levels.append(level)
        self._timer.start(NESTED_PAUSE)
        try:
            self._step()
        finally:
            self._levels.pop()
        if self._number >= self._count:
            self._stop()
        self._timer.start(0)

    def _step(self) -> None:
        if not self._levels[1:] and self._number and self._number % max(1, self._count // LOOKS) == 0:
            self._look()
        target = self._target()
        kind = self._events.draw(self._number)
        where = type(target).__name__
        self._findings.place = f"event {self._number} of seed {self._seed}, {kind} in {where}"
        if self._log is not None:
            self._log.write(f"{self._number}\t{kind}\t{where}\n")
            self._log.flush()
        self._number += 1
        self._kinds[kind] += 1
        began = time.monotonic()
        faulthandler.dump_traceback_later(HANGING, exit=True)
        self._events.send(kind, target)
        seconds = time.monotonic() - began
        if seconds > SLOW:
            print(f"slow: {self._findings.place} took {seconds:.1f} s", flush=True)

    def _target(self) -> QWidget:
        """Return what a user could reach now: the popup, the dialog in front, or a window of the program."""
        popup, modal = QApplication.activePopupWidget(), QApplication.activeModalWidget()
        over = popup or modal
        if over is not None:
            self._waited[over] += 1
            if self._waited[over] > PATIENCE:
                self._waited.clear()
                over.close()
                return self._main_window()
            return over
        others = [it for it in QApplication.topLevelWidgets() if isinstance(it, BESIDE) and it.isVisible()]
        if others:
            self._waited[others[0]] += 1
            if self._waited[others[0]] > PATIENCE:
                others[0].close()
                return self._main_window()
            return others[0]
        return self._main_window()

    def _main_window(self) -> MainWindow:
        for window in self._windows.open[2:]:
            window.may_close = lambda: True
            window.close()
        if not self._windows.open:
            self._windows.show_first_example().resize(1440, 900)
        window = self._windows.open[-1]
        if window.isMinimized() or not window.isVisible():
            window.showNormal()
        if not window.isActiveWindow():
            window.activateWindow()
        return window

    def _look(self) -> None:
        """Compare what is shown with a full evaluation, begin anew, and see what the process holds then."""
        _dismiss()
        self._waited.clear()
        for window in self._windows.open:
            self._compare(window.document)
        for window in self._windows.open[1:]:
            window.may_close = lambda: True
            window.close()
        window = self._main_window()
        window.showNormal()
        window.resize(1440, 900)
        name = self._dice.choice(example_names())
        window.storage.take(load_copy_of_example(DEFAULT_EXAMPLE))
        held = self._held(window)
        self._holdings.append(held)
        print(
            f"{self._number}: {held.megabytes:.1f} MB, {held.allocated:.1f} of them allocated, "
            f"{held.widgets} widgets, {held.threads} threads, {held.files} files, "
            f"{held.objects} objects, {len(self._findings.texts)} found",
            flush=True,
        )
        window.storage.take(load_copy_of_example(name))

    def _held(self, window: MainWindow) -> Holding:
        """Return what is held in a state that is always the same: what is made once, as workspaces are, is no leak."""
        appearance = self._windows.appearance
        chosen = appearance.chosen_theme, appearance.text_scale
        for weights in self._windows.captures:
            weights.close()
        # A figure that was copied is rightly there, and may be larger than all the rest.
        QApplication.clipboard().clear()
        appearance.choose_theme("light")
        appearance.set_text_scale(1.0)
        for workspace in reversed(window.workspaces):
            window.show_workspace(workspace)
            window.document.recomputation.finish()
            QApplication.processEvents()
        held = holding()
        appearance.choose_theme(chosen[0])
        appearance.set_text_scale(chosen[1])
        return held

    def _compare(self, document: Document) -> None:
        document.recomputation.finish()
        shown = document.evaluation
        if not identical(shown.experiment, document.experiment):
            self._findings.add("what is shown is not the present experiment")
        fresh = Engine().evaluate(document.experiment, frozenset(shown.arrays))
        for unit, array in shown.arrays.items():
            if not same_bits(array, fresh.arrays[unit]):
                self._findings.add(f"{unit} is not what a full evaluation gives")

    def _judge_growth(self) -> None:
        second = self._holdings[len(self._holdings) // 2 :]
        if len(second) < 2 or second[0].megabytes < 0:
            return
        grown = growth([held.megabytes for held in second])
        print(f"Memory grew by {grown:.1%} over the second half.")
        if self._count >= 5000 and grown > LARGEST_GROWTH:
            self._findings.add(f"memory grew by {grown:.1%} over the second half")

    def _stop(self) -> None:
        self._stopping = True
        _dismiss()
        for window in self._windows.open:
            self._compare(window.document)


def _dismiss() -> None:
    for _ in range(20):
        over = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if over is None:
            break
        over.close()
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, (*BESIDE, QMenu)) and widget.isVisible():
            widget.close()


def _files(folder: Path) -> list[Path]:
    """Files of every kind, whole ones and broken ones."""
    made = [Path(shutil.copy(example_path(name), folder / f"{name}.attn")) for name in example_names()[:4]]
    texts = {
        "numbers.csv": "1,2,3\n4,5,6\n",
        "semicolons.csv": "1,5;2\n3;4,25\n",
        "words.txt": "the cat sat\n",
        "rows.json": "[[1, 2], [3, 4]]",
        "broken.attn": '{"format": "attention-explorer", ',
        "empty.attn": "",
        "broken.npy": "\x93NUMPY",
        "broken.safetensors": "12345678{}",
        "broken.npz": "PK",
        "figure.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    experiment = load_example(DEFAULT_EXAMPLE)
    for name in ("weights.png", "weights.svg", "weights.pdf", "weights.pptx"):
        write_figure(folder / name, FigureSpec(dpi=50), experiment)
        made.append(folder / name)
    (folder / "captured.npz").write_bytes(
        capture_bytes(capture(np.full((2, 3, 4, 4), 0.25), ("the", "cat", "sat", ".")))
    )
    made.append(folder / "captured.npz")
    return [*made, *(folder / name for name in texts), folder / "missing.attn", folder]


def _replace_dialogs(events: Events, folder: Path) -> None:
    """The system's file dialogs are no part of the program; what they answer is thrown."""

    def maybe(path: Path) -> Path | None:
        return None if events.chance() < 0.3 else path

    def existing(*_: object) -> Path | None:
        return maybe(events.file())

    def new(suffix: str) -> Path | None:
        return maybe(folder / f"saved-{int(events.chance() * 4)}{suffix}")

    replacements: tuple[tuple[object, str, object], ...] = (
        (file_dialogs, "ask_for_file_to_open", existing),
        (file_dialogs, "ask_for_file_to_save", lambda *_: new(".attn")),
        (transfer_dialogs, "ask_for_matrix_file", existing),
        (transfer_dialogs, "ask_for_file_to_write", lambda parent, title, path, filters: new(filters[0][1])),
        (QFileDialog, "getOpenFileName", staticmethod(lambda *_, **__: (str(existing() or ""), ""))),
        (QFileDialog, "getSaveFileName", staticmethod(lambda *_, **__: (str(new(".svg") or ""), ""))),
        (QFileDialog, "exec", lambda self: 0),
        (QDesktopServices, "openUrl", staticmethod(lambda *_: True)),
    )
    for owner, name, replacement in replacements:
        setattr(owner, name, replacement)
