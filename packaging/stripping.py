"""Takes debugging symbols out of Python's own libraries. NumPy's would break, and Qt's have none."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

Entry = tuple[str, str, str]


def stripped(entries: Iterable[Entry], folder: Path) -> list[Entry]:
    """Return the entries with smaller copies, made in `folder`, in place of libpython and the standard modules."""
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.which("strip") is None:
        return list(entries)
    return [_smaller(entry, folder) if is_pythons_own(entry[0]) else entry for entry in entries]


def is_pythons_own(destination: str) -> bool:
    """Tell whether a file is Python itself or one of its standard extension modules."""
    return Path(destination).name.startswith("libpython") or "lib-dynload" in Path(destination).parts


def _smaller(entry: Entry, folder: Path) -> Entry:
    destination, source, kind = entry
    if kind == "SYMLINK":
        return entry
    copy = folder / Path(destination).name
    shutil.copyfile(source, copy)
    copy.chmod(0o755)
    done = subprocess.run(["strip", "--strip-unneeded", str(copy)], capture_output=True, check=False).returncode == 0
    return (destination, str(copy), kind) if done else entry
