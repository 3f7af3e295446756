"""An error in what Qt calls is reported, and ends nothing, wherever it comes from."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

from PySide6.QtWidgets import QLabel, QLineEdit, QScrollArea, QScrollBar
from pytestqt.qtbot import QtBot
from shiboken6 import Shiboken

from attnexplorer.views.complaint import complain

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


def test_every_class_that_overrides_what_qt_calls_fails_with_whole_errors() -> None:
    bare = []
    for package in ("app", "views"):
        for found in pkgutil.walk_packages([str(ROOT / "attnexplorer" / package)], f"attnexplorer.{package}."):
            module = importlib.import_module(found.name)
            for kind in vars(module).values():
                if isinstance(kind, type) and kind.__module__ == found.name and issubclass(kind, Shiboken.Object):
                    bare += [f"{kind.__module__}.{kind.__name__}.{name}" for name in overrides(kind)]
    assert bare == []


def overrides(kind: type) -> list[str]:
    """The methods of a class that Qt calls instead of its own and that are not decorated."""
    bases = [base for base in kind.__mro__[1:] if base.__module__.split(".")[0] in ("PySide6", "pyqtgraph")]
    return [
        name
        for name, method in vars(kind).items()
        if inspect.isfunction(method) and not name.startswith("__") and not hasattr(method, "__wrapped__")
        if any(hasattr(base, name) for base in bases)
    ]


def test_a_sentence_outlives_the_scroll_bar_that_it_watches(qtbot: QtBot) -> None:
    area, field = QScrollArea(), QLineEdit()
    qtbot.addWidget(area)
    area.setWidget(field)
    with qtbot.waitExposed(area):
        area.show()
    complain(field, "This is no number.", field.rect())
    area.setVerticalScrollBar(QScrollBar())
    field.move(5, 5)
    label = area.findChild(QLabel, "complaint")
    assert label is not None
    assert label.isVisible()
