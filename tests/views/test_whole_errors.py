"""An error in what Qt calls is reported, and ends nothing, wherever it comes from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pytestqt.qtbot import QtBot

ROOT = Path(__file__).resolve().parent.parent.parent
NESTED = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
from attnexplorer.views.whole_errors import with_whole_errors

@with_whole_errors
class Widget(QWidget):
    def event(self, event):
        return super().event(event)

    def paintEvent(self, event):
        [][3]

application, told = QApplication([]), []
sys.excepthook = lambda kind, error, trace: told.append((kind.__name__, str(error)))
widget = Widget()
widget.show()
QTimer.singleShot(200, application.quit)
application.exec()
print(sorted(set(told)))
"""


def test_an_error_from_c_within_an_override_within_an_override_is_reported(qtbot: QtBot) -> None:
    done = subprocess.run([sys.executable, "-c", NESTED], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert "IndexError" in done.stdout and "list index out of range" in done.stdout
