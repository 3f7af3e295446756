"""`ax.show`: a window on attention weights, from a script or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from attnexplorer.app.display_check import why_no_window
from attnexplorer.app.launch import make_application
from attnexplorer.interop.capture import capture


def show(attention: Any, tokens: Sequence[str], source_tokens: Sequence[str] | None = None, title: str = "") -> None:
    """Open a window on attention weights that another program computed.

    In a script it returns when the window is closed; under IPython with its Qt loop (``%gui qt6``), at once.

    Parameters
    ----------
    attention
        [layers, heads, n, m]: an array, a tensor, or a list with an array [heads, n, m] or [1, heads, n, m] a layer,
        as models return them.
    tokens
        The n tokens that ask; they are also those that are asked unless `source_tokens` names m others.
    title
        What the window is called.

    Raises
    ------
    ExperimentError
        If the shapes and the numbers of tokens do not go together.
    RuntimeError
        If no window can be opened here; the sentence says what is missing.
    """
    captured = capture(attention, tokens, source_tokens, title)
    refusal = why_no_window()
    if refusal is not None:
        raise RuntimeError(refusal)
    application = make_application()
    from attnexplorer.app.launch import make_windows

    window = make_windows().show_capture(captured)
    if not _loop_is_running():
        from PySide6.QtCore import QEventLoop

        from attnexplorer.app.garbage import collected_here

        loop = QEventLoop()
        window.destroyed.connect(loop.quit)
        application.lastWindowClosed.connect(loop.quit)
        with collected_here():
            loop.exec()


def _loop_is_running() -> bool:
    """Tell whether windows live on after this function: under IPython's Qt loop, or within another Qt program."""
    from PySide6.QtCore import QThread

    return QThread.currentThread().loopLevel() > 0 or runs_qt_loop(_shell())


def runs_qt_loop(shell: Any) -> bool:
    """Tell whether an IPython shell, or None, runs Qt's event loop while it waits for input."""
    loop = getattr(shell, "active_eventloop", None)
    if loop is None:
        # In a notebook's kernel the loop is known by the function that runs it.
        loop = getattr(getattr(getattr(shell, "kernel", None), "eventloop", None), "__name__", None)
    return isinstance(loop, str) and "qt" in loop.lower()


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()
