"""What a soak run looks out for: exceptions, messages of Qt, growth of what the process holds."""

from __future__ import annotations

import contextlib
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
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


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
    _give_back()
    return Holding(resident(), len(QApplication.allWidgets()), _threads(), _files(), len(gc.get_objects()))


def _give_back() -> None:
    """Have the C library give back what is free between what is held, as far as it can."""
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL("libc.so.6").malloc_trim(0)


def resident() -> float:
    """Return the memory that the process has in use, in megabytes, or -1."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return -1.0
    return pages * PAGE / 2**20


def _threads() -> int:
    return _entries("/proc/self/task")


def _files() -> int:
    return _entries("/proc/self/fd")


def _entries(folder: str) -> int:
    try:
        return len(os.listdir(folder))
    except OSError:
        return -1
