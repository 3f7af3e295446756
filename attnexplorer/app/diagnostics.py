"""What `attnexplorer --diagnostics` prints for a report of a fault: no names, no paths, nothing from the screen."""

from __future__ import annotations

import locale
import os
import platform
import sys
from collections.abc import Iterator
from importlib import import_module, metadata, util
from pathlib import Path

from attnexplorer import __version__
from attnexplorer.app.display_check import why_no_window

OPTIONAL = ("pyqtgraph", "python-pptx", "Pillow", "lxml", "safetensors")
_MODULES = {"python-pptx": "pptx", "Pillow": "PIL"}
_LIBRARIES = (".so", ".dylib", ".dll")
_SETTINGS = ("QT_QPA_PLATFORM", "QT_SCALE_FACTOR", "QT_FONT_DPI", "QT_STYLE_OVERRIDE", "XDG_SESSION_TYPE")


def diagnostics() -> str:
    """Return the report: a line a fact. Without a display Qt paints in memory, and the report says so.

    Raises
    ------
    ImportError
        If Qt cannot be loaded.
    """
    no_window = why_no_window()
    facts = [*_program(), *_system(), *_settings(), ("window", no_window or "can be opened")]
    if no_window is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    facts += _qt()
    width = max(len(name) for name, _ in facts)
    return "".join(f"{name:<{width}}  {value}\n" for name, value in facts)


def _program() -> Iterator[tuple[str, str]]:
    import numpy as np

    form = "from source or installed"
    if getattr(sys, "frozen", False):
        unpacked = Path(getattr(sys, "_MEIPASS", "."))
        form = "folder build" if unpacked.name == "_internal" else "single file"
    yield "Attention Explorer", f"{__version__}, {form}"
    yield "Python", f"{platform.python_version()}, {platform.python_implementation()}"
    yield "NumPy", f"{np.__version__}, {_linear_algebra()}"
    for name in OPTIONAL:
        yield name, _version(name)


def _system() -> Iterator[tuple[str, str]]:
    yield "system", f"{platform.system()} {platform.release()}, {platform.machine()}"
    if sys.platform.startswith("linux"):
        yield "C library", " ".join(platform.libc_ver()) or "unknown"
        yield "distribution", _distribution()
    yield "processors", str(os.cpu_count())
    yield "encoding", f"{locale.getpreferredencoding(False)}, file names {sys.getfilesystemencoding()}"


def _settings() -> Iterator[tuple[str, str]]:
    for name in _SETTINGS:
        if name in os.environ:
            yield name, os.environ[name]


def _qt() -> Iterator[tuple[str, str]]:
    from PySide6 import __version__ as bindings
    from PySide6.QtCore import QLocale, qVersion
    from PySide6.QtGui import QFontInfo, QGuiApplication, QImageReader

    from attnexplorer.app.launch import make_application
    from attnexplorer.figures.fonts import Face, font

    application = make_application()
    yield "Qt", f"{qVersion()}, Qt for Python {bindings}"
    yield "Qt's locale", QLocale().name()
    yield "platform", QGuiApplication.platformName()
    for number, screen in enumerate(application.screens(), start=1):
        size, ratio = screen.size(), screen.devicePixelRatio()
        dots = screen.logicalDotsPerInch()
        yield f"screen {number}", f"{size.width()} × {size.height()}, scaled by {ratio:g}, {dots:g} dots an inch"
    faces: tuple[Face, ...] = ("text", "number", "mathematics")
    for face in faces:
        wanted = font(face, 13)
        yield f"font for {face}", f"{wanted.family()}, found {QFontInfo(wanted).family()}"
    yield "image formats", ", ".join(sorted(bytes(it.data()).decode() for it in QImageReader.supportedImageFormats()))
    yield from _plugins()


def _plugins() -> Iterator[tuple[str, str]]:
    from PySide6.QtCore import QLibraryInfo

    folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath))
    for kind in sorted(folder.iterdir() if folder.is_dir() else ()):
        names = sorted(file.stem.removeprefix("lib") for file in kind.iterdir() if file.suffix in _LIBRARIES)
        if names:
            yield f"Qt plugins, {kind.name}", ", ".join(names)


def _linear_algebra() -> str:
    import numpy as np

    found = np.show_config(mode="dicts")
    blas = found.get("Build Dependencies", {}).get("blas", {}) if isinstance(found, dict) else {}
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def _version(name: str) -> str:
    """A standalone program has the package but not its description, which states the version."""
    module = _MODULES.get(name, name)
    if util.find_spec(module) is None:
        return "not there"
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return str(getattr(import_module(module), "__version__", "there"))


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "unknown")
    except OSError:
        return "unknown"
