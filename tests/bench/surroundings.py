"""What the benchmarks run in: folders of their own, no foreign settings of the linear algebra, and what it is."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from attnexplorer.app.product_threads import VARIABLES, one_thread_a_product

FOREIGN = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", *VARIABLES)
USER_FOLDERS = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA")


def isolated(variables: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which neither the user's settings nor a forced kind of processor play a part."""
    folder = tempfile.mkdtemp(prefix="attnexplorer-bench-")
    kept = {name: value for name, value in variables.items() if name not in FOREIGN}
    return {**kept, **dict.fromkeys(USER_FOLDERS, folder), "ATTNEXPLORER_STATE": folder, "ATTNEXPLORER_BENCH": folder}


def restart_isolated() -> None:
    """Start this script again in such an environment; it must be so before NumPy is imported."""
    if "ATTNEXPLORER_BENCH" not in os.environ:
        os.environ.update(isolated(os.environ))
        for name in FOREIGN:
            os.environ.pop(name, None)
        one_thread_a_product(os.environ)
        os.execv(sys.executable, [sys.executable, *sys.argv])


def described() -> dict[str, str]:
    """Return machine, versions and the kernels of the linear algebra."""
    import numpy as np
    from PySide6 import __version__ as qt

    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors, {platform.system()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "pyside": qt,
        "blas": _kernel(Path(np.__file__).parent.parent),
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown",
        "platform": os.environ.get("QT_QPA_PLATFORM", "the system's"),
    }


def _kernel(site_packages: Path) -> str:
    """Ask the OpenBLAS that comes with NumPy what kernels it chose for this processor."""
    folders = (site_packages / "numpy.libs", site_packages / "numpy" / ".dylibs")
    for file in (file for folder in folders for file in folder.glob("*openblas*")):
        try:
            name = ctypes.CDLL(str(file)).scipy_openblas_get_corename64_
        except (OSError, AttributeError):
            continue
        name.restype = ctypes.c_char_p
        return f"OpenBLAS, {name().decode()}"
    return "unknown"
