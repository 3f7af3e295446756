"""What every test can rely on: a user folder of its own, a private display, and silence.

Nothing here imports Qt before a test does, so that the tests of `experiment`, `compute` and `interop` also run where
PySide6 is missing; ``-p no:pytest-qt --without-qt`` makes it missing.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.abc
import itertools
import logging
import os
import shutil
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import hypothesis
import pytest
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.database import DirectoryBasedExampleDatabase

sys.path.append(str(Path(__file__).resolve().parent.parent / "packaging"))
import displays

SESSION = Path(tempfile.mkdtemp(prefix="attnexplorer-tests-"))
QT_MODULES = ("PySide6", "shiboken6", "pyqtgraph")
USER_FOLDERS = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA")
PERSONAL = (
    "QT_SCALE_FACTOR",
    "QT_SCREEN_SCALE_FACTORS",
    "QT_FONT_DPI",
    "QT_STYLE_OVERRIDE",
    "QT_QPA_PLATFORMTHEME",
    "XDG_CURRENT_DESKTOP",
    "WAYLAND_DISPLAY",
)
HARMLESS_WINDOWS = {
    "QTipLabel": "Qt keeps the one tool tip it has shown and uses it again.",
}
GRACE = 2.0
"""Seconds in which a thread that is about to end may do so."""

_cleanup = contextlib.ExitStack()
_cleanup.callback(shutil.rmtree, SESSION, ignore_errors=True)
_numbers = itertools.count()
_started: weakref.WeakSet[Any] = weakref.WeakSet()


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    parser.addoption("--without-qt", action="store_true", help="run as if PySide6 were not installed")
    if not pluginmanager.has_plugin("pytest-qt"):
        for name in ("qt_api", "qt_log_level_fail", "qt_log_ignore"):
            parser.addini(name, "not read without Qt", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    _isolate_from_the_user()
    _set_hypothesis_up()
    if config.getoption("--without-qt"):
        if config.pluginmanager.has_plugin("pytest-qt"):
            raise pytest.UsageError("--without-qt needs -p no:pytest-qt beside it.")
        sys.meta_path.insert(0, _NoQt())
    elif sys.platform.startswith("linux") and "QT_QPA_PLATFORM" not in os.environ and not _only_divides(config):
        _choose_display()


def pytest_unconfigure() -> None:
    _cleanup.close()


@pytest.fixture(autouse=True)
def _own_user_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has settings and state of its own; the folders are made by whoever writes into them."""
    folder = SESSION / f"user-{next(_numbers)}"
    for name in USER_FOLDERS:
        monkeypatch.setenv(name, str(folder / name.lower()))
    core = sys.modules.get("PySide6.QtCore")
    if core is not None:
        settings = core.QSettings
        settings.setPath(settings.Format.IniFormat, settings.Scope.UserScope, str(folder / "xdg_config_home"))
        settings.setPath(settings.Format.NativeFormat, settings.Scope.UserScope, str(folder / "xdg_config_home"))


@pytest.fixture(autouse=True)
def _pointer_out_of_the_way() -> None:
    """The display's own pointer, where it is, would enter windows and hover what no test points at."""
    gui = sys.modules.get("PySide6.QtGui")
    screen = gui.QGuiApplication.primaryScreen() if gui is not None and gui.QGuiApplication.instance() else None
    if gui is None or screen is None or gui.QCursor.pos() == screen.geometry().bottomRight():
        return
    gui.QCursor.setPos(screen.geometry().bottomRight())
    # What the display says of the move must not arrive in the middle of the test.
    time.sleep(0.02)
    gui.QGuiApplication.processEvents()


@pytest.fixture(autouse=True)
def _garbage_collected_here() -> Iterator[None]:
    """No thread that computes comes upon widgets among the garbage; in the program the loop of events sees to that."""
    if "PySide6.QtCore" not in sys.modules:
        yield
        return
    from attnexplorer.app.garbage import collect_if_due

    gc.disable()
    yield
    collect_if_due()
    gc.enable()


@pytest.fixture(autouse=True)
def _silent_log(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A warning or an error in the log fails the test, unless it is marked with `logs`."""
    yield
    if request.node.get_closest_marker("logs") is None:
        lines = [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.WARNING]
        if lines:
            pytest.fail(f"unexpected lines in the log: {lines}", pytrace=False)


@pytest.fixture(autouse=True)
def _nothing_left_over() -> Iterator[None]:
    """A window, a running timer or a thread that outlives the test fails it."""
    widgets = sys.modules.get("PySide6.QtWidgets")
    if widgets is not None:
        _record_starts(sys.modules["PySide6.QtCore"])
    before = _living(widgets)
    yield
    deadline = time.monotonic() + GRACE
    # No name may hold what is left over here: it would keep alive what is about to be collected.
    if _living(widgets) - before:
        _finish_deletions(widgets)
    while _living(widgets) - before and time.monotonic() < deadline:
        gc.collect()
        _finish_deletions(widgets)
        if _living(widgets) - before:
            time.sleep(0.01)
    left = sorted(repr(thing) for thing in _living(widgets) - before)
    if left:
        pytest.fail(f"left over after the test: {', '.join(left)}", pytrace=False)


class _NoQt(importlib.abc.MetaPathFinder):
    """Makes Python say that Qt is not installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.split(".")[0] in QT_MODULES:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None


@pytest.fixture
def windows(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The windows of a running program, all closed in the end."""
    request.getfixturevalue("qtbot")
    from real_windows import program

    with program() as opened:
        yield opened


def _isolate_from_the_user() -> None:
    home, runtime = SESSION / "home", SESSION / "runtime"
    home.mkdir()
    runtime.mkdir(mode=0o700)
    for name in PERSONAL:
        os.environ.pop(name, None)
    for name in (*USER_FOLDERS, "XDG_CACHE_HOME", "HOME", "USERPROFILE"):
        os.environ[name] = str(home)
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    # Qt writes a line about it in a locale that is not UTF-8.
    os.environ["LC_ALL"] = "C.UTF-8"


def _set_hypothesis_up() -> None:
    set_hypothesis_home_dir(SESSION / "hypothesis")
    database = DirectoryBasedExampleDatabase(SESSION / "hypothesis" / "examples")
    in_ci = bool(os.environ.get("CI"))
    hypothesis.settings.register_profile(
        "attnexplorer",
        deadline=None,
        derandomize=in_ci,
        database=None if in_ci else database,
        print_blob=True,
    )
    hypothesis.settings.load_profile("attnexplorer")


def _only_divides(config: pytest.Config) -> bool:
    """Tell whether this process hands the tests out to others: each of those has a display of its own."""
    return bool(getattr(config.option, "numprocesses", None)) and not hasattr(config, "workerinput")


def _choose_display() -> None:
    """A private display, so that tests neither need the user's screen nor touch its clipboard."""
    if shutil.which("Xvfb") is not None:
        os.environ["DISPLAY"] = _cleanup.enter_context(displays.private_display())
        os.environ["QT_QPA_PLATFORM"] = "xcb"
    elif not os.environ.get("DISPLAY"):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"


def _record_starts(core: ModuleType) -> None:
    """Remember every timer and thread of Qt that is started from Python; Qt has no list of them."""
    for kind in (core.QTimer, core.QThread):
        if not hasattr(kind.start, "recorded"):
            kind.start = _recording(kind.start)


def _recording(start: Callable[..., None]) -> Callable[..., None]:
    def recorded_start(self: Any, *arguments: Any) -> None:
        _started.add(self)
        start(self, *arguments)

    recorded_start.recorded = True  # type: ignore[attr-defined]
    return recorded_start


def _living(widgets: ModuleType | None) -> set[Any]:
    living: set[Any] = {thread for thread in threading.enumerate() if not _is_lasting(thread)}
    if widgets is None or widgets.QApplication.instance() is None:
        return living
    valid = sys.modules["shiboken6"].isValid
    windows = widgets.QApplication.topLevelWidgets()
    living.update(window for window in windows if window.metaObject().className() not in HARMLESS_WINDOWS)
    living.update(thing for thing in list(_started) if valid(thing) and _is_running(thing))
    return living


def _is_lasting(thread: threading.Thread) -> bool:
    """Tell whether a thread is one of Qt's, or of the few that the whole program shares and that wait for heads."""
    return isinstance(thread, threading._DummyThread) or thread.name.startswith("heads_")


def _is_running(thing: Any) -> bool:
    return bool(thing.isActive() if hasattr(thing, "isActive") else thing.isRunning())


def _finish_deletions(widgets: ModuleType | None) -> None:
    application = widgets.QApplication.instance() if widgets is not None else None
    if application is not None:
        application.sendPostedEvents(None, sys.modules["PySide6.QtCore"].QEvent.Type.DeferredDelete.value)
        application.processEvents()
