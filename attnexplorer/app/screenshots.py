"""python -m attnexplorer.app.screenshots FOLDER: every workspace, light and dark, large and small, as PNG."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop
from PySide6.QtWidgets import QApplication

from attnexplorer.app.launch import make_application, make_windows
from attnexplorer.app.main_window import MainWindow
from attnexplorer.app.windows import Windows
from attnexplorer.compute.units import Unit
from attnexplorer.document.cursor import Cell
from attnexplorer.document.storage import Loaded, load_copy_of_example
from attnexplorer.experiment.edits.creation import new_experiment
from attnexplorer.figures.theme import ThemeName

SIZES = ((1440, 900), (1024, 700))
THEMES: tuple[ThemeName, ...] = ("light", "dark")
_SETTLE = 0.4


def main(arguments: list[str]) -> int:
    """Write the pictures and print their names; return the exit code."""
    if len(arguments) != 1:
        print("usage: python -m attnexplorer.app.screenshots FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    application = make_application()
    windows = make_windows()
    for name, loaded in _experiments():
        for file in _pictures(application, windows, name, loaded, folder):
            print(file, flush=True)
    return 0


def _experiments() -> Iterator[tuple[str, Loaded]]:
    yield "animal-street", load_copy_of_example("animal-street")
    yield "multi-head", load_copy_of_example("multi-head")
    yield "cross-attention", load_copy_of_example("cross-attention")
    for tokens, width in ((1, 2), (16, 8), (64, 32)):
        words = [f"token{index + 1}" for index in range(tokens)]
        experiment = new_experiment(words, width, width // 2, width // 2, 1, seed=1)
        yield f"{tokens}-tokens", Loaded(experiment)


def _pictures(application: QApplication, windows: Windows, name: str, loaded: Loaded, folder: Path) -> Iterator[Path]:
    window = windows.show_new(loaded)
    for theme in THEMES:
        windows.appearance.choose_theme(theme)
        for width, height in SIZES:
            window.resize(width, height)
            for workspace in window.workspaces:
                window.show_workspace(workspace)
                _select_last_row(window)
                _settle(application)
                file = folder / f"{name}-{workspace}-{theme}-{width}x{height}.png"
                window.grab().save(str(file))
                yield file
    window.close()
    _settle(application)


def _select_last_row(window: MainWindow) -> None:
    document = window.document
    rows = len(document.experiment.query_tokens)
    document.cursor.select(Cell(Unit("weights", document.display["layer"], document.display["head"]).path, rows - 1, 0))


def _settle(application: QApplication) -> None:
    """Let the window lay itself out, evaluate and paint."""
    end = time.monotonic() + _SETTLE
    while time.monotonic() < end:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
