"""Tells in a sentence why no window can be opened; Qt itself would abort the program."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from attnexplorer.app.system_libraries import why_no_x11_window

_X11, _WAYLAND = "xcb", "wayland"


def why_no_window(variables: Mapping[str, str] = os.environ) -> str | None:
    """Return the sentence, or None where a window can be opened."""
    if not sys.platform.startswith("linux"):
        return None
    platform = variables.get("QT_QPA_PLATFORM", "").split(";")[0].split(":")[0]
    if platform and not platform.startswith((_X11, _WAYLAND)):
        return None
    if not platform.startswith(_X11) and _has_wayland(variables):
        return None
    display = variables.get("DISPLAY")
    if not display:
        return (
            "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set; "
            "the commands trace, check and examples need none"
        )
    if not _answers(display):
        return f"the display {display} does not answer"
    return why_no_x11_window()


def _has_wayland(variables: Mapping[str, str]) -> bool:
    name = variables.get("WAYLAND_DISPLAY")
    return bool(name) and (Path(variables.get("XDG_RUNTIME_DIR", "/")) / str(name)).exists()


def _answers(display: str) -> bool:
    """Connect as Qt would, access rights included. Without the library nothing is known, and Qt is to try."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(display.encode(), None))
    refused = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not refused
