"""What a start of the program loads, and what it leaves until it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SHOWING = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from attnexplorer.app import launch
from attnexplorer.views.matrix_table import MatrixTable
paint = MatrixTable.paintEvent
def painting(table, event):
    paint(table, event)
    MatrixTable.paintEvent = paint
    QTimer.singleShot(0, told)
def told():
    print("pyqtgraph" in sys.modules)
    window = next(it for it in QApplication.topLevelWidgets() if hasattr(it, "document"))
    for name in ("heads", "geometry", "scaling"):
        window.document.display.choose("workspace", name)
        QApplication.processEvents()
        print(name, "pyqtgraph" in sys.modules)
    window.may_close = lambda: True
    QApplication.exit(0)
MatrixTable.paintEvent = painting
sys.exit(launch.open_window(None))
"""


def test_pyqtgraph_is_loaded_by_the_first_workspace_with_plots_and_not_by_the_start() -> None:
    done = subprocess.run([sys.executable, "-c", SHOWING], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["False", "heads False", "geometry False", "scaling True"]
    assert done.stderr == ""
