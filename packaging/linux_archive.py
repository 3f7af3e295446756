"""The archive for Linux: the folder build, a menu entry, icons, the type of .attn files, a script to install it all."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import tarfile
from pathlib import Path

MEGABYTE = 1_000_000
SCRIPTS = ("install.sh", "uninstall.sh", "attnexplorer.desktop", "attnexplorer.xml")
_EPOCH = 315532800
"""The first of January 1980: two archives of the same files have the same bytes."""


def pack(folder: Path, archive: Path, root: Path) -> None:
    """Write the archive as .tar.gz and .tar.xz and print how large they are."""
    name = archive.stem
    with tarfile.open(archive, "w", format=tarfile.GNU_FORMAT) as tar:
        for file in sorted(folder.rglob("*")):
            tar.add(file, f"{name}/program/{file.relative_to(folder)}", recursive=False, filter=_plain)
        for script in SCRIPTS:
            tar.add(root / "packaging" / "linux" / script, f"{name}/{script}", filter=_plain)
        for icon in sorted((root / "resources" / "icons").glob("attnexplorer*")):
            tar.add(icon, f"{name}/icons/{icon.name}", filter=_plain)
        tar.add(root / "LICENSE", f"{name}/LICENSE", filter=_plain)
    for packed in (_gzipped(archive), _xzipped(archive)):
        if packed is not None:
            print(f"{packed.name}: {packed.stat().st_size / MEGABYTE:.1f} MB", flush=True)
    archive.unlink()


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out who built it and when; what may be run, everybody may run."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = _EPOCH
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry


def _gzipped(archive: Path) -> Path:
    packed = archive.with_name(f"{archive.name}.gz")
    with (
        archive.open("rb") as source,
        packed.open("wb") as target,
        gzip.GzipFile(filename="", fileobj=target, mode="wb", compresslevel=6, mtime=0) as stream,
    ):
        shutil.copyfileobj(source, stream, 1 << 20)
    return packed


def _xzipped(archive: Path) -> Path | None:
    if shutil.which("xz") is None:
        print("There is no xz here, so there is no .tar.xz.")
        return None
    subprocess.run(["xz", "--keep", "--force", "-T0", "-6", str(archive)], check=True)
    return archive.with_name(f"{archive.name}.xz")
