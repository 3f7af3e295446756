"""The program as it starts, on its first example. Prints when the first window has painted its numbers, then leaves."""

from __future__ import annotations

import sys
import time

from attnexplorer.app import launch


def main() -> int:
    """Start the program as its command does, with an eye on what is painted."""
    from attnexplorer.app.command_line import main as start

    make_windows = launch.make_windows

    def watched() -> object:
        windows = make_windows()
        _tell_when_painted()
        return windows

    launch.make_windows = watched  # type: ignore[assignment]
    return int(start([]) or 0)


def _tell_when_painted() -> None:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from attnexplorer.views.matrix_table import MatrixTable

    paint = MatrixTable.paintEvent

    def painting(table: MatrixTable, event: object) -> None:
        paint(table, event)  # type: ignore[arg-type]
        MatrixTable.paintEvent = paint  # type: ignore[method-assign]
        QTimer.singleShot(0, tell)

    def tell() -> None:
        # This comes after the whole window is painted: a timer waits until the event at work is done.
        print(time.monotonic(), flush=True)
        QApplication.exit(0)

    MatrixTable.paintEvent = painting  # type: ignore[assignment,method-assign]


if __name__ == "__main__":
    sys.exit(main())
