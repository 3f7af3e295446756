"""What of everything that PyInstaller finds goes into the standalone program: pure functions on its tables.

PyInstaller collects each plugin of Qt, each codec of Pillow and each library that any of them is linked to. The program
paints in memory, reads and writes a handful of formats and uses no network, so most of it is never loaded.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath

Entry = tuple[str, str, str]
"""A row of PyInstaller's tables: where it goes, where it comes from (a link's target), and of what kind it is."""

NEVER_IMPORTED = (
    # Qt: no network, no QML, no tests.
    "PySide6.QtNetwork",
    "PySide6.QtQml",
    "PySide6.QtQuick",
    "PySide6.QtTest",
    # The standard library: no other window toolkit, no TLS, no debugging, no database.
    "tkinter",
    "_tkinter",
    "ssl",
    "_ssl",
    "_hashlib",
    "asyncio",
    "sqlite3",
    "curses",
    "readline",
    "pdb",
    "doctest",
    "unittest",
    "lib2to3",
    # NumPy: what its own tests and builds use.
    "numpy.f2py",
    "numpy.testing",
    "numpy.distutils",
    "numpy.tests",
    # python-pptx needs lxml.etree alone.
    "lxml.html",
    "lxml.objectify",
    "lxml.isoschematron",
    "lxml.sax",
    "lxml.cssselect",
    "lxml.builder",
    # Pillow: type is set by Qt, and colours are sRGB.
    "PIL._imagingft",
    "PIL._imagingcms",
    "PIL._imagingtk",
    "PIL._avif",
    "PIL.ImageQt",
    "PIL.ImageTk",
    "PIL.ImageCms",
    # pyqtgraph: its view box alone is used. It imports more of itself, and multiprocessing, than it needs for that.
    "pyqtgraph.GraphicsScene.exportDialog",
    "pyqtgraph.canvas",
    "pyqtgraph.console",
    "pyqtgraph.dockarea",
    "pyqtgraph.examples",
    "pyqtgraph.exporters",
    "pyqtgraph.flowchart",
    "pyqtgraph.jupyter",
    "pyqtgraph.opengl",
    "pyqtgraph.widgets.MatplotlibWidget",
    # safetensors is used with NumPy.
    "safetensors.torch",
    "safetensors.tensorflow",
    "safetensors.flax",
    "safetensors.mlx",
    "safetensors.paddle",
)
IMPORTED_BY_NAME = ("PySide6.QtOpenGL",)
"""What pyqtgraph imports at its start by a name that it puts together."""
USELESS_HOOKS = ("pyi_rth_multiprocessing", "pyi_rth_pyqtgraph_multiprocess")
"""What PyInstaller runs at every start to prepare for processes of Python; there are none."""
PILLOW_FORMATS = ("Png", "Gif", "WebP", "Jpeg", "Bmp", "Ppm")

QT_PLUGINS: Mapping[str, tuple[str, ...]] = {
    "platforms": ("qxcb", "qwayland", "qoffscreen", "qcocoa", "qwindows"),
    "imageformats": ("qgif", "qico", "qjpeg", "qsvg"),
    "iconengines": ("qsvgicon",),
    "platforminputcontexts": ("composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"),
    "platformthemes": ("qxdgdesktopportal",),
    "wayland-decoration-client": ("adwaita", "bradient"),
    "wayland-shell-integration": ("xdg-shell",),
    "styles": ("qmacstyle",),
}
"""The plugins of Qt that are kept, by folder, without prefix and suffix of the system."""

FROM_THE_SYSTEM = (
    "libX11.so.6",
    "libX11-xcb.so.1",
    "libdbus-1.so.3",
    "libexpat.so.1",
    "libfontconfig.so.1",
    "libfreetype.so.6",
    "libgcc_s.so.1",
    "libglib-2.0.so.0",
    "libgthread-2.0.so.0",
    "libstdc++.so.6",
    "libwayland-client.so.0",
    "libwayland-cursor.so.0",
    "libwayland-egl.so.1",
    "libxcb.so.1",
    "libz.so.1",
)
"""Linux libraries that must be the system's own: its graphics drivers, fonts and session bus depend on them too."""


def pillow_formats_never_used() -> tuple[str, ...]:
    """Return the modules of Pillow's other file formats; nothing where Pillow is not installed."""
    try:
        import PIL
    except ImportError:
        return ()
    plugins = (file.stem for file in Path(PIL.__file__).parent.glob("*ImagePlugin.py"))
    used = {f"{name}ImagePlugin" for name in PILLOW_FORMATS}
    return tuple(f"PIL.{name}" for name in sorted(plugins) if name not in used)


def stand_ins_for_folders(place: Path) -> list[tuple[str, str]]:
    """Return a file for the folder that must be there although its modules are inside the program.

    python-pptx finds its templates by way of ``pptx/oxml/../templates``, which needs a folder ``oxml`` to start from.
    """
    place.mkdir(parents=True, exist_ok=True)
    file = place / "modules-are-in-the-program.txt"
    file.write_text("The modules of this folder are inside the program itself.\n", encoding="utf-8")
    return [(str(file), "pptx/oxml")]


def is_wanted(destination: str) -> bool:
    """Tell whether a collected file is of use, by the name that it has in the program's folder."""
    parts = PurePosixPath(destination.replace("\\", "/")).parts
    if "translations" in parts or any(part.endswith((".dist-info", ".egg-info")) for part in parts):
        return False
    if "tests" in parts or parts[-1].endswith((".pyi", ".pxd", ".pyx", ".h")):
        return False
    # Its modules are inside the program; what lies beside them are icons, colour maps and forms of dialogs.
    if parts[0] == "pyqtgraph":
        return False
    return _is_wanted_plugin(parts)


def without_useless_hooks(scripts: Iterable[Entry]) -> list[Entry]:
    """Return the scripts that are run at the start, without those that prepare for what never happens."""
    return [entry for entry in scripts if entry[0] not in USELESS_HOOKS]


def without_useless_libraries(
    entries: Iterable[Entry], needed: Callable[[Iterable[str]], Mapping[str, frozenset[str]]]
) -> list[Entry]:
    """Leave out shared libraries that nothing kept is linked to, and those that must come from the system.

    Parameters
    ----------
    needed
        From the paths of files to the names of the libraries that each is linked to directly.
    """
    wanted = [entry for entry in entries if is_wanted(entry[0]) and _name(entry[0]) not in FROM_THE_SYSTEM]
    by_name = {_name(entry[0]): entry[1] for entry in wanted if entry[2] != "SYMLINK"}
    links = needed(by_name.values())
    waiting = [entry[1] for entry in wanted if _is_a_root(entry)]
    kept: set[str] = set()
    while waiting:
        file = waiting.pop()
        if file not in kept:
            kept.add(file)
            waiting += [by_name[name] for name in links.get(file, ()) if name in by_name]
    names = {name for name, file in by_name.items() if file in kept}
    return [entry for entry in wanted if (_name(entry[0]) in names if entry[2] == "SYMLINK" else entry[1] in kept)]


def linked_libraries(files: Iterable[str]) -> dict[str, frozenset[str]]:
    """Ask objdump which libraries each ELF file is linked to directly."""
    listed = list(files)
    if not listed:
        return {}
    answer = subprocess.run(["objdump", "-p", *listed], capture_output=True, text=True, check=False).stdout
    found: dict[str, set[str]] = {file: set() for file in listed}
    current = ""
    for line in answer.splitlines():
        if ":     file format" in line:
            current = line.split(":     file format")[0]
        elif line.startswith("  NEEDED"):
            found[current].add(line.split()[1])
    return {file: frozenset(names) for file, names in found.items()}


def _is_wanted_plugin(parts: tuple[str, ...]) -> bool:
    if "plugins" not in parts or "PySide6" not in parts:
        return True
    folder, *rest = parts[parts.index("plugins") + 1 :]
    name = rest[-1].split(".")[0].removeprefix("lib") if rest else ""
    return name in QT_PLUGINS.get(folder, ())


def _is_a_root(entry: Entry) -> bool:
    """Extension modules, plugins and Python itself are loaded by name; other libraries only because of a link."""
    destination, _, kind = entry
    if kind == "EXTENSION" or _name(destination).startswith("libpython"):
        return True
    return kind != "SYMLINK" and "plugins" in PurePosixPath(destination).parts


def _name(destination: str) -> str:
    return destination.replace("\\", "/").rsplit("/", 1)[-1]
