"""How large the standalone program is, what of it is large, and the oldest C library that it runs with."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

MEGABYTE = 1_000_000
LARGEST = 20


def print_sizes(folder: Path, single: Path) -> None:
    """Print the sizes and the largest files."""
    files = real_files(folder)
    print(f"{folder.name}, the folder build: {size(files) / MEGABYTE:.1f} MB in {len(files)} files")
    print(f"{single.name}, the single file: {single.stat().st_size / MEGABYTE:.1f} MB")
    if sys.platform.startswith("linux") and shutil.which("objdump") is not None:
        print(f"The least C library: glibc {least_glibc(files)}")
    print(f"The {LARGEST} largest files:")
    for file in sorted(files, key=lambda it: it.stat().st_size, reverse=True)[:LARGEST]:
        print(f"  {file.stat().st_size / MEGABYTE:6.2f} MB  {file.relative_to(folder)}")
    sys.stdout.flush()


def real_files(folder: Path) -> list[Path]:
    """Return the files below a folder, links left out."""
    return [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()]


def size(files: Iterable[Path]) -> int:
    """Return the bytes of all files together."""
    return sum(file.stat().st_size for file in files)


def least_glibc(files: Iterable[Path]) -> str:
    """Return the newest version of glibc's symbols that any of the files asks for."""
    binaries = [str(file) for file in files if ".so" in file.name or not file.suffix]
    listing = subprocess.run(["objdump", "-T", *binaries], capture_output=True, text=True, check=False).stdout
    return newest(re.findall(r"GLIBC_([0-9.]+)", listing))


def newest(versions: Iterable[str]) -> str:
    """Return the newest of versions such as ``2.4`` and ``2.34``."""
    return max(set(versions), key=lambda version: [int(part) for part in version.split(".")])
