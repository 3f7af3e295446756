"""Which of the system's libraries Qt lacks on Linux, and how Debian calls the packages that have them."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from importlib import util
from pathlib import Path

_FOR_QT = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libstdc++.so.6": "libstdc++6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
}
_FOR_X11 = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def why_qt_does_not_load(reason: str) -> str:
    """Return the sentence that names the libraries that Qt lacks, or `reason` if it lacks none that is known."""
    return _sentence(_FOR_QT) or reason


def why_no_x11_window() -> str | None:
    """Return the sentence that names the libraries that a window on X11 lacks, where Qt itself would abort.

    Qt's own file is loaded to find out. That costs no time: Qt is about to load the same.
    """
    plugin = _x11_plugin()
    reason = None if plugin is None else _why_not_loadable(str(plugin))
    if reason is None:
        return None
    return _sentence({**_FOR_QT, **_FOR_X11}) or f"Qt cannot open a window on X11: {reason}"


def _sentence(packages: Mapping[str, str]) -> str | None:
    if not sys.platform.startswith("linux"):
        return None
    missing = [library for library in packages if _why_not_loadable(library) is not None]
    if not missing:
        return None
    names, wanted = ", ".join(missing), " ".join(dict.fromkeys(packages[library] for library in missing))
    return f"Qt needs what this system lacks: {names}; on Debian and Ubuntu install {wanted}"


def _x11_plugin() -> Path | None:
    package = util.find_spec("PySide6")
    if package is None or package.origin is None:
        return None
    plugin = Path(package.origin).parent / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    return plugin if plugin.is_file() else None


def _why_not_loadable(library: str) -> str | None:
    try:
        ctypes.CDLL(library)
    except OSError as error:
        return str(error)
    return None
