"""From the command line to a window: the application, its look, the first document, and the event loop."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from attnexplorer import __version__
from attnexplorer.app.display_check import why_no_window

if TYPE_CHECKING:
    from PySide6.QtGui import QIcon
    from PySide6.QtWidgets import QApplication

    from attnexplorer.app.windows import Windows
    from attnexplorer.document.storage import Loaded

EXAMPLE_PREFIX = "example:"
DONE, REFUSED = 0, 2


def open_window(file: str | None = None) -> int:
    """Open a window on a file, on ``example:NAME`` or on the first example; return the exit code when all are closed.

    Raises
    ------
    FileError
        If the file cannot be read and somebody sees what the terminal says; otherwise a window says it.
    """
    refusal = why_no_window()
    if refusal is not None:
        print(f"attnexplorer: {refusal}", file=sys.stderr, flush=True)
        return REFUSED
    with _nothing_collected():
        return _opened(file)


def _opened(file: str | None) -> int:
    _load_what_needs_no_qt()
    from attnexplorer.document.storage import load_copy_of_example
    from attnexplorer.experiment.errors import FileError
    from attnexplorer.experiment.examples import DEFAULT_EXAMPLE

    problem = ""
    try:
        loaded = _loaded(file)
    except FileError as error:
        if _somebody_reads_the_terminal():
            raise
        loaded, problem = load_copy_of_example(DEFAULT_EXAMPLE), f"{error}."
    return _run(loaded, problem)


def make_application() -> QApplication:
    """Return the application with its name, style and icon; there is one a process."""
    from PySide6.QtWidgets import QApplication

    from attnexplorer.app.application import Application

    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    QApplication.setStyle("Fusion")
    application = Application(["attnexplorer"])
    application.setApplicationName("attnexplorer")
    application.setApplicationDisplayName("Attention Explorer")
    application.setApplicationVersion(__version__)
    application.setDesktopFileName("attnexplorer")
    icon = _icon()
    if icon is not None:
        application.setWindowIcon(icon)
    return application


def make_windows() -> Windows:
    """Return the windows of the program, none of them open yet, with the user's settings; needs the application."""
    from attnexplorer.app.panels import build_panels
    from attnexplorer.app.settings import Settings
    from attnexplorer.app.windows import Windows
    from attnexplorer.figures.fonts import register_fonts
    from attnexplorer.views.appearance import Appearance

    register_fonts()
    settings, appearance = Settings(), Appearance()
    appearance.set_text_scale(settings.text_scale or appearance.system_text_scale)
    appearance.choose_theme(settings.theme)
    return Windows(build_panels, appearance, settings)


def _run(loaded: Loaded, problem: str) -> int:
    from attnexplorer.app.application import Application
    from attnexplorer.app.crash import CrashReporter
    from attnexplorer.app.garbage import collected_here
    from attnexplorer.app.interruption import interruptible
    from attnexplorer.app.main_window import MainWindow

    application = make_application()
    windows = make_windows()
    CrashReporter(windows.save_recovery_copies, windows).install()
    codes = [DONE]

    def stop(signal_number: int) -> None:
        codes.append(128 + signal_number)
        windows.leave()
        application.quit()

    if isinstance(application, Application):
        application.file_requested.connect(lambda file: windows.open_file(Path(file)))
    with interruptible(stop):
        first = windows.show_any(loaded)
        if problem:
            first.messages.show_message("file", "error", problem)
        if isinstance(first, MainWindow):
            windows.offer_recovery(first)
        # What is there now stays for good: it is looked through no more, which would hold up a drag now and then.
        gc.freeze()
        gc.enable()
        with collected_here():
            application.exec()
    return codes[-1]


def _load_what_needs_no_qt() -> None:
    """Load it first: the binding of Qt reads the source text of every module that comes after it."""
    import attnexplorer.compute.checks
    import attnexplorer.compute.hearing
    import attnexplorer.compute.scaling
    import attnexplorer.experiment.edits.blocks
    import attnexplorer.experiment.edits.masks
    import attnexplorer.experiment.edits.source  # noqa: F401


@contextlib.contextmanager
def _nothing_collected() -> Iterator[None]:
    """Look for no garbage while the program is loaded: hardly any is made, and it takes a tenth of the start."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _loaded(file: str | None) -> Loaded:
    from attnexplorer.app.opening import load_any
    from attnexplorer.document.storage import load_copy_of_example
    from attnexplorer.experiment.examples import DEFAULT_EXAMPLE

    if file is None:
        return load_copy_of_example(DEFAULT_EXAMPLE)
    if file.startswith(EXAMPLE_PREFIX):
        return load_copy_of_example(file.removeprefix(EXAMPLE_PREFIX))
    return load_any(file)


def _somebody_reads_the_terminal() -> bool:
    """Tell whether what is written to standard error is of use: not for a double click on a file."""
    if sys.stderr is None:
        return False
    from_desktop = any(os.environ.get(name) for name in ("DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN"))
    return sys.stderr.isatty() or not from_desktop


def _icon() -> QIcon | None:
    from PySide6.QtGui import QIcon

    from attnexplorer.assets import folder

    try:
        files = sorted(folder("icons").glob("attnexplorer*.png")) or sorted(folder("icons").glob("attnexplorer*.svg"))
    except FileNotFoundError:
        return None
    icon = QIcon()
    for file in files:
        icon.addFile(str(file))
    return None if icon.isNull() else icon
