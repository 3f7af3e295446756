"""Finds what the system lacks for Qt, and installs it on Debian and Ubuntu or says how."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from problem import Problem

PACKAGES: dict[str, str] = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libGLdispatch.so.0": "libglvnd0",
    "libOpenGL.so.0": "libopengl0",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libstdc++.so.6": "libstdc++6",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
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
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libz.so.1": "zlib1g",
}
"""The Debian package of each system library that the used parts of Qt are linked to."""

ALWAYS = (
    "QtCore*.so",
    "QtGui*.so",
    "QtWidgets*.so",
    "QtSvg.*so",
    "QtOpenGL.*so",
    "Qt/plugins/platforms/libqoffscreen.so",
)
X11 = ("Qt/plugins/platforms/libqxcb.so", "Qt/plugins/xcbglintegrations/*.so")
WAYLAND = ("Qt/plugins/platforms/libqwayland.so", "Qt/plugins/wayland-shell-integration/libxdg-shell.so")
SECOND_PROGRAMS = {
    "rsvg-convert": "librsvg2-bin",
    **dict.fromkeys(("pdffonts", "pdfinfo", "pdftoppm", "pdftotext"), "poppler-utils"),
}
LISTS = Path("/var/lib/apt/lists")


def install_missing_libraries(pyside: Path, with_window: bool) -> None:
    """Install the shared libraries that Qt lacks; on Linux only, elsewhere Qt brings its own.

    Raises
    ------
    Problem
        They are missing and cannot be installed from here; the message has the command that does.
    """
    if not sys.platform.startswith("linux") or shutil.which("ldd") is None:
        return
    missing = _missing_libraries(pyside, with_window)
    if not missing:
        return
    names = ", ".join(missing)
    packages = sorted({PACKAGES[library] for library in missing if library in PACKAGES})
    if packages:
        install(packages, f"Qt needs libraries that this system lacks: {names}.")
    still = _missing_libraries(pyside, with_window)
    if still:
        raise Problem(f"Qt needs libraries that this system lacks: {', '.join(still)}. Install them and try again.")


def install_x_server() -> None:
    """Install Xvfb, an X server without a screen, for the windows of tests and pictures."""
    if shutil.which("Xvfb") is None:
        install(["xvfb"], "Tests and pictures need Xvfb, an X server without a screen, which is missing.")


def install_second_programs() -> None:
    """Install the programs in which the tests open figures: librsvg's and Poppler's."""
    missing = [package for program, package in SECOND_PROGRAMS.items() if shutil.which(program) is None]
    if missing:
        install(sorted(set(missing)), "Tests open figures in other programs, which are missing.")


def install(packages: Sequence[str], reason: str) -> None:
    """Install Debian packages as root; otherwise raise a Problem that names the command to type."""
    listed = " ".join(packages)
    if shutil.which("apt-get") is None:
        raise Problem(f"{reason} Install what Debian calls {listed}, and try again.")
    if os.geteuid() != 0:
        command = f"sudo apt-get update && sudo apt-get install -y {listed}"
        raise Problem(f"{reason} This command installs what is missing; then try again:\n\n    {command}\n")
    print(f"{reason} Installing {listed}.", flush=True)
    fresh = not any(LISTS.glob("*_Packages*"))
    if fresh:
        _apt("update")
    if not _apt("install", *packages) and (fresh or not _apt("update") or not _apt("install", *packages)):
        raise Problem(f"apt-get could not install {listed}; the lines above say why.")


def _apt(command: str, *packages: str) -> bool:
    options = ["-q", "-o", "DPkg::Lock::Timeout=120"]
    if command == "install":
        options += ["-y", "--no-install-recommends"]
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    line = ["apt-get", command, *options, *packages]
    return subprocess.call(line, env=quiet, stdin=subprocess.DEVNULL, stdout=sys.stderr) == 0


def _missing_libraries(pyside: Path, with_window: bool) -> list[str]:
    patterns = ALWAYS + (X11 if with_window else ())
    if with_window and os.environ.get("WAYLAND_DISPLAY"):
        patterns += WAYLAND
    binaries = sorted(str(file) for pattern in patterns for file in pyside.glob(pattern))
    listing = subprocess.run(["ldd", *binaries], capture_output=True, text=True, check=False).stdout
    missing: set[str] = set(re.findall(r"^\s*(\S+) => not found", listing, flags=re.MULTILINE))
    return sorted(missing)
