"""What a soak run looks out for: exceptions, messages of Qt, growth of what the process holds."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import traceback
import warnings
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from PySide6.QtCore import QEvent, QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from attnexplorer.app.crash import let_go

CALLERS = 9
"""Calls that are told of where Qt says something."""
LARGE = 64 * 1024


class Findings:
    """Collects every exception of every thread, every message of Qt and every warning of Python."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.place = ""
        """What was being done; it stands before each finding."""
        self._met: set[str] = set()

    def install(self) -> None:
        """Look out from now on."""
        warnings.simplefilter("error")
        sys.excepthook = self._on_exception
        threading.excepthook = lambda it: self._on_exception(it.exc_type, it.exc_value, it.exc_traceback)
        sys.unraisablehook = lambda it: self.add(f"unraisable: {it.exc_value!r} in {it.object!r}")
        qInstallMessageHandler(self._on_message)

    def add(self, text: str) -> None:
        """Add a finding, and say it at once; what was met before, such as by each painting, is only counted."""
        self.texts.append(f"{self.place}: {text}" if self.place else text)
        if text not in self._met:
            self._met.add(text)
            print(f"FOUND {self.texts[-1]}", flush=True)

    def _on_exception(
        self, kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.add("".join(traceback.format_exception(kind, error, trace)))
        let_go(error, trace)

    def _on_message(self, kind: QtMsgType, context: QMessageLogContext, message: str | None) -> None:
        del context
        if message and not message.startswith("This plugin does not support "):
            caller = "".join(traceback.format_stack(limit=CALLERS)[:-1])
            self.add(f"Qt says ({kind.name}): {message}\n{caller}")


class Holding(NamedTuple):
    """What the process holds at a moment; -1 where the system does not say."""

    megabytes: float
    allocated: float
    widgets: int
    threads: int
    files: int
    objects: int


def holding() -> Holding:
    """Return what is held once everything that is to be deleted is deleted."""
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()
        gc.collect()
    if _c_library is not None:
        _c_library.malloc_trim(0)
    return Holding(
        resident(), _allocated(), len(QApplication.allWidgets()), _threads(), _files(), len(gc.get_objects())
    )


def give_back_large_pieces() -> None:
    """Have large pieces of memory go back to the system when they are let go of, so that what stays is what is held.

    The GNU library keeps larger and larger ones for later; between them little of what was free can be given back.
    """
    if _c_library is not None:
        _c_library.mallopt(_M_MMAP_THRESHOLD, LARGE)


def resident() -> float:
    """Return the memory that is the process's own, in megabytes, or -1: not what it has read of programs and fonts."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        sizes = {
            name: int(size.split()[0]) for name, _, size in (line.partition(":") for line in lines) if "Rss" in name
        }
        return (sizes["RssAnon"] + sizes["RssShmem"]) / 2**10
    except (OSError, ValueError, KeyError):
        return -1.0


def _allocated() -> float:
    """Return how much of it is allocated by C and C++ in the main thread, in megabytes, or -1."""
    if _c_library is None:
        return -1.0
    found = _c_library.mallinfo2()
    return float(found.uordblks + found.hblkhd) / 2**20


class _Allocations(ctypes.Structure):
    """What the GNU library calls mallinfo2."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks"),
            "keepcost",
        )
    )


def _gnu_library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL("libc.so.6")
        library.mallinfo2.restype = _Allocations
    except (OSError, AttributeError):
        return None
    return library


_c_library = _gnu_library()
_M_MMAP_THRESHOLD = -3


def _threads() -> int:
    return _entries("/proc/self/task")


def _files() -> int:
    return _entries("/proc/self/fd")


def _entries(folder: str) -> int:
    try:
        return len(os.listdir(folder))
    except OSError:
        return -1
