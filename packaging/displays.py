"""Tells whether a window can be opened, and starts private X servers for tests and pictures."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from problem import Problem

SCREEN = "1600x1200x24"


def why_there_is_none(variables: Mapping[str, str]) -> str | None:
    """Return a sentence that says why no window can be opened; None where one can."""
    if not sys.platform.startswith("linux"):
        return None
    if variables.get("QT_QPA_PLATFORM", "xcb").split(":")[0] not in ("xcb", "wayland", "wayland-egl"):
        return None
    wayland, x11 = variables.get("WAYLAND_DISPLAY"), variables.get("DISPLAY")
    if wayland and (Path(variables.get("XDG_RUNTIME_DIR", "/")) / wayland).exists():
        return None
    if x11 and _x_server_answers(x11):
        return None
    if wayland or x11:
        return f"The display {x11 or wayland} does not answer."
    return "There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set)."


@contextlib.contextmanager
def private_display() -> Iterator[str]:
    """Run an X server without a screen, of 1600 by 1200 pixels, and give its name, such as ``:99``."""
    program = shutil.which("Xvfb")
    if program is None:
        raise Problem("Xvfb, an X server without a screen, is missing; Debian's package is xvfb.")
    reading, writing = os.pipe()
    command = [program, "-displayfd", str(writing), "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset"]
    with subprocess.Popen(
        command,
        pass_fds=[writing],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        os.close(writing)
        try:
            with os.fdopen(reading) as answer:
                number = answer.readline().strip()
            if not number:
                raise Problem("Xvfb, an X server without a screen, did not start.")
            yield f":{number}"
        finally:
            server.terminate()


def _x_server_answers(name: str) -> bool:
    """Connect as Qt would, access rights included. Without the library nothing is known, and Qt is to try."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(name.encode(), None))
    refused = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not refused
